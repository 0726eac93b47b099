"""The chunked coding: what is no chunk, what extensions and trailers may do, and bodies that nobody
asked for."""

import pytest

import harness
from attacks import EVERYWHERE, FIXED, FROM_ORIGIN, fill, named

HEAD = "POST {t} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
NEXT = "GET /respond HTTP/1.1\r\nHost: h\r\n\r\n"
SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"


def refuse_body(target, body, where, head=HEAD):
    """A bad body behind a good head. Who reads it (the proxy) answers 400; who ignores it may have
    answered already, but closes. It never ends at the origin, and nothing of it is a request."""
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send(fill(head + body, where))
        response = connection.response()
        assert response.status in ((400,) if where == "proxy" else (200, 405)), response
        if where == "proxy":
            assert response["Connection"] == "close", response
        assert connection.read_all() == b"", "something was taken for a request"
    assert target.arrived(mark) == []
    harness.wait_until(lambda: not target.origin.unfinished(), "half a request is given up")


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE", "PATCH", "PUT", "POST",
                                    "PROPFIND", "X-CUSTOM"])
def test_S03_chunked_body_on_any_method(target, where, method):
    head = f"{method} {{t}} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    size = f"{len(SMUGGLED):x}"
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send(fill(head + f"{size}\r\n{SMUGGLED}\r\n0\r\n\r\n" + NEXT, where))
        first = connection.response(head=method == "HEAD")
        assert first.status in (200, 204, 405, 501), first
        if first["Connection"] != "close":
            second = connection.response()
            assert second.status == 200 and second.body == FIXED
            connection.socket.shutdown(1)
        assert connection.read_all() == b""
    requests = target.arrived(mark)
    if where == "proxy":
        assert [one.body for one in requests] == [SMUGGLED.encode()]
        assert requests[0].method == method.encode()
    else:
        assert requests == []


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("body", named([
    ("0x5\r\nhello\r\n0\r\n\r\n",),
    ("+5\r\nhello\r\n0\r\n\r\n",),
    ("-5\r\nhello\r\n0\r\n\r\n",),
    ("_5\r\nhello\r\n0\r\n\r\n",),
    ("5_\r\nhello\r\n0\r\n\r\n",),
    (" 5\r\nhello\r\n0\r\n\r\n",),
    ("5 \r\nhello\r\n0\r\n\r\n",),
    ("\t5\r\nhello\r\n0\r\n\r\n",),
    ("5\t\r\nhello\r\n0\r\n\r\n",),
    ("\r\nhello\r\n0\r\n\r\n",),
    ("\r\n5\r\nhello\r\n0\r\n\r\n",),
    (";x\r\nhello\r\n0\r\n\r\n",),
    ("g\r\nhello\r\n0\r\n\r\n",),
    ("5g\r\nhello\r\n0\r\n\r\n",),
    ("\xef\xbc\x95\r\nhello\r\n0\r\n\r\n",),
    ("00000000000000005\r\nhello\r\n0\r\n\r\n",),  # 17 digits
    ("FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",),
    ("10000000000000005\r\nhello\r\n0\r\n\r\n",),  # 2^64 + 5
    ("FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",),
    ("8000000000000000\r\nhello\r\n0\r\n\r\n",),
    ("5\r\nhello!\r\n0\r\n\r\n",),  # spill
    ("5\r\nhello" + SMUGGLED,),
    ("5\r\nhello0\r\n\r\n",),
    ("5\r\nhelloXX0\r\n\r\n",),
    ("5\r\nhel\r\n0\r\n\r\n",),
    ("5\r\nhello\r\n0\r\nX\r\n\r\n",),
    ("5\r\nhello\r\n0\r\nX",),
    ("5\r\nhello\r\n0\r\n" + SMUGGLED,),
]))
def test_S10_chunk_sizes_and_ends(target, where, body):
    if body.endswith("X"):
        body += "\r\n"
    refuse_body(target, body, where)


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("extension", named([
    (";",), ("; ",), (";;a",), (";a;",), (";a=",), (";=b",), (" ;",), (";a=b;",), (";a b",),
    (";a=b c",),
    (";a\x00",), (";\x00",), (";a=\"\x00\"",), (";a=\"b",), (";a=\"b\"c",), (";a=\x7f",),
    (";a=(b)",),
    (";a\r",), (";a\rb",), (";\r",), (";a\n",), (";\n",), (";a\nb",), (";a=\"\n\"",),
    (";a=\"\r\"",),
    (";a=\"\r\n\"",), (";a=\"\\\r\n\"",), (";\r\n",), (";a ",),
]))
def test_S11_bad_extensions(target, where, extension):
    refuse_body(target, f"5{extension}\r\nhello\r\n0\r\n\r\n", where)
    refuse_body(target, f"5\r\nhello\r\n0{extension}\r\n\r\n", where)


