"""What may never return is run on a thread that can be lost, and whoever waits for it is told."""

from __future__ import annotations

import contextvars
import importlib
import sys
import threading
from types import ModuleType

import pytest
from callboard.actors.threads.timeout import imports_something, in_time, tell_where
from callboard.base.errors import HookError, PluginLoadError
from gated_modules import WAIT, closed_gate
from leaks import no_leaks, wait_until

word = contextvars.ContextVar("word", default="none")


def run(job, seconds=10.0):
    return in_time(job, seconds, plugin="x", doing="loading 'x'", remedy="have it end")


def raising(error):
    def job():
        raise error

    return job


def test_it_runs_elsewhere_with_the_callers_context_and_returns_the_value():
    token = word.set("mine")

    thread, seen = run(lambda: (threading.current_thread(), word.get()))

    word.reset(token)
    assert thread is not threading.current_thread()
    assert thread.daemon
    assert seen == "mine"


def test_a_thread_serves_again_unless_it_was_lost_and_ends_when_nobody_needs_it():
    with no_leaks(), closed_gate():
        threads = [run(threading.current_thread) for _ in range(50)]
        with pytest.raises(PluginLoadError):
            run(lambda: exec(WAIT, {}), 0.05)
        after = run(threading.current_thread)

    assert len(set(threads)) < len(threads)
    assert after.name == "callboard-load"


def test_without_a_deadline_it_runs_here():
    assert run(threading.current_thread, None) is threading.current_thread()


def test_in_the_middle_of_an_import_it_runs_here_since_it_might_need_what_is_being_imported(
    tmp_path, monkeypatch
):
    (tmp_path / "cb_starts_at_import.py").write_text(
        "import callboard_test_run as it\nthread = it.run(it.job)"
    )
    helper = ModuleType("callboard_test_run")
    helper.run = run
    helper.job = lambda: (sys.modules["cb_starts_at_import"], threading.current_thread())[1]
    monkeypatch.setitem(sys.modules, helper.__name__, helper)
    monkeypatch.syspath_prepend(tmp_path)

    thread = importlib.import_module("cb_starts_at_import").thread

    assert thread is threading.current_thread()
    assert not imports_something(sys._getframe())


@pytest.mark.parametrize("seconds", [10.0, None], ids=["elsewhere", "here"])
def test_what_it_raises_is_told_as_the_plugins_fault(seconds):
    told = HookError("init raised", plugin="x", hook="init")

    with pytest.raises(HookError) as passed:
        run(raising(told), seconds)
    with pytest.raises(PluginLoadError, match=r"^loading 'x' raised SystemExit: 3$") as caught:
        run(raising(SystemExit(3)), seconds)

    assert passed.value is told
    assert isinstance(caught.value.__cause__, SystemExit)


def test_an_interrupt_that_the_plugin_raises_is_nobodys_interrupt():
    with pytest.raises(PluginLoadError, match=r"^loading 'x' raised KeyboardInterrupt$"):
        run(raising(KeyboardInterrupt()))


def test_what_does_not_end_is_given_up_and_told_with_its_place_and_its_late_end(caplog):
    code = compile(f"\n\n{WAIT}", "slow_tool.py", "exec")

    with closed_gate(), pytest.raises(PluginLoadError) as caught:
        run(lambda: exec(code, {}), 0.05)

    assert (
        str(caught.value)
        == "loading 'x' did not end within 0.05 s; it is at slow_tool.py, line 3; have it end"
    )
    assert caught.value.plugin == "x"
    wait_until(lambda: "plugin x: its code that was abandoned has ended, after" in caplog.text)


def test_of_a_thread_without_frames_nothing_is_told():
    assert tell_where(None) == ""
