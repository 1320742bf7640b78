from __future__ import annotations

import pytest
from callboard.base.suggestions import meant, nearest
from hypothesis import given
from hypothesis import strategies as st

LETTERS = [chr(n) for n in range(ord("A"), ord("A") + 26)]


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("confg", ["config", "name"], "did you mean 'config'?"),
        ("Decoder", ["decoder", "encoder"], "did you mean 'decoder'?"),
        ("echotool", ["EchoTool"], "did you mean 'EchoTool'?"),
        ("zzz", ["name", "config"], "known are config, name"),
        ("zzz", [], "there is none"),
        ("zzz", LETTERS, f"known are {', '.join(LETTERS[:20])} and 6 more"),
    ],
)
def test_a_hint_is_the_nearest_word_or_what_there_is(word, known, hint):
    assert meant(word, known) == hint


@given(st.text(min_size=1), st.lists(st.text()))
def test_a_known_word_is_always_the_nearest_but_for_its_case(word, others):
    hint = meant(word, [word, *others])

    assert hint.casefold() == f"did you mean {word!r}?".casefold()


def test_a_word_that_is_far_from_all_others_has_no_nearest():
    assert nearest("pant", ["paint", "print"]) == "paint"
    assert nearest("zzz", ["paint"]) is None
