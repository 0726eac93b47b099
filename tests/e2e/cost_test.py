"""D06: inputs that are meant to cost more than they weigh. What the process spent on them the
kernel knows."""

import os

import pytest

import harness
from attacks import FIXED

COUNT = 50


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    page = {"status": 200, "body": "{request.query.zz}{request.cookie.zz}{request.header.X-ZZ}" +
            FIXED.decode()}
    one = harness.Server({
        "limits": {"request_line": "64KiB", "field_size": "64KiB", "fields_size": "64KiB"},
        "sites": [{"host": "*", "routes": [
            {"match": {"path": "~^/(a+)+$"}, "respond": 204},
            {"match": {"path": "~^/(a|aa)+$"}, "respond": 204},
            {"match": {"path": "~^/(.*)*x(.*)*y$"}, "respond": 204},
            {"match": {"glob": "/**/a/**/a/**/a/**/a/**/b"}, "respond": 204},
            {"match": {"glob": "/*a*a*a*a*a*a*a*b"}, "respond": 204},
            {"match": {"header": {"X-A": "~^(b+)+$"}}, "respond": 204},
            {"match": {"query": {"q": "~^(b+)+$"}}, "respond": 204},
            {"match": {"cookie": {"c": "~^(b+)+$"}}, "respond": 204},
            {"respond": page},
        ]}]}, tmp_path_factory.mktemp("cost"))
    yield one
    one.stop()


def spent(server):
    """Seconds of CPU."""
    with open(f"/proc/{server.process.pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


NAMES = ";".join(f"n{i}=v" for i in range(7000))
COSTLY = {
    "header names": ("/", "".join(f"X-{i:032x}: y\r\n" for i in range(98))),
    "same names": ("/", "X-Same: y\r\n" * 98),
    "cookie names": ("/", f"Cookie: {NAMES}\r\n"),
    "cookie lines": ("/", f"Cookie: {NAMES[:600]}\r\n" * 90),
    "empty cookies": ("/", "Cookie: " + ";" * 60_000 + "\r\n"),
    "query names": ("/?" + NAMES.replace(";", "&")[:60_000], ""),
    "empty queries": ("/?" + "&" * 60_000, ""),
    "escapes": ("/?zz=" + "%41" * 20_000, ""),
    "nested quantifiers": ("/" + "a" * 60_000 + "!", ""),
    "header value": ("/", "X-A: " + "b" * 60_000 + "!\r\n"),
    "query value": ("/?q=" + "b" * 60_000 + "!", ""),
    "cookie value": ("/", "Cookie: c=" + "b" * 60_000 + "!\r\n"),
    "segments": ("/a" * 30_000, ""),
    "dots": ("/a/.." * 10_000, ""),
    "slashes": ("/" * 60_000, ""),
    "list": ("/", "Connection: " + "a," * 30_000 + "\r\n"),
    "codings": ("/", "Accept-Encoding: " + "gzip;q=0," * 6_000 + "\r\n"),
    "addresses": ("/", "X-Forwarded-For: " + "1.2.3.4," * 7_000 + "\r\n"),
    "ranges": ("/", "Range: bytes=" + "0-1," * 15_000 + "\r\n"),
    "tags": ("/", "If-None-Match: " + '"a",' * 15_000 + "\r\n"),
}


@pytest.mark.parametrize("target, fields", COSTLY.values(), ids=COSTLY.keys())
def test_D06_costs_are_linear(server, target, fields):
    request = f"GET {target} HTTP/1.1\r\nHost: h\r\n{fields}\r\n".encode()
    before = spent(server)
    with server.connect() as connection:
        for _ in range(COUNT):
            connection.send(request)
            assert connection.response().status in (200, 204, 400)
    # 20 ms each would be a regular expression that goes back; a linear one takes less than 1.
    assert spent(server) - before < COUNT * 0.02 * harness.SLOW
