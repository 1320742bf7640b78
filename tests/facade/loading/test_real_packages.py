"""A dozen packages of the registry, wrapped as tools in TypeScript: fetched from a repository, installed and built."""

from __future__ import annotations

import shutil

from callboard import Callboard
from node_packages import committed
from programs import PROGRAMS
from thorough import thorough
from tools import tool_call

TOOLS = PROGRAMS / "npm_tools"


TEMPLATE = {"text": "Dear {{name}}", "values": {"name": "reader"}}
CALLS = [
    ("markdown", {"text": "# hello"}, "<h1>hello</h1>\n"),
    ("html", {"text": "<ul><li>a</li><li>b</li></ul>", "selector": "li"}, ["a", "b"]),
    ("date", {"date": "2024-02-28", "days": 2}, "2024-03-01"),
    ("zip", {"name": "a.txt", "text": "hello"}, "hello"),
    ("png", {"width": 3, "height": 2}, {"width": 3, "height": 2, "first": [255, 255, 255, 255]}),
    ("calculate", {"left": "0.1", "operation": "+", "right": "0.2"}, "0.3"),
    (
        "sql",
        {
            "statements": "create table t (n); insert into t values (20), (22)",
            "sql": "select sum(n) as n from t",
        },
        [{"n": 42}],
    ),
    ("yaml", {"text": "a: [1, 2]"}, {"a": [1, 2]}),
    ("csv", {"text": "a,b\n1,2\n"}, [{"a": "1", "b": "2"}]),
    ("validate", {"schema": {"type": "string"}, "value": 7}, False),
    ("template", TEMPLATE, "Dear reader"),
    ("xml", {"text": "<a><b>1</b></a>"}, {"a": {"b": 1}}),
]


@thorough
def test_a_dozen_packages_work_as_tools_and_their_errors_name_the_lines_of_their_author(tmp_path):
    shutil.copytree(TOOLS, tmp_path / "npm-tools")
    committed(tmp_path / "npm-tools", "v0.1.0")

    with Callboard({"plugin_cache_dir": str(tmp_path / "cache")}) as board:
        board.load(f"node+git:{tmp_path / 'npm-tools'}#v0.1.0")
        results = [(name, board.execute(tool_call(name, **arguments))) for name, arguments, _ in CALLS]
        told = board.execute(tool_call("diff", before="a\nb\n", after="a\nc\n"))
        failed = board.execute(tool_call("calculate", left="1", operation="^", right="2"))

    assert results == [(name, {"success": True, "result": result}) for name, _, result in CALLS]
    assert told["result"].splitlines()[-2:] == ["-b", "+c"]
    assert failed["code"] == "tool_raised"
    assert f"src/index.ts:{_line_of('throw new RangeError')}:" in failed["traceback"]


def _line_of(text):
    lines = (TOOLS / "src" / "index.ts").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
