"""Golden files: what `webship check` says of each configuration, word for word.

errors/NAME.yaml is refused with the text of errors/NAME.expected; good/NAME.yaml is taken, and what
it would do is good/NAME.expected. WEBSHIP_UPDATE=1 writes the expected files instead: read the
difference before it is committed.
"""

import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINARY = os.environ.get("WEBSHIP_BINARY", str(ROOT / "build/dev/webship"))
UPDATE = os.environ.get("WEBSHIP_UPDATE") == "1"
ENVIRONMENT = {
    "WEBSHIP_TEST_WORD": "word",
    "WEBSHIP_TEST_PORT": "8080",
    "WEBSHIP_TEST_EMPTY": "",
}


def cases(folder):
    return sorted(path.stem for path in (HERE / folder).glob("*.yaml"))


def check(folder, name):
    environment = {k: v for k, v in os.environ.items() if k != "WEBSHIP_NOT_SET"}
    return subprocess.run(
        [pathlib.Path(BINARY).resolve(), "check", "-c", f"{name}.yaml"],
        cwd=HERE / folder,
        env={**environment, **ENVIRONMENT},
        capture_output=True,
        text=True,
        timeout=60,
    )


def compare(folder, name, text):
    path = HERE / folder / f"{name}.expected"
    if UPDATE:
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", cases("errors"))
def test_errors(name):
    result = check("errors", name)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.endswith(" in the configuration\n")
    compare("errors", name, result.stderr)


@pytest.mark.parametrize("name", cases("good"))
def test_good(name):
    result = check("good", name)
    assert result.stderr == ""
    assert result.returncode == 0
    compare("good", name, result.stdout)


def test_no_expected_file_is_left_over():
    for folder in ("errors", "good"):
        for path in (HERE / folder).glob("*.expected"):
            assert path.with_suffix(".yaml").exists(), path
