"""Arguments that grow from patches: one value at a time, each at the path where it belongs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from .argument_text import joined

Step = str | int
_MISSING: Final = object()


class _Text:
    """A text that comes in pieces."""

    __slots__ = ("more", "pieces")

    def __init__(self, piece: str) -> None:
        self.pieces = [piece]
        self.more = True


class ArgumentTree:
    """An object that is filled value by value; what was said once is never said otherwise.

    Args:
        begun: what there is to begin with. The tree takes it over.
    """

    __slots__ = ("_root", "_unended")

    def __init__(self, begun: dict[str, Any] | None = None) -> None:
        self._root: dict[str, Any] = begun or {}
        self._unended: set[tuple[Step, ...]] = set()

    @property
    def unended(self) -> bool:
        """Whether a text has begun and not ended."""
        return bool(self._unended)

    def put(self, steps: tuple[Step, ...], value: str | float | bool | None, *, more: bool) -> str | None:
        """Put a value in its place, or add a piece of text to what stands there.

        Args:
            steps: the way there from the root; at least one step.
            value: what to put; only text grows.
            more: further pieces of this text are to come.

        Returns:
            What is wrong, in words; ``None`` if nothing is. Then nothing has changed but what was missing
            on the way.
        """
        node = self._reach(steps)
        if isinstance(node, str):
            return node
        last = steps[-1]
        there = _look(node, last)
        if isinstance(there, _Text) and there.more and isinstance(value, str):
            there.pieces.append(value)
            there.more = more
        elif there is not _MISSING:
            return "there is a value already"
        else:
            problem = _set(node, last, _Text(value) if isinstance(value, str) and more else value)
            if problem is not None:
                return problem
        if isinstance(value, str) and more:
            self._unended.add(steps)
        else:
            self._unended.discard(steps)
        return None

    def value(self) -> dict[str, Any]:
        """Return the arguments as they are now."""
        settled: dict[str, Any] = _settled(self._root)
        return settled

    def _reach(self, steps: tuple[Step, ...]) -> dict[str, Any] | list[Any] | str:
        """Return the container of the last step, made if it is missing; or what is in the way."""
        node: Any = self._root
        for step, following in pairwise(steps):
            below = _look(node, step)
            if below is _MISSING:
                below = [] if isinstance(following, int) else {}
                problem = _set(node, step, below)
                if problem is not None:
                    return problem
            if not isinstance(below, dict | list):
                return "a value stands in the way"
            node = below
        return node  # type: ignore[no-any-return]


def _look(node: dict[str, Any] | list[Any], step: Step) -> Any:
    if isinstance(node, dict):
        return node.get(step, _MISSING) if isinstance(step, str) else _MISSING
    return node[step] if isinstance(step, int) and step < len(node) else _MISSING


def _set(node: dict[str, Any] | list[Any], step: Step, value: Any) -> str | None:
    if isinstance(node, dict) and isinstance(step, str):
        node[step] = value
    elif isinstance(node, list) and isinstance(step, int):
        if step != len(node):
            return f"the places before {step} are empty"
        node.append(value)
    else:
        return "an object has keys, and an array has places"
    return None


def _settled(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _settled(item) for key, item in node.items()}
    if isinstance(node, list):
        return [_settled(item) for item in node]
    return joined(node.pieces) if isinstance(node, _Text) else node
