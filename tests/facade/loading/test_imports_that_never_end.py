"""A plugin of this process that is never done being loaded is left out after its deadline, and the others work."""

from __future__ import annotations

import signal

import pytest
from callboard import Callboard, ConfigurationError, PluginLoadError, read_configuration
from gated_modules import WAIT, closed_gate
from leaks import no_leaks
from tools import tool_call

TOOL = """
class Tool:
    name = "NAME"

    def __init__(self):
        CONSTRUCTOR

    def init(self, config):
        INIT
        return {}

    def get_tool_schemas(self, state):
        SCHEMAS
        return [{"type": "function", "function": {"name": "NAME", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "here"}
"""

PLACES = ("IMPORT", "CONSTRUCTOR", "INIT", "SCHEMAS")
DEADLINE = 0.3


def module(folder, name, waits="nowhere", first=""):
    """A package with a plugin whose code waits at one of the places; returns the entry of a configuration."""
    code = f"{first}\nIMPORT\n{TOOL}".replace("NAME", name)
    for place in PLACES:
        code = code.replace(place, WAIT if place == waits else "pass")
    package = folder / name
    package.mkdir()
    (package / f"{name}.py").write_text(code)
    (package / "agent_plugin.json").write_text(f'{{"entries": ["{name}.Tool"]}}')
    return f"path:{package}"


def test_whatever_never_ends_is_told_in_a_sentence_and_the_good_ones_work(tmp_path):
    waiting = {place: module(tmp_path, f"cb_never_{place.lower()}", place) for place in PLACES[:3]}
    same = module(tmp_path, "cb_never_same", first="import cb_never_import")
    entries = [module(tmp_path, "cb_first_good"), *waiting.values(), same, module(tmp_path, "cb_last_good")]
    configuration = {"plugins": entries, "load_deadline": DEADLINE}

    with no_leaks(), closed_gate(), Callboard(configuration) as board:
        results = [board.execute(tool_call(f"cb_{which}_good"))["result"] for which in ("first", "last")]
        told = {one.source: one.error for one in board.failed}
        with pytest.raises(PluginLoadError) as caught:
            board.load(module(tmp_path, "cb_never_schemas", "SCHEMAS"))

    assert results == ["here", "here"]
    assert list(told) == [*waiting.values(), same]
    loading = "importing and making it did not end within 0.3 s; it "
    assert f"cannot load plugin cb_never_import.Tool: {loading}is at {tmp_path}" in told[waiting["IMPORT"]]
    assert (
        "cb_never_import.py, line 2; have it end, raise 'load_deadline', or give it 'isolate'"
        in told[waiting["IMPORT"]]
    )
    assert f"cannot load plugin cb_never_constructor.Tool: {loading}is at" in told[waiting["CONSTRUCTOR"]]
    asking = "asking it for init and get_tool_schemas did not end within 0.3 s; it is at"
    assert f"plugin 'cb_never_init': {asking}" in told[waiting["INIT"]]
    assert f"{loading}waits for the import of 'cb_never_import', which has begun elsewhere" in told[same]
    assert f"plugin 'cb_never_schemas': {asking}" in str(caught.value)


def test_an_interrupt_while_a_plugin_is_loaded_ends_the_start(tmp_path):
    main = "import signal, threading; signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)"
    board = Callboard({"plugins": [module(tmp_path, "cb_interrupted", "IMPORT", first=main)]})

    with no_leaks(), closed_gate():
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                board.start()
        finally:
            signal.signal(signal.SIGINT, before)

    assert board.status()["running"] is False


def test_what_insists_on_the_main_thread_is_told_how_to_have_it(tmp_path):
    first = "import signal; signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))"
    entry = module(tmp_path, "cb_of_main_thread", first=first)

    with Callboard({"plugins": [entry]}) as board:
        (failed,) = board.failed
    with Callboard({"plugins": [entry], "load_deadline": None}) as board:
        result = board.execute(tool_call("cb_of_main_thread"))

    assert "signal only works in main thread" in failed.error
    assert failed.error.endswith(
        "give it 'isolate', or set 'load_deadline' to null, which imports plugins where the board is started"
    )
    assert result["result"] == "here"


def test_a_hook_that_never_ends_being_imported_keeps_the_board_from_starting(tmp_path, monkeypatch):
    (tmp_path / "cb_never_hook.py").write_text(WAIT)
    monkeypatch.syspath_prepend(tmp_path)
    hooks = [{"event": "tool:pre", "hook": "cb_never_hook.gate"}]

    with closed_gate(), pytest.raises(ConfigurationError) as caught:
        Callboard({"hooks": hooks, "load_deadline": 0.05}).start()

    assert caught.value.path == "$.hooks[0].hook"
    assert "$.hooks[0].hook: importing cb_never_hook.gate did not end within 0.05 s" in str(caught.value)


@pytest.mark.parametrize("value", [0, -1, "soon", True])
def test_a_load_deadline_is_a_number_of_seconds_or_null(value):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({"load_deadline": value})

    assert caught.value.path == "$.load_deadline"
    assert read_configuration({"load_deadline": None}).load_deadline is None
    assert read_configuration({}).load_deadline == 120.0
