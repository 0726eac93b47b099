"""tools/lint on small trees that each break one rule."""

import subprocess
import sys
from pathlib import Path

import pytest

LINT = Path(__file__).resolve().parent.parent / "tools" / "lint"
LAYERS = """\
webship_layer(base)
webship_layer(io DEPENDS base LIBRARIES Threads::Threads)
webship_layer(http DEPENDS base)
webship_layer(http1 DEPENDS base io http)
webship_layer(http2 DEPENDS base io http)
set(below base io http http1)
list(APPEND below http2)
webship_layer(server
  DEPENDS ${below}
  LIBRARIES spdlog::spdlog)
"""
HEADER = "// What it is.\n// What it is not.\n// Who owns it.\n#pragma once\n"


@pytest.fixture
def lint(tmp_path):
    """Writes a tree of name → text, and returns what the lint prints about it, line by line."""

    def check(files, form="--no-format"):
        for name, text in {"src/CMakeLists.txt": LAYERS, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [sys.executable, LINT, "--root", tmp_path, *form.split()]
        done = subprocess.run(command, capture_output=True, text=True)
        *findings, last = done.stdout.splitlines()
        assert last.startswith("lint: "), done.stdout + done.stderr
        assert done.returncode == (1 if findings else 0)
        return findings

    return check


def test_clean_tree(lint):
    good = {
        "src/base/a.h": HEADER,
        "src/io/a.cc": '#include <sys/epoll.h>\n\n#include "base/a.h"\n#include "io/a.h"\n',
        "src/server/a.cc": '#include <spdlog/spdlog.h>\n\n#include "http2/a.h"\n',
        "src/base/address.cc": "#include <netinet/in.h>\n",
        "src/http/a_test.cc": "#include <unistd.h>\n",
        "src/http/test_world.h": HEADER + "\n#include <sys/stat.h>\n",
        "src/main.cc": '#include "server/a.h"\n',
    }
    assert lint(good) == []


@pytest.mark.parametrize(
    ("name", "include", "finding"),
    [
        ("src/base/a.cc", '"io/loop.h"', "base/ may not include"),
        ("src/http1/a.cc", '"http2/frame.h"', "http1/ may not include"),
        ("src/http2/a_test.cc", '"http1/parser.h"', "http2/ may not include"),
        ("src/http1/a.cc", '"server/a.h"', "(it may: base http io)"),
        ("src/http1/a.cc", '"parser.h"', "include by folder"),
        ("src/http1/a.cc", '"boost/a.h"', "src/boost/ is not a layer"),
        ("src/extras/a.cc", '"base/a.h"', "src/extras/ is not a layer"),
        ("src/http1/a.cc", "<sys/socket.h>", "system calls are made by io/ alone"),
        ("src/server/a.cc", "<unistd.h>", "system calls are made by io/ alone"),
        ("src/http/a.cc", "<csignal>", "system calls are made by io/ alone"),
        ("src/http1/a.cc", "<nlohmann/json.hpp>", "is for server, config, cli alone"),
    ],
)
def test_includes(lint, name, include, finding):
    (found,) = lint({name: f"#include {include}\n"})
    assert found.startswith(f"{name}:1: ")
    assert finding in found


def function(lines):
    return "int f(int a = {}) {\n" + "  g({1});\n" * (lines - 2) + "}\n"


@pytest.mark.parametrize(
    "text",
    [
        function(70),
        "struct S : T {\n  S() : a_{1}, b_{2} {\n" + "    g();\n" * 68 + "  }\n};\n",
        "TEST(A, B) {\n" + '  f("}}}");\n' * 69 + "}\n",
        "auto f() -> std::vector<int> {\n" + "  if (a) {\n    b = '}';\n  }\n" * 23 + "}\n",
    ],
)
def test_long_cxx_function(lint, text):
    (found,) = lint({"src/base/a.cc": text})
    assert "lines; 69 at most" in found


def test_not_a_long_function(lint):
    table = "constexpr int kTable[] = {\n" + "    1,\n" * 100 + "};\n"
    one_class = "class A {\n public:\n" + "  void f() { g({}); }\n" * 100 + "};\n"
    inner = "class A {\n private:\n  enum class B : std::atomic<int>::value_type {\n"
    inner += "    kOne,\n" * 100 + "  };\n  int c() const {\n    return 1;\n  }\n};\n"
    assert lint({"src/base/a.cc": function(69) + table + one_class + inner}) == []


def test_long_python_function(lint):
    (found,) = lint({"tests/a.py": "def f():\n" + "    g()\n" * 69})
    assert found == "tests/a.py:1: f() has 70 lines; 69 at most"


def test_long_file(lint):
    assert lint({"src/base/a.cc": "\n" * 1000}) == []
    (found,) = lint({"src/base/a.cc": "\n" * 1001})
    assert found == "src/base/a.cc:1001: 1001 lines; 1000 at most"


@pytest.mark.parametrize("name", ["src/base/a.cc", "tests/a.py", "docs/a.md", "tools/a"])
def test_wide_line(lint, name):
    start = "#!/bin/bash\n" if name == "tools/a" else "\n"
    assert lint({name: start + "# " + "a" * 98 + "\n"}) == []
    assert lint({name: start + "# " + "a" * 99 + "\n"}) == [f"{name}:2: 101 columns; 100 at most"]


def test_wide_markdown_that_cannot_be_broken(lint):
    wide = "a" * 120
    text = f"| {wide} |\n\n[a](#{wide})\n\n```yaml\n{wide}\n```\n"
    assert lint({"docs/a.md": text}) == []


@pytest.mark.parametrize(
    ("name", "text", "finding"),
    [
        ("src/base/string_util.cc", "", "'util'"),
        ("src/base/a.cc", "class PoolManager {};\n", "'manager'"),
        ("src/base/a.cc", "struct A {};\nclass ServerImpl;\n", "'impl'"),
        ("tests/common.py", "", "'common'"),
    ],
)
def test_empty_words(lint, name, text, finding):
    (found,) = lint({name: text})
    assert finding in found


def test_words_that_mean_something(lint):
    text = "class HelperPool {};\nstruct Simple {};\nenum class Utility {};\n"
    assert lint({"src/io/helper_pool.cc": text}) == []


@pytest.mark.parametrize(
    ("header", "finding"),
    [
        ("#pragma once\n", "0 lines of comment open this header"),
        ("// One.\n// Two.\n#pragma once\n", "2 lines of comment open this header"),
        ("// A line.\n" * 13 + "#pragma once\n", "13 lines of comment open this header"),
        ("// A line.\n" * 3 + "\n#pragma once\n", "#pragma once comes right after"),
        ("// A line.\n" * 3 + "#ifndef A\n", "#pragma once comes right after"),
    ],
)
def test_headers(lint, header, finding):
    (found,) = lint({"src/base/a.h": header})
    assert finding in found


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("// TO" "DO: later\n", "do it, or open an issue"),
        ("// FIX" "ME\n", "do it, or open an issue"),
        ("// see https://py" "pi.org/x\n", "no address of a package registry"),
        ("// see deb.deb" "ian.org\n", "no address of a package registry"),
        ("// /wo" "rk/a/b\n", "a path of one machine"),
    ],
)
def test_words(lint, text, finding):
    (found,) = lint({"src/base/a.cc": text})
    assert finding in found


