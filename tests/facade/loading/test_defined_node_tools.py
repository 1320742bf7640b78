"""`defineTools` of the npm package: functions in JavaScript are tools of a board."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import Callboard
from callboard.hosts.node_packages.npm_package import ROOT
from callboard.testing import failing, parts_and_result
from leaks import no_leaks

IMPORT = f"import {{ defineTools }} from {json.dumps((ROOT / 'npm' / 'index.mjs').as_uri())};\n"

PROGRAM = """
const standard = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: ({ number }) =>
      number < 10 ? { value: { number: BigInt(number) } } : { issues: [{ message: 'too large', path: [{ key: 'number' }] }] },
    jsonSchema: {
      input: ({ target }) => ({ $schema: target, type: 'object', properties: { number: { type: 'integer' } } }),
    },
  },
};

export const tools = defineTools({
  wordCount: {
    description: 'Count the words of a text.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: ({ text }) => text.split(' ').length,
  },
  double: { parameters: standard, execute: async ({ number }) => Number(2n * number) },
  count: {
    async *execute(_, { part }) {
      part('begun');
      yield 1;
      return 2;
    },
  },
});
"""


def source(folder, program):
    (folder / "tools.mjs").write_text(IMPORT + program)
    return {"node_tool": {"file": str(folder / "tools.mjs"), "id": "defined", "export": "tools"}}


@pytest.fixture
def board(tmp_path):
    with no_leaks(), Callboard() as board:
        board.load(source(tmp_path, PROGRAM))
        yield board


def test_functions_in_javascript_are_called_by_their_names(board):
    assert board.call("wordCount", text="to be") == 2
    assert parts_and_result(board, "count") == (["begun", 1], 2)


@pytest.mark.parametrize("suffix", [".mjs", ".ts"])
def test_a_cache_that_cannot_be_made_is_said_once_and_hosts_start_without_it(tmp_path, caplog, suffix):
    tool = IMPORT + "export const tools = defineTools({ NAME: { execute: () => 1 } });\n"
    (tmp_path / "file").touch()
    plugins = []
    for name in ("first", "second"):
        file = tmp_path / f"{name}{suffix}"
        file.write_text(tool.replace("NAME", name))
        plugins.append({"node_tool": {"file": str(file), "id": name, "export": "tools"}})
    nowhere = f"/proc/cache-of{suffix}" if sys.platform == "linux" else str(tmp_path / "file" / "cache")

    with no_leaks(), Callboard({"plugin_cache_dir": nowhere, "plugins": plugins}) as board:
        assert [board.call("first"), board.call("second")] == [1, 1]

    assert len([each for each in caplog.messages if "cannot be written" in each]) == 1


def test_a_standard_schema_makes_the_schema_and_reads_the_arguments(board):
    said = {tool.tool_name: tool.schema["function"]["parameters"] for tool in board.tools()}

    assert said["double"] == {"type": "object", "properties": {"number": {"type": "integer"}}}
    assert board.call("double", number=4) == 8
    with failing() as failed:
        board.call("double", number=11)
    assert failed.error.result == {"success": False, "error": "the argument number: too large"}
    with failing("invalid_call", outcome="not_sent"):
        board.call("double", number="x")


@pytest.mark.parametrize(
    "definition",
    [
        "{}",
        "{ parameters: 3, execute() {} }",
        "{ parameters: { '~standard': { version: 1, vendor: 'old', validate: () => {} } }, execute() {} }",
    ],
)
def test_what_cannot_be_a_tool_is_refused_as_it_is_loaded(tmp_path, definition):
    entry = source(tmp_path, f"export const tools = defineTools({{ wrong: {definition} }});")

    with no_leaks(), Callboard({"plugins": [entry]}) as board:
        (failed,) = board.failed

    assert "wrong" in failed.error
