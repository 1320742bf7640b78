"""What takes long of a configuration's plugins is done side by side; the order and the errors are those of the entries."""

from __future__ import annotations

import gc

from callboard import Callboard
from leaks import no_leaks
from node_packages import built, tool, write
from tools import tool_call

MEETING = """
import {{ existsSync, watch }} from 'node:fs';
writeFileSync({mine!r}, '');
await new Promise((met) => {{
  const watcher = watch({folder!r}, look);
  function look() {{
    if (!existsSync({other!r})) return;
    watcher.close();
    met();
  }}
  look();
}});
"""


def meeting(folder, name, other):
    """A package whose build goes on only when that of another has begun."""
    places = {
        "mine": str(folder / f"{name}.begun"),
        "other": str(folder / f"{other}.begun"),
        "folder": str(folder),
    }
    package = built(folder / name, MEETING.format(**places), plugin=name)
    write(package, {"src/tool.js": tool(name)})
    return f"node:{package}"


def test_two_packages_are_built_side_by_side(tmp_path):
    plugins = [meeting(tmp_path, "one", "two"), meeting(tmp_path, "two", "one")]

    with no_leaks():
        with Callboard({"plugins": plugins, "plugin_cache_dir": str(tmp_path / "cache")}) as board:
            assert board.failed == []
            results = [board.execute(tool_call(name))["result"] for name in ("one", "two")]
        del board
        gc.collect()  # what a plugin runs from is in use until the plugin is gone

    assert results == ["here", "here"]


def test_plugins_come_in_the_order_of_their_entries_and_so_do_failures(tmp_path):
    good = [built(tmp_path / name, plugin=name) for name in ("a", "b")]
    for package in good:
        write(package, {"src/tool.js": tool(package.name)})
    write(tmp_path, {"test_order_plugin.mjs": tool("file")})
    plugins = [
        f"node:{tmp_path / 'none'}",
        f"node:{good[0]}",
        {"node_tool": {"file": str(tmp_path / "test_order_plugin.mjs"), "id": "file"}},
        "no entry",
        f"node:{good[1]}",
        f"node:{tmp_path / 'none either'}",
    ]

    with Callboard({"plugins": plugins, "plugin_cache_dir": str(tmp_path / "cache")}) as board:
        names = [shown.tool_name for shown in board.tools()]
        failed = [one.source for one in board.failed]

    assert names == ["a", "file", "b"]
    assert failed == [plugins[0], plugins[3], plugins[5]]


def test_an_entry_that_stands_twice_is_loaded_twice(tmp_path):
    entry = f"node:{built(tmp_path / 'a')}"

    with Callboard({"plugins": [entry, entry], "plugin_cache_dir": str(tmp_path / "cache")}) as board:
        (failed,) = board.failed

    assert "where" in failed.error
