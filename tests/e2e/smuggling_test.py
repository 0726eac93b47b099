"""Two lengths, or none that two readers agree on: Content-Length and Transfer-Encoding.

Each input goes to a file, to a fixed answer and through the proxy; whoever would read it otherwise
than we do sees `GET /smuggled` as a request of its own, so none of it may reach the origin.
"""

import pytest

import harness
from attacks import EVERYWHERE, WHERE, fill, named

HEAD = "POST {t} HTTP/1.1\r\nHost: h\r\n"
CHUNKED = "5\r\nhello\r\n0\r\n\r\n"
SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"

where = pytest.mark.parametrize("where", WHERE)
everywhere = pytest.mark.parametrize("where", EVERYWHERE)


@where
@pytest.mark.parametrize("fields, body", named([
    ("Content-Length: 13\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\nSMUGGLED"),
    ("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", CHUNKED + SMUGGLED),
    ("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", CHUNKED),
    ("Content-Length: 15\r\nX: y\r\nTransfer-Encoding: chunked\r\n", CHUNKED),
    ("content-length: 0\r\ntransfer-encoding: CHUNKED\r\n", CHUNKED),
    ("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", "hello"),
    ("Transfer-Encoding: \r\nContent-Length: 5\r\n", "hello"),
]))
def test_S01_content_length_with_transfer_encoding(target, where, fields, body):
    target.refuse(HEAD + fields + "\r\n" + body, 400, where)


@where
@pytest.mark.parametrize("fields", named([
    ("Transfer-Encoding: chunked\r\n",),
    ("Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n",),
    ("Transfer-Encoding: chunked\r\nContent-Length: 15\r\n",),
    ("Transfer-Encoding: identity\r\n",),
]))
def test_S02_transfer_encoding_on_http_1_0(target, where, fields):
    target.refuse("POST {t} HTTP/1.0\r\nHost: h\r\n" + fields + "\r\n" + CHUNKED + SMUGGLED, 400,
                  where)


@where
@pytest.mark.parametrize("fields", named([
    ("Content-Length: 5\r\nContent-Length: 6\r\n",),
    ("Content-Length: 6\r\nContent-Length: 5\r\n",),
    ("Content-Length: 5\r\nContent-Length: 5\r\n",),
    ("Content-Length: 5\r\nX: y\r\ncontent-length: 5\r\n",),
    ("Content-Length: 5, 5\r\n",),
    ("Content-Length: 5,6\r\n",),
    ("Content-Length: 5,\r\n",),
    ("Content-Length: ,5\r\n",),
    ("Content-Length:\r\nContent-Length: 5\r\n",),
    ("Content-Length: 5\r\nContent-Length:\r\n",),
    ("Content-Length: 0\r\nContent-Length: 0\r\n",),
]))
def test_S06_duplicate_content_length(target, where, fields):
    target.refuse(HEAD + fields + "\r\nhello" + SMUGGLED, 400, where)


@where
@pytest.mark.parametrize("value", named([
    ("+5",), ("-1",), ("-0",), ("0x5",), ("5_0",), ("0b1",), ("1e1",), ("5 5",), ("1Z",), ("",),
    ("5.0",), ("5;",), ("\"5\"",), ("0x",), ("\xb2",), ("5\x0b",), ("\x0c5",), ("5\x00",),
    ("5\xa0",),
    ("9223372036854775808",),  # 2^63
    ("18446744073709551615",),
    ("18446744073709551616",),
    ("18446744073709551621",),  # 2^64 + 5
    ("99999999999999999999999999999999999999999",),
]))
def test_S07_content_length_that_is_no_number(target, where, value):
    target.refuse(HEAD + f"Content-Length: {value}\r\n\r\nhello" + SMUGGLED, 400, where)


@pytest.mark.parametrize("value, sent", named([
    ("5", b"5"), ("05", b"5"), ("0000000000000000000000000000000000005", b"5"), ("  5", b"5"),
    ("5 \t ", b"5"),
]))
def test_S07_leading_zeros_are_decimal(target, value, sent):
    request = target.accept(HEAD + f"Content-Length:{value}\r\n\r\nhello", "proxy")
    assert request["content-length"] == sent and request.body == b"hello"
    request = target.accept("POST /respond HTTP/1.1\r\nHost: h\r\nContent-Length:" + value +
                            "\r\n\r\nhello", "respond")
    assert request.status == 200


def padded(byte):
    return [(f"Transfer-Encoding: {byte}chunked\r\n", 400),
            (f"Transfer-Encoding: chunked{byte}\r\n", 400),
            (f"Transfer-Encoding:{byte}chunked\r\n", 400)]


