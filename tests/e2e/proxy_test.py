"""The reverse proxy end to end: rows P01 to P17 of the attack catalogue, and what users do."""

import asyncio
import socket
import subprocess
import threading
import time

import httpx
import pytest
import websockets

from harness import DEADLINE, free_port, wait_until

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


def proxy(url, **more):
    return {"sites": [{"host": "*", "proxy": {"upstream": url, **more}}]}


def test_P01_the_next_endpoint_answers_for_one_that_is_down(webship, origin):
    one = origin()
    dead = f"http://127.0.0.1:{free_port()}"
    server = webship({"upstreams": {"app": {"endpoints": [dead, one.url]}},
                      "sites": [{"host": "*", "proxy": "app"}]})
    for _ in range(10):
        assert server.request(GET).status == 200


def test_P01_all_down_is_502_then_503(webship):
    server = webship(proxy(f"http://127.0.0.1:{free_port()}"))
    statuses = [server.request(GET).status for _ in range(8)]
    assert statuses[0] == 502 and set(statuses) <= {502, 503}


def test_P01_a_silent_origin_is_504(webship, origin):
    one = origin(lambda connection, _: connection.read_request() and time.sleep(DEADLINE))
    server = webship(proxy(one.url, first_byte_timeout="200ms", retries={"attempts": 0}))
    assert server.request(GET).status == 504


def test_P02_a_kept_connection_that_closed_is_replaced(webship, origin):
    def once(connection, _):
        connection.read_request()
        connection.answer(b"x")  # kept alive, says the answer; closed all the same

    one = origin(once)
    server = webship(proxy(one.url))
    with server.connect() as connection:
        for _ in range(5):
            connection.send(GET)
            assert connection.response().status == 200


def test_P02_a_post_is_never_sent_twice(webship, origin):
    one = origin(lambda connection, _: connection.read_request())  # and closes
    server = webship(proxy(one.url))
    post = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
    assert server.request(post).status == 502
    assert len(one.requests) == 1


@pytest.mark.parametrize("head", [
    b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Le",
    b"HTTP/1.1 2000 OK\r\n\r\n", b"hello\r\n\r\n", b"HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: \0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    b"HTTP/1.1 200 OK\nContent-Length: 0\n\n", b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000 + b"\r\n\r\n",
], ids=range(11))
def test_P03_P07_P08_bad_heads_are_502(webship, origin, head):
    def bad(connection, _):
        connection.read_request()
        connection.send(head)

    one = origin(bad)
    server = webship(proxy(one.url, retries={"attempts": 0}))
    response = server.request(GET)
    assert response.status == 502
    assert b"Content-Length: x" not in response.body


def test_P04_a_short_body_never_looks_complete(webship, origin):
    def short(connection, _):
        connection.read_request()
        connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")

    one = origin(short)
    server = webship(proxy(one.url))
    answer = server.exchange(GET)
    assert b"hello" in answer and not answer.endswith(b"0\r\n\r\n")


def test_P05_an_idle_body_is_cut(webship, origin):
    def idle(connection, _):
        connection.read_request()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        time.sleep(DEADLINE)

    one = origin(idle)
    server = webship(proxy(one.url, idle_timeout="300ms"))
    assert server.exchange(GET).endswith(b"\r\n\r\nhello")


def test_P06_bytes_that_nobody_asked_for_poison_nothing(webship, origin):
    evil = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    sent = []

    def excess(connection, _):
        while connection.read_request():
            connection.answer(b"good")
            connection.send(evil)
            sent.append(1)

    one = origin(excess)
    server = webship(proxy(one.url))
    for i in range(10):
        assert server.request(GET).body == b"good"
        # What comes after the next request was sent could be its answer: nobody can tell.
        wait_until(lambda count=i + 1: len(sent) == count, "the bytes nobody asked for")


