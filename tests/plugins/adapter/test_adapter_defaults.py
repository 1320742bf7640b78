"""An adapter has every hook, with a default where the plugin has none, and holds answers to their shape."""

from __future__ import annotations

import pytest
from callboard.plugins import ContractError, HookError, PluginLoadError
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.invocation import Invocation
from plugin_tools import CALL, GOOD, adapted, plugin


def run(tool_name, payload, state):
    return GOOD


def broken(*values, **facts):
    raise ValueError("broken")


async def late(*values, **facts):
    return None


class Nameless:
    def execute_tool(self, tool_name, payload, state):
        return GOOD


ASK = {
    "init": lambda adapter: adapter.init({"c": 1}),
    "get_tool_schemas": lambda adapter: adapter.schemas({}),
    "get_tool_interop_contribution": lambda adapter: adapter.interop_contribution({}),
    "can_handle_tool_call": lambda adapter: adapter.claim(CALL, {}),
    "get_config_schema": lambda adapter: adapter.get_config_schema(),
    "get_ui_elements": lambda adapter: adapter.get_ui_elements(),
    "get_tags": lambda adapter: adapter.get_tags({}, []),
    "required_tags": lambda adapter: adapter.required_tags(),
    "forbidden_tags": lambda adapter: adapter.forbidden_tags(),
    "is_enabled": lambda adapter: adapter.is_enabled({}, [], [], {}),
}
DEFAULT = {
    "init": {},
    "get_tool_schemas": [],
    "get_tool_interop_contribution": None,
    "can_handle_tool_call": None,
    "get_config_schema": None,
    "get_ui_elements": [],
    "get_tags": [],
    "required_tags": [],
    "forbidden_tags": [],
    "is_enabled": True,
}
GOOD_ANSWER = {
    "init": {"n": 1},
    "get_tool_schemas": [{"type": "function"}],
    "get_tool_interop_contribution": object(),
    "can_handle_tool_call": False,
    "get_config_schema": {"type": "object"},
    "get_ui_elements": [{"kind": "box"}],
    "get_tags": ["a"],
    "required_tags": ["a"],
    "forbidden_tags": ["a"],
    "is_enabled": False,
}
WRONG_ANSWER = {
    "init": ([1], "init has to return an object; it returned a list"),
    "get_tool_schemas": (
        {"type": "function"},
        "get_tool_schemas has to return a list of objects; it returned a dict",
    ),
    "can_handle_tool_call": (1, "can_handle_tool_call has to return true, false or None; it returned an int"),
    "get_config_schema": ("x", "get_config_schema has to return an object; it returned a str"),
    "get_ui_elements": ([{}, None], "a list of objects; it returned a list with a NoneType at 1"),
    "get_tags": ("abc", "get_tags has to return a list of strings; it returned a str"),
    "required_tags": ([1], "a list of strings; it returned a list with an int at 0"),
    "forbidden_tags": ({"a"}, "forbidden_tags has to return a list of strings; it returned a set"),
    "is_enabled": ("yes", "is_enabled has to return true, false or None; it returned a str"),
}


@pytest.mark.parametrize("hook", ASK)
def test_a_hook_that_is_left_out_has_its_default(hook):
    assert ASK[hook](adapted()) == DEFAULT[hook]


@pytest.mark.parametrize("hook", ASK)
def test_a_hook_without_an_opinion_has_its_default(hook):
    assert ASK[hook](adapted(**{hook: lambda *values, **facts: None})) == DEFAULT[hook]


@pytest.mark.parametrize("hook", ASK)
def test_a_hooks_answer_is_handed_on(hook):
    assert ASK[hook](adapted(**{hook: lambda *values, **facts: GOOD_ANSWER[hook]})) == GOOD_ANSWER[hook]


@pytest.mark.parametrize("hook", WRONG_ANSWER)
def test_an_answer_of_the_wrong_shape_is_refused_by_name(hook):
    answer, problem = WRONG_ANSWER[hook]

    with pytest.raises(ContractError) as caught:
        ASK[hook](adapted(**{hook: lambda *values, **facts: answer}))

    assert problem in str(caught.value)
    assert caught.value.plugin == "tool"