@where
@pytest.mark.parametrize("fields, status", named([
    ("Transfer-Encoding: identity\r\n", 400),
    ("Transfer-Encoding: xchunked\r\n", (400, 501)),
    ("Transfer-Encoding: chunkedx\r\n", (400, 501)),
    ("Transfer-Encoding: chunked;q=1\r\n", 400),
    ("Transfer-Encoding: \"chunked\"\r\n", 400),
    ("Transfer-Encoding: ,chunked\r\n", 400),
    ("Transfer-Encoding: , chunked\r\n", 400),
    ("Transfer-Encoding: chunked,\r\n", 400),
    ("Transfer-Encoding: chunked ,\r\n", 400),
    ("Transfer-Encoding: chunked, chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400),
    ("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n", 400),
    ("Transfer-Encoding: chunked, identity\r\n", 400),
    ("Transfer-Encoding: chunked, gzip\r\n", 400),
    ("Transfer-Encoding: identity, chunked\r\n", (400, 501)),
    ("Transfer-Encoding: gzip, chunked\r\n", 501),
    ("Transfer-Encoding: chunked, gzip, chunked\r\n", 400),
    ("Transfer-Encoding: gzip\r\n", 400),
    ("Transfer-Encoding: chunked identity\r\n", 400),
    ("Transfer-Encoding: ch unked\r\n", 400),
    ("Transfer-Encoding:\r\n", 400),
    ("Transfer-Encoding: \t \r\n", 400),
    ("Transfer-Encoding:\r\n chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\n \r\n", 400),
    ("Transfer-Encoding: chunked\r\n\t, identity\r\n", 400),
    ("Transfer-Encoding: chunked\n", 400),
    ("Transfer-Encoding: chunked\r", 400),
    *[row for byte in ("\x00", "\x0b", "\x0c", "\x85", "\xa0", "\x08", "\x7f", "\r")
      for row in padded(byte)],
]))
def test_S08_transfer_encoding_that_is_not_chunked(target, where, fields, status):
    target.refuse(HEAD + fields + "\r\n" + CHUNKED + SMUGGLED, status, where)


@pytest.mark.parametrize("value", ["chunked", "Chunked", "CHUNKED", "\tchunked", "chunked \t"])
def test_S08_chunked_by_any_case(target, value):
    request = target.accept(HEAD + f"Transfer-Encoding:{value}\r\n\r\n" + CHUNKED, "proxy")
    assert request["transfer-encoding"] == b"chunked" and request.body == b"hello"


@where
@pytest.mark.parametrize("fields", named([
    ("Transfer-Encoding : chunked\r\n",),
    ("Transfer-Encoding\t: chunked\r\n",),
    (" Transfer-Encoding: chunked\r\n",),
    ("\tTransfer-Encoding: chunked\r\n",),
    ("X: y\r\n Transfer-Encoding: chunked\r\n",),
    ("Transfer-\r\nEncoding: chunked\r\n",),
    ("Transfer-\r\n Encoding: chunked\r\n",),
    ("Transfer-Encoding\r\n: chunked\r\n",),
    ("Transfer-Encoding\r\n : chunked\r\n",),
    ("Transfer Encoding: chunked\r\n",),
    ("Transfer-Encoding\x00: chunked\r\n",),
    ("\x00Transfer-Encoding: chunked\r\n",),
    ("Transfer-Encoding\xa0: chunked\r\n",),
    ("X: y\nTransfer-Encoding: chunked\r\n",),
    ("X: y\rTransfer-Encoding: chunked\r\n",),
    ("Transfer-Encoding chunked\r\n",),
    ("Content-Length : 5\r\n",),
    ("Content-\r\nLength: 5\r\n",),
    ("Content Length: 5\r\n",),
]))
def test_S09_names_that_somebody_may_mend(target, where, fields):
    target.refuse(HEAD + fields + "\r\n" + CHUNKED + SMUGGLED, 400, where)


@everywhere
@pytest.mark.parametrize("field", ["Transfer_Encoding: chunked", "transfer_encoding: chunked",
                                   "Transfer-Encoding_: chunked", "Content_Length: 200"])
def test_S09_underscores_are_dropped(target, where, field):
    # With the field the next request would be taken for a body, or the body for a request.
    request = target.accept(f"GET {{t}} HTTP/1.1\r\nHost: h\r\n{field}\r\n\r\n", where)
    if where == "proxy":
        assert request.body == b"" and b"_" not in request.raw
    if where != "files":  # 405
        request = target.accept(HEAD + f"Content-Length: 5\r\n{field}\r\n\r\nhello", where)
        assert where != "proxy" or (request.body == b"hello" and b"_" not in request.raw)


@everywhere
def test_R0_the_sender_sees_the_answer_although_it_still_sends(target, where):
    """The rest of what a bad request carries is read for a while, or the reset would take the
    answer with it."""
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send(fill(HEAD + "Content-Length: 5, 5\r\n\r\n", where))
        for _ in range(32):
            connection.send(b"x" * 4096)
        response = connection.response()
        assert response.status == 400 and response["Connection"] == "close"
        assert connection.read_all() == b""
    assert target.arrived(mark) == []


def test_R0_what_is_read_for_the_answers_sake_is_bounded(target):
    with target.server.connect() as connection:
        connection.send("GET / HTTP/1.1\r\n\r\n")
        assert connection.response().status == 400
        with pytest.raises(OSError):
            for _ in range(1000):
                connection.send(b"x" * 65536)  # 64 MiB: far more than any buffers on the way


def test_R0_the_time_for_it_is_bounded_too(target):
    with target.server.connect() as connection:
        connection.send("GET / HTTP/1.1\r\n\r\n")
        assert connection.response().status == 400
        assert connection.read_all() == b""

        def refused():
            try:
                connection.send(b"x")
            except OSError:
                return True
            return False

        harness.wait_until(refused, "the socket is closed")
