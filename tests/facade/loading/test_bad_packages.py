"""Packages that are wrong in every way: each is told in one clear sentence, at once, and the other plugins work."""

from __future__ import annotations

import pytest
from callboard import Callboard
from leaks import wait_until
from node_packages import manifest, tool, write
from thorough import every
from tools import tool_call

PLAIN = {"package.json": manifest(entry="src/tool.js", plugin="bad")}

UNREAD = {
    "no manifest": ({"src/tool.js": tool()}, "has no package.json; name a Node package that has one"),
    "bad JSON": ({"package.json": '{"agent": '}, "package.json is not JSON"),
    "no tools": ({"package.json": {"name": "bad"}}, "lists no tools under agent.tools; add them, as in"),
    "no entry": (PLAIN, "has no module: "),
    "an entry outside": ({"package.json": manifest(entry="../good.mjs")}, "which leads out of the package"),
    "no object as dependencies": (
        {"package.json": manifest(entry="src/tool.js", dependencies=["a"]), "src/tool.js": tool()},
        "as dependencies; it has to be an object of names and versions",
    ),
    "a syntax error in TypeScript": (
        {"package.json": manifest(entry="tool.ts"), "tool.ts": "export default {,};\n"},
        "tool.ts cannot be made JavaScript; correct it",
    ),
}
"""What cannot even be given to a host: files of the package, and what is said of it."""

UNLOADED = {
    "a syntax error": ("export default {,};", "SyntaxError"),
    "it throws at import": ("throw new RangeError('not today');", "RangeError: not today"),
    "a wrong export": ("export const other = 1;", 'has no export "default"; it exports other'),
    "an export of another shape": ("export default { init() {} };", "without getToolSchemas, executeTool"),
    "what it imports is not there": ("import 'no-such-package';", "Cannot find package 'no-such-package'"),
}
"""What a host finds wrong with it at once: the module, and what is said of it."""


@pytest.fixture
def board(tmp_path):
    """A board of a bad package between two good ones."""
    good = write(tmp_path, {"good.mjs": tool("good")}) / "good.mjs"
    other = write(tmp_path, {"other.mjs": tool("other")}) / "other.mjs"
    plugins = [
        {"node_tool": {"file": str(good)}},
        f"node:{tmp_path / 'bad'}",
        {"node_tool": {"file": str(other)}},
    ]

    def make(files, **more):
        write(tmp_path / "bad", files)
        return Callboard({"plugins": plugins, "plugin_cache_dir": str(tmp_path / "cache"), **more})

    return make


def assert_others_work(board):
    assert [board.execute(tool_call(name))["result"] for name in ("good", "other")] == ["here", "here"]


@pytest.mark.parametrize(("files", "sentence"), every(2, UNREAD.values()), ids=every(2, UNREAD))
def test_a_package_that_cannot_be_read_is_told_in_a_sentence_and_left_out(board, files, sentence):
    with board(files) as running:
        assert_others_work(running)
        (failed,) = running.failed

    assert sentence in failed.error.splitlines()[0]


@pytest.mark.parametrize(("module", "sentence"), UNLOADED.values(), ids=UNLOADED)
def test_a_module_that_cannot_be_loaded_parks_its_host_at_once_and_says_why(board, module, sentence):
    with board({**PLAIN, "src/tool.js": module}) as running:
        assert_others_work(running)
        host = running.status()["plugins"]["bad"]["host"]

    assert (host["state"], host["generation"]) == ("parked", 1)
    assert sentence in host["why"]


def test_a_module_that_never_ends_importing_parks_its_host_after_one_start_deadline_and_is_probed_later(
    board,
):
    endless = {**PLAIN, "src/tool.js": "for (;;);"}

    with board(endless, start_deadline=0.5) as running:
        assert_others_work(running)
        wait_until(lambda: running.status()["plugins"]["bad"]["host"]["state"] == "parked")
        host = running.status()["plugins"]["bad"]["host"]

    assert (
        "it cannot start: it was not ready within 0.5 s, for its plugin was still being loaded" in host["why"]
    )
    assert (host["generation"], host["next_start_in"] > 50) == (1, True)


def test_a_module_that_prints_at_import_works_and_its_lines_go_to_stderr(board):
    printing = {**PLAIN, "src/tool.js": "console.log('hello');\n" + tool("printing")}

    with board(printing) as running:
        assert_others_work(running)
        result = running.execute(tool_call("printing"))

    assert result == {"success": True, "result": "here"}
