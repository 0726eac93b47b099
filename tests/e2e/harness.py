"""What end-to-end tests are made of: the real binary, raw connections, and origins that record.

Everything listens on loopback, on ports that were free; everything that is started is ended by its
own process id. Waiting is always for an event with a deadline, never for a time to pass.
"""

import contextlib
import os
import pathlib
import random
import signal
import socket
import ssl
import subprocess
import threading
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("WEBSHIP_BINARY", str(ROOT / "build/dev/webship"))
# Sanitizers and a busy machine make everything slower.
SLOW = float(os.environ.get("WEBSHIP_SLOW", "1"))
DEADLINE = 10 * SLOW
SANITIZED = "ASAN_OPTIONS" in os.environ  # as tools/test sets it
LOWEST_PORT = 10_000


def free_port():
    """A port that nobody listens on. From below those that the kernel gives, for it could give one
    of them to somebody else before the server has it; each of pytest's workers has its own part."""
    ephemeral = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = (int(ephemeral[0]) - LOWEST_PORT) // count
    while True:
        # Where the kernel gives nearly all of them, it chooses.
        port = LOWEST_PORT + worker * share + random.randrange(share) if share >= 1000 else 0
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return s.getsockname()[1]


def wait_until(condition, what, deadline=DEADLINE):
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.01)
    raise AssertionError(f"not within {deadline} s: {what}")


class Server:
    """A running webship. `config` is a dict; listeners that name no address get a free port."""

    def __init__(self, config, folder, environment=None, arguments=("run", "-c")):
        self.folder = pathlib.Path(folder)
        self.config = dict(config)
        self.config.setdefault("workers", 1)
        self.config.setdefault("admin", {"address": "off"})
        if os.geteuid() == 0:  # another user can't enter pytest's folders
            self.config.setdefault("user", "root")
        listeners = self.config.setdefault("listeners", {"http": {}})
        self.ports = {}
        for name, listener in listeners.items():
            listener.setdefault("address", f"127.0.0.1:{free_port()}")
            address = listener["address"]
            if isinstance(address, str) and not address.startswith("unix:"):
                self.ports[name] = int(address.rsplit(":", 1)[1])
        self.path = self.folder / "webship.yaml"
        self.write(self.config)
        self.log_path = self.folder / "webship.log"
        self.access_path = self.folder / "access.log"
        self.log = open(self.log_path, "ab")
        self.access = open(self.access_path, "ab")
        self.process = subprocess.Popen([BINARY, *arguments, str(self.path)], stdout=self.access,
                                        stderr=self.log, cwd=self.folder,
                                        env={**os.environ, **(environment or {})})
        wait_until(self.ready_or_dead, "the server is ready")
        if self.process.poll() is not None:
            status = self.process.returncode
            raise AssertionError(f"webship ended with {status}:\n{self.log_text()}")

    def write(self, config):
        self.path.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))

    def ready_or_dead(self):
        return self.process.poll() is not None or " ready: " in self.log_text()

    def log_text(self):
        return self.log_path.read_text(errors="replace")

    def access_lines(self, count=1):
        """The access log once it has at least `count` lines."""
        def enough():
            lines = self.access_path.read_text(errors="replace").splitlines()
            return lines if len(lines) >= count else None
        return wait_until(enough, f"{count} lines in the access log")

    @property
    def port(self):
        return next(iter(self.ports.values()))

    def url(self, path="/", listener=None, scheme="http", host="127.0.0.1"):
        port = self.ports[listener] if listener else self.port
        return f"{scheme}://{host}:{port}{path}"

    def connect(self, listener=None, tls=None, timeout=DEADLINE, server_name="localhost",
                address=None):
        port = self.ports[listener] if listener else self.port
        s = socket.create_connection((address or "127.0.0.1", port), timeout=timeout)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            s = tls.wrap_socket(s, server_hostname=server_name)
        return Connection(s)

    def exchange(self, data, **options):
        """Sends bytes on a new connection and reads until the server closes (or stops sending)."""
        with self.connect(**options) as connection:
            connection.send(data)
            return connection.read_all()

    def request(self, data, **options):
        """One request, one parsed response."""
        with self.connect(**options) as connection:
            connection.send(data)
            return connection.response(head=data.startswith(b"HEAD "))

    def metric(self, name, **labels):
        """A value of the admin pages, which listen where `config` says so."""
        self.ports["admin"] = int(self.config["admin"]["address"].rsplit(":", 1)[1])
        data = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        if labels:
            name += "{" + ",".join(f'{k}="{v}"' for k, v in labels.items()) + "}"
        lines = self.request(data, listener="admin").body.decode().splitlines()
        values = [line for line in lines if line.startswith(name + " ")]
        assert len(values) == 1, f"{name} in {lines}"
        return float(values[0].rsplit(" ", 1)[1])

    def reload(self):
        before = self.log_text().count("reload")
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.log_text().count("reload") > before, "the reload")

    def stop(self, expect=0):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"webship did not end:\n{self.log_text()}") from None
        self.log.close()
        self.access.close()
        text = self.log_text()
        assert "Sanitizer" not in text and "runtime error:" not in text, text
        assert self.process.returncode == expect, (
            f"webship ended with {self.process.returncode}:\n{text}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.process.kill()
            self.process.wait()


class Response:
    def __init__(self, status, reason, fields, body, trailers, version):
        self.status, self.reason, self.fields = status, reason, fields
        self.body, self.trailers, self.version = body, trailers, version

    def __getitem__(self, name):
        values = self.all(name)
        return values[0] if values else None

    def all(self, name):
        return [v for n, v in self.fields if n.lower() == name.lower()]

    def __repr__(self):
        return f"<{self.status} {self.fields} {self.body[:200]!r}>"


class Connection:
    """A raw connection with a strict reader of HTTP/1.1 responses."""

    def __init__(self, s):
        self.socket, self.buffer = s, b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))

    def fill(self):
        data = self.socket.recv(65536)
        self.buffer += data
        return bool(data)

    def read_all(self):
        """Everything until the end; a reset counts as the end."""
        with contextlib.suppress(ConnectionResetError, ssl.SSLError):
            while self.fill():
                pass
        data, self.buffer = self.buffer, b""
        return data

    def read_until(self, mark):
        while mark not in self.buffer:
            assert self.fill(), f"closed before {mark!r}: {self.buffer!r}"
        at = self.buffer.index(mark) + len(mark)
        data, self.buffer = self.buffer[:at], self.buffer[at:]
        return data

    def read_exactly(self, size):
        while len(self.buffer) < size:
            assert self.fill(), f"closed after {len(self.buffer)} of {size} bytes"
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def head(self):
        raw = self.read_until(b"\r\n\r\n")
        lines = raw[:-4].split(b"\r\n")
        version, status, reason = (lines[0] + b" ").split(b" ", 2)
        assert version.startswith(b"HTTP/1."), lines[0]
        fields = []
        for line in lines[1:]:
            name, colon, value = line.partition(b":")
            assert colon and name and b" " not in name, line
            fields.append((name.decode(), value.strip().decode("latin-1")))
        return Response(int(status), reason.strip().decode(), fields, b"", [], version.decode())

    def response(self, head=False, informational=False):
        """The next response; 1xx are passed over unless asked for."""
        response = self.head()
        while 100 <= response.status < 200 and response.status != 101 and not informational:
            response = self.head()
        if head or response.status < 200 or response.status in (204, 304):
            return response
        if (response["Transfer-Encoding"] or "").lower() == "chunked":
            assert response["Content-Length"] is None, response
            self.read_chunks(response)
        elif response["Content-Length"] is not None:
            response.body = self.read_exactly(int(response["Content-Length"]))
        else:
            response.body = self.read_all()
        return response

    def read_chunks(self, response):
        while True:
            size = int(self.read_until(b"\r\n")[:-2], 16)
            if size == 0:
                break
            response.body += self.read_exactly(size)
            assert self.read_exactly(2) == b"\r\n"
        while (line := self.read_until(b"\r\n")) != b"\r\n":
            name, _, value = line[:-2].partition(b":")
            response.trailers.append((name.decode(), value.strip().decode("latin-1")))

    def closed(self):
        """Waits for the server's end; False if it sends more first."""
        try:
            return not self.fill()
        except ConnectionResetError:
            return True


