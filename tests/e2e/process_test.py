"""The process: start, signals, reload, drain, privileges, logs, admin pages."""

import calendar
import datetime
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

import harness
from harness import BINARY, DEADLINE, free_port, held, wait_until

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


def fixed(body, **more):
    return {"sites": [{"host": "*", "respond": {"body": body}}], **more}


def run_to_end(config, folder, **options):
    path = folder / "webship.yaml"
    path.write_text(json.dumps(config))
    return subprocess.run([BINARY, "run", "-c", str(path)], capture_output=True, text=True,
                          timeout=DEADLINE, **options)


def test_a_port_in_use_is_one_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = run_to_end(fixed("x", user="root", admin={"address": "off"},
                                 listeners={"http": {"address": f"127.0.0.1:{port}"}}), tmp_path)
    assert ended.returncode == 1
    lines = ended.stderr.strip().splitlines()
    assert lines == [f"webship: can't listen on 127.0.0.1:{port}: it is in use: something listens "
                     "there already; stop it, or choose another address"]


@pytest.mark.parametrize("address", ["127.0.0.1", ""])
def test_a_port_that_another_webship_has_is_in_use(webship, tmp_path, address):
    """The kernel lets processes of one user share it (SO_REUSEPORT), each with some requests."""
    first = webship(fixed("first"))
    ended = run_to_end(fixed("second", user="root", admin={"address": "off"},
                             listeners={"http": {"address": f"{address}:{first.port}"}}), tmp_path)
    assert ended.returncode == 1
    assert "it is in use" in ended.stderr
    assert first.request(GET).body == b"first"


def test_a_reload_may_narrow_an_address(webship):
    """Both addresses have one port for a moment: that is not somebody else's."""
    port = free_port()
    server = webship(fixed("wide", listeners={"http": {"address": f":{port}"}}))
    server.write(fixed("narrow", user="root", admin={"address": "off"}, workers=1,
                       listeners={"http": {"address": f"127.0.0.1:{port}"}}))
    server.reload()
    wait_until(lambda: server.request(GET).body == b"narrow", "the reload")


def test_a_missing_folder_is_one_sentence(tmp_path):
    ended = run_to_end({"sites": [{"host": "*", "files": str(tmp_path / "none")}], "user": "root",
                        "admin": {"address": "off"},
                        "listeners": {"http": {"address": f"127.0.0.1:{free_port()}"}}}, tmp_path)
    assert ended.returncode == 1
    lines = ended.stderr.strip().splitlines()
    assert len(lines) == 1 and str(tmp_path / "none") in lines[0], lines


def test_an_error_in_the_file_names_line_and_column(tmp_path):
    path = tmp_path / "webship.yaml"
    path.write_text("sites:\n  - host: a\n    filez: /srv\n")
    ended = subprocess.run([BINARY, "run", "-c", str(path)], capture_output=True, text=True,
                           timeout=DEADLINE)
    assert ended.returncode == 1
    assert f"{path}:3:5:" in ended.stderr and "files" in ended.stderr


def test_a_reload_changes_what_is_served_and_keeps_connections(webship):
    server = webship(fixed("one", workers=2))
    with server.connect() as kept:
        kept.send(GET)
        assert kept.response().body == b"one"
        server.config["sites"][0]["respond"]["body"] = "two"
        server.write(server.config)
        server.reload()
        kept.send(GET)
        assert kept.response().body == b"two"
        assert server.request(GET).body == b"two"


def test_a_reload_that_asks_for_more_workers_opens_no_socket_without_one(webship):
    """More workers wait for the next start; a listener that is new doesn't."""
    server = webship(fixed("x", workers=1))
    port = free_port()
    server.write({**server.config, "workers": 8,
                  "listeners": {**server.config["listeners"],
                                "new": {"address": f"127.0.0.1:{port}"}}})
    server.reload()
    server.ports["new"] = port
    wait_until(lambda: "reloaded" in server.log_text(), "the reload")
    for _ in range(30):
        assert server.request(GET, listener="new").body == b"x"


