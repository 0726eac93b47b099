"""Order and ends on one connection: pipelining, expectations, CONNECT, limits, garbage, and inputs
that come in two pieces."""

import time

import pytest

import harness
from attacks import FIXED, FROM_ORIGIN, WHERE, Target, fill, named

G = "GET {t} HTTP/1.1\r\nHost: h\r\n"
P = "POST {t} HTTP/1.1\r\nHost: h\r\n"
FOLLOWING = "GET /respond HTTP/1.1\r\nHost: h\r\n\r\n"
SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"


# S22: pipelining.

@pytest.mark.parametrize("count", [1, 5, 63, 64, 65, 200])
@pytest.mark.parametrize("bad, status", named([
    ("GET {t} HTTP/1.1\r\n\r\n", 400), ("GET {t} HTTP/9.1\r\nHost: h\r\n\r\n", 505),
    (P + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
]))
def test_S22_good_ones_then_a_bad_one(target, count, bad, status):
    mark = target.mark()
    kinds = ["files", "respond", "proxy"]
    with target.server.connect() as connection:
        data = b"".join(fill(f"GET {{t}}?{i} HTTP/1.1\r\nHost: h\r\n\r\n", kinds[i % 3])
                        for i in range(count))
        connection.send(data + fill(bad + SMUGGLED * 5, "proxy"))
        for i in range(count):
            response = connection.response()
            assert response.status == 200 and response["Connection"] is None
            assert response.body == [b"Hello, World!", FIXED, FROM_ORIGIN][i % 3]
        response = connection.response()
        assert response.status == status and response["Connection"] == "close"
        assert connection.read_all() == b""
    assert [one.target for one in target.arrived(mark)] == [b"/proxy/x?%d" % i
                                                            for i in range(2, count, 3)]


@pytest.mark.parametrize("where", ["files", "respond", "proxy"])
def test_S22_head_and_204_keep_the_pipe_in_step(target, where):
    head = fill("HEAD {t} HTTP/1.1\r\nHost: h\r\n\r\n", where)
    with target.server.connect() as connection:
        connection.send(head + b"OPTIONS /hello.txt HTTP/1.1\r\nHost: h\r\n\r\n" + head +
                        b"GET /hello.txt HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\n\r\n" +
                        fill(G + "\r\n", where) + FOLLOWING.encode())
        assert connection.response(head=True).status == 200
        assert connection.response().status in (200, 204)
        assert connection.response(head=True).status == 200
        assert connection.response().status == 304
        assert connection.response().status == 200
        assert connection.response().body == FIXED


@pytest.mark.parametrize("connection_field", ["close", "Close", "x, close", "close, keep-alive",
                                              "keep-alive\r\nConnection: close"])
@pytest.mark.parametrize("where", WHERE)
def test_S22_nothing_is_parsed_after_close(target, where, connection_field):
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send(fill(G + f"Connection: {connection_field}\r\n\r\n" +
                             "GET /proxy/late HTTP/1.1\r\nHost: h\r\n\r\n", where))
        response = connection.response()
        assert response.status == 200 and response["Connection"] == "close"
        assert connection.read_all() == b""
    assert all(one.target != b"/proxy/late" for one in target.arrived(mark))


# S23: CONNECT.

@pytest.mark.parametrize("text", named([
    ("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n",),
    ("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n",),
    ("CONNECT h:80 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",),
    ("CONNECT h:80 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",),
    ("CONNECT h:80 HTTP/1.0\r\n\r\n",),
]))
def test_S23_connect_is_refused_and_closes(target, text):
    target.refuse(text + SMUGGLED + "GET /proxy/x HTTP/1.1\r\nHost: h\r\n\r\n", (405, 501), "proxy")


@pytest.mark.parametrize("text", ["CONNECT h HTTP/1.1", "CONNECT /proxy/x HTTP/1.1",
                                  "CONNECT * HTTP/1.1",
                                  "CONNECT http://h/ HTTP/1.1", "CONNECT h:x HTTP/1.1",
                                  "CONNECT u@h:80 HTTP/1.1", "CONNECT :80 HTTP/1.1"])
def test_S23_connect_to_what_is_no_authority(target, text):
    target.refuse(text + "\r\nHost: h\r\n\r\n" + SMUGGLED, (400, 405, 501), "proxy")


# S05: expectations.

@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("value", ["x 100-continue", "100-continue, x", "100-continue;q=1", "100",
                                   "x", "",
                                   "100-continue 100-continue",
                                   "100-continue\r\nExpect: 100-continue",
                                   "200-ok", "100-continu", "\"100-continue\"", "100-continue,"])
def test_S05_other_expectations(target, where, method, value):
    target.refuse(f"{method} {{t}} HTTP/1.1\r\nHost: h\r\nExpect: {value}\r\nContent-Length: "
                  f"{len(SMUGGLED)}\r\n\r\n{SMUGGLED}", 417, where)


@pytest.mark.parametrize("value", ["100-continue", "100-CONTINUE", "100-Continue"])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_S05_continue_in_any_case_is_never_forwarded(target, value, method):
    head = f"{method} /proxy/x HTTP/1.1\r\nHost: h\r\nExpect: {value}\r\nContent-Length: 5\r\n\r\n"
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send(head)
        interim = connection.response(informational=True)
        assert interim.status == 100 and interim.fields == []
        connection.send("hello" + FOLLOWING)
        assert connection.response().body == FROM_ORIGIN
        assert connection.response().body == FIXED
    [request] = target.arrived(mark)
    assert request.body == b"hello" and request["expect"] is None


@pytest.mark.parametrize("where", ["files", "respond", "proxy"])
def test_S05_continue_without_a_body(target, where):
    request = target.accept(G + "Expect: 100-continue\r\n\r\n", where)
    assert where != "proxy" or request["expect"] is None


def test_S05_no_100_to_http_1_0(target):
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send("POST /proxy/x HTTP/1.0\r\n"
                        "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"
                        "hello")
        assert connection.read_all().startswith(b"HTTP/1.1 200 OK\r\n")
    assert [one.body for one in target.arrived(mark)] == [b"hello"]


@pytest.mark.parametrize("path, status", [("/hello.txt", 405), ("/respond", 200), ("/secret", 401)])
def test_S05_a_final_answer_instead_of_100(target, path, status):
    """Whether the body comes is unclear then, so the connection ends."""
    with target.server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                        f"Content-Length: {len(SMUGGLED)}\r\n\r\n")
        response = connection.response(informational=True)
        assert response.status == status and response["Connection"] == "close"
        connection.send(SMUGGLED)
        assert connection.read_all() == b""


