"""The state that `get_tool_schemas` leaves: what a tool begins with, and never more than that, in a thread as in a host."""

from __future__ import annotations

import json

import pytest
from boards import QUICK, add_node
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.candidate import ProgramVersion
from callboard.actors.hosting.reload_progress import ReloadRefused
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.reload.policy import ReloadPolicy
from callboard.actors.reload.reload import reload
from callboard.actors.state.store import MemoryStore, Saved
from callboard.base.errors import PluginError
from callboard.hosts.python.runner.origin import origin_of
from callboard.hosts.python.tool import PythonToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.errors import UnknownChild
from leaks import TEST_MARK
from memory_hosts import PATIENCE, MemoryHost, memory_board
from tools import schema, tool_call

SEEN = {"init": 1, "asked": 1}
"""What init made, after its tools were asked for."""


class Remembering:
    """A plugin that notes in its state that it was asked for its schemas, and answers with that state."""

    name = "tool"

    def init(self, config):
        return {"init": 1}

    def get_tool_schemas(self, state):
        state["asked"] = state.get("asked", 0) + 1
        return [schema("tool")]

    def execute_tool(self, tool_name, arguments, state):
        state["ran"] = state.get("ran", 0) + 1
        return {"success": True, "result": dict(state)}


class Preparing(Remembering):
    """One that notes its preparation, too."""

    def prepare(self, config, state):
        state["prepared"] = True
        return {}


class Keeping(Remembering):
    """One that keeps hold of its state, and changes it behind everybody's back."""

    def get_tool_schemas(self, state):
        self.state = state
        return super().get_tool_schemas(state)

    def execute_tool(self, tool_name, arguments, state):
        self.state["meddled"] = True
        return super().execute_tool(tool_name, arguments, state)


def put(board, kind, where):
    """Put a plugin on a board: in a thread, or in a real Python host."""
    if where == "thread":
        board.add(PluginAdapter(kind()), config={})
        return
    plugin = PythonToolPlugin("tool", origin_of(kind), env=TEST_MARK)
    board.begin_hosted(PluginAdapter(plugin), plugin, host=HostSettings({}), policy=QUICK)
    board.settle_hosted("tool", required=True)


def answered(board):
    return board.submit(tool_call("tool")).result(PATIENCE)["result"]


def version(board):
    return board.status()["plugins"]["tool"]["state_version"]


WHERE = pytest.mark.parametrize("where", ["thread", "host"])


@WHERE
@pytest.mark.parametrize("stored", [False, True])
def test_the_state_of_the_schemas_is_what_the_first_call_is_given(where, stored):
    store = MemoryStore() if stored else None
    with Board(state_store=store) as board:
        put(board, Remembering, where)
        saved_before = store.load("tool") if stored else None
        first = answered(board)

    assert first == {**SEEN, "ran": 1}
    assert saved_before is None  # nothing was kept without an answer


def test_the_state_of_the_preparation_is_kept_too_in_this_process():
    with Board() as board:
        put(board, Preparing, "thread")

        assert answered(board) == {**SEEN, "prepared": True, "ran": 1}


@WHERE
def test_a_state_from_a_store_is_not_replaced_and_not_saved_anew(where):
    store = MemoryStore()
    store.save("tool", Saved(b'{"stored":true}', 7, 1, "program"))
    with Board(state_store=store) as board:
        put(board, Remembering, where)
        before = version(board), store.load("tool")
        first = answered(board)

    assert before == (7, Saved(b'{"stored":true}', 7, 1, "program"))
    assert first == {"stored": True, "ran": 1}


@WHERE
def test_a_plugin_that_comes_back_goes_on_with_its_stored_state(where):
    store = MemoryStore()
    with Board(state_store=store) as board:
        put(board, Remembering, where)
        answered(board)
        board.remove("tool")
        kept = store.load("tool")
        put(board, Remembering, where)
        unchanged = store.load("tool") == kept

        assert answered(board) == {**SEEN, "ran": 2}
        assert unchanged


def test_a_restart_by_hand_keeps_the_committed_state_in_a_real_host():
    with Board() as board:
        put(board, Remembering, "host")
        answered(board)
        before = version(board)
        board.order("restart", "tool")
        again = answered(board)

        assert again == {**SEEN, "ran": 2}
        assert version(board) == before + 1


def test_a_plugin_of_this_process_has_nothing_to_be_restarted_or_reloaded_and_keeps_its_state():
    with Board() as board:
        put(board, Remembering, "thread")
        answered(board)
        with pytest.raises(UnknownChild):
            board.order("restart", "tool")
        with pytest.raises(ReloadRefused):
            reload(board, "tool", lambda _: None, policy=ReloadPolicy(), way_back=False)

        assert answered(board) == {**SEEN, "ran": 2}


def test_what_a_plugin_of_this_process_does_to_a_state_that_it_kept_is_nobodys_state():
    with Board() as board:
        put(board, Keeping, "thread")

        assert [answered(board), answered(board)] == [{**SEEN, "ran": 1}, {**SEEN, "ran": 2}]


