"""What is said of a value that was given and does not fit."""

from __future__ import annotations

import pytest
from callboard.base.validation import a_type


@pytest.mark.parametrize(
    ("value", "said"),
    [([], "a list"), (1, "an int"), (OSError(), "an OSError"), (UserWarning(), "a UserWarning")],
)
def test_a_type_is_told_with_its_article(value, said):
    assert a_type(value) == said