@pytest.mark.parametrize("hook", ASK)
def test_a_hook_that_raises_is_named_with_its_plugin(hook):
    with pytest.raises(HookError, match=f"plugin 'tool': {hook} raised ValueError: broken") as caught:
        ASK[hook](adapted(**{hook: broken}))

    assert (caught.value.plugin, caught.value.hook) == ("tool", hook)
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("hook", ASK)
def test_a_hook_that_has_to_answer_at_once_cannot_be_asynchronous(hook):
    with pytest.raises(ContractError, match=f"{hook} is asynchronous; it has to answer at once"):
        adapted(**{hook: late})


@pytest.mark.parametrize("hook", ASK)
def test_a_hook_that_turns_out_to_be_asynchronous_is_refused(hook):
    with pytest.raises(ContractError, match=f"{hook} answered with something to await"):
        ASK[hook](adapted(**{hook: lambda *values, **facts: late()}))


@pytest.mark.parametrize("hook", ["init", "get_tool_schemas", "get_config_schema", "get_ui_elements"])
def test_an_answer_that_is_not_json_is_refused_at_its_path(hook):
    inner = {"when": {1}}
    answer = [inner] if isinstance(GOOD_ANSWER[hook], list) else inner

    with pytest.raises(ContractError) as caught:
        ASK[hook](adapted(**{hook: lambda *values, **facts: answer}))

    assert f"the answer of {hook} is not JSON: {hook}" in str(caught.value)
    assert ".when is of type set" in str(caught.value)


@pytest.mark.parametrize(
    "hook", ["init", "get_tool_schemas", "get_config_schema", "get_ui_elements", "get_tags"]
)
def test_an_answer_is_copied(hook):
    answer = GOOD_ANSWER[hook]

    assert ASK[hook](adapted(**{hook: lambda *values, **facts: answer})) is not answer


def test_an_interop_contribution_is_not_looked_at():
    contribution = GOOD_ANSWER["get_tool_interop_contribution"]

    assert (
        adapted(get_tool_interop_contribution=lambda state: contribution).interop_contribution({})
        is contribution
    )


def test_schemas_may_come_as_a_tuple_and_depend_on_what_was_prepared():
    adapter = adapted(
        get_tool_schemas=lambda state, *, prepared=None: tuple((prepared or {}).get("schemas", ()))
    )

    assert adapter.schemas({}) == []
    assert adapter.schemas({}, {"schemas": [{"name": "a"}]}) == [{"name": "a"}]


def test_a_plugin_cannot_change_the_configuration_of_its_board():
    config = {"c": 1}

    adapted(init=lambda config: config.clear()).init(config)

    assert config == {"c": 1}


@pytest.mark.parametrize("answer", [True, False, None])
def test_a_claim_is_the_plugins_word(answer):
    adapter = adapted(can_handle_tool_call=lambda tool_name, payload, state: answer)

    assert adapter.has_claim
    assert adapter.claim(CALL, {}) is answer


def test_without_the_hook_there_is_no_claim():
    assert not adapted().has_claim


def test_a_claim_of_the_older_contract_has_no_opinion_about_text():
    adapter = adapted(
        can_handle_tool_call=lambda tool_name, arguments, state: arguments.get("value") == "hello"
    )

    assert adapter.claim(CALL, {}) is True
    assert adapter.claim(Invocation("echo", "raw", "text"), {}) is None


def test_a_claim_may_look_at_call_and_schema():
    def can_handle_tool_call(tool_name, payload, state, *, tool_call=None, tool_schema=None, prepared=None):
        return tool_call == {"id": "1"} and tool_schema == {"name": "echo"} and prepared is None

    call = Invocation("echo", {}, "object", tool_call={"id": "1"}, tool_schema={"name": "echo"})

    assert adapted(can_handle_tool_call=can_handle_tool_call).claim(call, {}) is True