class Origin:
    """A TCP origin that records what it receives. `script(connection, origin)` runs per connection
    in a thread of its own, with a harness Connection; without one it answers each with 200."""

    def __init__(self, script=None, tls=None, unix=None, record=True):
        self.script, self.tls, self.record = script, tls, record
        self.received = []  # bytes of each connection, by order of accepting
        self.requests = []  # (head bytes, body bytes) as `read_request` saw them
        self.errors = []
        self.open = []
        self.go = threading.Event()  # for scripts that wait for the test
        if unix:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(str(unix))
        else:
            self.listener = socket.socket()
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.bind(("127.0.0.1", 0))
            self.port = self.listener.getsockname()[1]
        self.listener.listen(128)
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def accept(self):
        while True:
            try:
                s, _ = self.listener.accept()
            except OSError:
                return
            s.settimeout(DEADLINE)
            self.open.append(s)
            threading.Thread(target=self.serve, args=(s,), daemon=True).start()

    def serve(self, s):
        index = len(self.received)
        self.received.append(b"")
        try:
            if self.tls:
                s = self.tls.wrap_socket(s, server_side=True)
            connection = RecordedConnection(s, self, index)
            if self.script:
                self.script(connection, self)
            else:
                while request := connection.read_request():
                    connection.answer(b"ok", head=request[0].startswith(b"HEAD "))
        except (OSError, AssertionError) as error:
            self.errors.append(error)
        finally:
            with contextlib.suppress(OSError):
                s.close()

    def close(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for s in self.open:
            with contextlib.suppress(OSError):
                s.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def held(body):
    """A script that answers a connection's first request once the origin's `go` is set."""
    def script(connection, origin):
        connection.read_request()
        assert origin.go.wait(DEADLINE)
        connection.answer(body)

    return script


class RecordedConnection(Connection):
    def __init__(self, s, origin, index):
        super().__init__(s)
        self.origin, self.index = origin, index

    def fill(self):
        data = self.socket.recv(65536)
        if self.origin.record:  # not of a body that would fill our own memory
            self.origin.received[self.index] += data
        self.buffer += data
        return bool(data)

    def read_request(self):
        """(head, body) of the next request, or None at the end of the connection."""
        while b"\r\n\r\n" not in self.buffer:
            try:
                if not self.fill():
                    return None
            except ConnectionResetError:
                return None
        head = self.read_until(b"\r\n\r\n")
        body = b""
        fields = {}
        for line in head[:-4].split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            fields[name.strip().lower()] = value.strip()
        if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
            chunked = Response(0, "", [], b"", [], "")
            self.read_chunks(chunked)
            body = chunked.body
        elif b"content-length" in fields:
            body = self.read_exactly(int(fields[b"content-length"]))
        self.origin.requests.append((head, body))
        return head, body

    def answer(self, body=b"", status=b"200 OK", fields=(), head=False):
        lines = [b"HTTP/1.1 " + status, b"Content-Length: " + str(len(body)).encode(), *fields]
        self.send(b"\r\n".join(lines) + b"\r\n\r\n" + (b"" if head else body))