@pytest.mark.parametrize("extension", [
    ";a", ";a=b", "; a = b", " ;a", "\t;\ta\t=\tb", ";a=\"b c\"", ";a=\"\\\"\";b", ";a;b;c=d",
    ";a=\"\xe4\"", ";a=\";\"",
])
def test_S11_extensions_are_dropped(target, extension):
    request = target.accept(HEAD + f"5{extension}\r\nhello\r\n0{extension}\r\n\r\n", "proxy")
    assert request.body == b"hello"  # and the recorder takes no extension
    target.accept(HEAD + f"5{extension}\r\nhello\r\n0{extension}\r\n\r\n", "respond")


@pytest.mark.parametrize("where", ["respond", "proxy"])
@pytest.mark.parametrize("many", [
    ["5;" + "x" * 17000 + "\r\nhello\r\n"],
    ["5;a=" + "x" * 500 + "\r\nhello\r\n"] * 100,
    ["5" + " " * 17000 + ";a\r\nhello\r\n"],
    ["1\r\nx\r\n"] * 200000,  # 1,000,000 bytes of framing for 200,000
], ids=["one", "many", "spaces", "tiny"])
def test_S11_extensions_and_framing_are_capped(target, where, many):
    mark = target.mark()
    with target.server.connect() as connection:
        status = None
        try:
            connection.send(fill(HEAD, where))
            data = "".join(many).encode()
            for at in range(0, len(data), 65536):
                connection.send(data[at:at + 65536])
        except OSError:
            pass  # it does not take everything
        try:
            status = connection.response(head=False).status
            assert connection.read_all() == b""
        except OSError:
            assert many[0] == "1\r\nx\r\n"  # more than is read for the sake of the answer
    assert status in ((None, 400, 413) if where == "proxy" else (None, 200)), status
    assert target.arrived(mark) == []


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("body", named([
    ("5\nhello\r\n0\r\n\r\n",),
    ("5\r\nhello\n0\r\n\r\n",),
    ("5\r\nhello\r\n0\n\r\n",),
    ("5\r\nhello\r\n0\n\n",),
    ("5\r\nhello\r\n0\r\n\n",),
    ("5\r\nhello\r\n0\r\nX: y\n\r\n",),
    ("5\r\nhello\r\n0\r\nX: y\r\n\n",),
    ("5;a\nhello\r\n0\r\n\r\n",),
    ("5\n\nhello\r\n0\r\n\r\n",),
]))
def test_S12_bare_lf_in_chunks(target, where, body):
    refuse_body(target, body, where)


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("body", named([
    ("5\rhello\r\n0\r\n\r\n",),
    ("5\r\rhello\r\n0\r\n\r\n",),
    ("5\rXhello\r\n0\r\n\r\n",),
    ("5\r\nhello\rX0\r\n\r\n",),
    ("5\r\nhello\r0\r\n\r\n",),
    ("5\r\nhello\r\r0\r\n\r\n",),
    ("5\r\nhello\r\n0\rX\r\n",),
    ("5\r\nhello\r\n0\r\n\rX\r\n",),
    ("5\r\nhello\r\n0\r\n\r\r\n",),
    ("5\r\nhello\r\n0\r\nX: y\rZ: a\r\n\r\n",),
]))
def test_S13_bare_cr_in_chunks(target, where, body):
    refuse_body(target, body, where)


