"""`limits.connections`: of a listener and of the whole process (attacks D04, O02)."""

import contextlib
import ssl

import pytest

import harness
from harness import free_port, wait_until

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def fixed(**more):
    return {"sites": [{"host": "*", "respond": {"body": "x"}}], "workers": 3,
            "admin": {"address": f"127.0.0.1:{free_port()}"}, **more}


class Clients:
    """Connections that stay open; which of them the server let in shows the answer to a request."""

    def __init__(self, server):
        self.server, self.open = server, contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open.close()

    def admitted(self, listener=None, tls=None):
        """A connection that was let in, or None."""
        try:
            connection = self.server.connect(listener=listener, tls=tls)
        except (ssl.SSLError, ConnectionResetError):
            assert tls, "cleartext is refused by an answer"
            return None
        connection.send(GET)
        response = connection.response()
        if response.status == 200:
            return self.open.enter_context(connection)
        with connection:
            assert response.status == 503 and response.body == b"", response
            assert response["Connection"] == "close" and response["Retry-After"] == "1", response
            assert connection.closed()
        return None

    def fill(self, count, **options):
        connections = [self.admitted(**options) for _ in range(count)]
        assert all(connections), "below the limit everybody is let in"
        assert not self.admitted(**options), "and nobody beyond"
        return connections

    def replaced(self, connection, **options):
        """When one leaves, one more is let in, and only one."""
        connection.socket.close()
        one = wait_until(lambda: self.admitted(**options), "the next is let in")
        assert not self.admitted(**options)
        return one