def test_P08_informational_responses_are_passed_over(webship, origin):
    def informs(connection, _):
        connection.read_request()
        connection.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 3)
        connection.answer(b"x")

    server = webship(proxy(origin(informs).url))
    assert server.exchange(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 200 ")
    server = webship(proxy(origin(informs).url, early_hints=True))
    assert server.exchange(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 103 ")


def test_P09_head_204_and_304_have_no_body(webship, origin):
    def bodiless(connection, _):
        while request := connection.read_request():
            status = request[0].split()[1][1:] or b"200 OK"
            connection.send(b"HTTP/1.1 " + status + b" X\r\nContent-Length: 5\r\n\r\n")

    server = webship(proxy(origin(bodiless).url))
    with server.connect() as connection:
        for data in (b"HEAD /200 HTTP/1.1\r\nHost: a\r\n\r\n",
                     b"GET /304 HTTP/1.1\r\nHost: a\r\n\r\n"):
            connection.send(data)
            assert connection.response(head=True).status in (200, 304)


def test_P10_an_early_answer_stops_the_upload(webship, origin):
    def early(connection, _):
        connection.read_until(b"\r\n\r\n")
        connection.send(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n"
                        b"Connection: close\r\n\r\nbig")

    server = webship(proxy(origin(early).url))
    with server.connect() as connection:
        connection.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
        connection.send(b"x" * 1000)
        response = connection.response()
        assert response.status == 413 and response.body == b"big"


def test_P15_a_client_that_goes_cancels_its_request(webship, origin):
    gone = threading.Event()

    def watch(connection, _):
        connection.read_request()
        if connection.closed():
            gone.set()

    one = origin(watch)
    server = webship(proxy(one.url))
    with server.connect() as connection:
        connection.send(GET)
        wait_until(lambda: one.requests, "the request at the origin")
    assert gone.wait(DEADLINE)
    assert " 499 " in server.access_lines()[0]


def test_a_filters_host_takes_the_place_of_the_clients(webship, origin):
    one = origin()
    host = {"request_fields": {"set": {"Host": "{request.query.to}"}}}
    server = webship({"sites": [{"host": "*", "filters": [host], "routes": [
        {"match": "/option", "proxy": {"upstream": one.url, "host": "option.example"}},
        {"match": "/template", "proxy": {"upstream": one.url, "host": "{request.query.h}"}},
        {"proxy": one.url}]}]})
    for target, sent in (("/a?to=set.example:81", "set.example:81"), ("/a", "client.example"),
                         ("http://target.example/a?to=set.example", "set.example"),
                         ("http://target.example/a", "target.example"),
                         ("/option?to=set.example", "set.example"), ("/option", "option.example"),
                         ("/template", "client.example"), ("/template?h=made", "made"),
                         ("/template?h=a,b", "client.example"),
                         ("/a?to=two%20words", "client.example"),
                         ("/a?to=user@set.example", "client.example"),
                         ("/a?to=set.example%0d%0aX:y", "client.example")):
        data = f"GET {target} HTTP/1.1\r\nHost: client.example\r\n\r\n"
        assert server.request(data.encode()).status == 200
        head = one.requests[-1][0].decode()
        assert head.count("Host: ") == 2 and f"\r\nHost: {sent}\r\n" in head, (target, head)
        assert "X-Forwarded-Host: set" not in head


def test_chunked_uploads_and_trailers_pass(webship, origin):
    def trailers(connection, _):
        connection.read_request()
        connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                        b"3\r\nabc\r\n0\r\nX-Sum: 7\r\nContent-Length: 9\r\n\r\n")

    one = origin(trailers)
    server = webship(proxy(one.url))
    with server.connect() as connection:
        connection.send(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                        b"4\r\nwiki\r\n5\r\npedia\r\n0\r\n\r\n")
        response = connection.response()
    assert response.body == b"abc" and response.trailers == [("X-Sum", "7")]
    assert one.requests[0][1] == b"wikipedia"


def test_server_sent_events_leave_at_once(webship, origin):
    step = threading.Semaphore(0)

    def events(connection, _):
        connection.read_request()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for i in range(3):
            step.acquire(timeout=DEADLINE)
            connection.send(b"data: %d\n\n" % i)

    one = origin(events)
    for filters in ([], [{"compress": True}]):
        server = webship({"sites": [{"host": "*", "filters": filters, "proxy": one.url}]})
        with httpx.stream("GET", server.url("/"), headers={"Accept-Encoding": "gzip"},
                          timeout=DEADLINE) as response:
            step.release()
            for i, text in enumerate(response.iter_text()):
                assert text == f"data: {i}\n\n"
                if i < 2:
                    step.release()


def test_P17_websockets_pass(webship, certificates):
    async def run():
        async def echo(socket):
            await socket.send("hello")
            async for message in socket:
                await socket.send(message)

        async with websockets.serve(echo, "127.0.0.1", 0) as origin:
            port = origin.sockets[0].getsockname()[1]
            server = webship({
                "listeners": {"http": {}, "https": {"tls": {
                    "certificates": [certificates.make("localhost")]}}},
                "sites": [{"host": "*", "proxy": f"http://127.0.0.1:{port}"}]})
            for url, tls in ((f"ws://127.0.0.1:{server.ports['http']}/", None),
                             (f"wss://localhost:{server.ports['https']}/",
                              certificates.client_context())):
                async with websockets.connect(url, ssl=tls, open_timeout=DEADLINE) as client:
                    assert await client.recv() == "hello"
                    for size in (1, 1000, 300_000):
                        await client.send("x" * size)
                        assert await client.recv() == "x" * size
    asyncio.run(asyncio.wait_for(run(), DEADLINE * 3))


def test_P17_a_tunnel_half_closes(webship, origin):
    def shout(connection, _):
        connection.read_until(b"\r\n\r\n")
        connection.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\n"
                        b"Connection: upgrade\r\n\r\nglued")
        said = connection.read_all()
        connection.send(said.upper())

    server = webship(proxy(origin(shout).url))
    with server.connect() as connection:
        connection.send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n"
                        b"Upgrade: shout\r\n\r\n")
        assert connection.head().status == 101
        assert connection.read_exactly(5) == b"glued"
        connection.send(b"quiet")
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.read_all() == b"QUIET"