@pytest.mark.parametrize("trailer", named([
    ("X y: z\r\n",), (" X: y\r\n",), ("X : y\r\n",), ("X: y\r\n z\r\n",), (": y\r\n",),
    ("nocolon\r\n",),
    ("X: \x00\r\n",), ("X\x80: y\r\n",), ("GET / HTTP/1.1\r\n",), ("X: \x07\r\n",),
    ("X: " + "y" * 9000 + "\r\n",),
    ("".join(f"X{i}: y\r\n" for i in range(65)),),
    ("".join(f"X{i}: {'y' * 1000}\r\n" for i in range(20)),),
]))
def test_S27_bad_trailers(target, trailer):
    for where in ("proxy", "respond"):
        refuse_body(target, f"5\r\nhello\r\n0\r\n{trailer}\r\n", where)


DROPPED = ["Content-Length: 50", "Transfer-Encoding: chunked", "Host: evil",
           "Authorization: Basic x",
           "Cookie: a=b", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Prefix: /x",
           "Forwarded: for=1.2.3.4",
           "X-Real-IP: 1.2.3.4", "Connection: close", "Trailer: X", "TE: trailers",
           "Expect: 100-continue",
           "Content-Type: a/b", "Content-Encoding: gzip", "Cache-Control: no-store", "Upgrade: h2c",
           "Range: bytes=0-1", "Proxy: http://evil", "Max-Forwards: 0", "Set-Cookie: a=b",
           "X_Forwarded_For: 1.2.3.4", "Client-Cert: x", "X-SSL-Client: x"]


@pytest.mark.parametrize("field", DROPPED)
def test_S27_trailers_that_are_no_trailers_are_dropped(target, field):
    request = target.accept(HEAD + f"5\r\nhello\r\n0\r\nX-Good: 1\r\n{field}\r\n\r\n", "proxy")
    assert request.body == b"hello" and request.trailers == [(b"x-good", b"1")]
    name = field.partition(":")[0].lower().encode()
    # Never merged into the head.
    assert request["x-good"] is None
    assert field.partition(": ")[2].encode() not in (v for n, v in request.fields if n == name)\
        or field == "Transfer-Encoding: chunked"


@pytest.mark.parametrize("path, status", [
    ("/hello.txt", 200), ("/respond", 200), ("/moved", 308), ("/missing", 404), ("/secret", 401),
    ("/nothing-here", 404)])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize("framing", ["known", "chunked", "large"])
def test_S04_a_body_that_nobody_reads_is_no_request(target, path, status, method, framing):
    body = SMUGGLED.encode()
    if framing == "large":
        body += b"x" * 1_000_000 + body * 100
    coded = body if framing != "chunked" else b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    length = f"Content-Length: {len(body)}"
    if framing == "chunked":
        length = "Transfer-Encoding: chunked"
    with target.server.connect() as connection:
        try:
            connection.send(f"{method} {path} HTTP/1.1\r\nHost: h\r\n{length}\r\n\r\n".encode())
            connection.send(coded + NEXT.encode())
        except OSError:
            assert framing == "large"
        first = connection.response()
        if method == "GET":
            assert first.status == status
        assert first.status < 500, first
        if first["Connection"] != "close":
            second = connection.response()
            assert second.status == 200 and second.body == FIXED
            connection.socket.shutdown(1)
        assert connection.read_all() == b""


def test_S04_a_body_that_the_proxy_did_not_read(target, webship, origin):
    def script(connection, _):
        connection.read_until(b"\r\n\r\n")
        connection.answer(FROM_ORIGIN, status=b"403 Forbidden")
        connection.read_all()

    one = origin(script)
    server = webship({"sites": [{"host": "*", "proxy": one.url}]})
    body = SMUGGLED * 20
    for _ in range(2):  # the second never on the first's connection
        with server.connect() as connection:
            connection.send(f"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body) + 5}\r\n\r\n"
                            + body)
            response = connection.response()
            assert response.status == 403 and response.body == FROM_ORIGIN
            connection.send("12345")
            if response["Connection"] != "close":
                connection.socket.shutdown(1)
            assert connection.read_all() == b""
    harness.wait_until(lambda: len(one.received) == 2, "two connections to the origin")
