"""How a method wants to be called is read once from its signature, and then it is called that way."""

from __future__ import annotations

import functools
import inspect
from types import FunctionType

import pytest
from callboard.plugins import ContractError
from callboard.plugins.contract.hook_table import HOOKS
from callboard.plugins.contract.invocation import Invocation, compile_call, compile_hook
from callboard.plugins.contract.signatures import plan_call
from hypothesis import given
from hypothesis import strategies as st

FULL = Invocation(
    tool_name="echo",
    payload={"value": 1},
    payload_kind="object",
    payload_format="json",
    payload_metadata={"m": 1},
    tool_call={"id": "call_1"},
    tool_schema={"name": "echo"},
    prepared={"p": 1},
    context={"core": None},
)
FACTS = (
    "payload_kind",
    "payload_format",
    "payload_metadata",
    "tool_call",
    "tool_schema",
    "prepared",
    "context",
)
EXECUTE = HOOKS["execute_tool"]


def got(method, hook=EXECUTE):
    return compile_call(method, hook, plugin="p").call(FULL, {"s": 1})


def keyword_only(names, variadic):
    """A method that takes these keywords and answers what it was given."""
    parameters = "".join(f", {name}='absent'" for name in names)
    star = ", *" if names else ""
    rest = ", **rest" if variadic else ""
    answer = ", ".join(f"{name}={name}" for name in names)
    source = f"def method(tool_name, payload, state{star}{parameters}{rest}): return dict({answer})"
    if variadic:
        source = source.replace("dict(", "dict(rest, ")
    namespace: dict = {}
    exec(source, namespace)
    return namespace["method"]


@given(
    st.permutations(FACTS).flatmap(lambda names: st.integers(0, 7).map(lambda n: names[:n])), st.booleans()
)
def test_a_method_is_given_the_facts_that_it_names_and_no_others(names, variadic):
    facts = got(keyword_only(names, variadic))

    expected = set(names) | (set(EXECUTE.keywords) if variadic else set())
    assert facts == {name: getattr(FULL, name) for name in expected}


def test_payload_and_state_go_by_position_whatever_they_are_called():
    assert got(lambda a, b, c, /: (a, b, c)) == ("echo", {"value": 1}, {"s": 1})
    assert got(lambda *values: values) == ("echo", {"value": 1}, {"s": 1})
    assert got(lambda name, *rest: (name, rest)) == ("echo", ({"value": 1}, {"s": 1}))


def test_a_fact_may_be_asked_for_by_position_after_the_state():
    def method(tool_name, payload, state, prepared=None, context=None):
        return prepared, context

    assert got(method) == ({"p": 1}, {"core": None})


def test_a_parameter_of_its_own_keeps_its_default():
    assert got(lambda tool_name, payload, state, retries=3: retries) == 3
    assert got(lambda tool_name, payload, state, *, retries=3: retries) == 3


def test_a_variadic_parameter_that_bears_the_name_of_a_fact_is_still_variadic():
    assert got(lambda tool_name, payload, state, **context: sorted(context)) == sorted(EXECUTE.keywords)


def test_what_a_forwarding_wrapper_gets_is_what_the_contract_lists():
    def forward(tool_name, payload, state, **facts):
        return set(facts)

    assert got(forward, HOOKS["execute_tool"]) == set(FACTS) - {"tool_schema"}
    assert got(forward, HOOKS["can_handle_tool_call"]) == set(FACTS) - {"context"}
    assert got(forward, HOOKS["format_tool_call_preview"]) == set(FACTS) - {"context", "tool_schema"}


def test_a_decorated_method_is_called_as_what_it_decorates():
    def method(tool_name, payload, state, *, prepared=None):
        return prepared

    @functools.wraps(method)
    def wrapper(*values, **facts):
        return method(*values, **facts)

    assert got(wrapper) == {"p": 1}


def test_a_decorator_that_adds_an_argument_is_called_as_itself():
    def method(client, tool_name, payload, state, *, context=None):
        return client, tool_name, context

    @functools.wraps(method)
    def with_client(tool_name, payload, state, **facts):
        return method("client", tool_name, payload, state, context=facts["context"])

    assert got(with_client) == ("client", "echo", {"core": None})


def test_a_partial_gets_what_is_left_to_give():
    def method(client, tool_name, payload, state, *, context=None, prepared=None):
        return client, context, prepared

    assert got(functools.partial(method, "client", context="bound")) == ("client", "bound", {"p": 1})


def test_a_partial_of_a_variadic_method_keeps_what_was_bound():
    def method(tool_name, payload, state, **facts):
        return facts["context"]

    assert got(functools.partial(method, context="bound")) == "bound"


class Tool:
    def bound(self, tool_name, payload, state, *, prepared=None):
        return prepared

    @staticmethod
    def static(tool_name, payload, state, *, prepared=None):
        return prepared

    @classmethod
    def of_class(cls, tool_name, payload, state, *, prepared=None):
        return prepared

    def __call__(self, tool_name, payload, state, *, prepared=None):
        return prepared

    partial = functools.partialmethod(bound)


