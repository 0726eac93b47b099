"""Files end to end: rows F01 to F10 of the attack catalogue, and what a browser asks for."""

import gzip
import os
import socket
import subprocess

import pytest

from harness import DEADLINE, wait_until


def get(server, path, *fields, method="GET"):
    lines = [f"{method} {path} HTTP/1.1", "Host: a", *fields]
    return server.request("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")


def files(root, filters=(), **options):
    return {"sites": [{"host": "*", "filters": list(filters),
                       "files": {"root": str(root), **options}}]}


TRAVERSALS = [
    "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/..%5csecret.txt",
    "/%252e%252e/secret.txt", "/..;/secret.txt", "/.%2e/secret.txt", "//secret.txt",
    "/%c0%ae%c0%ae/secret.txt", "/..%00/secret.txt", "/....//secret.txt", "/sub/../../secret.txt",
    "/sub/..%2f..%2fsecret.txt", "/sub%2f..%2f..%2fsecret.txt", "/./../secret.txt",
    "/sub/%2e%2e/%2e%2e/secret.txt", "/..%255csecret.txt", "/\\..\\secret.txt", "/sub/..%01/x",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_F01_no_spelling_leads_out(webship, site, path):
    (site.parent / "secret.txt").write_text("secret")
    server = webship(files(site))
    response = get(server, path)
    assert response.status in (400, 404), response
    assert b"secret" not in response.body


@pytest.mark.parametrize("path", TRAVERSALS)
def test_F01_F02_nor_past_a_rule_in_front_of_an_origin(webship, origin, path):
    one = origin()
    server = webship({"sites": [{"host": "*", "routes": [
        {"match": {"path": "/secret.txt"}, "respond": 403}, {"proxy": one.url}]}]})
    response = get(server, path)
    if response.status in (400, 403):
        assert not one.requests
    else:
        assert response.status == 200
        line = one.requests[0][0].split(b"\r\n")[0]
        assert line == b"GET " + path.encode() + b" HTTP/1.1", "the raw path, unchanged (F03)"


def test_F01_a_prefix_ends_at_a_slash(webship, site):
    (site.parent / "site-secret").mkdir()
    (site.parent / "site-secret/x").write_text("secret")
    server = webship({"sites": [{"host": "*", "routes": [
        {"match": {"path": "/s/*"}, "filters": [{"strip_prefix": "/s"}],
         "files": str(site)}]}]})
    for path in ("/s../site-secret/x", "/s-secret/x", "/sx"):
        assert get(server, path).status in (400, 404)
    assert get(server, "/s/hello.txt").status == 200


@pytest.mark.parametrize("path", ["/a%2Fb", "/a%5Cb", "/a%3Bb", "/a%25b", "/a%3Fb", "/a%23b"])
def test_F03_encoded_bytes_reach_the_origin_as_sent(webship, origin, path):
    one = origin()
    server = webship({"sites": [{"host": "*", "proxy": one.url}]})
    assert get(server, path).status == 200
    assert one.requests[0][0].startswith(b"GET " + path.encode() + b" HTTP/1.1\r\n")


def test_F04_links_lead_nowhere_outside(webship, site):
    (site.parent / "secret.txt").write_text("secret")
    (site / "out").symlink_to("../secret.txt")
    (site / "absolute").symlink_to("/etc/passwd")
    (site / "in").symlink_to("hello.txt")
    server = webship(files(site))
    for path in ("/out", "/absolute"):
        assert get(server, path).status in (403, 404)
    assert get(server, "/in").body == b"Hello, World!"


def test_F04_what_is_no_file_is_not_there(webship, site):
    os.mkfifo(site / "fifo")
    with socket.socket(socket.AF_UNIX) as s:
        os.chdir(site)
        s.bind("socket")
        server = webship(files(site))
        for path in ("/fifo", "/socket"):
            assert get(server, path).status in (403, 404)


def test_F04_a_folder_without_its_slash_is_redirected_relatively(webship, site):
    server = webship(files(site))
    response = get(server, "/sub")
    assert response.status in (301, 308)
    assert response["Location"] in ("/sub/", "sub/", "./sub/")
    for path in ("//sub", "//evil.example/..", "/sub?x=1"):
        location = get(server, path)["Location"]
        assert location is None or not location.startswith(("//", "http")), path


def test_F05_hidden_files_are_not_there(webship, site):
    (site / ".git").mkdir()
    (site / ".git/config").write_text("secret")
    (site / ".env").write_text("secret")
    (site / ".htpasswd").write_text("secret")
    (site / ".well-known").mkdir()
    (site / ".well-known/x").write_text("known")
    server = webship(files(site, browse=True))
    for path in ("/.git/config", "/.env", "/.htpasswd", "/%2egit/config", "/sub/../.env"):
        assert get(server, path).status == 404, path
    assert get(server, "/.well-known/x").body == b"known"


RANGES = [
    ("bytes=0-4", 206, b"Hello"), ("bytes=-6", 206, b"World!"), ("bytes=7-", 206, b"World!"),
    ("bytes=0-0", 206, b"H"), ("bytes=0-18446744073709551615", 206, b"Hello, World!"),
    ("bytes=-18446744073709551616", 200, None), ("bytes=99-", 416, None),
    ("bytes=5-2", 200, None), ("lines=0-1", 200, None), ("bytes=", 200, None),
    ("bytes=a-b", 200, None), ("bytes=-0", 416, None),
]


@pytest.mark.parametrize("value, status, body", RANGES)
def test_F06_ranges(webship, site, value, status, body):
    server = webship(files(site))
    response = get(server, "/hello.txt", f"Range: {value}")
    if value == "bytes=-18446744073709551616":
        assert response.status in (200, 206) and response.body == b"Hello, World!"
        return
    assert response.status == status, response
    if status == 206:
        assert response.body == body and response["Content-Range"].endswith("/13")
    if status == 416:
        assert response["Content-Range"] == "bytes */13"
    if status == 200:
        assert response.body == b"Hello, World!"


def test_F06_many_ranges_cost_no_more_than_the_file(webship, site):
    server = webship(files(site))
    size = (site / "large.bin").stat().st_size
    value = "bytes=" + ",".join(f"{i}-" for i in range(0, 1000))
    response = get(server, "/large.bin", f"Range: {value}")
    assert response.status in (200, 206) and len(response.body) <= size + 4096
    response = get(server, "/large.bin", "Range: bytes=0-9,100-109")
    assert response.status == 206
    assert response["Content-Type"].startswith("multipart/byteranges; boundary=")
    assert response.body.count(b"Content-Range: bytes ") == 2


def test_F06_ranges_are_for_get_alone_and_if_range_must_match(webship, site):
    server = webship(files(site))
    etag = get(server, "/hello.txt")["ETag"]
    fresh = get(server, "/hello.txt", "Range: bytes=0-4", f"If-Range: {etag}")
    assert fresh.status == 206
    stale = get(server, "/hello.txt", "Range: bytes=0-4", 'If-Range: "other"')
    assert stale.status == 200 and len(stale.body) == 13


def test_F07_preconditions(webship, site):
    server = webship(files(site))
    first = get(server, "/hello.txt")
    etag, modified = first["ETag"], first["Last-Modified"]
    cases = [
        ([f"If-None-Match: {etag}"], 304), (["If-None-Match: *"], 304),
        ([f'If-None-Match: "x", {etag}'], 304), ([f"If-None-Match: W/{etag}"], 304),
        (['If-None-Match: "x"', f"If-Modified-Since: {modified}"], 200),
        ([f"If-Modified-Since: {modified}"], 304),
        (['If-Match: "x"'], 412), ([f"If-Match: {etag}"], 200), (["If-Match: *"], 200),
        (["If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"], 412),
        ([f"If-Match: {etag}", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"], 200),
    ]
    for fields, status in cases:
        response = get(server, "/hello.txt", *fields)
        assert response.status == status, (fields, response)
        if status == 304:
            assert response["ETag"] == etag and response["Date"]
            assert response["Content-Length"] in (None, "13")


def test_F08_compression(webship, site):
    text = "compress me " * 1000
    (site / "text.txt").write_text(text)
    server = webship(files(site, filters=[{"compress": True}]))
    plain = get(server, "/text.txt")
    assert plain["Content-Encoding"] is None and plain["Vary"] == "Accept-Encoding"
    packed = get(server, "/text.txt", "Accept-Encoding: gzip")
    assert packed["Content-Encoding"] == "gzip" and packed["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body) == text.encode()
    assert packed["ETag"] != plain["ETag"]
    for accept in ("gzip;q=0", "identity", "", "*;q=0, identity;q=1"):
        assert get(server, "/text.txt", f"Accept-Encoding: {accept}")["Content-Encoding"] is None
    ranged = get(server, "/text.txt", "Accept-Encoding: gzip", "Range: bytes=0-9")
    assert ranged.status == 206 and ranged["Content-Encoding"] is None
    with server.connect() as connection:
        connection.send("HEAD /text.txt HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
        head = connection.response(head=True)
        assert head["Content-Encoding"] == "gzip"
    for coding, tool in (("br", None), ("zstd", None)):
        assert get(server, "/text.txt", f"Accept-Encoding: {coding}")["Content-Encoding"] == coding


def test_precompressed_files(webship, site):
    (site / "app.js").write_text("plain")
    (site / "app.js.gz").write_bytes(gzip.compress(b"packed"))
    server = webship(files(site))
    packed = get(server, "/app.js", "Accept-Encoding: gzip, br")
    assert packed["Content-Encoding"] == "gzip" and gzip.decompress(packed.body) == b"packed"
    assert packed["Content-Type"].startswith("text/javascript")
    assert "Accept-Encoding" in packed["Vary"]
    assert get(server, "/app.js").body == b"plain"


def test_F09_a_file_that_shrinks_is_never_padded(webship, site):
    size = 64 << 20
    with open(site / "huge.bin", "wb") as f:
        f.truncate(size)
    server = webship(files(site))
    with server.connect() as connection:
        connection.send("GET /huge.bin HTTP/1.1\r\nHost: a\r\n\r\n")
        head = connection.head()
        assert head["Content-Length"] == str(size)
        os.truncate(site / "huge.bin", 1 << 20)
        assert len(connection.read_all()) < size
    assert get(server, "/hello.txt").status == 200


def test_F10_listings_escape_names_and_show_nothing_hidden(webship, site):
    (site / "list").mkdir()
    (site / "list/<img src=x onerror=alert(1)>.txt").write_text("x")
    (site / "list/a&b #?%.txt").write_text("special")
    (site / "list/.hidden").write_text("x")
    server = webship(files(site, browse=True))
    page = get(server, "/list/", "Accept: text/html")
    assert page.status == 200 and page["Content-Type"].startswith("text/html")
    assert b"<img src=x" not in page.body and b".hidden" not in page.body
    listed = get(server, "/list/", "Accept: application/json")
    assert listed["Content-Type"].startswith("application/json")
    assert b"a&b #?%.txt" in listed.body and b".hidden" not in listed.body
    assert get(server, "/list/a%26b%20%23%3F%25.txt").body == b"special"
    assert get(server, "/list/?sort=" + "x" * 1000).status == 200


def test_S20_methods(webship, site):
    server = webship(files(site))
    refused = get(server, "/hello.txt", "Content-Length: 0", method="DELETE")
    assert refused.status == 405 and "GET" in refused["Allow"]
    assert get(server, "/hello.txt", "Content-Length: 0", method="OPTIONS").status in (200, 204)
    assert get(server, "/hello.txt", "Content-Length: 0", method="BREW").status in (405, 501)


def test_index_clean_urls_and_fallback(webship, site):
    (site / "about.html").write_text("about")
    server = webship(files(site, clean_urls=True))
    assert get(server, "/").body == b"<!doctype html><title>Home</title>"
    assert get(server, "/about").body == b"about"
    redirected = get(server, "/about.html")
    assert redirected.status in (301, 302, 307, 308) and redirected["Location"].endswith("about")
    server = webship(files(site, fallback="/index.html"))
    spa = get(server, "/some/route", "Accept: text/html")
    assert spa.status == 200 and b"Home" in spa.body


def test_a_changed_file_is_seen_within_its_time(webship, site):
    server = webship(files(site))
    assert get(server, "/hello.txt").body == b"Hello, World!"
    (site / "hello.txt").write_text("changed")
    wait_until(lambda: get(server, "/hello.txt").body == b"changed", "the new text", DEADLINE)
    (site / "hello.txt").unlink()
    wait_until(lambda: get(server, "/hello.txt").status == 404, "its end", DEADLINE)


def test_cache_control_and_error_pages(webship, site):
    (site / "404.html").write_text("not here")
    server = webship(files(
        site, cache_control=[{"glob": "/sub/**", "value": "max-age=60"}],
        filters=[{"error_pages": {"root": str(site), "pages": {404: "/404.html"}}},
                 {"security_headers": True}]))
    assert get(server, "/sub/index.html")["Cache-Control"] == "max-age=60"
    assert get(server, "/hello.txt")["Cache-Control"] is None
    missing = get(server, "/none")
    assert missing.status == 404 and missing.body == b"not here"
    assert get(server, "/hello.txt")["X-Content-Type-Options"] == "nosniff"


def test_curl_resumes_a_download(webship, site, tmp_path):
    server = webship(files(site))
    whole = (site / "large.bin").read_bytes()
    part = tmp_path / "part"
    part.write_bytes(whole[:1_000_000])
    subprocess.run(["curl", "-sS", "-C", "-", "-o", part, server.url("/large.bin")], check=True,
                   timeout=DEADLINE * 3)
    assert part.read_bytes() == whole
