"""What is typed wrong, or can't be served, is said in a sentence that tells what to type."""

import socket
import subprocess

import pytest

from harness import BINARY, DEADLINE

HELP = "Run `webship{} --help` for what can be typed."


def typed(*line, cwd):
    return subprocess.run([BINARY, *line], capture_output=True, text=True, timeout=DEADLINE,
                          cwd=cwd)


@pytest.mark.parametrize("line,sentence,command", [
    ("runn", "there is no command `runn`; did you mean `webship run`?", ""),
    ("site.yaml", "there is no command `site.yaml`", ""),
    ("run site.yaml", "a file is named with -c: `webship run -c site.yaml`", " run"),
    ("check site.yaml", "a file is named with -c: `webship check -c site.yaml`", " check"),
    ("run --conf x", "`webship run` doesn't know what `--conf` means", " run"),
    ("files . more", "`webship files` doesn't know what `more` means", " files"),
    ("proxy", "--to is required", " proxy"),
])
def test_a_wrong_line(tmp_path, line, sentence, command):
    ended = typed(*line.split(), cwd=tmp_path)
    assert ended.returncode == 2 and ended.stdout == ""
    assert ended.stderr.splitlines() == [f"webship: {sentence}", HELP.format(command)]


@pytest.mark.parametrize("line,sentence", [
    ("run -c none.yaml", "there is no file none.yaml; name one with -c FILE"),
    ("check -c none.yaml", "there is no file none.yaml; name one with -c FILE"),
    ("check", "there is neither ./webship.yaml nor /etc/webship/webship.yaml; name a file with "
              "-c FILE, or serve this folder with `webship files`"),
    ("run -c .", ". is a folder; name a file with -c FILE, or serve the folder with `webship files "
                 ".`"),
    ("files none", "none is not there; name a folder to serve"),
    ("files . -l 192.0.2.1:8080", "can't listen on 192.0.2.1:8080: this machine has no such "
                                  "address; `ip address` lists those that it has"),
    ("files . -l unix:/none/x", "can't listen on unix:/none/x: its folder is not there; make it, "
                                "or choose another"),
])
def test_what_can_not_be_served(tmp_path, line, sentence):
    ended = typed(*line.split(), cwd=tmp_path)
    assert ended.returncode == 1 and ended.stdout == ""
    # Nothing claims before that it is served.
    assert ended.stderr == f"webship: {sentence}\n"


def test_a_file_without_a_command(tmp_path):
    ended = typed("-c", "site.yaml", cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == (
        "webship: what to do with site.yaml? Type `webship run -c site.yaml`, or `check`\n")


def test_a_port_in_use(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = typed("files", ".", "--listen", address, cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stderr == (f"webship: can't listen on {address}: it is in use: something listens "
                            "there already; stop it, or choose another address\n")
