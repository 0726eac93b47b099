"""What tests of the attack catalogue share: an origin that records in order and reads strictly, and
one server in front of it that also answers by itself.

A test of a row sends an input to a handler of the server and through the proxy, and asks the
recorder what of it came through. `{t}` in an input becomes the path of where it goes.
"""

import re
import selectors
import socket
import threading

import pytest

import harness

# Where an input goes: a file, a fixed answer, the recording origin.
PATHS = {"files": "/hello.txt", "respond": "/respond", "proxy": "/proxy/x"}
EVERYWHERE = list(PATHS)
# What no handler is asked about.
WHERE = ["files", "proxy"]
FIXED = b"fixed answer"
FROM_ORIGIN = b"from the origin"

TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
REQUEST_LINE = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+ (/[!-~]*|\*) HTTP/1\.1")
VALUE = re.compile(rb"([!-~\x80-\xff]([\t -~\x80-\xff]*[!-~\x80-\xff])?)?")


class Fault(Exception):
    """A byte that a re-serialised request (rule R1) never has."""


def read_head(head):
    """(request line, [(lower name, value)]) of a head, or Fault."""
    lines = head.split(b"\r\n")
    if not REQUEST_LINE.fullmatch(lines[0]):
        raise Fault(f"request line {lines[0]!r}")
    fields = []
    for line in lines[1:]:
        name, colon, value = line.partition(b": ")
        if not colon or not TOKEN.fullmatch(name) or not VALUE.fullmatch(value):
            raise Fault(f"field line {line!r}")
        fields.append((name.lower(), value))
    names = [name for name, _ in fields]
    for name in (b"host", b"content-length", b"transfer-encoding", b"connection", b"expect"):
        if names.count(name) > 1:
            raise Fault(f"two of {name!r}")
    if b"host" not in names:
        raise Fault("no Host")
    if b"content-length" in names and b"transfer-encoding" in names:
        raise Fault("two lengths")
    values = dict(fields)
    if not re.fullmatch(b"0|[1-9][0-9]*", values.get(b"content-length", b"0")):
        raise Fault(f"Content-Length {values[b'content-length']!r}")
    if values.get(b"transfer-encoding", b"chunked") != b"chunked":
        raise Fault(f"Transfer-Encoding {values[b'transfer-encoding']!r}")
    return lines[0], fields


class Recorded:
    def __init__(self, connection, raw, line, fields):
        self.connection, self.raw, self.line, self.fields = connection, raw, line, fields
        self.body, self.trailers = b"", []
        self.method, self.target, _ = line.split(b" ")

    def all(self, name):
        return [value for n, value in self.fields if n == name.lower().encode()]

    def __getitem__(self, name):
        return next(iter(self.all(name)), None)

    def __repr__(self):
        return f"<{self.raw!r} {self.body!r}>"


class RecordedPeer:
    """One connection to the recorder: what came, and what of it is not yet a whole request."""

    def __init__(self, s, index):
        self.socket, self.index = s, index
        self.raw, self.buffer, self.ended = b"", b"", False

    def receive(self):
        """Everything that is there; whether it was anything."""
        came = False
        while not self.ended:
            try:
                data = self.socket.recv(65536)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            came = True
            self.ended = not data
            self.raw += data
            self.buffer += data
        return came

    def take(self):
        """The next whole request, None where there is none yet."""
        head, end, rest = self.buffer.partition(b"\r\n\r\n")
        if not end:
            return None
        line, fields = read_head(head)
        request = Recorded(self.index, head + end, line, fields)
        if request["transfer-encoding"]:
            if b"\r\n0\r\n" not in b"\r\n" + rest:
                return None  # many chunks: they are read once, when the last is there
            while True:
                size, end, rest = rest.partition(b"\r\n")
                if not end:
                    return None
                if not re.fullmatch(b"[0-9a-fA-F]{1,16}", size):
                    raise Fault(f"chunk {size!r}")
                size = int(size, 16)
                if size == 0:
                    break
                if len(rest) < size + 2:
                    return None
                if rest[size:size + 2] != b"\r\n":
                    raise Fault(f"end of a chunk {rest[size:size + 2]!r}")
                request.body += rest[:size]
                rest = rest[size + 2:]
            while True:
                line, end, rest = rest.partition(b"\r\n")
                if not end:
                    return None
                if not line:
                    break
                name, colon, value = line.partition(b": ")
                if not colon or not TOKEN.fullmatch(name) or not VALUE.fullmatch(value):
                    raise Fault(f"trailer line {line!r}")
                request.trailers.append((name.lower(), value))
        elif request["content-length"]:
            size = int(request["content-length"])
            if len(rest) < size:
                return None
            request.body, rest = rest[:size], rest[size:]
        self.buffer = rest
        return request


