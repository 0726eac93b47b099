"""Peers that take their time: heads, bodies, readers and handshakes, and inputs that are meant to
cost more than they weigh. Times are short by configuration; what is paced is paced by waiting for
the server's answer, and upper bounds are loose, for the machine may be busy."""

import contextlib
import os
import select
import socket
import ssl
import time

import pytest

import harness
from attacks import FIXED

SHORT = 0.3
STEP = 0.02
# A sender that goes on must be slower than no pause of a busy machine.
STEADY = 1.0 * harness.SLOW
LIMIT = 5 * harness.SLOW  # far below the defaults of these timeouts

short_limits = {"header_timeout": "300ms", "body_timeout": "300ms", "send_timeout": "300ms",
                "keepalive_timeout": "10s", "handshake_timeout": "300ms", "body_rate_min": "1000B"}


@pytest.fixture(scope="module")
def place(tmp_path_factory, certificates):
    """(server, origin): listeners `http` and `https` have short times, `steady` longer ones."""
    folder = tmp_path_factory.mktemp("slow")
    with open(folder / "huge.bin", "wb") as huge:
        huge.truncate(64 << 20)
    with open(folder / "some.bin", "wb") as some:
        some.truncate(4 << 20)

    def script(connection, one):
        while request := connection.read_request():
            if b"/huge" not in request[0]:
                connection.answer(b"ok")
                continue
            connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            one.sent = 0
            try:
                while True:
                    connection.send(b"x" * 65536)
                    one.sent += 65536
            except OSError:
                one.cut = True
                return

    steady = f"{int(STEADY * 1000)}ms"
    tls = {"certificates": [certificates.make("localhost")]}
    with harness.Origin(script) as one:
        server = harness.Server({
            "listeners": {
                "http": {"limits": short_limits}, "https": {"limits": short_limits, "tls": tls},
                "steady": {"limits": {"body_timeout": steady, "send_timeout": steady,
                                      "header_timeout": "10s", "body_rate_min": "1000B"}}},
            "sites": [{"host": "*", "routes": [
                {"match": {"path": "/respond"}, "respond": {"status": 200, "body": FIXED.decode()}},
                {"match": {"path": "/proxy/*"}, "proxy": one.url},
                {"files": str(folder)}]}]}, folder)
        yield server, one
        server.stop()


def readable(connection, timeout):
    if isinstance(connection.socket, ssl.SSLSocket) and connection.socket.pending():
        return True
    return bool(select.select([connection.socket], [], [], timeout)[0])


def dribble(connection, data, step=STEP):
    """Sends `data` byte by byte until the server answers or closes; all that it says. Fails when
    everything was sent, or the server let it go on for too long."""
    end = time.monotonic() + LIMIT
    for at in range(len(data)):
        if readable(connection, step):
            return connection.read_all()
        assert time.monotonic() < end, f"still open after {at} bytes"
        try:
            connection.send(data[at:at + 1])
        except OSError:
            return connection.read_all()
    raise AssertionError("all of it was sent")


def is_408(answer):
    return answer.startswith(b"HTTP/1.1 408 ") and b"\r\nConnection: close\r\n" in answer


LONG = "GET /respond HTTP/1.1\r\nHost: h\r\nX: " + "y" * 10_000


@pytest.mark.parametrize("listener", ["http", "https"])
@pytest.mark.parametrize("first", ["", "G", "GET /respond HTTP/1.1\r\n", LONG[:500], "\r\n", "\r"])
def test_D01_a_head_that_does_not_end(place, certificates, listener, first):
    server, _ = place
    tls = certificates.client_context() if listener == "https" else None
    begin = time.monotonic()
    with server.connect(listener=listener, tls=tls) as connection:
        connection.send(first)
        answer = connection.read_all()
    assert answer == b"" or is_408(answer)
    # Who sent a part of a head is told.
    assert is_408(answer) or first.strip() == ""
    assert SHORT / 2 < time.monotonic() - begin < LIMIT


@pytest.mark.parametrize("listener", ["http", "https"])
def test_D01_no_byte_moves_the_deadline(place, certificates, listener):
    server, _ = place
    tls = certificates.client_context() if listener == "https" else None
    with server.connect(listener=listener, tls=tls) as connection:
        answer = dribble(connection, LONG.encode())
        assert answer == b"" or is_408(answer)


def test_D01_later_heads_have_the_same_time(place):
    server, _ = place
    with server.connect() as connection:
        for _ in range(2):
            connection.send("GET /respond HTTP/1.1\r\nHost: h\r\n\r\n")
            assert connection.response().body == FIXED
        answer = dribble(connection, LONG.encode())
        assert answer == b"" or is_408(answer)


BODIES = [
    ("Content-Length: 100000", b"x" * 100_000),
    ("Transfer-Encoding: chunked", b"186A0\r\n" + b"x" * 90_000),
    ("Transfer-Encoding: chunked", b"1\r\nx\r\n" * 10_000),
    ("Transfer-Encoding: chunked", b"1;" + b"x" * 15_000),
    ("Transfer-Encoding: chunked", b"1\r\nx\r\n0\r\nX: " + b"y" * 7_000),
]


