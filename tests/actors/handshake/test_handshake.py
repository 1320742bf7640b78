"""How plugins come into one generation of a host: what is asked when, and what of one touches another."""

from __future__ import annotations

from callboard.actors.handshake.handshake import Ask, Fault, Handshake, LoadingPlugin, Refusal
from hypothesis import given
from hypothesis import strategies as st

SCHEMAS = [{"name": "tool"}]


def loading_plugin(name: str) -> LoadingPlugin:
    return LoadingPlugin(name, {"of": name}, {"entry": name})


def house(*names: str, one_by_one: bool = False) -> tuple[Handshake, list[Ask]]:
    moving = Handshake(one_by_one=one_by_one)
    return moving, [ask for name in names for ask in moving.add(loading_plugin(name))]


def asked(asks: list[Ask]) -> list[tuple[str, str]]:
    return [(ask.plugin, ask.method) for ask in asks]


def come_in(moving: Handshake, name: str) -> list[Ask]:
    moving.answered(name, "load", None, None)
    moving.answered(name, "init", {"n": 0}, None)
    return moving.answered(name, "get_tool_schemas", SCHEMAS, None)


def test_one_that_has_its_host_for_itself_is_loaded_by_nobody():
    moving = Handshake()

    asks = moving.add(LoadingPlugin("alone", {"key": 1}))

    assert asks == [Ask("alone", "init", {"config": {"key": 1}})]


def test_everything_that_can_be_asked_is_asked_at_once():
    _, asks = house("a", "b")

    assert asked(asks) == [("a", "load"), ("a", "init"), ("b", "load"), ("b", "init")]


def test_a_host_is_loading_until_it_has_answered_that_for_everyone():
    moving, _ = house("a", "b", "c")
    loading = [moving.is_loading]

    for end in (
        lambda: moving.answered("a", "load", None, None),
        lambda: moving.refused("b", "load", "no such file", permanent=True),
        lambda: moving.unload("c"),
    ):
        end()
        loading.append(moving.is_loading)

    assert loading == [True, True, True, False]


def test_schemas_are_asked_with_the_state_that_init_returned():
    moving, _ = house("a")
    moving.answered("a", "load", None, None)

    assert moving.answered("a", "init", {"old": 1}, {"n": 1}) == [
        Ask("a", "get_tool_schemas", {"state": {"n": 1}})
    ]


def test_one_by_one_the_next_is_asked_when_the_one_before_is_in_or_out():
    moving, asks = house("a", "b", "c", one_by_one=True)

    assert asked(asks) == [("a", "load"), ("a", "init")]
    assert asked(come_in(moving, "a")) == [("b", "load"), ("b", "init")]
    assert asked(moving.refused("b", "load", "no such file", permanent=True)) == [
        ("c", "load"),
        ("c", "init"),
    ]


def test_a_plugin_that_cannot_be_loaded_is_out_alone_and_later_answers_for_it_change_nothing():
    moving, _ = house("a", "b")

    moving.refused("a", "load", "no such file", permanent=True)
    moving.refused("a", "init", "it is not loaded", permanent=False)
    come_in(moving, "b")

    assert moving.refusals == {"a": Refusal("loading it failed: no such file", permanent=True)}
    assert list(moving.loaded) == ["b"]
    assert moving.settled


def test_schemas_that_are_no_list_of_objects_put_a_plugin_out():
    moving, _ = house("a")
    moving.answered("a", "load", None, None)
    moving.answered("a", "init", {}, None)

    moving.answered("a", "get_tool_schemas", "none", None)

    assert "not with a list of objects" in moving.refusals["a"].cause


def test_if_nobody_is_in_each_says_why_and_it_is_permanent_if_it_is_for_all():
    moving, _ = house("a", "b")
    moving.refused("a", "load", "no such file", permanent=True)
    moving.refused("b", "init", "no key", permanent=False)

    assert moving.failure() == Refusal(
        "plugin 'a': loading it failed: no such file; plugin 'b': init failed: no key", permanent=False
    )