def test_S05_an_early_answer_of_the_origin_ends_the_upload(webship, origin):
    def script(connection, _):
        connection.read_until(b"\r\n\r\n")
        connection.answer(b"no", status=b"417 Expectation Failed")
        connection.read_all()

    one = origin(script)
    server = webship({"sites": [{"host": "*", "proxy": one.url}]})
    for _ in range(2):
        with server.connect() as connection:
            connection.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                            "Content-Length: 1000000\r\n\r\n")
            assert connection.response(informational=True).status == 100
            assert connection.response().status == 417
            connection.send(SMUGGLED)
            assert connection.read_all() == b""
    harness.wait_until(lambda: len(one.received) == 2, "a connection for each upload")
    assert not any(b"Expect" in got or b"/smuggled" in got for got in one.received)


# S28: limits.

@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limited")
    (folder / "site").mkdir()
    (folder / "site/hello.txt").write_text("hello")
    one = Target(folder / "server", folder / "site", config={"limits": {
        "request_line": "256B", "field_size": "300B", "fields_size": "1000B", "fields": 10,
        "body_size": "1000B"}})
    yield one
    one.stop()


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("text, status", named([
    ("GET {t}?" + "x" * 256 + " HTTP/1.1\r\nHost: h\r\n\r\n", 414),
    ("GET {t}?" + "x" * 100_000 + " HTTP/1.1\r\nHost: h\r\n\r\n", 414),
    ("GET {t}?" + "x" * 100_000, 414),
    (G + "X: " + "y" * 300 + "\r\n\r\n", 431),
    (G + "X" * 300 + ": y\r\n\r\n", 431),
    (G + "X: " + "y" * 100_000, 431),
    (G + f"X: {'y' * 280}\r\n" * 4 + "\r\n", 431),
    (G + "X: y\r\n" * 10 + "\r\n", 431),
    (G + "Cookie: a=b\r\n" * 10 + "\r\n", 431),
    (G + "X_Y: dropped\r\n" * 10 + "\r\n", 431),
    ("POST {t} HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n", 413),
    ("POST {t} HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n", 413),
    (G + "Content-Length: 9223372036854775807\r\n\r\n" + "x" * 10_000, 413),
]))
def test_S28_limits(limited, where, text, status):
    limited.refuse(text, status, where)


def test_S28_at_the_limits(limited):
    line = "GET {t}?" + "x" * (256 - len("GET /proxy/x? HTTP/1.1\r\n")) + " HTTP/1.1\r\n"
    limited.accept(line + "Host: h\r\n\r\n", "proxy")
    limited.accept(G + "X: " + "y" * (300 - len("X: \r\n")) + "\r\n" * 2, "proxy")
    limited.accept(G + "X: y\r\n" * 9 + "\r\n", "proxy")
    limited.accept(P + "Content-Length: 1000\r\n\r\n" + "x" * 1000, "proxy")


