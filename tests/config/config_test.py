"""Golden files: what `webship check` says of each configuration, word for word.

errors/NAME.yaml is refused with the text of errors/NAME.expected; good/NAME.yaml is taken, and what
it would do is good/NAME.expected; both without a look at the files that they name. files/NAME.yaml
is refused for those. WEBSHIP_UPDATE=1 writes the expected files instead: read the
difference before it is committed.
"""

import json
import os
import pathlib
import shutil
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


def check(folder, name, *options):
    environment = {k: v for k, v in os.environ.items() if k != "WEBSHIP_NOT_SET"}
    return subprocess.run(
        [pathlib.Path(BINARY).resolve(), "check", *options, "-c", f"{name}.yaml"],
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
    result = check("errors", name, "--no-files")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.endswith(" in the configuration\n")
    compare("errors", name, result.stderr)


@pytest.mark.parametrize("name", cases("files"))
def test_files(name):
    result = check("files", name)
    assert result.returncode == 1
    assert result.stdout == ""
    compare("files", name, result.stderr)
    # A start says the same of the first, and not where.
    assert check("files", name, "--no-files").returncode == 0


def certificate(folder):
    names = {"certificate": str(folder / "cert.pem"), "key": str(folder / "key.pem")}
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "10", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", names["key"],
                    "-out", names["certificate"]], check=True, capture_output=True)
    return names


def write_site(folder, names):
    (folder / "webship.yaml").write_text(json.dumps({
        "listeners": {"https": {"address": ":8443", "tls": {"certificates": [names]}}},
        "sites": [{"host": "*", "files": str(folder)}]}, indent=1))


def run(folder, *options, binary=BINARY, **more):
    return subprocess.run([pathlib.Path(binary).resolve(), *options, "-c", "webship.yaml"],
                          cwd=folder, capture_output=True, text=True, timeout=60, **more)


@pytest.mark.parametrize("command", [["check"], ["-t"], ["run", "-t"]])
def test_files_that_are_there_are_good(tmp_path, command):
    write_site(tmp_path, certificate(tmp_path))
    result = run(tmp_path, *command)
    assert result.returncode == 0 and result.stderr == "", result.stderr


def test_a_certificate_and_a_key_that_do_not_fit(tmp_path):
    names = certificate(tmp_path)
    (tmp_path / "other").mkdir()
    names["key"] = certificate(tmp_path / "other")["key"]
    write_site(tmp_path, names)
    result = run(tmp_path, "check")
    assert result.returncode == 1
    assert result.stderr.startswith("webship.yaml:7:6: error: ") and names["key"] in result.stderr


def test_what_the_user_may_not_read_is_a_warning(tmp_path):
    names = certificate(tmp_path)
    write_site(tmp_path, names)
    pathlib.Path(names["key"]).chmod(0)
    options = {}
    binary = tmp_path / "webship"
    shutil.copy(BINARY, binary)  # where another user may run it
    if os.geteuid() == 0:
        for folder in [tmp_path, *tmp_path.parents][:-1]:
            folder.chmod(folder.stat().st_mode | 0o055)
        options = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    result = run(tmp_path, "check", binary=binary, **options)
    assert result.returncode == 0, result.stderr
    first = result.stderr.splitlines()[0]
    assert first.startswith("webship.yaml:9:14: warning: ") and names["key"] in first
    assert "is good" in result.stdout


@pytest.mark.parametrize("name", cases("good"))
def test_good(name):
    result = check("good", name, "--no-files")
    assert result.stderr == ""
    assert result.returncode == 0
    compare("good", name, result.stdout)


def test_no_expected_file_is_left_over():
    for folder in ("errors", "good", "files"):
        for path in (HERE / folder).glob("*.expected"):
            assert path.with_suffix(".yaml").exists(), path