@pytest.mark.parametrize("field, body", BODIES, ids=["known", "chunk", "chunks", "extension",
                                                     "trailer"])
@pytest.mark.parametrize("listener", ["http", "https"])
def test_D02_a_body_slower_than_the_minimum(place, certificates, listener, field, body):
    server, origin = place
    tls = certificates.client_context() if listener == "https" else None
    complete = len(origin.requests)
    with server.connect(listener=listener, tls=tls) as connection:
        connection.send(f"POST /proxy/x HTTP/1.1\r\nHost: h\r\n{field}\r\n\r\n")
        assert is_408(dribble(connection, body))
    assert len(origin.requests) == complete


@pytest.mark.parametrize("sent", [0, 1, 50_000])
@pytest.mark.parametrize("field", ["Content-Length: 100000", "Transfer-Encoding: chunked"])
def test_D02_a_body_that_stops(place, sent, field):
    server, origin = place
    complete = len(origin.requests)
    with server.connect() as connection:
        connection.send(f"POST /proxy/x HTTP/1.1\r\nHost: h\r\n{field}\r\n\r\n")
        connection.send(("186A0\r\n" if "chunked" in field else "") + "x" * sent)
        begin = time.monotonic()
        assert is_408(connection.read_all())
        assert time.monotonic() - begin < LIMIT
    assert len(origin.requests) == complete