class Recorder:
    """An origin in one thread: before it answers anything it has read everything that was there, so
    a request's answer says that what was sent before it, on any connection, is recorded."""

    def __init__(self):
        self.lock = threading.Lock()
        self.peers, self.requests, self.faults = [], [], []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.wake, self.woken = socket.socketpair()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(self.woken, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def run(self):
        while True:
            if any(key.fileobj is self.woken for key, _ in self.selector.select()):
                return
            with self.lock:
                while self.receive():
                    pass
                for peer in self.peers:
                    self.serve(peer)

    def receive(self):
        came = False
        try:
            while True:
                s, _ = self.listener.accept()
                s.setblocking(False)
                self.selector.register(s, selectors.EVENT_READ)
                self.peers.append(RecordedPeer(s, len(self.peers)))
                came = True
        except BlockingIOError:
            pass
        for peer in self.peers:
            if not peer.ended:
                came |= peer.receive()
                if peer.ended:
                    self.selector.unregister(peer.socket)
        return came

    def serve(self, peer):
        if peer.socket is None:
            return
        try:
            while request := peer.take():
                self.requests.append(request)
                body = b"" if request.method == b"HEAD" else FROM_ORIGIN
                peer.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" %
                                    (len(FROM_ORIGIN), body))
        except Fault as fault:
            self.faults.append((fault, peer.raw))
            if not peer.ended:
                self.selector.unregister(peer.socket)
            peer.ended = True
        except OSError:
            pass
        if peer.ended:
            peer.socket.close()
            peer.socket = None

    def unfinished(self):
        """What came on connections that are open, without being a whole request."""
        with self.lock:
            return [peer.buffer for peer in self.peers if peer.buffer and not peer.ended]

    def close(self):
        self.wake.send(b"x")
        self.thread.join()
        self.listener.close()
        for peer in self.peers:
            if peer.socket is not None:
                peer.socket.close()


class Target:
    """The server under attack. `site` is a folder with hello.txt."""

    def __init__(self, folder, site, config=None, routes=()):
        self.origin = Recorder()
        self.sentinels = 0
        folder.mkdir()
        respond = {"status": 200, "body": FIXED.decode()}
        self.server = harness.Server({
            "sites": [{"host": "*", "routes": [
                *routes,
                {"match": {"path": "/proxy/*"}, "proxy": self.origin.url},
                {"match": {"path": "/respond"}, "respond": respond},
                {"match": {"path": "/secret"}, "respond": respond,
                 "filters": [{"basic_auth": {"users": {"a": USER_HASH}}}]},
                {"match": {"path": "/moved"}, "redirect": {"to": "/respond"}},
                {"match": {"path": "/missing"}, "respond": 404},
                {"files": str(site)},
            ]}],
            **(config or {}),
        }, folder)

    def stop(self):
        self.server.stop()
        self.origin.close()

    def mark(self):
        return len(self.origin.requests)

    def arrived(self, mark):
        """The requests that the origin received since, all of them: whatever the server sent before
        is recorded once a request sent after has its answer."""
        self.sentinels += 1
        target = f"/proxy/sentinel{self.sentinels}"
        response = self.server.request(f"GET {target} HTTP/1.1\r\nHost: h\r\n\r\n".encode())
        assert response.status == 200 and response.body == FROM_ORIGIN, response
        requests = self.origin.requests[mark:]
        assert requests[-1].target == target.encode()
        assert not self.origin.faults
        return requests[:-1]

    def refuse(self, text, statuses, where):
        """Rule R0: sends `text`, which is no good request; the answer must be one of `statuses`,
        say that the connection closes, and be followed by its end. Nothing may reach the origin."""
        data = fill(text, where)
        statuses = statuses if isinstance(statuses, tuple) else (statuses,)
        mark = self.mark()
        with self.server.connect() as connection:
            connection.send(data)
            response = connection.response(head=data.startswith(b"HEAD "))
            assert response.status in statuses, response
            assert response["Connection"] == "close", response
            rest = connection.read_all()
            assert rest == b"", rest
        if where == "proxy":
            assert self.arrived(mark) == []
            harness.wait_until(lambda: not self.origin.unfinished(), "half a request is given up")
        return response

    def accept(self, text, where, status=200, following=True):
        """Sends a good request and another one right behind it: both are answered, in order.
        Returns what the origin got of the first, or the response of the server itself."""
        data = fill(text, where)
        mark = self.mark()
        with self.server.connect() as connection:
            connection.send(data + (fill("GET /respond HTTP/1.1\r\nHost: h\r\n\r\n", where)
                                    if following else b""))
            response = connection.response(head=data.startswith(b"HEAD "))
            assert response.status == status, response
            if following:
                second = connection.response()
                assert second.status == 200 and second.body == FIXED, second
        if where != "proxy":
            return response
        requests = self.arrived(mark)
        assert len(requests) == 1, requests
        return requests[0]


# "b" by SHA-512 crypt.
USER_HASH = ("$6$saltsalt$U9lnnOjCCwUbs5DlvAH5QsjD7u.f7phlNw2.Qq.Mmdsj9wrbXqFlVrenX94MbmRnxZFeei7n"
             "hqJkDUO6DOUBK.")


def fill(text, where):
    text = text if isinstance(text, bytes) else text.encode("latin-1")
    return text.replace(b"{t}", PATHS[where].encode())


def named(rows):
    """Rows of a table as parameters whose ids are what they send."""
    return [pytest.param(*row, id=repr(row[0])[1:60].replace("/", "|")) for row in rows]
