"""`frozen`: a dataclass that cannot be changed and has slots, at a tenth of the price.

The standard library compiles six functions for each frozen dataclass while its module is imported, and that was half
of what it took to import the board: most values of Callboard are never made in most programs. Here what a class can
share is written once, over its fields, and the rest is compiled when it is first looked at.

The classes are dataclasses to `dataclasses.replace`, `fields` and `asdict`, to ``match`` and to type checkers. What differs
from ``@dataclass(frozen=True, slots=True)``: what a class defines by itself always stays, an ``InitVar`` is not known, and
fields in an order that cannot be are told by the type checker, and at run time when the first value is made.

Like `errors` it knows nothing of Callboard, so that every room may stand on it.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...


@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T] | None = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class of annotated fields a frozen dataclass with slots. See the module.

    Args:
        cls: the class, where the decorator stands without parentheses.
        eq: two values are equal if their fields are; else each equals itself alone.
        kw_only: fields are given by name.
    """
    if cls is None:
        return lambda cls: _frozen(cls, eq=eq, kw_only=kw_only)
    return _frozen(cls, eq=eq, kw_only=kw_only)


def _frozen(plain: type[T], *, eq: bool, kw_only: bool) -> type[T]:
    own = set(plain.__dict__)
    if plain.__dict__.get("__hash__", own) is None and "__eq__" in own:
        # The language has put it there, for want of one that goes with the class's own __eq__.
        own.discard("__hash__")
    if plain.__doc__ is None:
        plain.__doc__ = plain.__name__  # else it is given a signature, which costs as much as all the rest
    cls = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(plain)
    for name, method in _SHARED.items():
        if name not in own:
            setattr(cls, name, method)
    for name, write in (_WRITTEN if eq else _WRITTEN_WITHOUT_EQ).items():
        if name not in own:
            setattr(cls, name, _Late(cls, name, write))
    return cls


class _Late:
    """Stands in the place of a method until it is looked at: to call it, or to read its signature."""

    __slots__ = ("_cls", "_name", "_write")

    def __init__(self, cls: type[Any], name: str, write: Callable[[type[Any], dict[str, Any]], str]) -> None:
        self._cls = cls
        self._name = name
        self._write = write

    def __get__(self, value: Any, owner: type[Any] | None = None) -> Any:
        cls, name = self._cls, self._name
        names: dict[str, Any] = {"__name__": cls.__module__}
        # Compiled first: given text, `exec` has CPython forget that Ctrl-C ended the main thread, and it exits with status 1.
        code = compile(self._write(cls, names), "<string>", "exec")
        exec(code, names)  # nosec B102  # noqa: S102 - a text made of the names of its own fields
        method = names[name]
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        if name == "__init__":
            method.__annotations__ = {one.name: one.type for one in fields(cls) if one.init} | {
                "return": None
            }
        setattr(cls, name, method)  # two threads at a time make it twice, and the same
        return method.__get__(value, owner)


def _init(cls: type[Any], names: dict[str, Any]) -> str:
    in_order: list[str] = []
    by_name: list[str] = []
    lines = [" self.__post_init__()"] if hasattr(cls, "__post_init__") else [" return"]
    for one in reversed(fields(cls)):
        default, value = _default(one, names)
        if one.init:
            (by_name if one.kw_only else in_order).insert(0, one.name + default)
        if value is not None:
            # Its slot is asked directly: `__setattr__` refuses, and `object.__setattr__` is the longer way.
            names[f"_set_{one.name}"] = getattr(cls, one.name).__set__
            lines.insert(0, f" _set_{one.name}(self, {value})")
    given = ["self", *in_order, *(["*", *by_name] if by_name else [])]
    return "\n".join([f"def __init__({', '.join(given)}):", *lines])


def _default(one: Field[Any], names: dict[str, Any]) -> tuple[str, str | None]:
    """What stands behind a field's name in the list of parameters, and what it is set to; ``None`` of one that is not."""
    name = one.name
    if one.default_factory is not MISSING:
        names[f"_make_{name}"] = one.default_factory
        names["_new"] = _NEW
        return "=_new", f"_make_{name}() if {name} is _new else {name}" if one.init else f"_make_{name}()"
    if one.default is not MISSING:
        names[f"_default_{name}"] = one.default
        return f"=_default_{name}", name if one.init else f"_default_{name}"
    return "", name if one.init else None


class _New:
    """The default of a field that is made anew for each value; shown as the standard library shows it."""

    def __repr__(self) -> str:
        return "<factory>"


_NEW = _New()


def _eq(cls: type[Any], _: dict[str, Any]) -> str:
    compared = [one.name for one in fields(cls) if one.compare]
    return (
        "def __eq__(self, other):\n"
        " if other.__class__ is self.__class__:\n"
        f"  return {_values('self', compared)} == {_values('other', compared)}\n"
        " return NotImplemented"
    )


def _hash(cls: type[Any], _: dict[str, Any]) -> str:
    hashed = [one.name for one in fields(cls) if (one.compare if one.hash is None else one.hash)]
    return f"def __hash__(self):\n return hash({_values('self', hashed)})"


def _values(of: str, names: list[str]) -> str:
    return f"({''.join(f'{of}.{name}, ' for name in names)})"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _set(_: Any, name: str, __: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


_SHARED = {
    "__repr__": _repr,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}
_WRITTEN_WITHOUT_EQ = {"__init__": _init}
_WRITTEN = {"__init__": _init, "__eq__": _eq, "__hash__": _hash}
