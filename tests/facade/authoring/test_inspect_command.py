"""`callboard inspect`: what goes between us and a host is seen, kept without secrets, read again, and asked again."""

from __future__ import annotations

import json

import pytest
from callboard.authoring.create import create
from callboard.authoring.recorder import Recorder, header
from callboard.authoring.recording_diff import NOTHING, Difference, differences, exchanges_in
from callboard.authoring.recording_format import KINDS, RECEIVED, SENT, Entry, NoRecording, read_recording
from callboard.hosts.process.process import Command, ProcessExit
from command_line import callboard, lines, on_a_terminal
from hypothesis import given
from hypothesis import strategies as st

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)

# A recording


@given(
    st.lists(
        st.builds(
            Entry,
            st.floats(0, 9),
            st.sampled_from(["a", "b"]),
            st.integers(1, 3),
            st.sampled_from(KINDS),
            st.none() | st.dictionaries(st.text(max_size=2), values, min_size=1, max_size=2),
            st.text(max_size=5),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_a_recording_is_read_as_it_was_written(entries):
    written = [header("here"), *(entry.as_json for entry in entries)]

    assert read_recording(json.dumps(value).encode() for value in written) == entries


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing was recorded"),
        ("{}", "it is no recording"),
        ("no JSON", "it is no recording"),
        ('{"recording": 0}', "it is no recording"),
        ('{"recording": 2}', "has version 2 of its format, and this Callboard reads versions up to 1"),
        ('{"recording": 1}\n{"at": 1}', "line 2 is no part of a recording"),
        ('{"recording": 1}\n{"at": 1, "host": "a", "generation": 1, "kind": "x"}', "there is no kind 'x'"),
        (
            '{"recording": 1}\n{"at": 1, "host": "a", "generation": 1, "kind": "sent", "message": 1}',
            "an object",
        ),
        ('{"recording": 1}\n{"at"', "line 2 is no part of a recording: not JSON"),
    ],
)
def test_what_is_no_recording_is_told_with_its_line(text, said):
    with pytest.raises(NoRecording, match=said):
        read_recording(text.encode().splitlines())


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_tap_hears_whole_lines_without_secrets_however_they_are_cut(size):
    heard = []
    recorder = Recorder(heard.append, lambda: 5.0)
    tap = recorder.tap("echo", 2, Command(("x",), {"API_KEY": "hidden-thing", "PATH": "/bin"}))

    tap.sent(b'{"id": "1", "method": "init", "params": {"config": {"api_key": "k", "a": "hidden-thing"}}}\n')
    output = b'{"id": "1", "ok": true, "result": {}}\nprinted hidden-thing\n[1]\nrest'
    errors = "said hidden-thing é\nlast".encode()
    for at in range(0, len(output), size):
        tap.received(output[at : at + size])
    for at in range(0, len(errors), size):
        tap.said(errors[at : at + size])
    tap.ended(ProcessExit(3, None, 1.0, None))

    config = {"api_key": "***", "a": "***"}
    assert [(entry.kind, entry.message or entry.text) for entry in heard] == [
        ("started", ""),
        ("sent", {"id": "1", "method": "init", "params": {"config": config}}),
        ("received", {"id": "1", "ok": True, "result": {}}),
        ("received", "printed ***"),
        ("received", "[1]"),
        ("stderr", "said *** é"),
        ("received", "rest"),
        ("stderr", "last"),
        ("ended", "exit code 3"),
    ]
    assert {(entry.at, entry.host, entry.generation) for entry in heard} == {(0.0, "echo", 2)}


# What was asked and answered


def test_answers_find_their_requests_in_whatever_order_they_come():
    def sent(number, method="execute_tool"):
        return Entry(0, "a", 1, SENT, {"id": number, "method": method, "params": {"n": number}})

    def received(number, **message):
        return Entry(0, "a", 1, RECEIVED, {"id": number, **message})

    found = exchanges_in(
        [
            sent("1"), sent("2"), sent("3"), sent("4", "cancel"),
            received("2", event={"type": "part"}),
            received("9", ok=True),
            received("2", ok=False, error={"type": "E", "detail": "d", "stack": "at line 3"}),
            received("1", ok=True, result={"value": 1}),
            received("1", ok=True, result={"value": "twice"}),
            Entry(0, "a", 1, RECEIVED, None, "printed"),
        ]
    )  # fmt: skip

    assert [(each.params["n"], each.outcome) for each in found] == [
        ("1", {"events": [], "answer": {"result": {"value": 1}}}),
        ("2", {"events": [{"type": "part"}], "answer": {"error": {"type": "E", "detail": "d"}}}),
        ("3", {"events": [], "answer": None}),
    ]


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, [Difference("$.a[1].b", 2, 3)]),
        ([1], [1, 2], [Difference("$[1]", NOTHING, 2)]),
        ({"a": 1}, {}, [Difference("$.a", 1, NOTHING)]),
        (1, True, [Difference("$", 1, True)]),
        (None, {"a": 1}, [Difference("$", None, {"a": 1})]),
    ],
)
def test_a_difference_is_told_as_deep_as_it_lies(was, now, found):
    assert differences(was, now) == found


