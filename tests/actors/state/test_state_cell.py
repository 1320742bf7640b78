"""What a board does with a state store: tools go on where the last board left them, or the caller hears of it."""

from __future__ import annotations

import threading

import pytest
from boards import Recorder, add_node
from callboard.actors.board import Board
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import MemoryStore, Saved, StateStoreError
from callboard.base.json import load_json
from callboard.plugins.adapter.adapter import PluginAdapter
from leaks import wait_until
from tools import Tool, a_tool, count, schema, tool_call


class FailingStore(MemoryStore):
    """Takes no states while ``error`` is set, and waits with each until ``gate`` is open."""

    def __init__(self):
        super().__init__()
        self.error = None
        self.gate = threading.Event()
        self.gate.set()
        self.waiting = threading.Event()
        self.saves = []

    def save(self, plugin, saved):
        self.waiting.set()
        assert self.gate.wait(30)
        if self.error is not None:
            raise self.error
        self.saves.append(plugin)
        super().save(plugin, saved)


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "state.db")
    yield made
    made.close()


def counted(board, tool="tool"):
    return board.submit(tool_call(tool)).result(30)


def test_a_python_tool_goes_on_where_the_last_board_left_it(store):
    seen = []
    for _ in range(3):
        with Board(state_store=store) as board:
            board.add(a_tool(count), config={})
            seen += [counted(board)["result"], counted(board)["result"]]
            version = board.status()["plugins"]["tool"]["state_version"]

    assert seen == [1, 2, 3, 4, 5, 6]
    assert version == 6


def test_a_hosted_tool_goes_on_where_the_last_board_left_it(store):
    seen = []
    for _ in range(2):
        with Board(state_store=store) as board:
            add_node(board)
            seen += [counted(board, "moody")["result"]["count"] for _ in range(2)]
    saved = store.load("moody")

    assert seen == [1, 2, 3, 4]
    assert load_json(saved.state)["count"] == 4
    assert saved.generation == 1


def test_the_state_is_saved_with_the_generation_that_answered(store):
    with Board(state_store=store) as board:
        add_node(board)
        board.submit(tool_call("moody", do="exit")).result(30)
        answer = counted(board, "moody")["result"]["count"]
        saved = store.load("moody")

    assert answer == 1
    assert saved.generation == 2


def test_init_runs_all_the_same_and_what_is_asked_once_sees_its_state(store):
    class Configured(Tool):
        def __init__(self):
            super().__init__(lambda arguments, state: {"success": True, "result": state["config"]})

        def get_tool_schemas(self, state):
            return [schema(name) for name in state["config"]["names"]]

    seen = []
    for names in (["a"], ["a", "b"]):
        with Board(state_store=store) as board:
            tools = board.add(PluginAdapter(Configured()), config={"names": names})
            seen.append(([tool.tool_name for tool in tools], counted(board, "a")["result"]["names"]))

    assert seen == [(["a"], ["a"]), (["a", "b"], ["a"])]


def test_a_failed_call_leaves_the_saved_state_as_it_was(store):
    def work(arguments, state):
        state["count"] += 1
        if arguments.get("raise"):
            raise ValueError("told to")
        return {"success": not arguments.get("fail"), "error": "told to", "result": state["count"]}

    with Board(state_store=store) as board:
        board.add(a_tool(work), config={})
        for arguments in ({}, {"raise": True}, {"fail": True}):
            board.submit(tool_call("tool", **arguments)).result(30)
    saved = store.load("tool")

    assert (load_json(saved.state)["count"], saved.version) == (2, 2)


def test_a_state_that_has_not_changed_is_not_saved_again():
    store = FailingStore()
    with Board(state_store=store) as board:
        board.add(a_tool(lambda arguments, state: {"success": True}), config={})
        for _ in range(5):
            counted(board)

    assert store.saves == ["tool"]


def test_numbers_beyond_64_bits_survive(store):
    def grow(arguments, state):
        state["count"] = state["count"] * 10**30 + 1
        return {"success": True, "result": str(state["count"])}

    results = []
    for _ in range(3):
        with Board(state_store=store) as board:
            board.add(a_tool(grow), config={})
            results.append(counted(board)["result"])

    assert results[-1] == str(10**60 + 10**30 + 1)


@pytest.mark.parametrize("kind", ["thread", "host"])
def test_a_state_above_the_limit_is_an_invalid_result_and_the_one_before_stays(store, kind, tmp_path):
    file = tmp_path / "grow.mjs"
    file.write_text(GROW)
    with Board(state_store=store, max_state_bytes=1000) as board:
        if kind == "host":
            add_node(board, file, name="tool")
        else:
            board.add(a_tool(grow), config={})
        answers = [board.submit(tool_call("tool", size=size)).result(30) for size in (100, 2000, 200)]
    saved = store.load("tool")

    assert [answer["success"] for answer in answers] == [True, False, True]
    assert [answers[1][key] for key in ("code", "outcome", "path", "max_state_bytes")] == [
        "invalid_result",
        "outcome_unknown",
        "$.state",
        1000,
    ]
    assert answers[1]["state_bytes"] > 2000
    assert load_json(saved.state)["sizes"] == [100, 200]


