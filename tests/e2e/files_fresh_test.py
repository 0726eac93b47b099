"""Small hot files come from memory, at most one second stale: every kind of change is seen in time,
while requests keep the entries hot."""

import os
import threading
import time

import pytest

from files_test import files, get
from harness import SLOW, wait_until

# One second, and what lies between the change, the clock of a turn and this process.
STALE_MAX = 1.0 + 0.25 * SLOW


def overwrite(root):
    (root / "sub/a.txt").write_text("new")


def overwrite_keeping_time(root):
    before = os.stat(root / "sub/a.txt")
    (root / "sub/a.txt").write_text("new")
    os.utime(root / "sub/a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(root):
    (root / "next").write_text("new")
    os.rename(root / "next", root / "sub/a.txt")


def add_sibling(root):
    (root / "sub/a.txt.br").write_text("new")


def delete(root):
    os.unlink(root / "sub/a.txt")


def swap_folder(root):
    (root / "other").mkdir()
    (root / "other/a.txt").write_text("new")
    os.rename(root / "sub", root / "was")
    os.symlink("other", root / "sub")


def swap_root(root):
    (root.parent / "second/sub").mkdir(parents=True)
    (root.parent / "second/sub/a.txt").write_text("new")
    os.symlink("second", root.parent / "link.next")
    os.rename(root.parent / "link.next", root.parent / "link")


def lead_out(root):
    os.rename(root / "sub", root.parent / "outside")
    os.symlink("../outside", root / "sub")


CHANGES = [(overwrite, (200, b"new")), (overwrite_keeping_time, (200, b"new")),
           (replace, (200, b"new")), (add_sibling, (200, b"new")), (swap_folder, (200, b"new")),
           (swap_root, (200, b"new")), (delete, 404), (lead_out, 404)]


@pytest.mark.parametrize("change,expected", CHANGES, ids=lambda x: getattr(x, "__name__", ""))
def test_a_change_is_seen_within_a_second(webship, tmp_path, change, expected):
    root = tmp_path / "first"
    (root / "sub").mkdir(parents=True)
    (root / "sub/a.txt").write_text("old")
    os.symlink("first", tmp_path / "link")
    server = webship(files(tmp_path / "link"))
    stopping = threading.Event()

    def keep_hot():
        with server.connect() as connection:
            while not stopping.is_set():
                connection.send("GET /sub/a.txt HTTP/1.1\r\nHost: a\r\n\r\n")
                connection.response()

    def ask():
        response = get(server, "/sub/a.txt", "Accept-Encoding: br")
        return (200, response.body) if response.status == 200 else response.status

    threads = [threading.Thread(target=keep_hot) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        hot_since = time.monotonic()
        # Past the time in which a file that was just made is not trusted.
        wait_until(lambda: ask() == (200, b"old") and time.monotonic() - hot_since > 1.5, "hot")
        change(root)
        changed = time.monotonic()
        while True:
            asked = time.monotonic()
            if ask() == expected:
                break
            assert asked - changed < STALE_MAX, "stale for too long"
        for _ in range(20):
            assert ask() == expected, "and it stays seen"
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


def test_routes_with_one_root_each_see_a_change(webship, site):
    (site / "a.txt").write_text("old")
    server = webship({"sites": [{"host": "*", "routes": [
        {"match": {"path": "/s/*"}, "filters": [{"strip_prefix": "/s"}], "files": str(site)},
        {"files": str(site)}]}]})
    assert [get(server, path).body for path in ("/a.txt", "/s/a.txt")] == [b"old", b"old"]
    (site / "a.txt").write_text("new")
    for path in ("/a.txt", "/s/a.txt"):
        wait_until(lambda path=path: get(server, path).body == b"new", "the change")