@given(values, values)
def test_two_values_differ_unless_they_are_the_same(was, now):
    assert differences(was, was) == []
    assert bool(differences(was, now)) == (json.dumps(was, sort_keys=True) != json.dumps(now, sort_keys=True))


# The command


def test_what_a_host_was_asked_is_recorded_shown_and_asked_again(tmp_path):
    folder, file = tmp_path / "my-tools", tmp_path / "traffic.ndjson"
    create("node", folder)
    source = folder / "src" / "echo.js"
    source.write_text(source.read_text().replace("emit(", "console.log('now'); emit("))

    live = callboard(
        "inspect", "--json", str(folder), "--record", str(file), text="echo value=a\nech\necho value=b\n"
    )
    again = callboard("inspect", "--json", str(file))
    same = callboard("inspect", "--json", str(folder), "--replay", str(file))
    source.write_text(source.read_text().replace("calls += 1", "calls += 2"))
    status, shown = on_a_terminal("inspect", str(folder), "--replay", str(file))
    foreign = callboard("inspect", str(folder), "--replay", str(folder / "agent.json"))
    both = callboard("inspect", str(folder), "--replay", str(file), "--record", str(tmp_path / "x"))

    heard = lines(live.stdout)
    assert live.stderr == "callboard: there is no tool 'ech'; did you mean 'echo'?\n"
    assert live.returncode == 1
    assert {entry["kind"] for entry in heard} == set(KINDS)
    assert lines(again.stdout) == heard == lines(file.read_text())[1:]
    assert [line["same"] for line in lines(same.stdout)] == [True] * len(lines(same.stdout))
    assert same.returncode == 0
    assert status == 1
    assert "answer.result.state.calls: 1 was recorded; now 2" in _plain(shown)
    assert "2 answered otherwise" in shown
    assert foreign.stderr.endswith("makes them\n")
    assert (foreign.returncode, both.returncode) == (2, 2)


def test_the_messages_of_a_shared_host_name_the_plugin_that_they_are_for(tmp_path):
    for name in ("upper", "lower"):
        schema = {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
        (tmp_path / f"{name}.mjs").write_text(
            f"export default {{ init: () => ({{}}), getToolSchemas: () => [{json.dumps(schema)}],\n"
            f"  executeTool: (_, args) => ({{ success: true, result: args.text.to{name.title()}Case() }}) }};\n"
        )
    config, file = tmp_path / "agent.json", tmp_path / "traffic.ndjson"
    plugins = [
        {"node_tool": {"file": f"./{name}.mjs", "id": name}, "share": "pool"} for name in ("upper", "lower")
    ]
    config.write_text(json.dumps({"plugins": plugins}))

    live = callboard(
        "inspect",
        "--json",
        str(config),
        "--shared",
        "--record",
        str(file),
        text="upper text=a\nlower text=B\n",
    )
    same = callboard("inspect", "--json", str(config), "--replay", str(file))

    heard = lines(live.stdout)
    calls = [each["message"] for each in heard if each.get("message", {}).get("method") == "execute_tool"]
    assert live.returncode == 0
    assert {each["host"] for each in heard} == {"pool"}
    assert [call["params"]["plugin"] for call in calls] == ["upper", "lower"]
    asked = lines(same.stdout)
    assert same.returncode == 0
    assert [line["same"] for line in asked] == [True] * len(asked)
    assert {"load", "init", "execute_tool"} <= {line["method"] for line in asked}


def _plain(shown):
    return "".join(piece.partition("m")[2] if at else piece for at, piece in enumerate(shown.split("\x1b[")))