def test_a_name_given_goes_before_the_plugins_own_and_that_before_its_class():
    assert PluginAdapter(plugin(execute_tool=run), name="mine").name == "mine"
    assert PluginAdapter(plugin(execute_tool=run)).name == "tool"
    assert PluginAdapter(Nameless).name == "Nameless"


@pytest.mark.parametrize("name", [7, "", ["a"]])
def test_a_name_that_is_no_text_is_refused(name):
    wrong = Nameless()
    wrong.name = name

    with pytest.raises(ContractError, match="the name of plugin Nameless is"):
        PluginAdapter(wrong)


def test_a_version_is_text():
    assert PluginAdapter(Nameless).version == "0"
    assert PluginAdapter(plugin(execute_tool=run, version=2)).version == "2"


def test_the_plugin_stays_reachable():
    tool = Nameless()

    assert PluginAdapter(tool).plugin is tool
    assert repr(PluginAdapter(tool)) == "PluginAdapter('Nameless', version='0')"


def test_the_plugins_word_goes_before_its_tags():
    tags = {"required_tags": lambda: ["gpu"], "forbidden_tags": lambda: ["cpu"]}

    def enabled(answer, *in_force):
        return adapted(is_enabled=lambda *values: answer, **tags).is_enabled({}, in_force, [], {})

    assert enabled(True, "cpu") is True
    assert enabled(False, "gpu") is False
    assert enabled(None, "gpu") is True
    assert enabled(None, "gpu", "cpu") is False
    assert enabled(None) is False


def test_is_enabled_sees_all_that_there_is_to_see():
    seen = []
    adapter = adapted(is_enabled=lambda *values: seen.append(values))

    adapter.is_enabled({"model": "m"}, ("a",), [{"id": "m"}], {"core": None})

    assert seen == [({"model": "m"}, ["a"], [{"id": "m"}], {"core": None})]


class WithConfig(Nameless):
    def __init__(self, config):
        self.config = config


class WithOptionalConfig(Nameless):
    def __init__(self, *, verbose=False, config=None):
        self.config = config


class WithOneArgument(Nameless):
    def __init__(self, settings, /, verbose=False):
        self.config = settings


class WithConfigLast(Nameless):
    def __init__(self, verbose=False, config=None):
        self.config = config


@pytest.mark.parametrize("made", [WithConfig, WithOptionalConfig, WithOneArgument, WithConfigLast])
def test_a_class_that_takes_its_configuration_is_given_it(made):
    assert PluginAdapter(made, config={"c": 1}).plugin.config == {"c": 1}
    assert PluginAdapter(made).plugin.config == {}


def test_a_class_that_takes_nothing_is_given_nothing():
    class Flexible(Nameless):
        def __init__(self, *values, **facts):
            self.given = (values, facts)

    assert PluginAdapter(Nameless, config={"c": 1}).plugin
    assert PluginAdapter(Flexible, config={"c": 1}).plugin.given == ((), {})


def test_a_class_that_needs_more_is_refused_with_the_remedy():
    class Needy(Nameless):
        def __init__(self, client, config, *, token):
            raise AssertionError("never made")

    with pytest.raises(ContractError, match=r"requires client, token; .* Register an instance instead"):
        PluginAdapter(Needy)


def test_a_class_whose_constructor_raises_cannot_be_loaded():
    class Failing(Nameless):
        def __init__(self):
            raise OSError("no disk")

    with pytest.raises(PluginLoadError, match="making plugin Failing raised OSError: no disk"):
        PluginAdapter(Failing)


def test_an_object_of_no_known_shape_is_refused():
    with pytest.raises(ContractError, match="object is no tool plugin"):
        PluginAdapter(object())


def test_a_class_that_hides_its_signature_is_given_nothing():
    with pytest.raises(ContractError, match="dict is no tool plugin"):
        PluginAdapter(dict, config={"c": 1})
