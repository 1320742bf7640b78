"""The digest of a step and of a plan says what code comes and is run, and nothing else."""

from __future__ import annotations

import dataclasses

import pytest
from callboard.hosts.packages.consent import Step, digest_of, git_step, locked_packages, pip_step
from callboard.plugins.sources.node_source import NodeGitSource
from callboard.trust.load_plan import Plan, PlannedPlugin
from hypothesis import given
from hypothesis import strategies as st

SOURCE = NodeGitSource("https://example.com/a.git", "main")
MAY = {"install": True, "build": True, "scripts": False}
COMMIT = "a" * 40

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_the_digest_is_the_same_in_whatever_order_keys_stand(value):
    assert digest_of(value) == digest_of(dict(reversed(value.items())))


@given(st.lists(st.sampled_from("abcdef"), unique=True))
def test_the_digest_of_a_plan_is_that_of_its_steps_in_any_order(names):
    planned = [PlannedPlugin(name, (Step("git", {"url": name}, {}),)) for name in names]

    assert Plan(tuple(planned)).digest == Plan(tuple(reversed(planned))).digest


@pytest.mark.parametrize(
    ("other", "commit", "may"),
    [
        (dataclasses.replace(SOURCE, url="https://example.com/b.git"), COMMIT, MAY),
        (dataclasses.replace(SOURCE, submodules=True), COMMIT, MAY),
        (SOURCE, "b" * 40, MAY),
        (SOURCE, COMMIT, MAY | {"scripts": True}),
    ],
    ids=["address", "submodules", "commit", "install scripts"],
)
def test_what_brings_other_code_has_another_digest(other, commit, may):
    assert git_step(other, commit, **may).digest != git_step(SOURCE, COMMIT, **MAY).digest


def test_what_code_runs_in_is_part_of_the_digest_and_no_sandbox_leaves_it_as_it_was():
    sandboxed = git_step(SOURCE, COMMIT, **MAY, conditions={"run": {"kind": "bwrap"}})
    free = git_step(SOURCE, COMMIT, **MAY)

    assert sandboxed.digest != sandboxed.code_digest == free.code_digest == free.digest


def test_the_name_of_a_branch_and_a_token_in_the_address_are_no_part_of_the_digest():
    with_token = NodeGitSource("https://user:secret@example.com/a.git", "main")
    renewed = NodeGitSource("https://user:other@example.com/a.git", "release")

    steps = [git_step(each, COMMIT, **MAY) for each in (with_token, renewed)]

    assert steps[0].digest == steps[1].digest
    assert "secret" not in str(steps[0].as_json())


def test_requirements_have_the_digest_of_their_texts_and_files():
    one = pip_step(["a==1"], [], [], builds=False, folder="/a")

    assert one.digest == pip_step(["a==1"], [], [], builds=False, folder="/b").digest
    assert one.digest != pip_step(["a==2"], [], [], builds=False, folder="/a").digest
    assert one.digest != pip_step(["a==1"], [], ["/w.whl 00"], builds=False, folder="/a").digest
    assert one.digest != pip_step(["a==1"], [], [], builds=True, folder="/a").digest


@given(st.binary() | JSON.map(lambda value: str(value).encode("utf-8", "replace")))
def test_a_lock_file_of_any_content_is_listed_or_not(content):
    assert isinstance(locked_packages(content), list)


def test_a_lock_file_tells_versions_and_hashes():
    lock = b'{"packages": {"": {}, "node_modules/@a/b": {"version": "1.2.3", "integrity": "sha512-x"}}}'

    assert locked_packages(lock) == ["@a/b@1.2.3 sha512-x"]
