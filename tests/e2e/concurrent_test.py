"""Workers, helper threads, the log's thread, reloads and admin pages, all at once: what the thread
sanitizer is to see; and no request may be lost or mixed up with another's."""

import base64
import json
import threading

import harness
from attacks import USER_HASH

ROUNDS = 12
CLIENTS = 4
SECRET = "Authorization: Basic " + base64.b64encode(b"a:b").decode() + "\r\n"
# Path, fields, status, the body (None: another test's business).
REQUESTS = (
    ("/respond", "", 200, b"one"),
    ("/files/hello.txt", "", 200, b"Hello, World!"),
    ("/files/large.bin", "", 200, bytes(range(256)) * 4096 * 3),
    ("/files/none", "", 404, None),
    ("/files/", "Accept-Encoding: gzip\r\n", 200, None),
    ("/proxy/x", "", 200, b"ok"),
    ("/secure/x", "", 200, b"ok"),
    ("/secret", SECRET, 200, b"secret"),
    ("/secret", "", 401, None),
)


def client(server, tls, failures):
    """Each request on a connection of its own, then all on one."""
    try:
        listener = "https" if tls else "http"
        for _ in range(ROUNDS):
            for path, fields, status, body in REQUESTS:
                request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n"
                response = server.request(request.encode(), listener=listener, tls=tls)
                assert response.status == status, (path, response)
                assert body is None or response.body == body, (path, response)
            with server.connect(listener=listener, tls=tls) as kept:
                for path, fields, status, body in REQUESTS:
                    kept.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n")
                    response = kept.response()
                    assert response.status == status, (path, response)
                    assert body is None or response.body == body, (path, response)
                    if response["Connection"] == "close":  # a reload took its worker's listener
                        break
    except (AssertionError, OSError) as failure:
        failures.append(failure)


def test_everything_at_once(webship, certificates, origin, site, tmp_path):
    plain = origin()
    secure = origin(tls=certificates.server_context(certificates.make("origin", "127.0.0.1")))
    log = tmp_path / "access.json"
    server = webship({
        "workers": 3,
        "admin": {"address": f"127.0.0.1:{harness.free_port()}"},
        "log": {"access": {"format": "json", "to": str(log)}},
        "listeners": {"http": {}, "https": {
            "tls": {"certificates": [certificates.make("localhost")]}}},
        "upstreams": {"secure": {"endpoints": [secure.url],
                                 "tls": {"ca": str(certificates.ca)}}},
        "sites": [{"host": "*", "filters": [{"compress": {}}], "routes": [
            {"match": {"path": "/respond"}, "respond": {"body": "one"}},
            {"match": {"path": "/files/*"}, "filters": [{"strip_prefix": "/files"}],
             "files": {"root": str(site), "browse": True}},
            {"match": {"path": "/proxy/*"}, "proxy": plain.url},
            {"match": {"path": "/secure/*"}, "proxy": "secure"},
            {"match": {"path": "/secret"}, "filters": [
                {"basic_auth": {"users": {"a": USER_HASH}}}], "respond": {"body": "secret"}},
        ]}],
    })
    failures = []
    contexts = [certificates.client_context() if i % 2 else None for i in range(CLIENTS)]
    threads = [threading.Thread(target=client, args=(server, context, failures))
               for context in contexts]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        extra = server.config["sites"][0]["routes"]
        if len(extra) == 5:
            extra.append({"respond": 404})
        else:
            extra.pop()
        server.config["workers"] = 5 - server.config["workers"]  # 2 or 3
        server.write(server.config)
        server.reload()
        assert server.metric("webship_connections_open") > 0
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert "reload failed" not in server.log_text()
    server.stop()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) >= CLIENTS * ROUNDS * len(REQUESTS)
    assert all(line["status"] in (200, 401, 404) for line in lines)
