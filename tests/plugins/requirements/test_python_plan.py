"""Where a Python package runs follows from what it needs and what is wanted of it."""

from __future__ import annotations

import pytest
from callboard.plugins.requirements.python_plan import NeedsFacts, Place, Refused, Run, plan_python

MET, UNMET, NOTHING = NeedsFacts(needs=True), NeedsFacts(needs=True, unmet=("one", "two")), NeedsFacts()


def plan(facts, isolate=None, *, install=True, build=False):
    return plan_python(facts, isolate=isolate, may_install=install, may_build=build)


@pytest.mark.parametrize("install", [True, False])
@pytest.mark.parametrize(
    ("facts", "isolate", "place"),
    [
        (NOTHING, None, Place.HERE),
        (NOTHING, False, Place.HERE),
        (NOTHING, True, Place.HOST),
        (MET, None, Place.HERE),
        (MET, False, Place.HERE),
    ],
)
def test_what_needs_nothing_that_is_not_here_needs_no_environment(facts, isolate, place, install):
    assert plan(facts, isolate, install=install) == Run(place)


def test_what_is_isolated_gets_an_environment_if_that_may_be_made():
    assert plan(MET, True) == plan(UNMET, True) == Run(Place.ENVIRONMENT)
    assert plan(MET, True, install=False) == Run(Place.HOST)


def test_what_needs_more_than_is_here_is_isolated_by_itself_and_that_is_told():
    assert plan(UNMET) == Run(
        Place.ENVIRONMENT, "needs one, two, which this Python does not have: it runs in a host of its own"
    )


@pytest.mark.parametrize(
    ("facts", "options", "said"),
    [
        (UNMET, {"isolate": False}, "needs one, two, which this Python does not have; install it here, or leave out"),
        (UNMET, {"install": False}, "needs one, two, and 'python_install_deps' is off; install it here, or turn that on"),
        (UNMET, {"isolate": True, "install": False}, "'python_install_deps' is off"),
        (NeedsFacts(problem="needs Python 2"), {}, "needs Python 2"),
        (NeedsFacts(needs=True, unmet=("x.tar",), built=("x.tar",)), {}, "asks for what has to be built (x.tar), and"),
        (NeedsFacts(needs=True, unmet=("./x",), built=("./x",), folders=("./x",)), {"build": True}, "needs ./x, a folder,"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_ready_is_refused_with_what_to_do(facts, options, said):
    refused = plan(facts, **options)

    assert isinstance(refused, Refused)
    assert said in refused.problem


def test_what_has_to_be_built_is_built_where_it_may_be():
    facts = NeedsFacts(needs=True, unmet=("x.tar",), built=("x.tar",))

    assert plan(facts, True, build=True) == Run(Place.ENVIRONMENT)


def test_of_many_needs_the_first_are_named():
    refused = plan(NeedsFacts(needs=True, unmet=tuple("abcdefg")), install=False)

    assert isinstance(refused, Refused)
    assert refused.problem.startswith("needs a, b, c, d, e and 2 more, and")
