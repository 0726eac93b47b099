"""Changing the protocol: only when the origin says so, and only to what was asked for."""

import threading

import pytest

import harness
from attacks import FIXED, named

UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
WEBSOCKET = UPGRADE + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
NEXT = "GET /respond HTTP/1.1\r\nHost: h\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Place:
    """A server before an origin that answers a request's head with bytes that the test gives, once
    the test lets it, and keeps what comes then."""

    def __init__(self, folder):
        self.answer, self.go, self.last = OK, threading.Event(), None
        self.origin = harness.Origin(self.script)
        self.server = harness.Server({"sites": [{"host": "*", "routes": [
            {"match": {"path": "/respond"}, "respond": {"status": 200, "body": FIXED.decode()}},
            {"match": {"path": "/never/*"},
             "proxy": {"upstream": self.origin.url, "upgrade": False}},
            {"match": {"path": "/forbidden"}, "respond": 403},
            {"proxy": self.origin.url},
        ]}]}, folder)

    def script(self, connection, _):
        while connection.read_request():
            self.last = connection.index
            assert self.go.wait(harness.DEADLINE)
            answer = self.answer  # once it is sent the next test may begin
            connection.send(answer)
            if answer.startswith(b"HTTP/1.1 101"):
                connection.read_all()  # recorded
                return

    def begin(self, answer=OK, go=True):
        self.answer = answer
        self.go.set() if go else self.go.clear()
        self.before = len(self.origin.requests)

    def heads(self):
        return [head for head, _ in self.origin.requests[self.before:]]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    one = Place(tmp_path_factory.mktemp("place"))
    yield one
    one.server.stop()
    one.origin.close()


def test_S24_a_tunnel_after_101(place):
    place.begin(SWITCHED + b"glued")
    with place.server.connect() as connection:
        connection.send(f"GET /ws HTTP/1.1\r\nHost: h\r\n{WEBSOCKET}\r\n")
        head = connection.head()
        assert head.status == 101 and head["Upgrade"] == "websocket"
        assert head["Connection"].lower() == "upgrade"
        assert connection.read_exactly(5) == b"glued"
        connection.send("GET /tunnelled HTTP/1.1\r\n\r\n")  # is no request any more
        wanted = b"\r\n\r\nGET /tunnelled HTTP/1.1\r\n\r\n"
        harness.wait_until(lambda: place.origin.received[-1].endswith(wanted), "the tunnel's bytes")
        connection.socket.shutdown(1)
        assert connection.read_all() == b""
    [head] = place.heads()
    assert b"Connection: upgrade\r\n" in head and b"Upgrade: websocket\r\n" in head