def test_forwarding_fields(webship, origin):
    one = origin()
    server = webship(proxy(one.url, forwarded=["x-forwarded", "forwarded"]))
    server.request(b"GET / HTTP/1.1\r\nHost: a.test\r\nX-Forwarded-For: 6.6.6.6\r\n"
                   b"X-Forwarded-Proto: https\r\ntraceparent: 00-a-b-01\r\n\r\n")
    head = one.requests[0][0].decode()
    assert "6.6.6.6" not in head
    assert "X-Forwarded-For: 127.0.0.1\r\n" in head and "X-Forwarded-Proto: http\r\n" in head
    assert "X-Forwarded-Host: a.test\r\n" in head
    assert "for=127.0.0.1" in head and "traceparent: 00-a-b-01\r\n" in head


def test_S30_trusted_proxies_say_who_the_client_is(webship):
    server = webship({
        "listeners": {"http": {"trusted_proxies": ["127.0.0.0/8", "10.0.0.0/8"]}},
        "sites": [{"host": "*", "respond": {"body": "{client.ip} {peer.ip}"}}]})
    response = server.request(b"GET / HTTP/1.1\r\nHost: a\r\n"
                              b"X-Forwarded-For: 6.6.6.6, 192.0.2.9, 10.0.0.1\r\n\r\n")
    assert response.body == b"192.0.2.9 127.0.0.1"


def test_prefix_mounts_rewrite_locations_and_cookies(webship, origin):
    def redirects(connection, one):
        connection.read_request()
        connection.answer(b"", b"302 Found", (
            f"Location: {one.url}/login".encode(), b"Set-Cookie: s=1; Path=/"))

    one = origin(redirects)
    server = webship({"sites": [{"host": "*", "routes": [
        {"match": {"path": "/app/*"}, "filters": [{"strip_prefix": "/app"}], "proxy": one.url}]}]})
    response = server.request(b"GET /app/x?y HTTP/1.1\r\nHost: a\r\n\r\n")
    assert one.requests[0][0].startswith(b"GET /x?y HTTP/1.1\r\n")
    assert response["Location"].endswith("/app/login") and one.url not in response["Location"]
    assert "Path=/app" in response["Set-Cookie"]


def test_N07_a_loop_ends(webship):
    port = free_port()
    server = webship({"listeners": {"http": {"address": f"127.0.0.1:{port}"}},
                      "sites": [{"host": "*", "proxy": f"http://127.0.0.1:{port}"}]})
    assert server.request(GET).status == 508
    assert len(server.access_lines(5)) == 5  # the client's, and four passes


def test_P14_a_name_that_does_not_resolve_stops_nothing(webship):
    server = webship({"sites": [
        {"host": "a", "proxy": "http://no-such-name.invalid:80"},
        {"host": "b", "respond": {"body": "b"}}]})
    assert server.request(b"GET / HTTP/1.1\r\nHost: b\r\n\r\n").body == b"b"
    assert server.request(GET).status in (502, 503, 504)


def test_a_unix_socket_and_a_buffered_request(webship, origin, tmp_path):
    one = origin(unix=tmp_path / "app.sock")
    server = webship(proxy(f"unix:{tmp_path}/app.sock", buffer_request="64KiB"))
    with server.connect() as connection:
        connection.send(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.send(b"4\r\nbody\r\n")
        assert not one.requests
        connection.send(b"0\r\n\r\n")
        assert connection.response().status == 200
    head, body = one.requests[0]
    assert body == b"body" and b"Content-Length: 4\r\n" in head


def test_nginx_as_an_origin(webship, site, tmp_path):
    port = free_port()
    config = tmp_path / "nginx.conf"
    config.write_text(f"""
daemon off; worker_processes 1; user root; error_log {tmp_path}/error.log; pid {tmp_path}/pid;
events {{ worker_connections 256; }}
http {{ access_log off; gzip on; gzip_types text/plain; gzip_min_length 1; gzip_http_version 1.0;
  server {{ listen 127.0.0.1:{port}; root {site}; }} }}
""")
    nginx = subprocess.Popen(["nginx", "-p", tmp_path, "-c", config], stderr=subprocess.DEVNULL)
    try:
        def listens():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0
        wait_until(listens, "nginx listens")
        server = webship(proxy(f"http://127.0.0.1:{port}"))
        with httpx.Client(base_url=server.url(""), timeout=DEADLINE) as client:
            for _ in range(3):
                assert client.get("/hello.txt").text == "Hello, World!"
                assert client.get("/large.bin").content == (site / "large.bin").read_bytes()
                assert client.get("/none").status_code == 404
                assert client.head("/hello.txt").status_code == 200
    finally:
        nginx.terminate()
        nginx.wait()
