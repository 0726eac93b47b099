"""The main path, end to end: a file, a fixed answer, a proxied request, over cleartext and TLS."""

import subprocess


def test_a_file_over_cleartext(webship, site):
    server = webship({"sites": [{"host": "*", "files": str(site)}]})
    with server.connect() as connection:
        for _ in range(3):
            connection.send("GET /hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
            response = connection.response()
            assert response.status == 200
            assert response.body == b"Hello, World!"
            assert response["Content-Type"] == "text/plain; charset=utf-8"
            assert response["Date"].endswith(" GMT")
            assert response["ETag"]
    assert '"GET /hello.txt HTTP/1.1" 200 13' in server.access_lines(3)[0]


def test_a_fixed_answer(webship):
    server = webship({"sites": [{"host": "*", "respond": {"status": 200, "body": "hi"}}]})
    assert server.request(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == b"hi"


def test_server_is_removed_where_a_filter_says_so(webship, origin):
    """Ours, which the codec adds to every response, and an origin's, in whose place it would go."""
    one = origin()
    filters = [{"response_fields": {"remove": ["server"]}}]
    server = webship({"sites": [{"host": "*", "routes": [
        {"match": "/p", "filters": filters, "proxy": one.url},
        {"match": "/own", "respond": 200},
        {"filters": filters, "respond": 200}]}]})
    for path, count in [("/p", 0), ("/x", 0), ("/own", 1)]:
        response = server.request(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert response.status == 200
        assert len(response.all("Server")) == count, path


def test_a_proxied_request(webship, origin):
    one = origin()
    server = webship({"sites": [{"host": "*", "proxy": one.url}]})
    with server.connect() as connection:
        for _ in range(3):
            connection.send("GET /a?b=c HTTP/1.1\r\nHost: example.com\r\n\r\n")
            response = connection.response()
            assert response.status == 200 and response.body == b"ok"
    head, _ = one.requests[0]
    assert head.startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"Host: example.com\r\n" in head
    assert b"X-Forwarded-For: 127.0.0.1\r\n" in head
    assert len(one.received) == 1, "the connection to the origin is kept"


def test_over_tls(webship, site, certificates):
    server = webship({
        "listeners": {"https": {"tls": {"certificates": [certificates.make("localhost")]}}},
        "sites": [{"host": "*", "files": str(site)}],
    })
    tls = certificates.client_context()
    response = server.request(b"GET /hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n", tls=tls)
    assert response.status == 200 and response.body == b"Hello, World!"


def test_curl_downloads_a_large_file(webship, site):
    server = webship({"sites": [{"host": "*", "files": str(site)}]})
    out = subprocess.run(["curl", "-sS", "--fail", server.url("/large.bin")], capture_output=True,
                         check=True, timeout=30).stdout
    assert out == (site / "large.bin").read_bytes()