@pytest.mark.parametrize("answer", named([
    (OK,),
    (b"HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n",),
    (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno",),
    (b"HTTP/1.1 204 No Content\r\n\r\n",), (b"HTTP/1.1 304 Not Modified\r\n\r\n",),
]))
def test_S24_bytes_behind_an_upgrade_request_are_requests(place, answer):
    """Nothing of them reaches the origin before its answer, and after one that isn't 101 our own
    routes and rules see them."""
    place.begin(answer, go=False)
    with place.server.connect() as connection:
        connection.send(f"GET /ws HTTP/1.1\r\nHost: h\r\n{WEBSOCKET}\r\n"
                        "GET /forbidden HTTP/1.1\r\nHost: h\r\n\r\n" + NEXT)
        harness.wait_until(place.heads, "the request")
        assert place.server.request(NEXT.encode()).body == FIXED
        assert all(b"/forbidden" not in received for received in place.origin.received)
        place.go.set()
        response = connection.response()
        assert response.status != 101 and response["Upgrade"] is None
        assert connection.response().status == 403
        assert connection.response().body == FIXED
    assert all(b"/forbidden" not in received for received in place.origin.received)


def test_S24_bytes_before_101_wait_for_it(place):
    place.begin(SWITCHED, go=False)
    with place.server.connect() as connection:
        connection.send(f"GET /ws HTTP/1.1\r\nHost: h\r\n{WEBSOCKET}\r\n" + "early")
        harness.wait_until(place.heads, "the request")
        assert place.server.request(NEXT.encode()).body == FIXED
        assert not any(received.endswith(b"early") for received in place.origin.received)
        place.go.set()
        assert connection.head().status == 101
        harness.wait_until(lambda: place.origin.received[-1].endswith(b"\r\n\r\nearly"), "bytes")


@pytest.mark.parametrize("text", named([
    ("POST /ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "Content-Length: 5\r\n\r\nhello",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "Content-Length: 5\r\n\r\nhello",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "Transfer-Encoding: chunked\r\n\r\n"
     "5\r\nhello\r\n0\r\n\r\n",),
    ("POST /ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "\r\n",),
    ("HEAD /ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "\r\n",),
    ("OPTIONS /ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\nUpgrade: websocket\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgraded\r\nUpgrade: websocket\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade:\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: a b\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: (x)\r\n\r\n",),
    ("GET /ws HTTP/1.0\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",),
    ("GET /never/ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "\r\n",),
    # S25: HTTP/2 is never upgraded to.
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
     "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"
     "\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: H2C\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c, h2\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: HTTP/2.0\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2\r\nUpgrade: h2c\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c/1\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: TLS/1.0\r\n\r\n",),
    ("OPTIONS /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2, HTTP/1.1\r\n"
     "\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",),
]))
def test_S24_S25_what_is_no_upgrade_goes_on_without(place, text):
    place.begin(OK if "HEAD" not in text else OK[:-2])
    old = "HTTP/1.0" in text
    with place.server.connect() as connection:
        connection.send(text + (NEXT if not old else ""))
        response = connection.response(head="HEAD" in text)
        assert response.status == 200
        if not old:
            assert connection.response().body == FIXED
    [(head, body)] = place.origin.requests[place.before:]
    for name in (b"Upgrade", b"Connection", b"HTTP2-Settings"):
        assert b"\r\n" + name.lower() + b":" not in head.lower(), head
    assert body == (b"hello" if "hello" in text else b"")


@pytest.mark.parametrize("text", [WEBSOCKET, UPGRADE, "Connection: upgrade, HTTP2-Settings\r\n"
                                  "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"])
def test_S24_S25_our_own_answers_ignore_upgrades(place, text):
    with place.server.connect() as connection:
        connection.send("GET /respond HTTP/1.1\r\nHost: h\r\n" + text + "\r\n" + NEXT)
        for _ in range(2):
            response = connection.response()
            assert response.status == 200 and response.body == FIXED and response["Upgrade"] is None


@pytest.mark.parametrize("upgrade, sent", [
    ("h2c, websocket", b"websocket"), ("websocket, h2c", b"websocket"), ("WebSocket", b"WebSocket"),
    ("h2c\r\nUpgrade: websocket", b"websocket")])
def test_S25_what_is_left_without_h2c(place, upgrade, sent):
    place.begin(SWITCHED)
    with place.server.connect() as connection:
        connection.send("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade, HTTP2-Settings\r\n"
                        f"Upgrade: {upgrade}\r\nHTTP2-Settings: AAMA\r\n"
                        "Sec-WebSocket-Version: 13\r\n\r\n")
        assert connection.head().status == 101
    [head] = place.heads()
    assert b"\r\nUpgrade: " + sent + b"\r\n" in head and b"h2c" not in head
    assert b"http2-settings" not in head.lower()


@pytest.mark.parametrize("version", ["12", "0", "8", "7", "13, 8", "x", "", "130", "-13", "13\r\n"
                                     "Sec-WebSocket-Version: 8", None])
def test_S26_other_versions_of_websocket(place, version):
    place.begin(SWITCHED)
    field = "" if version is None else f"Sec-WebSocket-Version: {version}\r\n"
    with place.server.connect() as connection:
        connection.send(f"GET /ws HTTP/1.1\r\nHost: h\r\n{UPGRADE}{field}\r\n" + NEXT)
        response = connection.response()
        assert response.status == 426, response
        assert response["Sec-WebSocket-Version"] == "13" and response["Upgrade"] == "websocket"
        if response["Connection"] is None or "close" not in response["Connection"]:
            assert connection.response().body == FIXED
    assert place.heads() == []


@pytest.mark.parametrize("answer", named([
    (b"HTTP/1.1 101 Switching Protocols\r\n\r\n",),
    (b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n\r\n",),
    (b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n",),
    (b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket2\r\n\r\n",),
    (b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade:\r\n\r\n",),
    (b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",),
]))
def test_S26_a_101_to_something_else(place, answer):
    place.begin(answer + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
    with place.server.connect() as connection:
        connection.send(f"GET /ws HTTP/1.1\r\nHost: h\r\n{WEBSOCKET}\r\n" + NEXT)
        response = connection.response()
        assert response.status == 502 and b"evil" not in response.body
        if response["Connection"] is None:
            assert connection.response().body == FIXED
    switched = place.last
    place.begin(OK)  # never on that connection
    assert place.server.request(b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n").body == b"ok"
    assert place.last != switched


@pytest.mark.parametrize("text", named([
    ("GET /ws HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",),
    ("POST /ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "Content-Length: 5\r\n\r\nhello",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n",),
    ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",),
    ("GET /never/ws HTTP/1.1\r\nHost: h\r\n" + WEBSOCKET + "\r\n",),
]))
def test_S26_a_101_that_nobody_asked_for(place, text):
    place.begin(SWITCHED)
    with place.server.connect() as connection:
        connection.send(text + NEXT)
        response = connection.response()
        assert response.status == 502
        if response["Connection"] is None:
            assert connection.response().body == FIXED


def test_S26_an_answer_that_is_no_101_keeps_http(place):
    place.begin(b"HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n"
                b"Content-Length: 2\r\n\r\nno")
    with place.server.connect() as connection:
        for _ in range(3):
            connection.send(f"GET /ws HTTP/1.1\r\nHost: h\r\n{WEBSOCKET}\r\n")
            response = connection.response()
            assert response.status == 400 and response.body == b"no"
        connection.send(NEXT)
        assert connection.response().body == FIXED