def test_of_the_faults_of_all_each_plugin_tells_its_own():
    fault = Fault("plugin 'a': no file; plugin 'b': no key", "no key")

    assert (
        fault.told_in("it cannot start: plugin 'a': no file; plugin 'b': no key") == "it cannot start: no key"
    )
    assert fault.told_in("the board was stopped") == "the board was stopped"
    assert Fault().told_in("the board was stopped") == "the board was stopped"
    assert not Fault().is_part_of("the board was stopped")


def test_one_that_is_overdue_is_out_and_the_host_still_owes_its_answer():
    moving, _ = house("a", "b")
    come_in(moving, "b")

    moving.overdue("a", 10.0)

    assert moving.refusals["a"].cause == "it was not ready within 10 s"
    assert moving.unanswered == ["a"]


def test_of_one_that_is_gone_nothing_matters_and_it_can_come_again():
    moving, _ = house("a", "b", one_by_one=True)

    assert asked(moving.unload("a")) == [("b", "load"), ("b", "init")]
    assert moving.unanswered == ["b"]
    come_in(moving, "b")
    assert asked(moving.add(loading_plugin("a"))) == [("a", "load"), ("a", "init")]


@given(st.booleans(), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=60))
def test_whatever_is_answered_all_who_are_asked_to_the_end_are_either_in_or_out(one_by_one, steps):
    """Requests are answered in any order, well or badly; nobody is asked twice, lost, or in two places."""
    names = ("a", "b", "c", "d")
    moving, waiting = house(*names, one_by_one=one_by_one)
    seen = list(waiting)

    def answer(ask: Ask, how: int) -> None:
        if how == 0:
            more = moving.refused(ask.plugin, ask.method, "no", permanent=False)
        elif how == 1 and not moving.settled:
            more = moving.overdue(ask.plugin, 1.0)
        else:
            more = moving.answered(ask.plugin, ask.method, [] if "schemas" in ask.method else {}, None)
        waiting.extend(more)
        seen.extend(more)

    for which, how in steps:
        if waiting:
            answer(waiting.pop(which % len(waiting)), how)
    while waiting:
        answer(waiting.pop(0), 4)

    assert moving.settled
    assert {*moving.loaded} | {*moving.refusals} == {*names}
    assert not {*moving.loaded} & {*moving.refusals}
    assert len(asked(seen)) == len({*asked(seen)})


def test_one_that_prepares_is_asked_for_its_schemas_with_what_it_has_prepared():
    moving, _ = house("a")
    moving.answered("a", "load", None, None)

    first = moving.answered("a", "init", {"n": 1}, None, prepares=True)
    at_it = moving.prepares("a")
    then = moving.answered("a", "prepare", {"index": 3}, {"n": 2})
    moving.answered("a", "get_tool_schemas", SCHEMAS, None)

    assert first == [Ask("a", "prepare", {"config": {"of": "a"}, "state": {"n": 1}})]
    assert at_it
    assert then == [Ask("a", "get_tool_schemas", {"state": {"n": 1}, "prepared": {"index": 3}})]
    assert not moving.prepares("a")
    assert moving.loaded["a"].prepared == {"index": 3}


def test_a_preparation_that_comes_to_nothing_is_no_better_in_the_next_generation():
    moving, _ = house("raises", "hangs", "answers")
    for name in ("raises", "hangs", "answers"):
        moving.answered(name, "init", {}, None, prepares=True)

    moving.refused("raises", "prepare", "Error: no disk", permanent=False)
    moving.overdue("hangs", 60.0)
    moving.answered("answers", "prepare", "text", None)

    assert moving.refusals == {
        "raises": Refusal("preparing it failed: Error: no disk", True),
        "hangs": Refusal("preparing it took more than 60 s", True),
        "answers": Refusal("prepare answered with str, not with an object", True),
    }