def test_skips(lint):
    cxx = "TEST(Loop, Timer) {\n  GTEST_" "SKIP();\n}\n"
    python = "@pytest.mark.ski" "pif(a, reason='b')\ndef test_a():\n    pass\n"
    files = {"src/io/a_test.cc": cxx, "tests/a_test.py": python}
    assert len(lint(files)) == 2
    listed = "# why\nsrc/io/a_test.cc:Loop.Timer needs a clock\ntests/a_test.py:test_a needs root\n"
    assert lint({**files, "tests/skips.txt": listed}) == []
    stale = listed + "tests/a_test.py:test_b gone\n"
    (found,) = lint({"tests/skips.txt": stale})
    assert found == "tests/skips.txt:4: tests/a_test.py:test_b isn't skipped"
    silent = listed.replace(" needs root", "")
    (found,) = lint({"tests/skips.txt": silent})
    assert "without a reason" in found


def test_links(lint):
    (found,) = lint({"README.md": "[a](docs/a.md) [b](docs/b.md#c) [c](#d)\n", "docs/b.md": ""})
    assert found == "README.md:1: links to docs/a.md, which isn't there"


def test_format(lint):
    tree = {".clang-format": "BasedOnStyle: Google\n", "src/base/a.cc": "int  a;\n"}
    (found,) = lint(tree, form="")
    assert found == "src/base/a.cc:1: not as clang-format has it: make format"
