"""What the admin page /metrics says is true."""

import re
import socket

import harness
from harness import free_port, held, wait_until

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def start(webship, **config):
    return webship({"sites": [{"host": "*", "respond": {"body": "12345"}}],
                    "admin": {"address": f"127.0.0.1:{free_port()}"}, **config})


def rises(server, name, count, **labels):
    """Counters are written when a request has ended, which the client may know earlier."""
    wait_until(lambda: server.metric(name, **labels) == count, f"{name} is {count}")


def test_connections_are_counted_while_they_are_open(webship, origin):
    one = origin(held(b"ok"))
    server = start(webship, workers=2, sites=[{"host": "*", "proxy": one.url}])
    assert server.metric("webship_connections_open") == 1, "that of the scrape"
    assert server.metric("webship_connections_active") == 1
    with server.connect() as busy, server.connect() as idle:
        idle.send(b"GET / HT")
        busy.send(GET)
        wait_until(lambda: one.requests, "the request at the origin")
        rises(server, "webship_connections_open", 3)
        assert server.metric("webship_connections_active") == 2
        one.go.set()
        assert busy.response().body == b"ok"
        rises(server, "webship_connections_active", 1)
        assert server.metric("webship_connections_open") == 3
    rises(server, "webship_connections_open", 1)


def test_a_client_that_goes_away_is_no_longer_active(webship, origin):
    one = origin(lambda connection, _: connection.read_request() and connection.read_all())
    server = start(webship, sites=[{"host": "*", "proxy": one.url}])
    for _ in range(3):
        with server.connect() as busy:
            busy.send(GET)
            rises(server, "webship_connections_active", 2)
        rises(server, "webship_connections_active", 1)
    assert server.metric("webship_upstream_failures_total") == 0, "the client's own doing"
    assert server.metric("webship_requests_aborted_total") == 3


def test_upstream_failures_are_requests_that_no_origin_answered(webship, origin):
    def cut(connection, _):
        connection.read_request()

    def refuse(connection, _):
        while connection.read_request():
            connection.answer(b"no", status=b"503 Service Unavailable")

    def half(connection, _):
        connection.read_request()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")

    def silent(connection, _):
        connection.read_request()
        connection.read_all()

    paths = {name: origin(script).url for name, script in [
        ("good", None), ("cut", cut), ("refuse", refuse), ("half", half), ("silent", silent)]}
    paths["nobody"] = f"http://127.0.0.1:{free_port()}"
    upstreams = {name: {"endpoints": [url], "first_byte_timeout": "100ms"}
                 for name, url in paths.items()}
    upstreams["either"] = {"endpoints": [paths["nobody"], paths["good"]]}
    server = start(webship, upstreams=upstreams, sites=[{"host": "*", "routes": [
        {"match": {"path": f"/{name}"}, "proxy": name} for name in upstreams]}])

    def ask(path, status):
        answer = server.exchange(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                                 .encode())
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()), (path, answer)

    for path, status in [("/good", 200), ("/refuse", 503), ("/half", 200), ("/either", 200),
                         ("/either", 200), ("/elsewhere", 404)]:
        ask(path, status)
    assert server.metric("webship_upstream_failures_total") == 0, "an origin has answered all"
    ask("/nobody", 502)
    rises(server, "webship_upstream_failures_total", 1)
    ask("/cut", 502)
    rises(server, "webship_upstream_failures_total", 2)
    ask("/silent", 504)
    rises(server, "webship_upstream_failures_total", 3)
    # A body that never comes to its end is the client's fault.
    server.exchange(b"POST /good HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
    rises(server, "webship_responses_total", 2, **{"class": "4xx"})
    assert server.metric("webship_upstream_failures_total") == 3


def test_an_upstream_without_an_endpoint_in_good_standing_is_a_failure(webship):
    url = f"http://127.0.0.1:{free_port()}"
    server = start(webship, upstreams={"one": {"endpoints": [url], "failures": {"count": 1}}},
                   sites=[{"host": "*", "proxy": "one"}])
    statuses = [server.request(GET).status for _ in range(2)]
    assert statuses[0] == 502 and statuses[1] in (502, 503)
    rises(server, "webship_upstream_failures_total", 2)


def test_requests_and_bytes_are_counted(webship, origin):
    def script(connection, _):
        while connection.read_request():
            connection.answer(b"12345")

    server = start(webship, sites=[{"host": "*", "proxy": origin(script).url}])
    with server.connect() as connection:
        for _ in range(3):
            connection.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy")
            assert connection.response().body == b"12345"
    server.exchange(b"nonsense\r\n\r\n")
    rises(server, "webship_requests_refused_total", 1)
    assert server.metric("webship_connections_accepted_total") >= 2
    before = server.metric("webship_sent_body_bytes_total")
    server.request(GET)
    assert server.metric("webship_sent_body_bytes_total") - before >= 5
    assert server.metric("webship_received_body_bytes_total") == 6
    count = server.metric("webship_request_duration_seconds_count")
    assert server.metric("webship_request_duration_seconds_bucket", le="+Inf") == count + 1
    assert server.metric("webship_workers") == 1


def test_handshakes_and_certificates_are_counted(webship, certificates):
    files = certificates.make("localhost")
    server = start(webship, listeners={"https": {"tls": {"certificates": [files]}}})
    with server.connect(tls=certificates.client_context()) as connection:
        connection.send(GET)
        assert connection.response().status == 200
    server.exchange(GET)
    rises(server, "webship_tls_handshakes_failed_total", 1)
    assert server.metric("webship_tls_handshakes_total") == 1
    end = server.metric("webship_certificate_expiry_seconds", file=files["certificate"])
    assert end > harness.time.time()


def test_reloads_are_counted(webship):
    server = start(webship)
    server.reload()
    good = server.path.read_text()
    server.path.write_text("sites: 1")
    server.reload()
    server.path.write_text(good)
    server.reload()
    assert server.metric("webship_reloads_total") == 2
    assert server.metric("webship_reloads_failed_total") == 1


def test_every_metric_has_its_type_and_text(webship):
    """As the exposition format wants it: HELP and TYPE once, before the values."""
    server = start(webship)
    server.metric("webship_workers")
    with socket.create_connection(("127.0.0.1", server.ports["admin"])) as s:
        connection = harness.Connection(s)
        connection.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        lines = connection.response().body.decode().splitlines()
    known = set()
    for line in lines:
        words = line.split(" ")
        if line.startswith("# HELP "):
            assert words[2] not in known and len(words) > 3
            known.add(words[2])
        elif line.startswith("# TYPE "):
            assert words[2] in known and words[3] in ("counter", "gauge", "histogram")
            assert words[2].endswith("_total") == (words[3] == "counter"), line
        else:
            name = words[0].split("{")[0]
            family = name
            for end in ("_bucket", "_sum", "_count"):
                family = family.removesuffix(end)
            assert family in known or name in known, line
            float(words[-1])
    text = (harness.ROOT / "docs/configuration.md").read_text()
    documented = set(re.findall("webship_[a-z_]+", text))
    assert documented == known
