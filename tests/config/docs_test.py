"""What is documented is what is read: examples, the reference, and the JSON Schema.

WEBSHIP_UPDATE=1 writes the reference into docs/configuration.md, and docs/webship.schema.json.
"""

import json
import os
import pathlib
import re
import subprocess
import textwrap

import jsonschema
import pytest
import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINARY = pathlib.Path(os.environ.get("WEBSHIP_BINARY", str(ROOT / "build/dev/webship"))).resolve()
UPDATE = os.environ.get("WEBSHIP_UPDATE") == "1"
BEGIN = "<!-- begin: webship schema --reference -->\n"
END = "<!-- end -->\n"
VARIABLES = {"BENCH_ROOT": "/srv", "BENCH_CERT": "/srv/c.pem", "BENCH_KEY": "/srv/k.pem"}


def webship(*arguments):
    return subprocess.run(
        [BINARY, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **VARIABLES},
    )


def check(path):
    result = webship("check", "--no-files", "-c", str(path))
    assert result.returncode == 0, result.stderr


def code_blocks():
    """(file, line, what the fence says, text) of each block of YAML in the documentation."""
    fence = re.compile(r"^( *)```(yaml.*)\n((?:.*\n)*?) *```$", re.MULTILINE)
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text()
        for block in fence.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            yield path.name, line, block[2].strip(), textwrap.dedent(block[3])


BLOCKS = list(code_blocks())


def whole_file(kind, text):
    """A fragment put where it would stand."""
    if kind == "yaml handlers":
        return "sites:\n  - host: example.com\n" + textwrap.indent(text, "    ")
    if kind == "yaml filters":
        return "sites:\n  - respond: 200\n    filters:\n" + textwrap.indent(text, "      ")
    assert kind == "yaml", f"the fence {kind!r} is none that this test knows"
    return text


def test_documentation_has_examples():
    assert len(BLOCKS) >= 8


@pytest.mark.parametrize("block", BLOCKS, ids=[f"{b[0]}:{b[1]}" for b in BLOCKS])
def test_code_block(block, tmp_path, schema):
    text = whole_file(block[2], block[3])
    path = tmp_path / "webship.yaml"
    path.write_text(text)
    check(path)
    jsonschema.validate(yaml.safe_load(text), schema)


EXAMPLES = sorted([*(ROOT / "examples").glob("*.yaml"), *(ROOT / "bench").glob("*.yaml")])


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.name for p in EXAMPLES])
def test_example(path, schema):
    check(path)
    assert path.read_text().startswith("#"), "an example says in its first line what it is"
    jsonschema.validate(yaml.safe_load(path.read_text()), schema)


@pytest.fixture(scope="module")
def schema():
    result = json.loads(webship("schema").stdout)
    jsonschema.Draft7Validator.check_schema(result)
    return result


def test_schema_is_current():
    path = ROOT / "docs/webship.schema.json"
    text = webship("schema").stdout
    if UPDATE:
        path.write_text(text)
    assert path.read_text() == text, "WEBSHIP_UPDATE=1 writes it anew"


def test_reference_is_current():
    path = ROOT / "docs/configuration.md"
    before, rest = path.read_text().split(BEGIN)
    old, after = rest.split(END)
    new = webship("schema", "--reference").stdout + "\n"
    if UPDATE:
        path.write_text(before + BEGIN + new + END + after)
    else:
        assert old == new, "WEBSHIP_UPDATE=1 writes it anew"


GOOD = sorted((HERE / "good").rglob("*.yaml"))


@pytest.mark.parametrize("path", GOOD, ids=[str(p.relative_to(HERE)) for p in GOOD])
def test_schema_takes_what_is_good(path, schema):
    document = yaml.safe_load(path.read_text())
    if document is not None:
        jsonschema.validate(document, schema)


# Errors of the kind that a schema can see.
SEEN_BY_SCHEMA = [
    "key_later_feature",
    "key_missing",
    "key_missing_handler",
    "key_unknown",
    "key_unknown_in_filter",
    "key_unknown_in_handler",
    "key_unknown_in_site",
    "handler_two",
    "handler_and_routes",
    "filter_two_keys",
    "type_bool",
    "type_number",
    "type_number_range",
    "type_duration",
    "type_word",
    "type_text_for_map",
    "redirect_status",
    "respond_status",
    "log_level",
    "tls_old_version",
    "upstream_balance",
]


@pytest.mark.parametrize("name", SEEN_BY_SCHEMA)
def test_schema_refuses_what_is_wrong(name, schema):
    document = yaml.safe_load((HERE / "errors" / f"{name}.yaml").read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
