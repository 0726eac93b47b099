"""Bodies of 1 GiB through the proxy, both ways, in bounded memory (P16)."""

import itertools
import pathlib

import pytest

import harness


SIZE = 1 << 30
# A sanitizer's own memory comes on top: shadow, and what was freed and is kept aside.
GROWTH_MAX = (64 if harness.SANITIZED else 16) << 20
PIECE = bytes(range(256)) * 1024
CHUNK = b"%x\r\n%s\r\n" % (len(PIECE), PIECE)
LENGTH = {"known": b"Content-Length: %d\r\n" % SIZE, "chunked": b"Transfer-Encoding: chunked\r\n"}
# A server that never frees anything would look the same from the outside, but for its peak.
BEFORE, PEAK = "VmRSS:", "VmHWM:"


def memory(server, which):
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith(which):
            return int(line.split()[1]) * 1024
    raise AssertionError("ended")


def send_body(connection, framing):
    for _ in range(SIZE // len(PIECE)):
        connection.send(CHUNK if framing == "chunked" else PIECE)
    if framing == "chunked":
        connection.send(b"0\r\n\r\n")


def take(connection, size):
    """Reads `size` bytes without keeping them."""
    size -= len(connection.buffer)
    room = memoryview(bytearray(1 << 20))
    if size < 0:
        connection.buffer = connection.buffer[size:]
        return
    connection.buffer = b""
    while size > 0:
        count = connection.socket.recv_into(room[:min(size, len(room))])
        assert count, f"closed {size} bytes before the end"
        size -= count


def receive_body(connection, framing):
    """How many bytes of content came until the end of the message."""
    if framing == "known":
        take(connection, SIZE)
        return SIZE
    total = 0
    while size := int(connection.read_until(b"\r\n"), 16):
        take(connection, size)
        assert connection.read_exactly(2) == b"\r\n"
        total += size
    assert connection.read_exactly(2) == b"\r\n"
    return total


@pytest.mark.parametrize("direction, secure, framing", itertools.product(
    ("down", "up"), (False, True), ("known", "chunked")))
def test_P16_bodies_stream_in_bounded_memory(webship, origin, certificates, direction, secure,
                                             framing):
    received = []

    def serve(connection, _):
        connection.read_until(b"\r\n\r\n")
        if direction == "down":
            connection.send(b"HTTP/1.1 200 OK\r\n" + LENGTH[framing] + b"\r\n")
            send_body(connection, framing)
        else:
            received.append(receive_body(connection, framing))
            connection.answer(b"done")

    tls = certificates.server_context(certificates.make("origin", "127.0.0.1")) if secure else None
    listener = {"tls": {"certificates": [certificates.make("localhost")]}} if secure else {}
    server = webship({
        "limits": {"body_size": "2GiB"},
        "listeners": {"in": listener},
        "upstreams": {"app": {"endpoints": [origin(serve, tls=tls, record=False).url],
                              **({"tls": {"ca": str(certificates.ca)}} if secure else {})}},
        "sites": [{"host": "*", "proxy": "app"}],
    })
    context = certificates.client_context() if secure else None
    before = memory(server, BEFORE)
    with server.connect(tls=context) as connection:
        if direction == "down":
            connection.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert connection.head().status == 200
            assert receive_body(connection, framing) == SIZE
        else:
            connection.send(b"POST / HTTP/1.1\r\nHost: a\r\n" + LENGTH[framing] + b"\r\n")
            send_body(connection, framing)
            assert connection.response().body == b"done"
            assert received == [SIZE]
    assert memory(server, PEAK) - before < GROWTH_MAX
