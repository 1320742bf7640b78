"""The log of a service: whatever is logged is one line of JSON."""

from __future__ import annotations

import io
import json
import logging
import re

import pytest
from callboard import Callboard
from callboard.exporters.json_log import JsonFormatter, log_events
from command_line import callboard
from hypothesis import given
from hypothesis import strategies as st
from leaks import wait_until
from programs import NODE
from tools import tool_call


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def log():
    stream = io.StringIO()
    logger, handler = logging.getLogger("test_logs"), logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    yield logger, stream
    logger.removeHandler(handler)


@given(st.text(st.characters(), max_size=30))
def test_whatever_was_said_is_one_line_without_orders(said):
    record = logging.LogRecord("x", logging.INFO, "", 0, "%s", (said,), None)

    line = JsonFormatter().format(record)

    assert re.fullmatch(r"[\x20-\x7e]*", line)
    assert json.loads(line)["message"] == said


def test_a_record_has_its_time_level_logger_and_error(log):
    logger, stream = log
    try:
        {}["gone"]
    except KeyError:
        logger.exception("it failed for %s", "t")

    (told,) = lines(stream.getvalue())

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told["time"])
    assert (told["level"], told["logger"], told["message"]) == ("ERROR", "test_logs", "it failed for t")
    assert (told["error"]["type"], told["error"]["message"]) == ("KeyError", "'gone'")
    assert "test_json_log.py" in told["error"]["traceback"]


def test_events_are_logged_with_their_facts_and_failures_as_warnings(log):
    logger, stream = log
    with Callboard() as board:
        board.load({"node_tool": {"file": str(NODE / "moody.mjs")}})
        log_events(board, logger, ["call_ended", "host_crashed"])
        board.execute(tool_call("moody", do="crash"))
        wait_until(lambda: '"kind":"host_crashed"' in stream.getvalue())

    told = {each["event"]["kind"]: each for each in lines(stream.getvalue())}

    assert told["host_crashed"]["level"] == "WARNING"
    assert told["host_crashed"]["event"]["subject"] == "moody"
    assert told["call_ended"]["level"] == "INFO"
    assert told["call_ended"]["event"]["facts"]["code"] == "host_crashed"


def test_a_kind_that_is_none_is_refused():
    with Callboard() as board, pytest.raises(ValueError, match="no_such_kind"):
        log_events(board, kinds=["no_such_kind"])


@pytest.mark.parametrize(
    "words",
    [("--log-format", "json", "tools", "/nowhere.json"), ("tools", "/nowhere.json", "--log-format", "json")],
)
def test_the_command_line_says_what_went_wrong_as_json(words):
    ended = callboard(*words)

    (told,) = lines(ended.stderr)
    assert ended.returncode == 2
    assert (told["level"], "/nowhere.json" in told["message"]) == ("ERROR", True)
