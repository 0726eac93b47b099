"""What the origin is told: fields of one hop, of forwarding, their aliases, targets and values that
would split a line. Every request is written anew from its parsed form."""

import re

import pytest

import harness
from attacks import Target, named

G = "GET {t} HTTP/1.1\r\nHost: h\r\n"


@pytest.fixture(scope="module")
def behind_proxies(tmp_path_factory):
    """The same server with a trusted peer: this machine."""
    folder = tmp_path_factory.mktemp("trusted")
    (folder / "site").mkdir()
    (folder / "site/hello.txt").write_text("hello")
    one = Target(folder / "server", folder / "site", config={
        "listeners": {"http": {"trusted_proxies": ["127.0.0.0/8", "10.0.0.0/8"]}},
        "log": {"access": {"format": "client={client.ip} {request.uri}", "to": "stdout"}},
    })
    yield one
    one.stop()


# Rule R1.

@pytest.mark.parametrize("text, sent", named([
    ("GET {t} HTTP/1.1\r\nhOsT:h\r\nx-odd:\t a  b \t\r\nX-Empty:\r\n\r\n",
     b"GET /proxy/x HTTP/1.1\r\nHost: h\r\nx-odd: a  b\r\nX-Empty: \r\n"),
    ("POST {t} HTTP/1.1\r\nHost: h\r\ncOnTent-lEngth: 005\r\n\r\nhello",
     b"POST /proxy/x HTTP/1.1\r\nHost: h\r\n"),
    ("GET {t} HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n",
     b"GET /proxy/x HTTP/1.1\r\nHost: h\r\n"),
    ("\r\nGET {t}?a=b HTTP/1.1\r\nHost: h\r\n\r\n", b"GET /proxy/x?a=b HTTP/1.1\r\nHost: h\r\n"),
    ("GET {t}? HTTP/1.1\r\nHost: h\r\n\r\n", b"GET /proxy/x? HTTP/1.1\r\nHost: h\r\n"),
    ("GET {t}/%2e%41/..;a?%00=\"<> HTTP/1.1\r\nHost: h\r\n\r\n", None),
]))
def test_R1_requests_are_written_anew(target, text, sent):
    if sent is None:  # no canonical path
        with target.server.connect() as connection:
            connection.send(text.replace("{t}", "/proxy/x"))
            assert connection.response().status in (400, 404)
        return
    request = target.accept(text, "proxy", following="HTTP/1.0" not in text)
    assert request.raw.startswith(sent), request


def test_R1_the_framing_is_our_own(target):
    request = target.accept("POST {t} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:CHUNKED\r\n\r\n"
                            "00005;x=y\r\nhello\r\n00;z\r\n\r\n", "proxy")
    assert request.body == b"hello" and b"\r\nTransfer-Encoding: chunked\r\n" in request.raw
    request = target.accept("POST {t} HTTP/1.1\r\nHost: h\r\ncontent-length: 00005\r\n\r\nhello",
                            "proxy")
    assert request.body == b"hello" and b"\r\nContent-Length: 5\r\n" in request.raw
    request = target.accept("POST {t} HTTP/1.1\r\nHost: h\r\n\r\n", "proxy")
    assert request["content-length"] == b"0"


# Rule R2.

@pytest.mark.parametrize("path", [
    "/admin/x", "/%61dmin/x", "//admin/x", "/./admin/x", "/x/../admin/x", "/%2e/admin/x",
    "/admin//x",
    "/x/%2e%2e/admin/x", "///admin///x", "/%61%64%6d%69%6e/x", "/admin/./x", "/admin/y/../x",
    "/admin/",
    "/admin", "/admin?x"])
def test_R2_one_canonical_path(webship_r2, path):
    server, one = webship_r2
    with server.connect() as connection:
        connection.send(f"GET {path} HTTP/1.1\r\nHost: h\r\n\r\n")
        assert connection.response().status == 403, path
    assert not one.received


@pytest.fixture(scope="module")
def webship_r2(tmp_path_factory):
    with harness.Origin() as one:
        server = harness.Server({"sites": [{"host": "*", "routes": [
            {"match": {"path": "/admin/*"}, "filters": [{"deny": ["0.0.0.0/0",
                                                                  "::/0"]}], "proxy": one.url},
            {"proxy": one.url},
        ]}]}, tmp_path_factory.mktemp("r2"))
        yield server, one
        server.stop()


@pytest.mark.parametrize("path", ["/..%2fadmin", "/..;/admin/x", "/x/..%5cadmin", "/%2e%2e/admin",
                                  "/../admin", "/.;/admin", "/x/..;a=b/admin"])