def test_a_wrong_file_changes_nothing(webship):
    server = webship(fixed("one"))
    server.path.write_text("sites: [{host: a, respnd: 1}]")
    server.reload()
    assert "reload failed" in server.log_text() and "respnd" in server.log_text()
    assert server.request(GET).body == b"one"


def test_reloads_add_and_remove_listeners(webship):
    server = webship(fixed("one", workers=2))
    port = free_port()
    server.config["listeners"]["more"] = {"address": f"127.0.0.1:{port}"}
    server.write(server.config)
    server.reload()
    server.ports["more"] = port
    assert server.request(GET, listener="more").body == b"one"
    del server.config["listeners"]["more"]
    server.write(server.config)
    server.reload()
    with pytest.raises(ConnectionRefusedError):
        server.connect(listener="more")
    assert server.request(GET).body == b"one"


def test_a_listener_of_a_reload_with_another_number_of_workers_is_served(webship):
    """The workers are as many as before: each socket that is opened must have one."""
    server = webship(fixed("one", workers=1))
    port = free_port()
    server.config.update({"workers": 4, "listeners": {
        **server.config["listeners"], "more": {"address": f"127.0.0.1:{port}"}}})
    server.write(server.config)
    server.reload()
    server.ports["more"] = port
    for _ in range(20):
        assert server.request(GET, listener="more").body == b"one"


def test_a_listeners_address_may_become_that_of_the_admin_pages(webship):
    """They are one worker's, and the address has sockets for all of them."""
    port = free_port()
    server = webship(fixed("one", workers=4, listeners={
        "http": {}, "more": {"address": f"127.0.0.1:{port}"}}))
    del server.config["listeners"]["more"]
    server.config["admin"] = {"address": f"127.0.0.1:{port}"}
    server.write(server.config)
    server.reload()
    for _ in range(20):
        assert server.metric("webship_workers") == 4


def test_reloads_under_load_lose_no_request(webship):
    server = webship(fixed("one", workers=2))
    load = subprocess.Popen(["wrk", "-t1", "-c16", "-d3s", server.url("/")], stdout=subprocess.PIPE,
                            text=True)
    for i in range(10):
        server.config["sites"][0]["respond"]["body"] = f"body {i}"
        server.write(server.config)
        server.reload()
    out = load.communicate(timeout=30)[0]
    assert "Socket errors" not in out and "Non-2xx" not in out and "requests in" in out, out


def test_sigterm_finishes_what_is_under_way(webship, origin):
    one = origin(held(b"late"))
    server = webship({"sites": [{"host": "*", "proxy": one.url}]})
    with server.connect() as busy, server.connect() as idle:
        idle.send(b"GET")
        busy.send(GET)
        wait_until(lambda: one.requests, "the request at the origin")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "draining" in server.log_text(), "the drain")
        with pytest.raises(ConnectionRefusedError):
            wait_until(lambda: not server.connect(), "the listener is closed")
        one.go.set()
        response = busy.response()
        assert response.body == b"late" and response["Connection"] == "close"
        assert busy.closed()
    server.process.wait(DEADLINE)
    server.stop()


def test_a_second_signal_ends_at_once(webship, origin):
    one = origin(lambda connection, _: connection.read_request() and time.sleep(DEADLINE))
    server = webship({"sites": [{"host": "*", "proxy": one.url}]})
    with server.connect() as busy:
        busy.send(GET)
        wait_until(lambda: one.requests, "the request at the origin")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "draining" in server.log_text(), "the drain")
        server.process.send_signal(signal.SIGINT)
        server.process.wait(DEADLINE)
    server.stop()


