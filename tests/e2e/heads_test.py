"""Request lines and fields that are none: what is refused, with which status, and what passes."""

import pytest

import harness
from attacks import EVERYWHERE, FIXED, WHERE, fill, named

G = "GET {t} HTTP/1.1\r\nHost: h\r\n"
SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"
CTLS = [chr(c) for c in (*range(1, 9), 11, 12, *range(14, 32), 127)]

where = pytest.mark.parametrize("where", WHERE)
everywhere = pytest.mark.parametrize("where", EVERYWHERE)


@where
@pytest.mark.parametrize("text", named([
    ("GET {t} HTTP/1.1\nHost: h\r\n\r\n",),
    ("GET {t} HTTP/1.1\nHost: h\n\n",),
    ("GET {t} HTTP/1.1\r\nHost: h\n\r\n",),
    ("GET {t} HTTP/1.1\r\nHost: h\r\n\n",),
    ("GET {t} HTTP/1.1\r\nHost: h\nX: y\r\n\r\n",),
    ("GET {t} HTTP/1.1\r\nHost: h\r\nX: y\n\r\n",),
    ("GET {t} HTTP/1.1\r\nHost: h\r\nX: y\n\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("GET {t} HTTP/1.1\r\nHost: h\r\nX:\ny\r\n\r\n",),
    ("GET {t} HTTP/1.1\r\nHost: h\r\nX\n: y\r\n\r\n",),
    ("GET {t}\n HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("GET\n{t} HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("\nGET {t} HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("\r\n\nGET {t} HTTP/1.1\r\nHost: h\r\n\r\n",),
]))
def test_S12_bare_lf_in_heads(target, where, text):
    target.refuse(text, 400, where)


@where
@pytest.mark.parametrize("text", named([
    ("GET {t} HTTP/1.1\rHost: h\r\n\r\n",),
    ("GET {t} HTTP/1.1\r\r\nHost: h\r\n\r\n",),
    ("GET\r{t} HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("GET {t}\r HTTP/1.1\r\nHost: h\r\n\r\n",),
    (G + "X: y\rZ: a\r\n\r\n",),
    (G + "X: y\r\r\n\r\n",),
    (G + "X: \ry\r\n\r\n",),
    (G + "X\r: y\r\n\r\n",),
    (G + "\rX: y\r\n\r\n",),
    (G + "X: y\r\n\rX",),
    (G + "X: y\r\n\rX: z\r\n\r\n",),
    (G + "X: y\r\r\r\n",),
    (G + "\r\r\n",),
    ("\rGET {t} HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("\r\rGET {t} HTTP/1.1\r\nHost: h\r\n\r\n",),
]))
def test_S13_bare_cr_in_heads(target, where, text):
    target.refuse(text, 400, where)


@where
@pytest.mark.parametrize("lines", named([
    ("X: y\r\n z\r\n",), ("X: y\r\n\tz\r\n",), ("X:\r\n y\r\n",), ("X: y\r\n \r\n",),
    ("X: y\r\n Content-Length: 5\r\n",), ("Host: h\r\n h\r\n",),
    ("X : y\r\n",), ("X\t: y\r\n",), ("X  : y\r\n",), ("Host : h\r\n",),
    (" X: y\r\n",), ("\tX: y\r\n",),
    ("nocolon\r\n",), ("GET /smuggled HTTP/1.1\r\n",), (": y\r\n",), (":\r\n",), (" : y\r\n",),
    ("X y: z\r\n",), ("X(y): z\r\n",), ("X\"y: z\r\n",), ("X/y: z\r\n",), ("X[]: z\r\n",),
    ("X@: z\r\n",),
    ("X;: z\r\n",), ("X=y: z\r\n",), ("{X}: z\r\n",), ("X,: z\r\n",), ("X?: z\r\n",),
    ("X<: z\r\n",),
    ("\x80X: y\r\n",), ("X\xff: y\r\n",), ("X\xe4: y\r\n",), ("X\xa0: y\r\n",), ("X\\: y\r\n",),
    *[(f"X{c}: y\r\n",) for c in CTLS],
]))
def test_S14_field_names(target, where, lines):
    host = "" if "Host" in lines else "Host: h\r\n"
    target.refuse(f"GET {{t}} HTTP/1.1\r\n{host}{lines}\r\n", 400, where)


@where
@pytest.mark.parametrize("line", [" ", "\t", " X: y", "  X: y", "\tX: y", " Host: h", "\x0bX: y"])
def test_S14_whitespace_before_the_first_field(target, where, line):
    target.refuse(f"GET {{t}} HTTP/1.1\r\n{line}\r\nHost: h\r\n\r\n", 400, where)


@where
@pytest.mark.parametrize("text", named([
    (G + "X\x00: y\r\n\r\n",), (G + "\x00X: y\r\n\r\n",), (G + "X: \x00\r\n\r\n",),
    (G + "X: y\x00z\r\n\r\n",), (G + "X: y\x00\r\n\r\n",), (G + "\x00\r\n\r\n",), (G + "\r\x00\n",),
    ("GET {t}\x00 HTTP/1.1\r\nHost: h\r\n\r\n",), ("GET {t}\x00/ HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("GET\x00 {t} HTTP/1.1\r\nHost: h\r\n\r\n",), ("\x00GET {t} HTTP/1.1\r\nHost: h\r\n\r\n",),
    ("GET {t} HTTP/1.1\x00\r\nHost: h\r\n\r\n",), ("GET {t} HTTP/1.1\r\nHost: h\x00\r\n\r\n",),
    ("GET {t}?a=\x00 HTTP/1.1\r\nHost: h\r\n\r\n",),
    *[(G + f"X: y{c}z\r\n\r\n",) for c in CTLS],
    *[(G + f"X: {c}\r\n\r\n",) for c in CTLS],
]))
def test_S15_controls(target, where, text):
    target.refuse(text, 400, where)


def test_S15_obs_text_and_tabs_pass_unchanged(target):
    value = bytes(range(0x80, 0x100)) + b"\t!"
    request = target.accept(G.encode() + b"X: " + value + b"\r\n\r\n", "proxy")
    assert request["X"] == value


@where
@pytest.mark.parametrize("fields", named([
    ("",), ("Accept: a\r\n",), ("Hos: h\r\n",),
    ("Host: h\r\nHost: h\r\n",), ("Host: h\r\nHost: other\r\n",),
    ("Host: h\r\nX: y\r\nhost: h\r\n",),
    ("Host: h\r\nHost:\r\n",),
    ("Host:\r\n",), ("Host: \t\r\n",),
    ("Host: h,h\r\n",), ("Host: h, other\r\n",), ("Host: h other\r\n",), ("Host: h\tother\r\n",),
    ("Host: h/\r\n",), ("Host: h/path\r\n",), ("Host: http://h\r\n",), ("Host: //h\r\n",),
    ("Host: user@h\r\n",), ("Host: user:pass@h\r\n",), ("Host: @h\r\n",), ("Host: h?x\r\n",),
    ("Host: h#x\r\n",), ("Host: h\\x\r\n",), ("Host: h;x\r\n",), ("Host: <h>\r\n",),
    ("Host: \"h\"\r\n",),
    ("Host: h\x00\r\n",), ("Host: \x00h\r\n",), ("Host: h\x80\r\n",), ("Host: h%00\r\n",),
    ("Host: h:port\r\n",), ("Host: h:-1\r\n",), ("Host: h:+80\r\n",), ("Host: h:65536\r\n",),
    ("Host: h:99999999999\r\n",), ("Host: h:80:80\r\n",), ("Host: h:80x\r\n",),
    ("Host: h: 80\r\n",),
    ("Host: :80\r\n",), ("Host: :\r\n",), ("Host: h:0x50\r\n",), ("Host: h:80@evil\r\n",),
    ("Host: [::1\r\n",), ("Host: ::1]\r\n",), ("Host: [::1]]\r\n",), ("Host: [[::1]]\r\n",),
    ("Host: [::1]x\r\n",), ("Host: []\r\n",), ("Host: [h]\r\n",), ("Host: [::1%25eth0]\r\n",),
    ("Host: [::1]:x\r\n",), ("Host: x[::1]\r\n",), ("Host: ::1\r\n",), ("Host: [127.0.0.1]\r\n",),
    ("Host: [::g]\r\n",), ("Host: h..h\r\n",), ("Host: .h\r\n",), ("Host: .\r\n",),
    ("Host: ..\r\n",),
    ("Host: " + "h" * 300 + "\r\n",),
]))
def test_S16_host(target, where, fields):
    target.refuse(f"GET {{t}} HTTP/1.1\r\n{fields}\r\n", 400, where)


@everywhere
@pytest.mark.parametrize("host", ["h", "h:80", "h:", "h.", "H", "[::1]", "[::1]:8080",
                                  "127.0.0.1:1",
                                  "xn--bcher-kva.example", "a_b.c", "h:00080"])
def test_S16_good_hosts(target, where, host):
    request = target.accept(f"GET {{t}} HTTP/1.1\r\nHost: {host}\r\n\r\n", where)
    if where == "proxy":
        assert request["host"] == host.encode()


@everywhere
def test_S16_http_1_0_without_host(target, where):
    target.accept("GET {t} HTTP/1.0\r\n\r\n", where, following=False)
    target.refuse("GET {t} HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400, where)
    target.refuse("GET {t} HTTP/1.0\r\nHost: a b\r\n\r\n", 400, where)


@where
@pytest.mark.parametrize("text", named([
    ("GET {t}\t HTTP/1.1",), ("GET {t} x HTTP/1.1",), ("GET {t}\tx HTTP/1.1",),
    ("GET {t}\x7f HTTP/1.1",),
    ("GET {t}\x1b[0m HTTP/1.1",), ("GET {t}\xe4 HTTP/1.1",), ("GET {t}\x80 HTTP/1.1",),
    ("GET {t}#frag HTTP/1.1",), ("GET {t}?a#frag HTTP/1.1",), ("GET {t}\\x HTTP/1.1",),
    ("GET {t}?\\x HTTP/1.1",), ("GET \\{t} HTTP/1.1",), ("GET x{t} HTTP/1.1",),
    ("GET {t}%00 HTTP/1.1",),
    ("GET {t}/%00/x HTTP/1.1",), ("GET ?x HTTP/1.1",), ("GET h:80 HTTP/1.1",),
    ("GET ftp://h{t} HTTP/1.1",),
    ("GET http:/h{t} HTTP/1.1",), ("GET http:{t} HTTP/1.1",), ("GET file:///etc/passwd HTTP/1.1",),
    ("GET http://{t} HTTP/1.1",), ("GET {t}% HTTP/1.1",), ("GET {t}%g0 HTTP/1.1",),
    ("GET {t}%2 HTTP/1.1",),
    ("GET {t}<x> HTTP/1.1",), ("GET {t}\"x HTTP/1.1",),
    ("GET * HTTP/1.1",), ("POST * HTTP/1.1",), ("HEAD * HTTP/1.1",),
]))
def test_S18_targets(target, where, text):
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send(fill(text + "\r\nHost: h\r\n\r\n", where))
        response = connection.response(head=text.startswith("HEAD"))
        # 400 where it is a framing error; what the path means is the router's business.
        assert response.status in (400, 404), response
        if response["Connection"] != "close":
            connection.socket.shutdown(1)
        assert connection.read_all() == b""
    assert target.arrived(mark) == []
    strict = not any(escape in text for escape in ("%00", "%g0", "% ", "%2 "))
    assert response.status == 400 or not strict
    assert response["Connection"] == "close" or not strict


def test_S18_encoded_line_ends_stay_encoded(target):
    request = target.accept("GET {t}/a%0d%0aX:%20y?b=%0d%0aZ HTTP/1.1\r\nHost: h\r\n\r\n", "proxy")
    assert request.target == b"/proxy/x/a%0d%0aX:%20y?b=%0d%0aZ"
    harness.wait_until(lambda: "GET /proxy/x/a%0d%0aX:%20y?b=%0d%0aZ HTTP/1.1" in
                       target.server.access_path.read_text(errors="replace"), "the line in the log")


@where
@pytest.mark.parametrize("line", named([
    ("GET  {t} HTTP/1.1",), ("GET {t}  HTTP/1.1",), (" GET {t} HTTP/1.1",), ("GET {t} HTTP/1.1 ",),
    ("GET\t{t} HTTP/1.1",), ("GET {t}\tHTTP/1.1",), ("GET {t} HTTP/1.1\t",),
    ("GET\x0b{t} HTTP/1.1",),
    ("GET\x0c{t} HTTP/1.1",), ("GET \t{t} HTTP/1.1",), ("\tGET {t} HTTP/1.1",),
    ("GET{t} HTTP/1.1",),
    ("GET {t}HTTP/1.1",), ("GET\xa0{t} HTTP/1.1",), ("\r\n GET {t} HTTP/1.1",),
]))
def test_S19_spaces_in_the_request_line(target, where, line):
    target.refuse(line + "\r\nHost: h\r\n\r\n", 400, where)


@everywhere
def test_S19_empty_lines_before_a_request(target, where):
    target.accept("\r\n" + G + "\r\n", where)
    target.accept("\r\n\r\n" + G + "\r\n", where)
    target.refuse("\r\n" * 100 + G + "\r\n", 400, where)
    target.refuse("\r\n" * 100_000, 400, where)


@where
@pytest.mark.parametrize("method, status", named([
    ("", 400), ("G(T", 400), ("GE\"T", 400), ("GET:", 400), ("G\xe4T", 400), ("G\x00T", 400),
    ("{GET}", 400),
    ("G/T", 400), ("GET,", 400), ("G@T", 400), ("TRACE", 405), ("X" * 5000, 501), ("A" * 100, 501),
]))
def test_S20_methods_that_are_refused(target, where, method, status):
    response = target.refuse(f"{method} {{t}} HTTP/1.1\r\nHost: h\r\n\r\n", status, where)
    assert status != 405 or "GET" in response["Allow"]


@pytest.mark.parametrize("method, status", [
    ("POST", 405), ("PUT", 405), ("DELETE", 405), ("PATCH", 405), ("PROPFIND", 501),
    ("X-UNKNOWN", 501),
    ("get", 501), ("Get", 501), ("OPTIONS", 204)])
def test_S20_methods_of_files(target, method, status):
    head = f"{method} {{t}} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
    with target.server.connect() as connection:
        connection.send(fill(head, "files"))
        response = connection.response()
        assert response.status in ((200, 204) if status == 204 else (405, status)), response
        assert response.status != 405 or response["Allow"]


@pytest.mark.parametrize("method", ["DELETE", "PROPFIND", "X-UNKNOWN", "get", "M-SEARCH",
                                    "!#$%&'*+-.^_`|~"])
def test_S20_methods_that_the_proxy_passes(target, method):
    request = target.accept(f"{method} {{t}} HTTP/1.1\r\nHost: h\r\n\r\n", "proxy")
    assert request.method == method.encode()


def test_S20_options_of_the_server(target):
    mark = target.mark()
    with target.server.connect() as connection:
        connection.send("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"
                        "GET /respond HTTP/1.1\r\nHost: h\r\n\r\n")
        assert connection.response().status in (200, 204)
        assert connection.response().body == FIXED
    assert target.arrived(mark) == []


@where
@pytest.mark.parametrize("version, status", named([
    ("HTTP/2.0", 505), ("HTTP/3.0", 505), ("HTTP/0.9", (400, 505)), ("HTTP/9.9", 505),
    ("HTTP/01.1", 400),
    ("HTTP/1.01", 400), ("http/1.1", 400), ("Http/1.1", 400), ("HTTP/1", 400), ("HTTP/2", 400),
    ("HTTP/ 1.1", 400), ("HTTP/1. 1", 400), ("HTTP/1.1.1", 400), ("HTTP/11.1", 400),
    ("HTTP/1,1", 400),
    ("HTTP/257.1", 400), ("HTTP/1.257", 400), ("HTTP/4294967297.1", 400), ("HTTP/a.b", 400),
    ("HTTP1.1", 400), ("HTTP/-1.1", 400), ("HTTP/1.\xb2", 400), ("ICY/1.1", 400),
    ("HTTPS/1.1", 400),
    ("HTTP/1.1x", 400), ("HTTP/1.x", 400), ("HTTP\\1.1", 400), ("", 400),
]))
def test_S21_versions(target, where, version, status):
    target.refuse(f"GET {{t}} {version}\r\nHost: h\r\n\r\n", status, where)


@where
@pytest.mark.parametrize("line", ["GET {t}\r\n", "GET {t}\r\n\r\n", "GET\r\n\r\n", "{t}\r\n\r\n"])
def test_S21_http_0_9(target, where, line):
    target.refuse(line, 400, where)


@everywhere
def test_S21_a_higher_minor_version_is_1_1(target, where):
    request = target.accept("GET {t} HTTP/1.2\r\nHost: h\r\n\r\n", where)
    assert where != "proxy" or request.raw.startswith(b"GET /proxy/x HTTP/1.1\r\n")
    target.accept("GET {t} HTTP/1.9\r\nHost: h\r\n\r\n", where)
    target.refuse("GET {t} HTTP/1.2\r\n\r\n", 400, where)  # which wants a Host
