"""What is done to a package follows from what is known of it, by the tables."""

from __future__ import annotations

from itertools import product

import pytest
from callboard.plugins.sources.node_plan import AsItIs, Install, Make, Output, PackageFacts, Refused, plan

READY, OLDER, MISSING = Output.READY, Output.OLDER, Output.MISSING
BUILD = Make(None, for_build=True, build=True)
STALE = AsItIs("what its entries name is older than its sources, and 'node_build' is off")

BUILDING = [
    # output, has a build script, node_build, what is done
    (READY, False, False, AsItIs()),
    (READY, False, True, AsItIs()),
    (READY, True, False, AsItIs()),
    (READY, True, True, AsItIs()),
    (OLDER, True, True, BUILD),
    (OLDER, True, False, STALE),
    (MISSING, True, True, BUILD),
    (MISSING, False, True, AsItIs()),
    (MISSING, False, False, AsItIs()),
]


@pytest.mark.parametrize(("output", "builds", "may_build", "done"), BUILDING)
def test_a_build_is_run_where_it_is_missing_or_old(output, builds, may_build, done):
    assert plan(PackageFacts(output, builds=builds), may_install=True, may_build=may_build) == done


def test_a_package_that_is_not_built_and_may_not_be_is_refused():
    refused = plan(PackageFacts(MISSING, builds=True), may_install=True, may_build=False)

    assert refused == Refused("is not built, and 'node_build' is off; run npm run build there, or turn it on")


INSTALLING = [
    # unmet, has dependencies, is to be built, locked, what is done
    ((), False, False, False, AsItIs()),
    ((), True, False, False, AsItIs()),
    (("a",), True, False, False, Make(Install.INSTALL, for_build=False, build=False)),
    (("a",), True, False, True, Make(Install.CI, for_build=False, build=False)),
    ((), True, True, False, Make(Install.INSTALL, for_build=True, build=True)),
    ((), True, True, True, Make(Install.CI, for_build=True, build=True)),
    ((), False, True, True, BUILD),
]


@pytest.mark.parametrize(("unmet", "has", "build", "locked", "done"), INSTALLING)
def test_packages_are_installed_where_they_are_missing_and_for_a_build(unmet, has, build, locked, done):
    facts = PackageFacts(
        MISSING if build else READY, builds=build, locked=locked, has_dependencies=has, unmet=unmet
    )

    assert plan(facts, may_install=True, may_build=True) == done


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        (PackageFacts(unmet=("a", "b")), "needs a, b, and 'node_install_deps' is off"),
        (PackageFacts(unmet=tuple("abcdefg")), "needs a, b, c, d, e and 2 more, and"),
        (
            PackageFacts(MISSING, builds=True, has_dependencies=True),
            "needs packages to be built, and 'node_install_deps'",
        ),
    ],
)
def test_what_may_not_be_installed_is_refused_by_name(facts, problem):
    refused = plan(facts, may_install=False, may_build=True)

    assert isinstance(refused, Refused)
    assert refused.problem.startswith(problem)


def test_a_package_that_a_copy_could_not_find_is_installed_by_its_owner():
    facts = PackageFacts(unmet=("shared",), outside=("shared",), has_dependencies=True)

    refused = plan(facts, may_install=True, may_build=True)

    assert isinstance(refused, Refused)
    assert "depends on shared by a path that leads out of it" in refused.problem


EVERY = [
    PackageFacts(output, builds, locked, bool(unmet) or has, unmet, outside)
    for output, builds, locked, has, unmet, outside in product(
        Output, (True, False), (True, False), (True, False), ((), ("a",)), ((), ("b",))
    )
]


@pytest.mark.parametrize("may_install", [True, False])
@pytest.mark.parametrize("may_build", [True, False])
def test_nothing_is_done_that_the_policy_forbids(may_install, may_build):
    for facts in EVERY:
        done = plan(facts, may_install=may_install, may_build=may_build)

        if isinstance(done, Make):
            assert may_install or done.install is None
            assert may_build or not done.build
            assert done.install is not None or done.build
            assert not facts.outside


def test_what_is_made_has_all_that_was_missing():
    for facts in EVERY:
        done = plan(facts, may_install=True, may_build=True)

        if not isinstance(done, Refused):
            assert isinstance(done, Make) or not facts.unmet
            assert isinstance(done, Make) or not (facts.builds and facts.output is not READY)