def test_the_drain_has_a_deadline(webship, origin):
    one = origin(lambda connection, _: connection.read_request() and time.sleep(DEADLINE))
    server = webship({"sites": [{"host": "*", "proxy": one.url}],
                      "limits": {"drain_timeout": "300ms"}})
    with server.connect() as busy:
        busy.send(GET)
        wait_until(lambda: one.requests, "the request at the origin")
        server.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_O08_root_becomes_its_user(webship, tmp_path):
    for folder in [tmp_path, *tmp_path.parents][:-1]:
        folder.chmod(folder.stat().st_mode | 0o055)
    server = webship({**fixed("x"), "user": "nobody"})
    assert server.request(GET).status == 200
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    values = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert set(values["Uid"].split()) != {"0"} and "0" not in values["Uid"].split()
    assert int(values["CapEff"], 16) == 1 << 10, "CAP_NET_BIND_SERVICE alone"
    assert int(values["CapBnd"], 16) in (0, 1 << 10)
    assert values["NoNewPrivs"].strip() == "1"
    for thread in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir():
        lines = (thread / "status").read_text()
        assert f"CapEff:\t{1 << 10:016x}" in lines, "every thread gave them up"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_O08_a_key_that_the_user_cant_read_stops_it_with_advice(tmp_path, certificates):
    files = certificates.make("localhost")
    for folder in [tmp_path, *tmp_path.parents][:-1]:
        folder.chmod(folder.stat().st_mode | 0o055)
    key = tmp_path / "key.pem"
    key.write_text(pathlib.Path(files["key"]).read_text())
    key.chmod(0o600)
    certificate = tmp_path / "cert.pem"
    certificate.write_text(pathlib.Path(files["certificate"]).read_text())
    certificate.chmod(0o644)
    config = fixed("x", user="nobody", admin={"address": "off"}, listeners={
        "https": {"address": f"127.0.0.1:{free_port()}",
                  "tls": {"certificates": [{"certificate": str(certificate), "key": str(key)}]}}})
    ended = run_to_end(config, tmp_path)
    assert ended.returncode == 1
    lines = ended.stderr.strip().splitlines()
    assert len(lines) == 1 and str(key) in lines[0] and "chmod" in lines[0], lines


def test_admin_pages(webship):
    admin = free_port()
    server = webship(fixed("x", admin={"address": f"127.0.0.1:{admin}"}))
    server.ports["admin"] = admin
    assert server.request(GET).status == 200

    def get(path, fields=""):
        data = f"GET {path} HTTP/1.1\r\nHost: localhost:{admin}\r\n{fields}\r\n"
        return server.request(data.encode(), listener="admin")

    status = json.loads(get("/status").body)
    assert status["state"] == "serving" and status["responses"]["2xx"] >= 1
    metrics = get("/metrics").body.decode()
    assert 'webship_responses_total{class="2xx"}' in metrics
    assert "webship_request_duration_seconds_count" in metrics
    assert get("/health").body == b"ok\n"
    assert get("/ready").status == 200
    assert get("/nothing").status == 404
    # O07: no page of another origin, no name that was rebound to us.
    assert get("/status", "Origin: http://evil.example\r\n").status == 403
    data = b"GET /status HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    assert server.request(data, listener="admin").status == 403


@pytest.mark.parametrize("format", ["combined", "json"])
def test_D07_the_access_log_holds_any_bytes(webship, format):
    server = webship(fixed("x", log={"access": {"format": format}}))
    with server.connect() as connection:
        connection.send(b'GET /a"b%0a?\\ HTTP/1.1\r\nHost: a\r\n\r\n')
        connection.read_all()
    data = b"GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: \"x[31m\xff\\\r\n\r\n"
    server.request(data)
    lines = server.access_lines(2)
    for line in lines:
        assert "\x1b" not in line and line.isprintable()
        if format == "json":
            json.loads(line)


def test_an_access_log_by_template(webship):
    server = webship(fixed("x", log={"access": {
        "format": "{request.method} {request.path} {response.status} {client.ip} {time.elapsed}"}}))
    assert server.request(GET).status == 200
    line = server.access_lines()[0]
    assert line.startswith("GET / 200 127.0.0.1 0."), line


