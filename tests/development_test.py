"""What `make run` rests on: the development certificate."""

import os
import ssl
import stat
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def make(folder):
    return subprocess.run([ROOT / "tools/dev-certificate", folder], check=True, text=True,
                          capture_output=True).stdout


def test_a_certificate_is_made_once_for_the_owner_of_the_checkout(tmp_path):
    folder = tmp_path / "certificate"
    assert "made a development certificate" in make(folder)
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    # Who starts as root gives up its rights for the owner's, who must be able to read all of it.
    owner = ROOT.stat().st_uid if os.getuid() == 0 else os.getuid()
    assert {path.stat().st_uid for path in (folder, key, certificate)} == {owner}
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    before = certificate.read_bytes()
    assert make(folder) == ""
    assert certificate.read_bytes() == before


def test_a_certificate_about_to_expire_is_replaced(tmp_path):
    folder = tmp_path / "certificate"
    folder.mkdir()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
                   check=True, capture_output=True)
    before = (folder / "certificate.pem").read_bytes()
    assert "made a development certificate" in make(folder)
    assert (folder / "certificate.pem").read_bytes() != before
