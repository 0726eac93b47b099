"""Large configurations: their cost grows with their size, not with its square."""

import os
import pathlib
import signal
import subprocess

import harness
from harness import BINARY, DEADLINE, SLOW, wait_until

SITES = 10_000
# Processor time, so that a busy machine changes little. It takes a tenth of this; with a square in
# it, more than this.
CHECK_MAX = 3 * SLOW
START_MAX = 4 * SLOW


def configuration(port):
    """Each site has an upstream of its own, written in place; every tenth has its neighbour's."""
    lines = [f'listeners: {{http: "127.0.0.1:{port}"}}', 'admin: "off"', "workers: 4"]
    if os.geteuid() == 0:
        lines.append("user: root")
    lines.append("sites:")
    for i in range(SITES):
        n = i - 1 if i % 10 == 9 else i
        url = f"http://127.1.{n // 250}.{n % 250 + 1}:9"
        lines.append(f"  - {{host: h{i}.example, proxy: '{url}'}}")
    lines.append("  - {host: '*', respond: 204}")
    return "\n".join(lines)


def test_ten_thousand_sites_are_checked_soon(tmp_path):
    path = tmp_path / "webship.yaml"
    path.write_text(configuration(1))
    process = subprocess.Popen([BINARY, "check", "-c", str(path)], stdout=subprocess.PIPE,
                               text=True)
    out = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert out.count(".example") >= SITES and "h9999.example" in out
    assert usage.ru_utime + usage.ru_stime < CHECK_MAX


def test_ten_thousand_sites_start_and_reload_soon(tmp_path):
    path = tmp_path / "webship.yaml"
    port = harness.free_port()
    path.write_text(configuration(port))
    log = tmp_path / "log"
    with log.open("wb") as out, subprocess.Popen(
            [BINARY, "run", "-c", str(path)], stdout=subprocess.DEVNULL, stderr=out) as process:
        try:
            def spent():
                stat = pathlib.Path(f"/proc/{process.pid}/stat").read_text()
                ticks = sum(map(int, stat.rsplit(")", 1)[1].split()[11:13]))
                return ticks / os.sysconf("SC_CLK_TCK")

            def has(word):
                wait_until(lambda: word in log.read_text() or process.poll() is not None, word,
                           6 * DEADLINE)
                assert process.poll() is None, log.read_text()

            has(" ready: ")
            start = spent()
            assert start < START_MAX
            process.send_signal(signal.SIGHUP)
            has(" reloaded")
            assert spent() - start < START_MAX
            for host, status in [("h0.example", 502), ("h9999.example", 502), ("other", 204)]:
                with harness.socket.create_connection(("127.0.0.1", port), DEADLINE) as s:
                    connection = harness.Connection(s)
                    connection.send(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")
                    assert connection.response(head=True).status == status
        finally:
            process.terminate()