def test_D02_a_body_that_nobody_reads_and_that_does_not_come(place):
    server, _ = place
    with server.connect() as connection:
        connection.send("POST /respond HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
        begin = time.monotonic()
        assert connection.response().body == FIXED
        assert connection.read_all() == b""
        assert time.monotonic() - begin < LIMIT


@pytest.mark.parametrize("coding", ["known", "chunked"])
def test_D02_there_is_no_cap_on_the_whole(place, coding):
    """Twice the timeout, always faster than the minimum: taken whole."""
    server, origin = place
    field = "Transfer-Encoding: chunked" if coding == "chunked" else "Content-Length: 1000000"
    begin, left = time.monotonic(), 1_000_000
    with server.connect(listener="steady") as connection:
        connection.send(f"POST /proxy/x HTTP/1.1\r\nHost: h\r\n{field}\r\n\r\n")
        while time.monotonic() - begin < 2 * STEADY:
            assert not readable(connection, STEP), connection.read_all()
            size = min(left - 1, 2000)
            left -= size
            connection.send((b"%x\r\n" % size if coding == "chunked" else b"") + b"x" * size +
                            (b"\r\n" if coding == "chunked" else b""))
        connection.send(b"0\r\n\r\n" if coding == "chunked" else b"x" * left)
        assert connection.response().status == 200
    assert len(origin.requests[-1][1]) == (1_000_000 if coding == "known" else 1_000_000 - left)


def narrow(server, path, listener="http", tls=None):
    """A connection that can't hold much, with a request on it."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(harness.DEADLINE)
    s.connect(("127.0.0.1", server.ports[listener]))
    if tls:
        s = tls.wrap_socket(s, server_hostname="localhost")
    connection = harness.Connection(s)
    connection.send(f"GET {path} HTTP/1.1\r\nHost: h\r\n\r\n")
    return connection


def test_D03_a_reader_that_does_not_read_a_file(place):
    server, _ = place
    with narrow(server, "/huge.bin?unread") as connection:
        harness.wait_until(lambda: "huge.bin?unread" in server.access_path.read_text(), "given up",
                           LIMIT)
        assert len(connection.read_all()) < 64 << 20


def test_D03_a_reader_that_does_not_read_over_tls(place, certificates):
    server, _ = place
    tls = certificates.client_context()
    with narrow(server, "/huge.bin?tls", "https", tls) as connection:
        harness.wait_until(lambda: "huge.bin?tls" in server.access_path.read_text(), "given up",
                           LIMIT)
        assert len(connection.read_all()) < 64 << 20


def resident(server):
    with open(f"/proc/{server.process.pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_D03_a_reader_that_does_not_read_an_origin(place):
    server, origin = place
    origin.cut = False
    before = resident(server)
    with narrow(server, "/proxy/huge") as connection:
        harness.wait_until(lambda: origin.cut, "the origin is let go", LIMIT)
        assert origin.sent < 32 << 20  # what two pairs of sockets hold, and little more
        assert resident(server) - before < 16 << 20
        assert len(connection.read_all()) < 32 << 20


def test_D03_a_slow_reader_is_served(place):
    server, _ = place
    begin = time.monotonic()
    with narrow(server, "/some.bin", "steady") as connection:
        head = connection.head()
        left = int(head["Content-Length"]) - len(connection.buffer)
        connection.buffer = b""
        while time.monotonic() - begin < 2 * STEADY and left > 65536:
            select.select([], [], [], STEP)
            left -= len(connection.socket.recv(min(left, 16384)))
        connection.read_exactly(left)


def test_D02_D03_a_slow_origin_is_waited_for(webship, origin):
    """It takes what comes, more slowly than the sockets between fill: neither it nor the client,
    who has to wait, is late."""
    size, steady = 8 << 20, f"{int(STEADY * 1000)}ms"

    def script(connection, _):
        connection.read_until(b"\r\n\r\n")
        left = size - len(connection.buffer)
        begin = time.monotonic()
        while left > 0:
            if time.monotonic() - begin < 2 * STEADY:
                select.select([], [], [], STEP)
            left -= len(connection.socket.recv(4096))
        connection.answer(b"took it")

    one = origin(script)
    one.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    server = webship({
        "limits": {"body_timeout": steady, "send_timeout": steady, "body_rate_min": "1000B"},
        "sites": [{"host": "*", "proxy": {"upstream": one.url, "idle_timeout": steady,
                                          "first_byte_timeout": steady}}]})
    with server.connect() as connection:
        connection.send(f"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {size}\r\n\r\n")
        connection.send(b"x" * size)
        response = connection.response()
        assert response.status == 200 and response.body == b"took it"


# D05: handshakes.

@pytest.mark.parametrize("size", [0, 1, 5, 7], ids=["nothing", "byte", "record", "message"])
def test_D05_a_handshake_that_stops(place, size):
    server, _ = place
    begin = time.monotonic()
    with server.connect(listener="https") as connection:
        connection.send(b"\x16\x03\x01\x02\x00\x01\x00"[:size])
        connection.read_all()
    assert SHORT / 2 < time.monotonic() - begin < LIMIT


class Handshake:
    """A TLS client whose records the test sends as it likes."""

    def __init__(self, context):
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        with contextlib.suppress(ssl.SSLWantReadError):
            self.tls.do_handshake()
        self.hello = self.outgoing.read()

    def finish(self, connection):
        """The rest of the handshake, a request and its answer."""
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                connection.socket.sendall(self.outgoing.read())
                data = connection.socket.recv(65536)
                assert data, "the handshake failed"
                self.incoming.write(data)
        self.tls.write(b"GET /respond HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        connection.socket.sendall(self.outgoing.read())
        got = b""
        while FIXED not in got:
            try:
                got += self.tls.read(65536)
            except ssl.SSLWantReadError:
                data = connection.socket.recv(65536)
                assert data, got
                self.incoming.write(data)


def in_records(hello, size):
    """The same handshake message in records of `size` bytes (RFC 8446 5.1)."""
    message, at = b"", 0
    while at < len(hello):
        length = int.from_bytes(hello[at + 3:at + 5], "big")
        message += hello[at + 5:at + 5 + length]
        at += 5 + length
    return b"".join(b"\x16\x03\x01" + len(piece).to_bytes(2, "big") + piece
                    for piece in (message[i:i + size] for i in range(0, len(message), size)))


def test_D05_no_byte_moves_the_handshakes_deadline(place, certificates):
    server, _ = place
    hello = Handshake(certificates.client_context()).hello
    with server.connect(listener="https") as connection:
        assert b"HTTP" not in dribble(connection, hello[:-1])


@pytest.mark.parametrize("size", [1, 2, 100, 511])
def test_D05_a_client_hello_in_small_records(place, certificates, size):
    server, _ = place
    handshake = Handshake(certificates.client_context())
    with server.connect(listener="https") as connection:
        connection.send(in_records(handshake.hello, size))
        handshake.finish(connection)


@pytest.mark.parametrize("at", [1, 4, 5, 6, 9, 60, 600, -1])
def test_D05_a_client_hello_in_two_packets(place, certificates, at):
    """As hybrid post-quantum key shares make it: one beyond a packet."""
    server, _ = place
    handshake = Handshake(certificates.client_context())
    assert len(handshake.hello) > 600
    with server.connect(listener="https") as connection, server.connect() as other:
        connection.send(handshake.hello[:at])
        other.send("GET /respond HTTP/1.1\r\nHost: h\r\n\r\n")
        assert other.response().body == FIXED  # one worker: the first piece was read
        connection.send(handshake.hello[at:])
        handshake.finish(connection)


@pytest.mark.parametrize("count", [60, 250])
def test_D05_a_large_client_hello(place, certificates, count):
    names = [f"{i:03}" + "x" * 250 for i in range(count)] + ["http/1.1"]
    handshake = Handshake(certificates.client_context(alpn=names))
    assert len(handshake.hello) > 250 * count
    server, _ = place
    with server.connect(listener="https") as connection:
        connection.send(handshake.hello)
        handshake.finish(connection)


def test_D05_an_endless_client_hello(place):
    server, _ = place
    with server.connect(listener="https") as connection:
        record = b"\x16\x03\x01\x40\x00" + b"\x01\xff\xff\xff" + bytes(16380)
        with contextlib.suppress(OSError):
            for _ in range(64):
                connection.send(record)
                record = b"\x16\x03\x01\x40\x00" + bytes(16384)
        with contextlib.suppress(OSError):
            connection.read_all()
    assert server.request(b"GET /respond HTTP/1.1\r\nHost: h\r\n\r\n").body == FIXED