@pytest.mark.parametrize(
    "method", [Tool().bound, Tool.static, Tool().static, Tool.of_class, Tool(), Tool().partial]
)
def test_every_kind_of_callable_is_read(method):
    assert got(method) == {"p": 1}


def four(tool_name, payload, state, more):
    """Cannot be called by the contract as it is."""


class Four:
    def bound(self, tool_name, payload, state):
        """Can be, once it is bound."""


def with_default():
    return FunctionType(four.__code__, {}, "four", (1,))


def with_keyword_default():
    def five(tool_name, payload, state, *, more):
        """Cannot be called either."""

    five.__kwdefaults__ = {"more": 1}
    return five


def showing_another():
    def other(*values):
        """Shows what it stands for."""

    other.__signature__ = inspect.signature(three)
    return other


def three(tool_name, payload, state):
    """Can be called."""


def rewritten():
    def function(tool_name, payload, state, more):
        """Is given other code."""

    with pytest.raises(ContractError):
        plan_call(function, EXECUTE, plugin="p")
    function.__code__ = three.__code__
    return function


@pytest.mark.parametrize("refused", [four, Four.bound], ids=lambda method: method.__name__)
@pytest.mark.parametrize(
    "made", [with_default, with_keyword_default, showing_another, rewritten, lambda: Four().bound]
)
def test_what_is_known_of_one_method_is_not_taken_for_another_of_the_same_text(made, refused):
    for _ in range(2):
        assert plan_call(made(), EXECUTE, plugin="p").positional == 3
        with pytest.raises(ContractError):
            plan_call(refused, EXECUTE, plugin="p")


def test_the_methods_of_many_plugins_of_one_class_are_read_once(monkeypatch):
    read = []
    look = inspect.signature
    monkeypatch.setattr(inspect, "signature", lambda *args, **named: read.append(1) or look(*args, **named))

    class Plugin:
        def execute_tool(self, tool_name, payload, state):
            """Has code of its own."""

    plans = {plan_call(Plugin().execute_tool, EXECUTE, plugin=f"p{number}") for number in range(10)}

    assert len(plans) == 1
    assert len(read) == 2  # as it shows itself, and as it is


def test_a_builtin_without_a_signature_is_called_with_the_positional_values():
    plan = plan_call(type, EXECUTE, plugin="p")

    assert (plan.positional, plan.keywords, plan.legacy) == (3, (), False)


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        (lambda: None, "it takes 0 positional arguments, not 3"),
        (lambda tool_name, payload: None, "it takes 2 positional arguments, not 3"),
        (lambda tool_name, payload, state, client: None, "it requires 'client'"),
        (lambda tool_name, payload, state, *, client: None, "it requires 'client'"),
        (lambda tool_name, payload_kind, state: None, "it takes 2 positional arguments, not 3"),
    ],
)
def test_a_method_that_cannot_be_called_by_the_contract_is_refused_at_once(method, reason):
    with pytest.raises(ContractError) as caught:
        compile_call(method, EXECUTE, plugin="broken")

    assert reason in str(caught.value)
    said = str(caught.value)
    assert "cannot be called as execute_tool(tool_name, payload, state, *, payload_kind" in said
    assert "tool_schema, key)" in said
    assert caught.value.plugin == "broken"


@pytest.mark.parametrize(
    ("method", "legacy"),
    [
        (lambda tool_name, arguments, state: None, True),
        (lambda name, args, state, *, context=None: None, True),
        (lambda tool_name, payload, state: None, False),
        (lambda tool_name, data, state, *, payload_kind=None: None, False),
        (lambda tool_name, data, state, **facts: None, False),
        (lambda *values: None, False),
    ],
)
def test_a_method_that_cannot_learn_of_payload_kinds_is_only_given_objects(method, legacy):
    call = compile_call(method, EXECUTE, plugin="p")

    assert call.legacy is legacy
    assert call.takes(FULL)
    assert call.takes(Invocation("echo", "raw text", "text")) is not legacy
    assert call.takes(Invocation("echo", [1], "json")) is not legacy


def test_other_hooks_get_as_many_values_as_they_take():
    tags = HOOKS["get_tags"]

    assert compile_hook(lambda: "none", tags, plugin="p")({"c": 1}, []) == "none"
    assert compile_hook(lambda config: config, tags, plugin="p")({"c": 1}, []) == {"c": 1}
    assert compile_hook(lambda config, models: models, tags, plugin="p")({"c": 1}, ["m"]) == ["m"]


def test_other_hooks_get_the_keywords_that_they_name():
    schemas = HOOKS["get_tool_schemas"]

    assert compile_hook(lambda state: state, schemas, plugin="p")("s", prepared="p") == "s"
    assert compile_hook(lambda state, prepared: prepared, schemas, plugin="p")("s", prepared="p") == "p"
    assert (
        compile_hook(lambda state, *, prepared=None: prepared, schemas, plugin="p")("s", prepared="p") == "p"
    )
    assert compile_hook(lambda prepared: prepared, schemas, plugin="p")("s", prepared="p") == "p"
    assert compile_hook(lambda **facts: facts, schemas, plugin="p")("s", prepared="p") == {"prepared": "p"}
