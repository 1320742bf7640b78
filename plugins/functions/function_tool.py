"""A plain function as a tool plugin: plain, asynchronous, or a generator whose values are the parts."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

from ..results.failures import describe
from .signature import ToolContext, signature_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

Json = dict[str, Any]


def function_tool(
    function: Callable[..., Any], *, name: str | None = None, description: str | None = None
) -> FunctionTool:
    """Make a tool plugin of a function; it has one tool, of the same name.

    Args:
        function: sync or async; of a generator each value is a part, and what it returns the result.
        name: its own if ``None``.
        description: the first paragraph of its docstring if ``None``.

    Raises:
        ContractError: a parameter, or its type, cannot be said to a model.
    """
    for kind, is_kind in _KINDS:
        if is_kind(function):
            return kind(function, name, description)
    return _Plain(function, name, description)


def is_function(plugin: Any) -> bool:
    """Whether this is a function or a method, and no object or class that has hooks."""
    return inspect.isfunction(plugin) or inspect.ismethod(plugin)


class FunctionTool:
    """A function as a plugin; made by `function_tool`.

    Attributes:
        name: the tool's, and the plugin's.
        function: the function.
    """

    def __init__(self, function: Callable[..., Any], name: str | None, description: str | None) -> None:
        self.name: str = name or function.__name__
        self.function = function
        self._signature = signature_of(function, name=self.name)
        self._description = self._signature.description if description is None else description

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """Return the one schema."""
        declared = {
            "name": self.name,
            "description": self._description,
            "parameters": self._signature.parameters,
        }
        return [{"type": "function", "function": declared}]

    def _arguments(self, payload: Any, context: Json | None, key: str | None) -> Json:
        """The function's arguments. Raises `_Unread`: a type of the author's refuses them, and the function has not run."""
        try:
            arguments = self._signature.read(payload)
        except (TypeError, ValueError) as error:
            raise _Unread(f"the arguments do not fit: {describe(error)}") from error
        if self._signature.context is not None:
            arguments[self._signature.context] = ToolContext(
                (context or {}) | ({} if key is None else {"key": key})
            )
        return arguments


class _Unread(Exception):
    """The arguments of a call are refused as they are read."""


class _Plain(FunctionTool):
    def execute_tool(
        self,
        tool_name: str,
        payload: Any,
        state: Json,
        *,
        context: Json | None = None,
        key: str | None = None,
    ) -> Json:
        try:
            arguments = self._arguments(payload, context, key)
        except _Unread as unread:
            return _refused(unread)
        return _answer(self.function(**arguments))


class _Async(FunctionTool):
    async def execute_tool_async(
        self,
        tool_name: str,
        payload: Any,
        state: Json,
        *,
        context: Json | None = None,
        key: str | None = None,
    ) -> Json:
        try:
            arguments = self._arguments(payload, context, key)
        except _Unread as unread:
            return _refused(unread)
        return _answer(await self.function(**arguments))


class _Generator(FunctionTool):
    def stream_tool(
        self,
        tool_name: str,
        payload: Any,
        state: Json,
        *,
        context: Json | None = None,
        key: str | None = None,
    ) -> Iterator[Json]:
        try:
            arguments = self._arguments(payload, context, key)
        except _Unread as unread:
            yield _refused(unread)
            return
        parts = self.function(**arguments)
        try:
            while True:
                try:
                    part = next(parts)
                except StopIteration as end:
                    yield _answer(end.value)
                    return
                yield {"part": plain(part)}
        finally:
            parts.close()


class _AsyncGenerator(FunctionTool):
    async def stream_tool_async(
        self,
        tool_name: str,
        payload: Any,
        state: Json,
        *,
        context: Json | None = None,
        key: str | None = None,
    ) -> AsyncIterator[Json]:
        try:
            arguments = self._arguments(payload, context, key)
        except _Unread as unread:
            yield _refused(unread)
            return
        parts = self.function(**arguments)
        try:
            async for part in parts:
                yield {"part": plain(part)}
        finally:
            await parts.aclose()
        yield _answer(None)


_KINDS: tuple[tuple[type[FunctionTool], Callable[[Any], bool]], ...] = (
    (_AsyncGenerator, inspect.isasyncgenfunction),
    (_Generator, inspect.isgeneratorfunction),
    (_Async, inspect.iscoroutinefunction),
)


def _answer(value: Any) -> Json:
    """What a function returns is its result, but for the one mapping by which every tool says that it failed."""
    said = plain(value)
    if (
        isinstance(said, dict)
        and said.keys() == _FAILED
        and said["success"] is False
        and isinstance(said["error"], str)
    ):
        return said
    return {"success": True, "result": said}


def _refused(unread: _Unread) -> Json:
    return {"success": False, "error": str(unread)}


def plain(value: Any) -> Any:
    """What stands for an object of the author's: the fields of a dataclass, what a pydantic model dumps, at any depth."""
    if type(value) in _SCALARS:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    dump = getattr(type(value), "model_dump", None)
    return value if dump is None else dump(value, mode="json")


_FAILED = frozenset({"success", "error"})
_SCALARS = frozenset({str, int, float, bool, type(None)})
