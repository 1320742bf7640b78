"""What the command line shows and writes of a crash."""

from __future__ import annotations

import io

import pytest
from callboard.cli.crash.report import LINES, MESSAGES, facts_of, messages_of, show_crash, words_of
from callboard.supervision.runtime.event_kinds import faults_of
from callboard.supervision.runtime.event_order import check_order
from callboard.supervision.runtime.events import Event
from command_line import callboard, lines, ndjson, on_a_terminal, write_config
from rich.console import Console
from tools import tool_call

WAYS = """
const schema = (name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
export default {
  init: () => ({}),
  getToolSchemas: () => ['leave', 'fill', 'throw', 'stay'].map(schema),
  executeTool(name) {
    if (name === 'stay') return { success: true, result: 'still here' };
    if (name === 'leave') {
      console.error('no way to go on with hunter2hunter2');
      process.exit(3);
    }
    if (name === 'throw') setTimeout(() => { throw new RangeError('out of reach'); }, 1);
    if (name === 'fill') for (const all = []; ; ) all.push(new Array(1e6).fill(Math.random()));
    return new Promise(() => {});
  },
};
"""

REPORT = {
    "id": "0123456789ab", "host": "ways", "generation": 3, "exit": "exit code 1", "code": 1, "signal": None, "uptime": 12.3456,
    "cause": "it exited by itself with an error", "in_flight": ["a"], "stderr": "", "counts": {},
    "leftovers": [], "frames": [],
}  # fmt: skip


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crashes")
    (folder / "ways.mjs").write_text(WAYS)
    env = {"NODE_OPTIONS": "--max-old-space-size=40", "PASSWORD": "hunter2hunter2"}
    return write_config(folder, {"node_tool": {"file": "ways.mjs", "id": "ways"}, "env": env})


def test_a_crash_is_shown_with_its_cause_its_outcome_its_last_words_and_messages(config):
    status, shown = on_a_terminal("call", config, "leave", "api_key=abcdef")

    assert status == 1
    assert "exit code 3; it exited by itself with an error" in shown
    assert "the tool may have run, in part or in whole" in shown
    assert "generation 1" in shown
    assert "no way to go on with ***" in shown
    assert "→" in shown
    assert "execute_tool" in shown
    assert "hunter2" not in shown
    assert "abcdef" not in shown


@pytest.mark.parametrize(
    ("tool", "cause", "words"),
    [
        ("throw", "an error that nothing caught: RangeError: out of reach", "throw new RangeError"),
        ("fill", "it ran out of its JavaScript heap memory", "native frames"),
    ],
)
def test_the_cause_is_said_in_words_and_the_inside_of_the_runtime_left_out(config, tool, cause, words):
    _, shown = on_a_terminal("call", config, tool)

    assert cause in shown
    assert words in shown
    assert "0x" not in shown.split("native frames")[-1]


def test_a_run_writes_its_events_from_the_first_one_on(config, tmp_path):
    file = tmp_path / "events.ndjson"
    calls = [tool_call("leave", "one"), tool_call("stay", "two")]

    ended = callboard("run", config, "--events", str(file), text=ndjson(calls))

    events = [Event(**line) for line in lines(file.read_text())]
    assert ended.returncode == 1
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert (events[0].kind, events[-1].kind) == ("host_starting", "host_stopped")
    assert [fault for event in events for fault in faults_of(event.kind, event.facts)] == []
    assert check_order(events) == []
    (crash,) = [event for event in events if event.kind == "host_crashed"]
    assert crash.facts["report"]["in_flight"] == ["one"]
    assert crash.facts["report"]["frames"] != []


def test_a_file_of_events_that_cannot_be_opened_is_said_before_anything_is_started(config, tmp_path):
    ended = callboard("run", config, "--events", str(tmp_path / "nowhere" / "events"), text="")

    assert ended.returncode == 2
    assert "No such file or directory" in ended.stderr


def test_what_is_worth_a_line_is_told_and_nothing_else():
    assert dict(facts_of(REPORT, None)) == {"generation": "3, 12.35 s long", "id": "0123456789ab"}
    told = dict(
        facts_of(REPORT | {"in_flight": ["a", "b"], "counts": {"stray": 2}, "leftovers": [7]}, "not_sent")
    )

    assert told["outcome"] == "the tool has not seen the call"
    assert told["with it"] == "2 calls: a, b"
    assert told["counts"] == "2 stray"
    assert told["left over"].endswith(": 7")


def test_the_last_messages_are_told_a_line_each():
    frames = [{"direction": "sent", "at": n / 1000, "size": 1500, "text": "{}"} for n in range(40)]

    told = messages_of(REPORT | {"frames": frames})

    assert len(told) == MESSAGES
    assert told[-1] == "    0.039 s →   1,500 B  {}"


def test_native_frames_are_counted_and_long_words_cut():
    native = "\n".join(f" {n}: 0x1234 v8::Something() [node]" for n in range(9))
    many = "\n".join(f"line {n}" for n in range(LINES + 5))

    assert words_of(REPORT | {"stderr": f"FATAL\n\n{native}\nend"}) == ["FATAL", "… 9 native frames", "end"]
    assert words_of(REPORT | {"stderr": many})[:2] == ["… 5 lines", "line 5"]
    assert words_of(REPORT) == []


@pytest.mark.parametrize("missing", [{}, {"stderr": "a tool's own"}])
def test_what_is_no_crash_report_is_not_shown(missing):
    file = io.StringIO()

    show_crash(missing, None, Console(file=file))

    assert file.getvalue() == ""
