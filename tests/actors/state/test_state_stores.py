"""The contract of state stores, held by each of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import MemoryStore, Saved, StateStore, StateStoreError, read_state
from callboard.base.json import dump_json
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST = Saved(b'{"count":1}', 1, 0)
SECOND = Saved(b'{"count":2}', 2, 3)


@pytest.fixture(params=["memory", "sqlite, normal", "sqlite, full"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    kind, _, synchronous = request.param.partition(", ")
    made = MemoryStore() if kind == "memory" else SqliteStore(tmp_path / "state.db", synchronous=synchronous)
    yield made
    made.close()


def test_a_plugin_that_never_saved_has_no_state(store):
    assert store.load("a") is None


def test_what_was_saved_last_is_loaded(store):
    store.save("a", FIRST)
    store.save("a", SECOND)

    assert store.load("a") == SECOND


def test_plugins_do_not_see_each_others_states(store):
    store.save("a", FIRST)
    store.save("b", SECOND)

    assert (store.load("a"), store.load("b")) == (FIRST, SECOND)
    assert store.status()["plugins"] == 2


def test_a_forgotten_state_is_gone_and_the_plugin_may_save_again(store):
    store.save("a", FIRST)

    store.forget("a")
    store.forget("never known")
    gone = store.load("a")
    store.save("a", SECOND)

    assert gone is None
    assert store.load("a") == SECOND


@pytest.mark.parametrize("name", ["", "ä/ö", "'; DROP TABLE state; --", "x" * 1000, "nul\0in it"])
def test_any_name_will_do(store, name):
    store.save(name, FIRST)

    assert store.load(name) == FIRST


def test_a_large_state_is_kept_whole(store):
    large = Saved(b'{"text":"' + b"x" * 5_000_000 + b'"}', 1, 1)

    store.save("a", large)

    assert store.load("a") == large


def test_many_threads_may_save_at_the_same_time(store):
    def count(plugin: str) -> None:
        for version in range(1, 101):
            store.save(plugin, Saved(b'{"n":%d}' % version, version, 1))

    threads = [threading.Thread(target=count, args=(f"p{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [store.load(f"p{number}") for number in range(8)] == [Saved(b'{"n":100}', 100, 1)] * 8


def test_a_store_may_be_closed_twice(store):
    store.close()
    store.close()


def test_a_file_has_what_was_saved_in_an_earlier_generation(tmp_path):
    with_rows = SqliteStore(tmp_path / "state.db")
    with_rows.save("a", FIRST)
    with_rows.save("b", SECOND)
    with_rows.save("gone", FIRST)
    with_rows.forget("gone")
    with_rows.close()

    again = SqliteStore(tmp_path / "state.db")

    assert (again.load("a"), again.load("b"), again.load("gone")) == (FIRST, SECOND, None)
    again.close()


def test_a_closed_file_takes_no_more_states(tmp_path):
    store = SqliteStore(tmp_path / "state.db")
    store.close()

    with pytest.raises(StateStoreError, match="has been closed"):
        store.save("a", FIRST)


@given(
    state=st.dictionaries(
        st.text(),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
    )
)
def test_a_state_is_read_as_it_was_written(state):
    assert read_state(dump_json(state)) == state


@pytest.mark.parametrize("text", [b"", b"[]", b"1", b"{", b"\xff", b'{"a":' * 100_000])
def test_what_is_no_object_is_no_state(text):
    with pytest.raises(ValueError, match=r"Expecting|is a|deeply|codec"):
        read_state(text)
