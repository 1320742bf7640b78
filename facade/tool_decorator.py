"""`@board.tool`: a function becomes a tool, and stays what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, overload

from .base.errors import ContractError
from .plugins.functions.function_tool import function_tool, is_function
from .plugins.sources.source import spelled

_Function = TypeVar("_Function", bound=Callable[..., Any])


class ToolDecorator:
    """Makes a tool of a function: ``@board.tool``, or with options ``@board.tool(isolate=True)``.

    The function's signature and the first paragraph of its docstring are what the model is told. It may be asynchronous, or a
    generator, whose values are the parts and whose return value is the result. A parameter that is annotated with
    `ToolContext` is given the context of the call. Before the board is started the tool is noted, and registered at the start.

    Args:
        add: registers a plugin, or a function that is to run in a host, with options.
    """

    def __init__(self, add: Callable[[Any, dict[str, Any]], None]) -> None:
        self._add = add

    @overload
    def __call__(self, function: _Function, /) -> _Function: ...

    @overload
    def __call__(
        self, /, *, name: str | None = None, description: str | None = None, **options: Any
    ) -> Callable[[_Function], _Function]: ...

    def __call__(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        **options: Any,
    ) -> Any:
        """Make a tool of a function and return that; without one return what does.

        Args:
            function: the function.
            name: the tool's; the function's if ``None``.
            description: instead of the docstring's.
            options: as `Callboard.register`.

        Raises:
            ContractError: it is no function, or a parameter cannot be said to a model.
            PluginError: as `Callboard.register`, if the board runs.
        """
        if function is None:
            return partial(self, name=name, description=description, **options)
        self._add(*_as_registered(function, name, description, options))
        return function


def _as_registered(
    function: Any, name: str | None, description: str | None, options: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """A function as `Callboard.register` takes it, with the options: a tool of it, or the function where it runs in a host.

    Raises:
        ContractError: it is no function, a parameter cannot be said to a model, or a description would not get to the host.
    """
    if not is_function(function):
        raise ContractError(
            f"{spelled(function)} is no function; an object or a class that is a tool plugin is for 'register'",
            plugin=name or spelled(function),
        )
    made = function_tool(function, name=name, description=description)
    named = options if name is None else {**options, "name": name}
    if not options.get("isolate"):
        return made, dict(named)
    if description is not None:
        raise ContractError(
            f"tool {made.name!r} is made in its host, of the function alone: put the description into its docstring",
            plugin=made.name,
        )
    return function, dict(named)