def test_times_of_templates_in_fields_bodies_and_the_log(webship):
    names = "{time.unix} {time.iso} [{time.clf}]"
    server = webship({
        "sites": [{"host": "*", "respond": {"body": names, "fields": {"X-Time": names}}}],
        "log": {"access": {"format": names}}})
    before = time.time()
    response = server.request(GET)
    for text in (response.body.decode(), response["X-Time"], server.access_lines()[0]):
        unix, iso, clf = text.split(" ", 2)
        assert before - 1 < float(unix) < time.time() + 1 and len(unix.split(".")[1]) == 6
        seconds = datetime.datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp()
        assert abs(seconds - float(unix)) < 1 and len(iso) == 27
        assert abs(calendar.timegm(time.strptime(clf, "[%d/%b/%Y:%H:%M:%S +0000]"))
                   - float(unix)) < 2


def test_fields_of_responses_in_the_log(webship, site):
    """Whether an answer was ready or made, kept or not: the log names its fields alike."""
    server = webship({
        "sites": [{"host": "*", "routes": [
            {"match": "/fixed", "respond": {"body": "x", "fields": {"X-A": "1"}}},
            {"match": "/made", "respond": {"body": "{request.path}", "fields": {"X-A": "1"}}},
            {"files": str(site)}]}],
        "log": {"access": {
            "format": "{request.path} {response.header.Content-Type} {response.header.X-A|-}"}}})
    with server.connect() as connection:
        for path in ("/fixed", "/made", "/hello.txt", "/hello.txt", "/large.bin"):
            connection.send(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n")
            assert connection.response().status == 200
    assert server.access_lines(5) == [
        "/fixed text/plain; charset=utf-8 1", "/made text/plain; charset=utf-8 1",
        "/hello.txt text/plain; charset=utf-8 -", "/hello.txt text/plain; charset=utf-8 -",
        "/large.bin application/octet-stream -"]


def test_P15_a_client_that_left_is_499_by_every_format(webship, origin):
    asked = threading.Event()

    def silent(connection, _):
        connection.read_request()
        asked.set()
        connection.fill()  # until webship gives up

    one = origin(silent)
    for format, line in (("{response.status}", "499"), ("combined", " 499 "),
                         ("json", '"status":499')):
        server = webship({"sites": [{"host": "*", "proxy": {"upstream": one.url}}],
                          "log": {"access": {"format": format}}})
        asked.clear()
        with server.connect() as connection:
            connection.send(GET)
            assert asked.wait(DEADLINE)
        assert line in server.access_lines()[0]


def test_the_access_log_is_opened_anew_by_signal(webship, tmp_path):
    path = tmp_path / "access.log"
    server = webship(fixed("x", log={"access": {"format": "combined", "to": str(path)}}))
    server.request(GET)
    wait_until(lambda: path.exists() and path.read_text().count("\n") == 1, "the first line")
    path.rename(tmp_path / "old.log")
    server.process.send_signal(signal.SIGUSR1)
    wait_until(path.exists, "the new file")
    server.request(GET)
    wait_until(lambda: path.read_text().count("\n") == 1, "the second line")
    assert (tmp_path / "old.log").read_text().count("\n") == 1


def test_a_log_that_cannot_be_opened_anew_goes_on_and_says_so(webship, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    server = webship(fixed("x", log={"access": {"format": "combined",
                                                "to": str(folder / "access.log")}}))
    folder.rename(tmp_path / "moved")
    server.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: "the access log can't be opened anew" in server.log_text(), "it says so")
    assert server.request(GET).status == 200
    moved = tmp_path / "moved/access.log"
    wait_until(lambda: moved.read_text().count("\n") == 1, "the line is in the old file")


def test_the_diagnostics_log_is_opened_anew_by_signal(webship, tmp_path):
    path = tmp_path / "diagnostics.log"
    server = webship(fixed("x"))
    server.config["log"] = {"diagnostics": {"to": str(path)}}
    server.write(server.config)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: path.exists() and "reloaded" in path.read_text(), "the log moves")
    assert "reloaded" not in server.log_text()
    path.rename(tmp_path / "old.log")
    server.process.send_signal(signal.SIGUSR1)
    wait_until(path.exists, "the new file")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "reloaded" in path.read_text(), "a line in the new file")
    assert (tmp_path / "old.log").read_text().count("reloaded") == 1
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_reload_changes_the_level_of_the_diagnostics_log(webship):
    server = webship(fixed("x", log={"diagnostics": {"level": "info"}},
                           admin={"address": f"127.0.0.1:{free_port()}"}))
    server.reload()
    assert "reloaded" in server.log_text()
    server.config["log"]["diagnostics"]["level"] = "error"
    server.write(server.config)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: server.metric("webship_reloads_total") == 2, "the second reload")
    server.path.write_text("sites: 1")
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "reload failed" in server.log_text(), "an error is written")
    assert server.log_text().count("reloaded") == 1