def test_S28_a_chunked_body_beyond_the_limit(limited):
    mark = limited.mark()
    with limited.server.connect() as connection:
        connection.send("POST /proxy/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + ("64\r\n" + "x" * 100 + "\r\n") * 11 + "0\r\n\r\n" + SMUGGLED)
        response = connection.response()
        assert response.status == 413 and response["Connection"] == "close"
        assert connection.read_all() == b""
    assert limited.arrived(mark) == []


@pytest.mark.parametrize("framing", ["Content-Length: 11", "Transfer-Encoding: chunked"])
def test_S28_the_limit_of_a_route(webship, origin, framing):
    one = origin()
    server = webship({"sites": [{"host": "*", "filters": [{"body_limit": "10B"}],
                                 "proxy": one.url}]})
    with server.connect() as connection:
        connection.send(f"POST / HTTP/1.1\r\nHost: h\r\n{framing}\r\nExpect: 100-continue\r\n\r\n")
        response = connection.response(informational=True)
        if "chunked" in framing:  # its size is not known before
            assert response.status == 100
            connection.send("b\r\n01234567890\r\n0\r\n\r\n")
            response = connection.response()
        assert response.status == 413 and response["Connection"] == "close"
        assert connection.read_all() == b""
    assert one.requests == []


# S34: what is no HTTP.

CLIENT_HELLO = (b"\x16\x03\x01\x00\xc4\x01\x00\x00\xc0\x03\x03" + bytes(range(32)) + b"\x20"
                + bytes(range(32)) + b"\x00\x02\x13\x01\x01\x00")
GARBAGE = [
    CLIENT_HELLO, b"\x80\x2e\x01\x03\x01", b"\x16\x03\x01", b"\x16",
    b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /proxy/x HTTP/1.1\r\nHost: h\r\n\r\n",
    b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + bytes(12) +
    b"GET /proxy/x HTTP/1.1\r\nHost: h\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9),
    b"SSH-2.0-OpenSSH_9.2\r\n", b"\x00" * 100, b"\xff" * 100, b"EHLO example.com\r\n",
    b"A" * 100_000,
    b"\x05\x01\x00", b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00", b"{\"jsonrpc\": 2}\n",
    b"<xml/>\r\n\r\n",
    bytes(range(256)) * 64, b":method GET\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"*1\r\n$4\r\nPING\r\n",
]


@pytest.mark.parametrize("data", GARBAGE, ids=lambda data: repr(data[:20]))
def test_S34_garbage(target, data):
    mark = target.mark()
    with target.server.connect() as connection:
        begin = time.monotonic()
        connection.send(data)
        answer = connection.read_all()
        assert time.monotonic() - begin < 1 * harness.SLOW
        if answer:
            assert answer.split(b" ")[1] in (b"400", b"501", b"505"), answer
            assert b"\r\nConnection: close\r\n" in answer
    assert target.arrived(mark) == []


def test_S34_garbage_on_a_tls_port(webship, site, certificates):
    server = webship({
        "listeners": {"https": {"tls": {"certificates": [certificates.make("localhost")]}}},
        "sites": [{"host": "*", "files": str(site)}]})
    for data in GARBAGE:
        if data[:1] == b"\x16":  # the beginning of a handshake is waited for: D05
            continue
        with server.connect() as connection:
            begin = time.monotonic()
            connection.send(data)
            connection.read_all()
            assert time.monotonic() - begin < 1 * harness.SLOW, data
    tls = certificates.client_context()
    response = server.request(b"GET /hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n", tls=tls)
    assert response.status == 200


# Each input in two pieces, cut at every byte.

CUT = [
    (G + "\r\n", 200), ("\r\n" + G + "X: y\r\n\r\n", 200),
    (P + "Content-Length: 5\r\n\r\nhello", 200),
    (P + "Transfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0\r\nT: u\r\n\r\n", 200),
    (P + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400),
    (P + "Transfer-Encoding: chunked\r\n\r\n5;\r\nhello\r\n0\r\n\r\n", 400),
    (P + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n", 400),
    (G + "X: y\r\n z\r\n\r\n", 400), (G + "X: y\n\r\n", 400), (G + "\r\r\n", 400),
    ("GET {t} HTTP/2.0\r\nHost: h\r\n\r\n", 505),
    ("GET {t} HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", 400),
]


@pytest.mark.parametrize("text, status", named(CUT))
def test_every_input_cut_at_every_byte(target, text, status):
    data = fill(text, "proxy")
    mark = target.mark()
    connections = [target.server.connect() for _ in range(1, len(data))]
    for at, connection in enumerate(connections, 1):
        connection.send(data[:at])
    # One worker: once this has its answer, the first pieces were read.
    assert target.server.request(FOLLOWING.encode()).body == FIXED
    for at, connection in enumerate(connections, 1):
        try:
            connection.send(data[at:] + (FOLLOWING.encode() if status == 200 else b""))
        except OSError:
            assert status != 200  # refused by its first piece
    for connection in connections:
        with connection:
            response = connection.response()
            assert response.status == status, response
            if status == 200:
                assert response.body == FROM_ORIGIN
                assert connection.response().body == FIXED
            else:
                assert connection.read_all() == b""
    requests = target.arrived(mark)
    assert len(requests) == (len(connections) if status == 200 else 0)
    assert len({one.body for one in requests}) <= 1
