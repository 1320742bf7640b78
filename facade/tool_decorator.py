"""`@board.tool`: a function becomes a tool, and stays what it is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from .actors.registration_errors import PluginNameTaken
from .base.errors import ContractError
from .loading.loaded import Loaded
from .plugins.functions.function_tool import function_tool, is_function
from .sources.kinds import spelled

if TYPE_CHECKING:
    from .loading.loaded import Runs
    from .plugins.contract.option_types import ToolOptions

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
        self, /, *, name: str | None = None, description: str | None = None, **options: Unpack[ToolOptions]
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


class NotedFunctions:
    """The functions that are registered when their board is started, in their order."""

    def __init__(self) -> None:
        self._all: dict[str, tuple[Any, dict[str, Any]]] = {}

    def __iter__(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        return iter(tuple(self._all.values()))

    def add(self, plugin: Any, options: dict[str, Any], made: Runs) -> None:
        """Note one.

        Args:
            plugin: a tool of a function, or the function, as it is registered.
            options: with which it is.
            made: what comes of it, which knows its name.

        Raises:
            PluginNameTaken: one of that name is noted already; says where both stand.
        """
        from .plugins.amplifier.mount_function import module_name  # noqa: PLC0415 - only tools that are noted need it

        name = made.adapter.name if isinstance(made, Loaded) else module_name(plugin)
        if name in self._all:
            there, _ = self._all[name]
            raise PluginNameTaken(
                f"there is a tool {name!r} already, of {_place(there)}; give that of {_place(plugin)} another name, such as "
                f"name={name + '_2'!r}",
                plugin=name,
                by="plugin",
            )
        self._all[name] = plugin, options


def _place(plugin: Any) -> str:
    """Where the function of a tool stands."""
    code = inspect.unwrap(getattr(plugin, "function", plugin)).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


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