def test_what_is_said_before_the_log_is_open_goes_to_the_log(tmp_path):
    for folder in [tmp_path, *tmp_path.parents][:-1]:
        if os.geteuid() == 0:
            folder.chmod(folder.stat().st_mode | 0o055)
    binary = tmp_path / "webship"
    shutil.copy(BINARY, binary)  # where the other user may read it
    folder = tmp_path / "logs"
    folder.mkdir()
    folder.chmod(0o777)
    path = folder / "diagnostics.log"
    config = tmp_path / "webship.yaml"
    config.write_text(json.dumps(fixed(
        "x", user="somebody", admin={"address": "off"},
        listeners={"http": {"address": f"127.0.0.1:{free_port()}"}},
        log={"diagnostics": {"to": str(path)}})))
    other = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    with subprocess.Popen([binary, "run", "-c", config], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **other) as process:
        try:
            wait_until(lambda: path.exists() and "ready" in path.read_text(), "the server is ready")
        finally:
            process.terminate()
        assert process.stdout.read() == b""
    assert "`user` has no effect" in path.read_text()


def test_a_reload_keeps_connections_to_origins_whose_files_are_the_same(webship, origin,
                                                                        certificates, tmp_path):
    """Also where an upstream has files, which may have changed though their names did not."""
    ca = tmp_path / "ca.pem"
    ca.write_text(pathlib.Path(certificates.ca).read_text())
    one = origin(tls=certificates.server_context(certificates.make("localhost")))
    upstreams = {"app": {"endpoints": [f"https://localhost:{one.port}"], "tls": {"ca": str(ca)},
                         "keepalive": {"idle_timeout": "1m"}}}
    server = webship({"upstreams": upstreams, "sites": [{"host": "*", "proxy": "app"}]})
    for _ in range(3):
        assert server.request(GET).body == b"ok"
        server.reload()
    assert server.request(GET).body == b"ok"
    assert len(one.received) == 1 and not one.errors
    ca.write_text(ca.read_text() + "\n# changed\n")
    server.reload()
    assert server.request(GET).body == b"ok"
    assert len(one.received) == 2, "another context may verify otherwise"


def test_a_reload_may_remove_the_origin_that_was_asked_last(webship, origin):
    one, two = origin(), origin()
    server = webship({"sites": [{"host": "a", "proxy": one.url}, {"host": "*", "proxy": two.url}]})
    for _ in range(3):
        before = json.loads(json.dumps(server.config))
        assert server.request(GET.replace(b"localhost", b"b")).body == b"ok"
        server.config["sites"].pop()
        server.write(server.config)
        server.reload()
        assert server.request(GET).body == b"ok"
        server.config = before
        server.write(server.config)
        server.reload()


