from __future__ import annotations

import copy
import dataclasses
import inspect
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from callboard.base.frozen import frozen

T = TypeVar("T")


def plain(made):
    @made
    class Plain:
        """Two, of which one has a default."""

        a: int
        b: str = "b"

    return Plain


def nothing(made):
    @made
    class Nothing:
        """Has no fields."""

    return Nothing


def one(made):
    @made
    class One:
        """Has one."""

        only: Any

    return One


def rich(made):
    @made
    class Rich:
        """Fields of every kind."""

        kind: ClassVar[str] = "rich"
        a: int
        made: dict[str, int] = field(default_factory=dict)
        hidden: int = field(default=1, repr=False)
        aside: list[int] = field(default_factory=list, compare=False)
        unhashed: list[int] = field(default_factory=list, hash=False)
        later: int = field(init=False)
        always: int = field(init=False, default=7)
        anew: list[int] = field(init=False, default_factory=list, hash=False)
        _: KW_ONLY
        named: int = 5

        def __post_init__(self):
            object.__setattr__(self, "later", self.a + 1)

    return Rich


def own_words(made):
    @made
    class OwnWords:  # noqa: PLW1641 - its author sees to that
        """Says itself what it is, and what it equals."""

        a: int

        def __repr__(self):
            return f"<{self.a}>"

        def __eq__(self, other):
            return isinstance(other, type(self)) and type(self.a) is type(other.a)

    return OwnWords


def own_hash(made):
    @made
    class OwnHash:
        """Is hashed its own way."""

        a: int

        def __hash__(self):
            return 5

    return OwnHash


def unhashable(made):
    @made
    class Unhashable:
        """Is never hashed."""

        a: int
        __hash__ = None

    return Unhashable


def container(made):
    @made
    class Container(Generic[T]):
        """Holds one."""

        held: T

    return Container


def built_upon(made):
    @made
    class Under:
        """What both have."""

        a: int
        b: str = "b"

    @made
    class Over(Under):
        """And more."""

        c: int = 3

    return Over


SHAPES = [plain, nothing, one, rich, own_words, own_hash, unhashable, container, built_upon]

CALLS = [
    ((), {}),
    ((1,), {}),
    ((2,), {}),
    ((1, {"x": 2}), {}),
    (([1],), {}),
    ((float("nan"),), {}),
    ((1,), {"named": 2}),
    ((1, {}, 2, [3]), {"named": 2}),
    ((1, {}, 2, [4]), {"named": 2}),
    ((), {"a": 1}),
    ((1,), {"a": 1}),
    ((), {"other": 1}),
    ((1, 2, 3, 4, 5, 6), {}),
]


def outcome(deed: Any, *args: Any, **named: Any) -> Any:
    """What comes of it: ``(value, None)``, or what it raises, in words."""
    try:
        return deed(*args, **named), None
    except (TypeError, AttributeError) as error:
        return None, (type(error).__name__, str(error))


def told(cls: type) -> dict[str, Any]:
    """What can be said of a class and of values of it, without saying which class it is."""
    made = [outcome(cls, *args, **named) for args, named in copy.deepcopy(CALLS)]
    values = [value for value, problem in made if problem is None]
    return {
        "signature": str(inspect.signature(cls)),
        "annotations": cls.__init__.__annotations__,
        "match": cls.__match_args__,
        "slots": cls.__slots__,
        "fields": [(one.name, one.init, one.repr, one.kw_only) for one in fields(cls)],
        "problems": [problem for _, problem in made],
        "said": [repr(value) for value in values],
        "equal": [[one == other for one in values] for other in values],
        "hashes": [outcome(hash, value) for value in values if type(value).__hash__ is not object.__hash__],
        "as dicts": repr([dataclasses.asdict(value) for value in values]),
        "another": [repr(outcome(dataclasses.replace, value, a=3)) for value in values],
        "copies": [(repr(copy.deepcopy(value)), repr(copy.copy(value))) for value in values],
        "set": [outcome(setattr, value, name, 1) for value in values for name in cls.__match_args__],
        "deleted": [outcome(delattr, value, name) for value in values for name in cls.__match_args__],
        "has a dict": [hasattr(value, "__dict__") for value in values],
    }


@pytest.mark.parametrize("options", [{}, {"eq": False}, {"kw_only": True}], ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_frozen_class_is_what_the_standard_library_would_make_of_it(shape, options):
    standard = shape(dataclass(frozen=True, slots=True, **options))
    house = shape(frozen(**options))

    assert told(house) == told(standard)


def test_a_value_equals_no_value_of_another_class():
    one, other = plain(frozen), plain(frozen)

    assert one(1) == one(1)
    assert one(1) != other(1)


def test_a_class_that_only_behaves_is_made_as_what_it_is_built_upon():
    class Behaving(plain(frozen)):
        def both(self):
            return f"{self.a}{self.b}"

    assert Behaving(1).both() == "1b"
    assert Behaving(1) == Behaving(1, "b")


def test_what_is_compiled_is_compiled_when_it_is_first_looked_at():
    house = plain(frozen)
    late = {"__init__", "__eq__", "__hash__"}

    before = {name for name in late if inspect.isfunction(vars(house)[name])}
    house(1)
    after = {name for name in late if inspect.isfunction(vars(house)[name])}

    assert before == set()
    assert after == {"__init__"}


def test_an_initialiser_that_a_class_defines_itself_stays():
    @frozen
    class Squared:
        root: int

        def __init__(self, square):
            object.__setattr__(self, "root", int(square**0.5))

    assert Squared(9).root == 3