@pytest.mark.parametrize("kind", ["listener", "process"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_D04_O02_a_limit_is_held_across_workers(webship, certificates, kind, scheme):
    limits = {"connections": 7}
    listener = {"limits": limits} if kind == "listener" else {}
    tls = None
    if scheme == "https":
        listener["tls"] = {"certificates": [certificates.make("localhost")]}
        tls = certificates.client_context()
    server = webship(fixed(listeners={"main": listener},
                           **({"limits": limits} if kind == "process" else {})))
    with Clients(server) as clients:
        connections = clients.fill(7, tls=tls)
        refused = server.metric("webship_connections_refused_total")
        assert refused == 1
        assert server.metric("webship_connections_open") == 7 + 1, "and that of the admin pages"
        for connection in connections[:3]:
            clients.replaced(connection, tls=tls)
    wait_until(lambda: "`limits.connections` is reached" in server.log_text(), "a line says so")
    wait_until(lambda: server.metric("webship_connections_open") == 1, "all have left")
    with Clients(server) as clients:
        clients.fill(7, tls=tls)


def test_O02_a_refused_client_need_not_ask(webship):
    server = webship(fixed(limits={"connections": 1}))
    with Clients(server) as clients:
        clients.fill(1)
        answer = server.exchange(b"")
        assert answer.startswith(b"HTTP/1.1 503 ") and answer.endswith(b"\r\n\r\n")
        # Nor is what it sends read as a request.
        answer = server.exchange(GET * 3)
        assert answer.count(b"HTTP/1.1 ") == 1 and b" 503 " in answer


def test_D04_the_limit_of_the_process_counts_all_listeners(webship):
    server = webship(fixed(listeners={"small": {"limits": {"connections": 2}}, "large": {}},
                           limits={"connections": 5}))
    with Clients(server) as clients:
        small = clients.fill(2, listener="small")
        clients.fill(3, listener="large")
        small[0].socket.close()
        # The place is anybody's.
        wait_until(lambda: clients.admitted(listener="large"), "one more is let in")
        assert not clients.admitted(listener="small")
        small[1].socket.close()
        wait_until(lambda: clients.admitted(listener="small"), "one more is let in")


@pytest.mark.parametrize("kind", ["listener", "process"])
def test_D04_a_reload_changes_the_limit_and_forgets_nobody(webship, kind):
    limits = {"connections": 2}
    server = webship(fixed(listeners={"main": {"limits": limits} if kind == "listener" else {}},
                           limits=limits if kind == "process" else {"connections": 100}))

    def reload(connections):
        limits["connections"] = connections
        server.write(server.config)
        server.reload()

    with Clients(server) as clients:
        connections = clients.fill(2)
        reload(4)
        connections += clients.fill(2)
        reload(3)
        for connection in connections:
            connection.send(GET)
            assert connection.response().status == 200, "who is in stays in"
        assert not clients.admitted()
        connections.pop().socket.close()
        wait_until(lambda: server.metric("webship_connections_open") == 3 + 1, "one has left")
        assert not clients.admitted(), "three are still as many as the limit"
        clients.replaced(connections.pop())


@pytest.mark.parametrize("input", [b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n", b"\x16" * 99])
def test_D04_a_failed_handshake_leaves(webship, certificates, input):
    server = webship(fixed(listeners={"https": {
        "tls": {"certificates": [certificates.make("localhost")]},
        "limits": {"connections": 1, "handshake_timeout": "200ms"}}}))
    with Clients(server) as clients:
        for _ in range(3):
            with server.connect() as connection:
                connection.send(input)
                connection.read_all()
            tls = certificates.client_context()
            wait_until(lambda: clients.admitted(tls=tls), "it has left").socket.close()
            wait_until(lambda: server.metric("webship_connections_open") == 1, "it has left, too")


@pytest.mark.parametrize("input", [b"", b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n",
                                   b"PROXY nonsense\r\n"])
def test_D04_a_proxy_header_that_never_comes_leaves(webship, input):
    server = webship(fixed(listeners={"main": {
        "proxy_protocol": {"trusted": ["127.0.0.0/8"], "timeout": "200ms"},
        "limits": {"connections": 1, "header_timeout": "200ms"}}}))
    for _ in range(3):
        with server.connect() as connection:
            connection.send(input)
            assert b" 503 " not in connection.read_all(), "let in, and closed"
        wait_until(lambda: server.metric("webship_connections_open") == 1, "it has left")
    assert server.metric("webship_connections_refused_total") == 0


@pytest.mark.parametrize("ends", ["client", "origin", "reset"])
def test_D04_a_tunnel_is_one_connection_until_it_ends(webship, origin, ends):
    def upgrade(connection, one):
        if connection.read_request() is None:
            return
        connection.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\n"
                        b"Connection: upgrade\r\n\r\n")
        if ends == "origin":
            assert one.go.wait(harness.DEADLINE)
        else:
            connection.read_all()

    one = origin(upgrade)
    server = webship(fixed(sites=[{"host": "*", "routes": [
        {"match": {"path": "/tunnel"}, "proxy": one.url}, {"respond": {"body": "x"}}]}],
        limits={"connections": 1}))
    with Clients(server) as clients, server.connect() as tunnel:
        tunnel.send(b"GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n"
                    b"Upgrade: chat\r\n\r\n")
        assert tunnel.head().status == 101
        assert not clients.admitted()
        one.go.set()
        if ends == "origin":
            tunnel.read_all()
        elif ends == "reset":
            tunnel.socket.setsockopt(harness.socket.SOL_SOCKET, harness.socket.SO_LINGER,
                                     b"\1\0\0\0\0\0\0\0")
        tunnel.socket.close()
        clients.replaced(wait_until(clients.admitted, "the tunnel has left"))


def test_O02_more_than_the_limit_at_once(webship):
    """Far more than the limit at once: as many as it says are let in, the others are answered."""
    server = webship(fixed(limits={"connections": 20}))
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(server.connect()) for _ in range(200)]
        for connection in connections:
            connection.send(GET)
        statuses = [connection.response().status for connection in connections]
        assert statuses.count(200) == 20 and statuses.count(503) == 180
        assert server.metric("webship_connections_refused_total") == 180
