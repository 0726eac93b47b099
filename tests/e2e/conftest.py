"""Fixtures of the end-to-end tests: servers and origins that end with the test; certificates."""

import pathlib
import ssl
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import attacks  # noqa: E402
import harness  # noqa: E402


@pytest.fixture
def webship(tmp_path):
    """Starts a server: `webship({...})`. Checks at the end that it ends orderly and without a word
    from a sanitizer."""
    servers = []

    def start(config, **options):
        folder = tmp_path / f"server{len(servers)}"
        folder.mkdir()
        server = harness.Server(config, folder, **options)
        servers.append(server)
        return server

    yield start
    for server in servers:
        if not server.log.closed:
            server.stop()


@pytest.fixture
def origin():
    """Starts an origin: `origin(script)`."""
    origins = []

    def start(script=None, **options):
        origins.append(harness.Origin(script, **options))
        return origins[-1]

    yield start
    for one in origins:
        one.close()


def make_site(root):
    (root / "sub").mkdir(parents=True)
    (root / "hello.txt").write_text("Hello, World!")
    (root / "index.html").write_text("<!doctype html><title>Home</title>")
    (root / "sub/index.html").write_text("<!doctype html><title>Sub</title>")
    (root / "large.bin").write_bytes(bytes(range(256)) * 4096 * 3)
    return root


@pytest.fixture
def site(tmp_path):
    """A folder with a few files: hello.txt, index.html, sub/index.html, large.bin (3 MiB)."""
    return make_site(tmp_path / "site")


@pytest.fixture(scope="session")
def target(tmp_path_factory):
    """One server for the tests of the attack catalogue, before a recording origin."""
    folder = tmp_path_factory.mktemp("target")
    one = attacks.Target(folder / "server", make_site(folder / "site"))
    yield one
    one.stop()


class Certificates:
    """A CA and certificates that it signed, made when first asked for."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.made = {}
        self.ca, self.ca_key = self.folder / "ca.pem", self.folder / "ca.key"
        self.run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-days", "10", "-keyout", self.ca_key, "-out", self.ca, "-subj", "/CN=Test CA",
                 "-addext", "basicConstraints=critical,CA:TRUE",
                 "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def run(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    def make(self, name, *names, key="ec", client=False, days=5):
        """{certificate, key} of a certificate for `names` (default: `name`)."""
        if name in self.made:
            return self.made[name]
        certificate, key_path = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        request = self.folder / f"{name}.csr"
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] if key == "ec" else [
            "-newkey", "rsa:2048"]
        self.run("req", *kind, "-nodes", "-keyout", key_path, "-out", request,
                 "-subj", f"/CN={name}")
        key_path.chmod(0o600)
        kinds = ["IP" if n.replace(".", "").isdigit() else "DNS" for n in (names or (name,))]
        alternative = ",".join(f"{k}:{n}" for k, n in zip(kinds, names or (name,)))
        extensions = self.folder / f"{name}.ext"
        usage = "clientAuth" if client else "serverAuth"
        extensions.write_text(f"subjectAltName={alternative}\nextendedKeyUsage={usage}\n")
        self.run("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.ca_key,
                 "-CAcreateserial", "-days", str(days), "-extfile", extensions, "-out", certificate)
        self.made[name] = {"certificate": str(certificate), "key": str(key_path)}
        return self.made[name]

    def client_context(self, client=None, alpn=("http/1.1",)):
        context = ssl.create_default_context(cafile=str(self.ca))
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if client:
            context.load_cert_chain(client["certificate"], client["key"])
        return context

    def server_context(self, files):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files["certificate"], files["key"])
        return context


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))
