"""What a program gives Callboard, refused at once if it is something else: by name, with what was given and what is wanted.

What is wrong would come up later and elsewhere else, in a thread of ours, as an attribute that something lacks. A tool
call is none of this: whatever is wrong with it is its result. Nor is a configuration, whose errors have a path.

What is asked for each call is asked only of what is there: nothing is looked at for an argument that was left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, Final


def shown(value: Any) -> str:
    """A value as it is told in an error."""
    return f"{value!r:.60} of type {type(value).__name__}"


def a_type(value: Any) -> str:
    """The name of a value's type with its article: ``a list``, ``an int``."""
    name = type(value).__name__
    return f"{'an' if name[:1] in _VOWELS else 'a'} {name}"


_VOWELS = frozenset("aeioAEIO")  # no "u": the names that begin with it mostly sound as ``unit`` does


def is_text(value: Any) -> bool:
    """For `require_several`."""
    return isinstance(value, str)


def is_mapping(value: Any) -> bool:
    """For `require_several`."""
    return isinstance(value, Mapping)


def require(fits: bool, what: str, value: Any, wanted: str) -> None:
    """Raises `TypeError`: what was given does not fit.

    Args:
        fits: whether it does.
        what: what it is for, such as ``the board of a core``.
        value: what was given.
        wanted: what it has to be.
    """
    if not fits:
        raise TypeError(f"{what} is {shown(value)}; it has to be {wanted}")


def require_text(what: str, value: Any) -> None:
    """Raises `TypeError`: it is no text."""
    require(isinstance(value, str), what, value, "a text")


def require_callable(what: str, value: Any) -> None:
    """Raises `TypeError`: it cannot be called."""
    require(callable(value), what, value, "something that can be called")


def require_mapping(what: str, value: Any) -> None:
    """Raises `TypeError`: it is neither a mapping nor ``None``."""
    require(value is None or isinstance(value, Mapping), what, value, "a mapping")


def require_number(what: str, value: Any, wanted: str = "a number of seconds") -> None:
    """Raises `TypeError` or `ValueError`: it is no number."""
    require(isinstance(value, Real), what, value, wanted)
    try:
        unknown = math.isnan(value)
    except OverflowError:
        digits = math.floor(math.log10(int(abs(value)))) + 1
        raise ValueError(
            f"{what} is a number of {digits} digits; it has to be {wanted} that a float can hold"
        ) from None
    if unknown:
        raise ValueError(f"{what} is nan; it has to be {wanted}")


def require_seconds(what: str, value: Any) -> None:
    """Raises `TypeError` or `ValueError`: it is no number of seconds to wait."""
    require_number(what, value)
    if value < 0:
        raise ValueError(f"{what} is {value}; it has to be 0 or more seconds")


MOST_KEY: Final = 200
"""Characters of a call's key."""


def require_call_options(context: Any, deadline: Any, key: Any = None) -> None:
    """Raises `TypeError` or `ValueError`: what is given beside a call is none. A deadline may have passed."""
    if type(context) is not dict:  # an abstract class takes longer to ask
        require_mapping("context", context)
    if deadline is not None:
        require_number("deadline", deadline)
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= MOST_KEY and key.isprintable()):
        require(isinstance(key, str), "key", key, "a text")
        raise ValueError(f"key is {key!r:.60}; it has to be 1 to {MOST_KEY} characters that can be printed")


def require_several(what: str, values: Any, fits: Callable[[Any], bool], wanted: str) -> list[Any]:
    """Return them as a list.

    Raises:
        TypeError: they are a text, a mapping or one thing instead of several, or one does not fit.
    """
    several = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    require(several, what, values, f"a list of which each is {wanted}")
    found = list(values)
    for index, value in enumerate(found):
        require(fits(value), f"{what}[{index}]", value, wanted)
    return found