@pytest.mark.parametrize(
    "spoil", [lambda state: state.update(odd=object()), lambda state: state.update(n=float("inf"))]
)
def test_a_plugin_of_this_process_that_makes_its_state_no_json_is_refused(spoil):
    class Spoiling(Remembering):
        def get_tool_schemas(self, state):
            spoil(state)
            return super().get_tool_schemas(state)

    with Board() as board:
        with pytest.raises(PluginError):
            put(board, Spoiling, "thread")
        with pytest.raises(PluginError):
            put(board, type("Late", (Spoiling, Preparing), {}), "thread")
        put(board, Remembering, "thread")

        assert answered(board) == {**SEEN, "ran": 1}


# In memory: every way in which a further generation comes up beside a committed state


class Talkative(MemoryHost):
    """A host each of whose generations says another state with its schemas."""

    def _carry(self, *given):
        generation = super()._carry(*given)
        number, say = len(self.generations), generation.answer

        def answer(request, value, state=None):
            schemas = request["method"] == "get_tool_schemas"
            say(request, value, {"schemas": number} if schemas else state)

        generation.answer = answer
        return generation


@pytest.fixture(params=[False, True], ids=["no store", "store"])
def memory(request):
    store = MemoryStore() if request.param else None
    with memory_board(state_store=store) as memory:
        memory.store = store
        yield memory


def add(memory, **host):
    plugin = Talkative("host", ("tool",))
    memory.board.begin_hosted(
        PluginAdapter(plugin.plugin),
        plugin.plugin,
        host=HostSettings({}, **host),
        policy=QUICK,
        settings=ToolSettings(deadline=None),
    )
    memory.board.settle_hosted("host", required=True)
    memory.ready()
    return plugin


def given(memory, host, answer_state=None):
    """The state that the next call is given."""
    call = memory.call()
    request = host.generation.request()
    host.generation.answer(request, {"success": True, "result": 1}, answer_state)
    assert call.result(PATIENCE)["success"]
    return request["params"]["state"]


def kept(memory):
    """What is committed, as version and as saved."""
    memory.settle()
    saved = memory.store and memory.store.load("host")
    return memory.status()["state_version"], saved


def in_restart(memory, host):
    memory.board.order("restart", "host")
    memory.ready(generation=2)


def in_crash(memory, host):
    host.generation.crash()
    memory.ready(generation=2)


def in_takeover(memory, host):
    memory.clock.advance(0.1)
    memory.events.wait("standby_ready")
    host.generations[0].crash()
    memory.ready(generation=2)


def in_reload(memory, host):
    done = reload(
        memory.board,
        "host",
        lambda _: ProgramVersion(host.plugin),
        policy=ReloadPolicy(),
        way_back=True,
        timeout=PATIENCE,
    )
    assert done.done, done.why


def in_refused_reload(memory, host):
    host.tools = ("other",)
    done = reload(
        memory.board,
        "host",
        lambda _: ProgramVersion(host.plugin),
        policy=ReloadPolicy(refuse=("removed",)),
        way_back=True,
        timeout=PATIENCE,
    )
    assert not done.done
    host.generations.pop()


@pytest.mark.parametrize("comes_up", [in_restart, in_crash, in_takeover, in_reload, in_refused_reload])
@pytest.mark.parametrize("answered_before", [True, False])
def test_a_further_generation_replaces_no_committed_state(memory, comes_up, answered_before):
    host = add(memory, standby=comes_up is in_takeover)
    state = {"schemas": 1}
    if answered_before:
        assert given(memory, host, {"answered": 1}) == state
        state = {"answered": 1}
    before = kept(memory)

    comes_up(memory, host)

    assert kept(memory) == before
    assert given(memory, host) == state
    assert kept(memory) == before


def test_a_generation_that_crashed_before_it_was_ready_leaves_no_state(memory):
    host = Talkative("host", ("tool",))
    host.opened.clear()
    memory.board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=HostSettings({}), policy=QUICK)
    host.opened.set()
    memory.board.settle_hosted("host", required=True)

    assert given(memory, host) == {"schemas": len(host.generations)}


@pytest.mark.parametrize("state", ['{"n":1e999}', '{"a":' * 260 + "1" + "}" * 260])
def test_schemas_with_a_state_that_cannot_be_sent_keep_the_plugin_out(state):
    class Unfit(MemoryHost):
        def _carry(self, *given):
            generation = super()._carry(*given)
            say = generation.answer

            def answer(request, value, state=None, unfit=state):
                if request["method"] != "get_tool_schemas":
                    return say(request, value, state)
                said = f'{{"value":{json.dumps(value)},"state":{unfit}}}'
                line = f'{{"v":1,"id":"{request["id"]}","ok":true,"result":{said}}}\n'
                return generation._listener.on_output(line.encode())

            generation.answer = answer
            return generation

    with memory_board() as memory:
        host = Unfit("host", ("tool",))
        memory.board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=HostSettings({}))

        with pytest.raises(PluginError):
            memory.board.settle_hosted("host", required=True)


def test_a_node_tool_keeps_what_it_does_to_its_state_as_its_schemas_are_asked_for(tmp_path):
    module = tmp_path / "asked.mjs"
    module.write_text(
        """export default {
          name: 'asked',
          init: () => ({ init: 1 }),
          getToolSchemas(state) {
            state.asked = (state.asked ?? 0) + 1;
            return [{ type: 'function', function: { name: 'tool', parameters: { type: 'object' } } }];
          },
          executeTool(name, args, state) { return { success: true, result: { ...state } }; },
        };"""
    )
    with Board() as board:
        add_node(board, module, name="asked")

        assert answered(board) == SEEN
