"""`callboard chat` as somebody uses it: watched, typed at, piped, kept, and without what it needs."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress

import pytest
from callboard import Callboard
from callboard.agent.replay.server import ReplayServer
from callboard.agent.sessions.file import load_session
from callboard.demo.journey import LINES
from callboard.demo.journey_stage import Journey
from command_line import (
    ENVIRONMENT,
    EXAMPLES,
    PATIENCE,
    callboard,
    command,
    lines,
    on_a_terminal,
    write_config,
)
from interrupts import interruptible
from leaks import no_leaks
from programs import PROGRAMS

SCRIPT = [
    {"when": "wait", "steps": [{"text": "one " * 200}]},
    {
        "when": "work",
        "steps": [{"calls": [{"name": "echo", "arguments": {"value": "a"}}]}, {"text": "{result}"}],
    },
    {"steps": [{"text": "You said: {user}"}]},
]


def config_of(folder, server, **provider):
    agent = {"provider": {"type": "openai_chat", "model": "m", "base_url": server.url, **provider}}
    return write_config(folder, f"path:{EXAMPLES / 'python-echo-tool'}", agent=agent)


def test_the_conversation_of_the_demonstration_goes_by_itself():
    with no_leaks():
        status, shown = on_a_terminal("chat", "--demo", "--play", "--fast")
    seen = re.sub(r"\x1b\[[0-9;]*m", "", shown).replace("\r\n", "\n")

    assert status == 0
    assert [line[2:] for line in seen.splitlines() if line.startswith("> ")] == list(LINES)
    in_order = [
        "→ distance", "→ weather", "✓ weather   Bergen: 7 °C, rain", "it will rain. So:\n\n• take",
        "▸ find_trains", "· find_trains  601  08:25", "✓ find_trains  3 trains", "more: 3 lines, /show 3",
        "✗ prices       its host died: signal SIGKILL", "│ asking Vy about train 601",
        "✗ ask_prices   no answer", "host_crashed: the tool may have run", "✓ ask_prices   {", "349 kr, a seat",
        "▸ book_seat", "? Run book_seat?", "asked for the first time", '  │   "train": 601,', "> y\n", "✓ book_seat    seat 14F", "tokens in",
    ]  # fmt: skip
    at = 0
    for each in in_order:
        assert each in seen[at:], f"{each} is not where it should be in\n{seen}"
        at = seen.index(each, at)
    assert "↻ prices       its host is back after" in seen


def test_the_host_of_the_demonstration_dies_in_its_call_however_late_the_first_part_is_heard():
    asked = {"name": "ask_prices", "arguments": {"train": 601}}
    with Journey(fast=True) as journey, Callboard(journey.configuration) as board:
        hear = journey.mishap(board)
        call = board.submit(asked)
        with pytest.raises(TimeoutError):
            call.result(timeout=0.3)  # several times as long as the tool takes for all of it
        hear({"type": "part", "tool_name": "ask_prices"})
        first, second = call.result(), board.execute(asked)

    assert first["code"] == "host_crashed"
    assert second["result"]["best"] == 349


def test_somebody_at_a_terminal_refuses_interrupts_and_leaves(tmp_path):
    ours, theirs = pty.openpty()
    kept = tmp_path / "kept.jsonl"
    with interruptible():
        process = subprocess.Popen(
            command("chat", "--demo", "--session", str(kept)), stdin=theirs, stdout=theirs, stderr=theirs,
            env=ENVIRONMENT | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}, start_new_session=True,
        )  # fmt: skip
    os.close(theirs)
    shown, seen = "", 0

    def until(text):
        nonlocal shown, seen
        while text not in shown[seen:]:
            shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(ours, 65536).decode())
        seen = shown.index(text, seen) + len(text)

    until("Ctrl-D leaves")
    os.write(ours, b"Book it\r")
    until("else deny) >")
    os.write(ours, b"maybe\r")
    until("else deny) >")
    os.write(ours, b"n\r")
    until("tokens in")
    os.write(ours, b"Which trains are there?\r")
    until("601  08:25")
    os.kill(process.pid, 2)
    until("! turn")
    until("tokens in")
    os.write(ours, b"/status\r")
    until("booking")
    until(">")
    os.write(ours, b"\x03\x03")  # at the prompt: two in a row leave
    with suppress(OSError):  # how a terminal tells its end
        until("nothing that comes")
    os.close(ours)

    assert process.wait(PATIENCE) == 0
    assert "the call was denied: it was not approved" in shown
    assert "cancelled: the tool may have run" in shown
    assert "host ready (generation 1" in shown
    messages = load_session(kept).session.messages
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant", "user", "assistant", "tool"]  # fmt: skip


def test_somebody_at_a_terminal_fills_in_the_form_of_a_server(tmp_path):
    server = str(PROGRAMS / "python" / "mcp_asking_server.py")
    asked = {
        "message": "Who?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    }
    call = {"name": "ask", "arguments": {"method": "elicitation/create", "params": asked}}
    script = [{"steps": [{"calls": [call]}, {"text": "It was {result}"}]}]
    ours, theirs = pty.openpty()
    shown, seen = "", 0

    def until(text):
        nonlocal shown, seen
        while text not in shown[seen:]:
            shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(ours, 65536).decode())
        seen = shown.index(text, seen) + len(text)

    with ReplayServer(script) as model:
        agent = {"provider": {"type": "openai_chat", "model": "m", "base_url": model.url}}
        config = write_config(tmp_path, {"mcp": {"command": [sys.executable, server]}}, agent=agent)
        process = subprocess.Popen(
            command("chat", "--trust", config), stdin=theirs, stdout=theirs, stderr=theirs,
            env=ENVIRONMENT | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        until("Ctrl-D leaves")
        os.write(ours, b"Ask me\r")
        until("Enter for none")
        os.write(ours, b"Ann\r")
        until("[y] send")
        os.write(ours, b"y\r")
        until("It was")
        until("tokens in")
        until(">")
        os.write(ours, b"\x03\x03")
        with suppress(OSError):  # how a terminal tells its end
            until("nothing that comes")
        os.close(ours)

    assert process.wait(PATIENCE) == 0
    assert "? Who?" in shown
    assert '"accept"' in shown.replace("\\", "")


def test_with_json_a_pipe_is_answered_in_ndjson_and_a_conversation_goes_on(tmp_path):
    kept = str(tmp_path / "kept.jsonl")
    with ReplayServer(SCRIPT) as server:
        config = config_of(tmp_path, server)
        first = callboard(
            "chat", "--json", config, "--session", kept, text="work\n\n/tools\n/show\n/stat\n/show 7\n/save\n"
        )
        second = callboard(
            "chat",
            "--json",
            config,
            "--session",
            kept,
            "--model",
            "other",
            text="hello\n/retry\n/session\n/new\n/help\n/exit\nnever\n",
        )
        asked = [request.body["model"] for request in server.requests]

    events = lines(first.stdout)
    kinds = [event["type"] for event in events]
    assert (first.returncode, first.stderr) == (1, "")  # three lines could not be carried out
    assert kinds[0] == "user"
    assert {"tool_call", "text", "message", "usage", "done", "told"} <= set(kinds)
    told = {event["about"]: event["told"] for event in events if event["type"] == "told"}
    assert told["tools"][0]["tool"] == "echo"
    assert told["show"]["content"] == "a"
    refused = [event["error"] for event in events if event["type"] == "refused"]
    assert refused == ["there is no command '/stat'; did you mean 'status'?", "no result '7'; there are results 1 to 1", "say where: /save FILE"]  # fmt: skip
    assert asked == ["m", "m", "other", "other"]
    assert second.returncode == 0
    assert [event["text"] for event in lines(second.stdout) if event["type"] == "user"] == ["hello", "hello"]
    assert sorted(file.name for file in tmp_path.glob("kept*")) == ["kept.jsonl", "kept.jsonl.before-1", "kept.jsonl.before-2"]  # fmt: skip
    assert [len(load_session(tmp_path / f"kept.jsonl{end}").session.messages) for end in ("", ".before-1", ".before-2")] == [0, 6, 6]  # fmt: skip


def test_what_is_missing_is_said_with_its_remedy(tmp_path):
    config = tmp_path / "agent.json"
    provider = {"type": "anthropic", "model": "m"}
    config.write_text(json.dumps({"agent": {"provider": provider}}))
    torn = tmp_path / "no.jsonl"
    torn.write_text("no session\n{}\n")

    no_key = callboard("chat", "--json", str(config), "--message", "hello", env={"ANTHROPIC_API_KEY": ""})
    config.write_text("{}")
    no_model = callboard("chat", "--json", str(config), "--message", "hello")
    wrong = [callboard("chat", *words) for words in ([], ["--demo", "x.json"], ["x.json", "--play"])]
    no_session = callboard("chat", "--demo", "--session", str(torn), "--message", "x")

    (error,) = [event for event in lines(no_key.stdout) if event["type"] == "error"]
    assert no_key.returncode == 1
    assert error["code"] == "missing_key"
    assert "ANTHROPIC_API_KEY" in error["error"]
    assert (no_model.returncode, no_session.returncode) == (2, 2)
    assert "the configuration has no model to ask" in no_model.stderr
    assert str(torn) in no_session.stderr
    assert [each.returncode for each in wrong] == [2, 2, 2]
