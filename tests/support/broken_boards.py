"""Runs on real hosts with a board that may be broken, and the verdict that a test of one has to come to."""

from __future__ import annotations

import functools
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import replace

from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.mailbox import Mailbox
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.routing.queues import PluginQueues
from callboard.chaos.checker.invariants import violations
from callboard.chaos.checker.leak_check import Census
from callboard.chaos.expecting import ExpectedEvents
from callboard.chaos.inject.evil_tool import EvilToolPlugin
from callboard.chaos.load.line_record import LineRecord
from callboard.chaos.recorder import Recorder, terms_of
from callboard.chaos.schedule import Schedule
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy

PROMPT = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=50)
LATE = RestartPolicy(backoff=Backoff(first=0.6, min=0.6, max=0.6, jitter=0.0), intensity=50)


@contextmanager
def a_run(
    tmp_path,
    *entries,
    board=Board,
    policy=PROMPT,
    tool="ledger",
    counts=True,
    patience=5.0,
    mailbox_size=1000,
):
    """A host that goes wrong as scheduled; what it proves is in the list that is yielded, afterwards."""
    found, census = [], Census()
    one = board()
    with one:
        plugin = EvilToolPlugin("evil", Schedule(1, entries), folder=tmp_path, language="python")
        line = plugin.carry = LineRecord("evil")
        adapter = PluginAdapter(plugin)
        one.begin_hosted(
            adapter,
            plugin,
            host=HostSettings({}),
            policy=policy,
            settings=ToolSettings(mailbox_size=mailbox_size),
        )
        one.settle_hosted("evil", required=True)
        recorder = Recorder(one, patience=patience)
        line.begin(recorder)
        recorder.terms["evil"] = replace(
            terms_of(one.plugin_manager.handle("evil")),
            ledger=tool == "ledger",
            counts=counts and tool == "count",
        )
        yield _Calls(recorder, tmp_path / "ledger", tool), found
        recorder.close()
        if (tmp_path / "ledger").exists():
            recorder.take_ledger("evil", (tmp_path / "ledger").read_text().splitlines())
    found += violations(recorder.run(census.left(recorder.known, marks=recorder.marks)))


class _Calls:
    def __init__(self, recorder, ledger, tool):
        self.recorder = recorder
        self.events = ExpectedEvents(recorder.board)
        self._ledger, self._tool, self._count = str(ledger), tool, 0

    def submit(self, deadline=5.0):
        self._count += 1
        name = f"c{self._count}"

        def judge(result):
            told = {"generation": result["generation"]}
            if self._tool == "count":
                return told | {"counted": result["result"]}
            if self._tool == "echo" and result["result"] != arguments:
                return told | {"wrong": f"it is {result['result']}"}
            return told

        arguments = {
            "ledger": {"path": self._ledger, "line": name},
            "count": {},
            "echo": {"text": name},
            "slow": {"seconds": 0.6},
            "stream": {"parts": 4},
        }[self._tool]
        return self.recorder.submit(
            "evil", f"evil_{self._tool}", arguments, name=name, deadline=deadline, judge=judge
        )

    def make(self, count):
        return [self.submit().result(10) for _ in range(count)]


def rules(found):
    return {violation.rule for violation in found}


CONVICTED = {}
"""The tests of broken boards, by the rule that convicts each; filled as their files are read."""


def convicts(rule, *, beside=()):
    """A test that returns what was found: this rule has to be in it, and no other but those ``beside`` it."""

    def mark(test):
        @functools.wraps(test)
        def judged(**fixtures):
            found = rules(test(**fixtures))
            assert rule in found
            assert found <= {rule, *beside}, found

        CONVICTED.setdefault(rule, []).append(test.__name__)
        return judged

    return mark


def take_the_last_call_first(monkeypatch):
    """Have each mailbox give its calls in the wrong order."""
    for name in ("take", "take_all"):
        in_order = getattr(Mailbox, name)

        def last_first(mailbox, in_order=in_order):
            with mailbox._lock:
                mailbox._calls = OrderedDict(reversed(mailbox._calls.items()))
            return in_order(mailbox)

        monkeypatch.setattr(Mailbox, name, last_first)


def queue_by_name(monkeypatch):
    """Have calls wait in queues of their tools' names, and not of their plugins, while claims are asked."""
    enter, decide = PluginQueues.enter, PluginQueues.decide
    monkeypatch.setattr(
        PluginQueues, "enter", lambda queues, call, _plugins: enter(queues, call, (str(call.tool_name),))
    )
    monkeypatch.setattr(
        PluginQueues,
        "decide",
        lambda queues, call, plugin: decide(queues, call, plugin and str(call.tool_name)),
    )