def test_R2_paths_that_others_read_otherwise(webship_r2, path):
    server, one = webship_r2
    with server.connect() as connection:
        connection.send(f"GET {path} HTTP/1.1\r\nHost: h\r\n\r\n")
        assert connection.response().status in (400, 403, 404), path
    assert not one.received


# S17: absolute-form.

@pytest.mark.parametrize("host", ["h", "other", "other:81", "H"])
def test_S17_the_target_overrides_host(target, host):
    request = target.accept(f"GET http://real:8081/proxy/x?y HTTP/1.1\r\nHost: {host}\r\n\r\n",
                            "proxy")
    assert request.raw.startswith(b"GET /proxy/x?y HTTP/1.1\r\nHost: real:8081\r\n")
    assert request["x-forwarded-host"] == b"real:8081"


def test_S17_routes_by_the_target(webship):
    server = webship({"sites": [{"host": "a", "respond": {"body": "site a"}},
                                {"host": "b", "respond": {"body": "site b"}}]})
    for target, host, body in [("http://a/", "b", b"site a"), ("http://b/", "a", b"site b"),
                               ("HTTP://A", "b", b"site a"), ("/", "B", b"site b"),
                               ("http://b:80?x", "a:80", b"site b")]:
        response = server.request(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert response.body == body, (target, host)


@pytest.mark.parametrize("line, host, status", [
    ("GET https://h/proxy/x", "h", (400, 421)), ("GET http://h@evil/proxy/x", "h", 400),
    ("GET http://user:pass@h/proxy/x", "h", 400), ("GET http:///proxy/x", "h", 400),
    ("GET http://h:port/proxy/x", "h", 400), ("GET http://h/proxy/x#y", "h", 400),
    ("GET http://h\\@evil/proxy/x", "h", 400), ("GET http://[::1/proxy/x", "h", 400),
    ("GET ws://h/proxy/x", "h", 400), ("GET http://h/proxy/x", "a b", 400),
    ("GET http://h/proxy/x", "", 400), ("GET http://h/proxy/x", "h\r\nHost: h", 400),
])
def test_S17_absolute_targets_that_are_refused(target, line, host, status):
    target.refuse(f"{line} HTTP/1.1\r\nHost: {host}\r\n\r\n", status, "proxy")


def test_S17_an_absolute_target_needs_a_host_too(target):
    target.refuse("GET http://h/proxy/x HTTP/1.1\r\n\r\n", 400, "proxy")


def test_S16_hosts_in_any_case_however_many(webship):
    sites = [{"host": f"host{i}.example", "respond": {"body": f"site {i}"}} for i in range(300)]
    server = webship({"sites": [*sites, {"host": "*.Wild.example", "respond": {"body": "wild"}}]})
    with server.connect() as connection:
        for host, body in [("HOST299.Example", b"site 299"), ("host0.EXAMPLE:80", b"site 0"),
                           ("hOsT150.example.", b"site 150"), ("X.WILD.EXAMPLE", b"wild")]:
            connection.send(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")
            assert connection.response().body == body, host


# S29: fields of one hop.

HOP_BY_HOP = ["Keep-Alive: timeout=5", "Proxy-Connection: keep-alive",
              "Proxy-Authorization: Basic x",
              "Proxy-Authenticate: Basic", "TE: trailers", "TE: gzip", "Trailer: X", "Upgrade: foo",
              "HTTP2-Settings: AAMAAABk", "Proxy: http://evil/", "Connection: x-none"]


@pytest.mark.parametrize("field", HOP_BY_HOP)
def test_S29_hop_by_hop_fields_end_here(target, field):
    name = field.partition(":")[0]
    for spelled in (name, name.upper(), name.lower()):
        line = spelled + field[len(name):]
        request = target.accept(G + line + "\r\nX-Kept: 1\r\n\r\n", "proxy")
        assert request[name] is None and request["x-kept"] == b"1"


@pytest.mark.parametrize("connection", ["x-mine", "X-Mine", "close, x-mine", ",x-mine,",
                                        "x-other\r\n"
                                        "Connection: X-MINE", "x-mine, keep-alive", " \tx-mine\t"])
def test_S29_nominated_fields_end_here(target, connection):
    request = target.accept(G + f"Connection: {connection}\r\nX-Mine: 1\r\nX-Kept: 1\r\n\r\n",
                            "proxy",
                            following="close" not in connection)
    assert request["x-mine"] is None and request["x-kept"] == b"1" and request["connection"] is None


@pytest.mark.parametrize("name, value, sent", [
    ("Host", None, b"h"), ("Content-Length", None, b"5"), ("Authorization", "Basic x", b"Basic x"),
    ("Cookie", "a=b", b"a=b"), ("X-Forwarded-For", "9.9.9.9", b"127.0.0.1"),
    ("X-Forwarded-Host", "evil", b"h"), ("X-Forwarded-Proto", "https", b"http"),
    ("X-Real-IP", "9.9.9.9", b"127.0.0.1"), ("Content-Type", "a/b", b"a/b"), ("Via", None, None),
    ("Origin", "http://o", b"http://o"), ("Range", "bytes=0-", b"bytes=0-"),
])
def test_S29_nominations_that_are_ignored(target, name, value, sent):
    field = f"{name}: {value}\r\n" if value else ""
    request = target.accept(f"POST {{t}} HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n{field}"
                            f"Connection: {name}, {name.lower()}\r\n\r\nhello", "proxy")
    assert request.body == b"hello"
    if sent is None:
        assert b"webship" in request[name]
    else:
        assert request.all(name) == [sent]


def test_S29_nominations_are_bounded(target):
    many = ", ".join(f"x-{i}" for i in range(1000))
    target_mark = target.mark()
    with target.server.connect() as connection:
        connection.send(f"GET /proxy/x HTTP/1.1\r\nHost: h\r\nConnection: {many}\r\n\r\n")
        assert connection.response().status == 400
    assert target.arrived(target_mark) == []


# S30, S31: who the client is.

CLAIMS = ["X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil",
          "X-Forwarded-Port: 444", "X-Forwarded-Prefix: /evil", "X-Forwarded-Server: evil",
          "X-Forwarded-Ssl: on", "X-Forwarded-Anything: evil", "X-Real-IP: 1.2.3.4",
          "X-Real-Port: 1234", "Forwarded: for=1.2.3.4;host=evil;proto=https",
          "Client-Cert: :AAAA:",
          "Client-Cert-Chain: :AAAA:", "X-Client-Cert: evil", "X-SSL-Client-Cert: evil",
          "X-SSL-Client-Verify: SUCCESS", "SSL-Client-Cert: evil",
          "X-Forwarded-Client-Cert: Hash=x",
          "X-Forwarded-Tls-Client-Cert: evil"]
OWN = {b"x-forwarded-for": b"127.0.0.1", b"x-forwarded-proto": b"http", b"x-forwarded-host": b"h",
       b"x-real-ip": b"127.0.0.1"}


@pytest.mark.parametrize("claim", CLAIMS)
def test_S30_claims_of_untrusted_peers(target, claim):
    for line in (claim, claim.lower(), claim.upper(), f"{claim}\r\n{claim}"):
        request = target.accept(G + line + "\r\n\r\n", "proxy")
        name = claim.partition(":")[0].lower()
        assert request.all(name) == [OWN[n] for n in OWN if n == name.encode()], request


@pytest.mark.parametrize("claims, sent, client", named([
    ("X-Forwarded-For: 1.2.3.4", b"1.2.3.4, 127.0.0.1", "1.2.3.4"),
    ("X-Forwarded-For: 9.9.9.9, 1.2.3.4, 10.0.0.1", b"9.9.9.9, 1.2.3.4, 10.0.0.1, 127.0.0.1",
     "1.2.3.4"),
    ("X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-For: 1.2.3.4", b"9.9.9.9, 1.2.3.4, 127.0.0.1",
     "1.2.3.4"),
    ("X-Forwarded-For: 1.2.3.4, evil, 10.0.0.1", b"1.2.3.4, evil, 10.0.0.1, 127.0.0.1", "10.0.0.1"),
    ("X-Forwarded-For: evil", b"evil, 127.0.0.1", "127.0.0.1"),
    ("X-Forwarded-For: 1.2.3.4, 10.0.0.256", b"1.2.3.4, 10.0.0.256, 127.0.0.1", "127.0.0.1"),
    ("X-Forwarded-For: 10.0.0.9, 10.0.0.8", b"10.0.0.9, 10.0.0.8, 127.0.0.1", "10.0.0.9"),
    ("X-Forwarded-For: 1.2.3.4, unknown", b"1.2.3.4, unknown, 127.0.0.1", "127.0.0.1"),
    ("X-Forwarded-For: 2001:db8::1", b"2001:db8::1, 127.0.0.1", "2001:db8::1"),
    ("X-Real-IP: 1.2.3.4", b"127.0.0.1", "127.0.0.1"),
]))
def test_S30_claims_of_trusted_peers(behind_proxies, claims, sent, client):
    text = f"GET {{t}}/{client} HTTP/1.1\r\nHost: h\r\n{claims}\r\n\r\n"
    request = behind_proxies.accept(text, "proxy")
    assert request.all("x-forwarded-for") == [sent]
    line = f"client={client} /proxy/x/{client}\n"
    harness.wait_until(lambda: line in behind_proxies.server.access_path.read_text(), line)


ALIASES = ["X_Forwarded_Proto", "X_Forwarded_For", "X-Forwarded_For", "Remote_User", "REMOTE_USER",
           "X_Real_IP", "Content_Length", "Client_Cert", "Transfer_Encoding", "_", "X_Auth_User"]


@pytest.mark.parametrize("name", ALIASES)
def test_S31_aliases_are_dropped(target, behind_proxies, name):
    for one in (target, behind_proxies):
        request = one.accept(G + f"{name}: 5\r\nX-Kept: 1\r\n\r\n", "proxy")
        assert b"_" not in request.raw and request["x-kept"] == b"1"


def test_S31_httpoxy(target):
    request = target.accept(G + "Proxy: http://evil/\r\nproxy: x\r\n\r\n", "proxy")
    assert request["proxy"] is None and b"evil" not in request.raw


# S32: values that would split a line.

@pytest.fixture(scope="module")
def splitting(tmp_path_factory):
    def script(connection, _):
        while connection.read_request():
            connection.answer(b"ok", fields=[b"Location: /a%0d%0ab", b"Set-Cookie: a=b; Path=/"])

    with harness.Origin(script) as one:
        variables = {"X-Path": "{request.path}", "X-Query": "{request.query.q}",
                     "X-Cookie": "{request.cookie.c}", "X-Match": "{match.1}",
                     "X-Uri": "{request.uri}",
                     "X-Field": "{request.header.X-In}"}
        server = harness.Server({"sites": [{"host": "*", "routes": [
            {"match": {"path": "~^/redirect/(.*)$"},
             "redirect": {"to": "https://x/{match.1}?{request.query.q}{request.path}"}},
            {"match": {"path": "~^/respond/(.*)$"},
             "respond": {"status": 200, "body": "{match.1}", "fields": variables}},
            {"match": {"path": "~^/rewrite/(.*)$"}, "filters": [
                {"rewrite": {"match": "^/rewrite/(.*)$", "to": "/to/{match.1}"}},
                {"request_fields": {"set": variables}}, {"response_fields": {"set": variables}}],
             "proxy": one.url},
            {"match": {"path": "/strip/*"}, "filters": [{"strip_prefix": "/strip"}],
             "proxy": one.url},
        ]}]}, tmp_path_factory.mktemp("splitting"))
        yield server, one
        server.stop()


@pytest.mark.parametrize("route", ["redirect", "respond", "rewrite", "strip"])
@pytest.mark.parametrize("text", [
    "%0d%0aInjected:%201", "%0aInjected:%201", "%0dInjected:%201", "%0d%0a%0d%0abody",
    "%E5%98%8A%E5%98%8DInjected:%201", "%c4%8d%c4%8aInjected:%201", "%250d%250aInjected:1",
    "a%20b%09c",
    "%20HTTP/1.1%0d%0aInjected:%201", "%1b[31m", "%7f", "%85Injected:%201", "%e4"])
def test_S32_response_splitting(splitting, route, text):
    server, one = splitting
    before = len(one.requests)
    with server.connect() as connection:
        connection.send(f"GET /{route}/{text}?q={text} HTTP/1.1\r\nHost: h\r\nCookie: c={text}\r\n"
                        f"X-In: {text}\r\n\r\n")
        response = connection.response()
        connection.socket.shutdown(1)
        assert connection.read_all() == b""
    assert response["Injected"] is None
    for name, value in response.fields:
        assert not re.search("[\x00-\x08\x0a-\x1f\x7f]", value), (name, value)
    for head, body in one.requests[before:]:
        line, *fields = head[:-4].split(b"\r\n")
        assert re.fullmatch(rb"GET /[!-~]* HTTP/1\.1", line), line
        assert body == b""
        for field in fields:
            assert re.fullmatch(rb"[A-Za-z0-9-]+: [\t -~\x80-\xff]*", field), field
            assert not field.startswith(b"Injected")
    if route in ("rewrite", "strip"):
        assert response.status == 200 and len(one.requests) == before + 1