@pytest.mark.parametrize("fault", ["access log", "diagnostics log", "port", "folder"])
def test_O04_a_failed_reload_changes_nothing_and_leaks_nothing(webship, tmp_path, fault):
    log = tmp_path / "access.log"
    server = webship(fixed("one", workers=2, log={"access": {"format": "combined",
                                                             "to": str(log)}}))

    def held():
        process = pathlib.Path(f"/proc/{server.process.pid}")
        return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))

    port = free_port()
    before = held()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        wrong = json.loads(json.dumps(server.config))
        wrong["sites"][0]["respond"]["body"] = "two"
        wrong["listeners"]["more"] = {"address": f"127.0.0.1:{port}"}
        wrong["log"]["access"]["to"] = str(tmp_path / "other.log")
        if fault == "access log":
            wrong["log"]["access"]["to"] = str(tmp_path / "none/access.log")
        elif fault == "diagnostics log":
            wrong["log"]["diagnostics"] = {"to": str(tmp_path / "none/diagnostics.log")}
        elif fault == "port":
            wrong["listeners"]["taken"] = {"address": f"127.0.0.1:{taken.getsockname()[1]}"}
        else:
            wrong["sites"].append({"host": "b", "files": str(tmp_path / "none")})
        server.write(wrong)
        for i in range(3):
            server.reload()
            assert server.log_text().count("reload failed") == i + 1
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port))
            wait_until(lambda: held() == before, "what was opened is closed")
    server.write(server.config)
    server.reload()
    assert server.request(GET).body == b"one"
    wait_until(lambda: log.read_text().count("\n") == 1, "the access log goes on")


def test_a_reload_says_what_waits_for_the_next_start(webship):
    server = webship(fixed("x", workers=2))
    server.reload()
    assert "next start" not in server.log_text()
    server.config.update({"workers": 3, "user": "nobody"})
    server.write(server.config)
    server.reload()
    wait_until(lambda: "`user` takes effect at the next start" in server.log_text(), "the user")
    assert "`workers`: 3 takes effect at the next start; until then there" in server.log_text()


def test_the_access_log_may_be_turned_off_and_on(webship, tmp_path):
    log = tmp_path / "access.log"
    server = webship(fixed("x", log={"access": {"format": "combined", "to": str(log)}}))
    for i, format in enumerate(["combined", "off", "json", "off", "combined"]):
        server.config["log"]["access"]["format"] = format
        server.write(server.config)
        server.reload()
        assert server.request(GET).status == 200
        lines = i // 2 + 1
        wait_until(lambda: log.read_text().count("\n") == lines, f"{lines} lines")


def test_the_admin_pages_are_not_in_the_access_log(webship):
    server = webship(fixed("x", admin={"address": f"127.0.0.1:{free_port()}"}))
    assert server.metric("webship_workers") == 1
    assert server.exchange(b"nonsense\r\n\r\n", listener="admin").startswith(b"HTTP/1.1 400 ")
    server.request(GET)
    lines = server.access_lines()
    assert len(lines) == 1 and " 200 " in lines[0], lines


def test_refused_requests_are_logged(webship):
    server = webship(fixed("x"))
    server.exchange(b"GET / HTTP/9.9\r\n\r\n")
    assert "505" in server.access_lines()[0] or "400" in server.access_lines()[0]


def test_idle_it_uses_no_processor_time(webship):
    server = webship(fixed("x", workers=2))
    server.request(GET)

    def ticks():
        stat = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text()
        return sum(map(int, stat.rsplit(")", 1)[1].split()[11:13]))

    def settled():
        before = ticks()
        time.sleep(1)
        return ticks() == before
    wait_until(settled, "a second without processor time")


def test_a_unix_socket_listens(webship, tmp_path):
    path = tmp_path / "s.sock"
    server = webship(fixed("x", listeners={"u": {"address": f"unix:{path}"}}))
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(str(path))
        connection = harness.Connection(s)
        connection.send(GET)
        assert connection.response().status == 200
    server.stop()
    assert not path.exists()


def test_one_liner_files(site):
    port = free_port()
    process = subprocess.Popen([BINARY, "files", str(site), "--listen", f"127.0.0.1:{port}"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        def answer():
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=1)
            except OSError:
                return None
        connection = harness.Connection(wait_until(answer, "the server listens"))
        connection.send(b"GET /hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.response().body == b"Hello, World!"
    finally:
        process.terminate()
        assert process.wait(DEADLINE) == 0