def grow(arguments, state):
    state["sizes"] = [*state.get("sizes", []), arguments["size"]]
    state["pad"] = "x" * arguments["size"]
    return {"success": True, "result": state["sizes"]}


GROW = """
export default {
  init: () => ({ sizes: [] }),
  getToolSchemas: () => [{ type: 'function', function: { name: 'tool', parameters: { type: 'object' } } }],
  executeTool(name, { size }, state) {
    state.sizes.push(size);
    state.pad = 'x'.repeat(size);
    return { success: true, result: state.sizes };
  },
};
"""


@pytest.mark.parametrize("kind", ["thread", "host"])
@pytest.mark.parametrize(
    "error", [StateStoreError("disk full", store="s"), OSError("disk full")], ids=["told", "any"]
)
def test_while_a_state_cannot_be_saved_calls_go_on_and_say_so(kind, error, caplog):
    store = FailingStore()
    with Board(state_store=store) as board:
        events = Recorder(board)
        if kind == "host":
            add_node(board, name="moody")
        else:
            board.add(a_tool(count, "moody"), config={})
        answers = [counted(board, "moody")]
        store.error = error
        answers += [counted(board, "moody"), counted(board, "moody")]
        failing = board.status()["state_store"]["failing"]
        store.error = None
        answers.append(counted(board, "moody"))
        (told,) = events.wait("state_store_failing")
        events.wait("state_store_recovered")
        recovered = board.status()["state_store"]["failing"]

    assert [answer.get("state_saved") for answer in answers] == [None, False, False, None]
    assert all(answer["success"] for answer in answers)
    assert (told.subject, told.facts["why"], "disk full" in failing, recovered) == (
        "moody",
        failing,
        True,
        None,
    )
    assert load_json(store.load("moody").state)["count"] == 4
    assert "the state of 'moody' is not saved, and calls go on without" in caplog.text


def test_a_caller_is_told_after_the_commit_and_a_slow_store_holds_up_nobody_else():
    store = FailingStore()
    with Board(state_store=store) as board:
        board.add(a_tool(count, "slow"), config={})
        add_node(board)
        counted(board, "moody")
        store.gate.clear()
        store.waiting.clear()
        slow = board.submit(tool_call("slow"))
        wait_until(store.waiting.is_set)
        with pytest.raises(TimeoutError):
            slow.result(0.1)
        early = (slow.done(), store.load("slow"), board.state_of("slow")["count"])
        failed = board.submit(tool_call("moody", do="throw")).result(30)["code"]
        running = board.status()["plugins"]["slow"]["running"]
        store.gate.set()
        answer = slow.result(30)

    assert early == (False, None, 0)
    assert (failed, running) == ("tool_raised", 1)
    assert answer["result"] == 1
    assert load_json(store.load("slow").state)["count"] == 1


def test_a_board_has_committed_what_is_certain_when_it_has_stopped():
    store = FailingStore()
    board = Board(state_store=store)
    board.add(a_tool(count), config={})
    store.gate.clear()
    call = board.submit(tool_call("tool"))
    wait_until(store.waiting.is_set)
    stopping = threading.Thread(target=board.stop)
    stopping.start()
    store.gate.set()
    stopping.join(30)

    assert call.result(0) == {"success": True, "result": 1}
    assert load_json(store.load("tool").state)["count"] == 1


def test_a_plugin_that_comes_back_goes_on_unless_it_was_forgotten(store):
    seen = []
    with Board(state_store=store) as board:
        for forget in (False, True, False):
            board.add(a_tool(count), config={})
            seen.append(counted(board)["result"])
            board.remove("tool", forget_state=forget)

    assert seen == [1, 2, 1]


def test_without_a_store_a_plugin_that_comes_back_begins_anew():
    seen = []
    with Board() as board:
        for _ in range(2):
            board.add(a_tool(count), config={})
            seen.append(counted(board)["result"])
            board.remove("tool", forget_state=True)
        status = board.status()["state_store"]

    assert seen == [1, 1]
    assert status == {"store": "memory"}


def test_a_saved_state_that_cannot_be_read_is_an_error_that_names_the_plugin():
    store = MemoryStore()
    store.save("tool", Saved(b"[]", 1, 0))
    with Board(state_store=store) as board:
        with pytest.raises(StateStoreError, match="the saved state of 'tool' cannot be read: it is a list"):
            board.add(a_tool(count), config={})
        store.forget("tool")
        board.add(a_tool(count), config={})

        assert counted(board)["result"] == 1


def test_news_of_a_store_are_told_to_a_later_board_too(tmp_path, caplog):
    SqliteStore(tmp_path / "state.db").close()
    (tmp_path / "state.db").write_bytes(b"no store")
    store = SqliteStore(tmp_path / "state.db")
    with Board(state_store=store) as board:
        (aside,) = board.status()["state_store"]["set_aside"]
    store.close()

    assert aside["why"] in caplog.text
