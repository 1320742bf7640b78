"""Asking a plugin's hooks: an answer of the promised shape, an error that names plugin and hook, or ``None``.

This is for the hooks that answer at once. Those that may take their time are a matter of `runner`
and `prepare`, and nothing here touches them.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from ...base.errors import ContractError, HookError, JsonValueError
from ...base.foreign import blames
from ...base.json import copy_json
from ...base.validation import a_type
from ..contract.call_modes import is_async
from ..contract.hook_table import HOOKS, offered
from ..contract.invocation import CompiledCall, Invocation, compile_call, compile_hook
from ..results.failures import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Json = dict[str, Any]


class HookSet:
    """The hooks of one plugin that answer at once, ready to be asked.

    Args:
        plugin: the plugin object.
        name: its name, for errors.
        only: hooks to look at; all when ``None``.

    Raises:
        ContractError: a hook is no method, cannot be called by the contract, or is asynchronous.
    """

    def __init__(self, plugin: object, *, name: str, only: Collection[str] | None = None) -> None:
        self._name = name
        self._plain: dict[str, Callable[..., Any]] = {}
        self._calls: dict[str, CompiledCall] = {}
        for hook in HOOKS.values():
            wanted = hook.at_once and (only is None or hook.name in only)
            method = offered(plugin, hook.name, name=name) if wanted else None
            if method is None:
                continue
            if is_async(method):
                raise ContractError(
                    f"plugin {name!r}: {hook.name} is asynchronous; it has to answer at once", plugin=name
                )
            if "payload" in hook.positional:
                self._calls[hook.name] = compile_call(method, hook, plugin=name)
            else:
                self._plain[hook.name] = compile_hook(method, hook, plugin=name)

    def offers(self, hook: str) -> bool:
        """Say whether the plugin itself implements a hook."""
        return hook in self._plain or hook in self._calls

    def ask(self, hook: str, *values: Any, **facts: Any) -> Any:
        """Return a hook's answer; ``None`` if the plugin leaves it to the default.

        Raises:
            HookError: it raised.
            ContractError: it answered with something to await.
        """
        method = self._plain.get(hook)
        return None if method is None else self._settled(hook, method, *values, **facts)

    def ask_call(self, hook: str, invocation: Invocation, state: Json) -> Any:
        """Return the answer of a hook that takes a call; ``None`` also where it cannot take the payload.

        Raises:
            HookError, ContractError: as `ask`.
        """
        compiled = self._calls.get(hook)
        if compiled is None or not compiled.takes(invocation):
            return None
        return self._settled(hook, compiled.call, invocation, state)

    def ask_object(self, hook: str, *values: Any) -> Json | None:
        """Return a hook's answer, which has to be a JSON object or ``None``; a copy. Raises as `ask`."""
        return json_object(self.ask(hook, *values), hook, plugin=self._name)

    def ask_list(self, hook: str, item: type, *values: Any, **facts: Any) -> list[Any]:
        """Return a hook's answer, which has to be a JSON list of ``item``; a copy, empty for ``None``. Raises as `ask`."""
        answer = self.ask(hook, *values, **facts)
        if answer is None:
            return []
        if not isinstance(answer, list | tuple) or not all(isinstance(each, item) for each in answer):
            raise _wrong(self._name, hook, f"a list of {_JSON_NAMES[item]}", answer)
        copy: list[Any] = _own_copy(answer, hook, plugin=self._name)
        return copy

    def _settled(self, hook: str, method: Callable[..., Any], *values: Any, **facts: Any) -> Any:
        try:
            answer = method(*values, **facts)
        except BaseException as error:  # the plugin's hook
            if not blames(error):
                raise
            raise raised(self._name, hook, error) from error
        if isinstance(answer, Awaitable):
            if hasattr(answer, "close"):
                answer.close()  # a coroutine that is dropped unclosed warns
            raise ContractError(
                f"plugin {self._name!r}: {hook} answered with something to await; it has to answer at once",
                plugin=self._name,
            )
        return answer


def raised(plugin: str, hook: str, error: BaseException) -> HookError:
    """Return the error that says that a hook raised ``error``, which has to be its cause."""
    return HookError(f"plugin {plugin!r}: {hook} raised {describe(error)}", plugin=plugin, hook=hook)


def json_object(answer: Any, hook: str, *, plugin: str) -> Json | None:
    """Return a copy of a hook's answer, a JSON object or ``None``.

    Raises:
        ContractError: it is anything else.
    """
    if answer is None:
        return None
    if not isinstance(answer, dict):
        raise _wrong(plugin, hook, "an object", answer)
    copy: Json = _own_copy(answer, hook, plugin=plugin)
    return copy


def _own_copy(answer: Any, hook: str, *, plugin: str) -> Any:
    """Return a copy of a hook's answer.

    Raises:
        ContractError: it is not JSON; names the path, which starts with the hook's name.
    """
    try:
        return copy_json(answer, what=hook)
    except JsonValueError as error:
        raise ContractError(
            f"plugin {plugin!r}: the answer of {hook} is not JSON: {error}", plugin=plugin
        ) from error


_JSON_NAMES: dict[type, str] = {dict: "objects", str: "strings"}


def _wrong(plugin: str, hook: str, wanted: str, answer: Any) -> ContractError:
    got = f"{a_type(answer)}"
    if isinstance(answer, list | tuple):
        odd = next((index for index, each in enumerate(answer) if not isinstance(each, dict | str)), 0)
        got += f" with {a_type(answer[odd])} at {odd}"
    return ContractError(
        f"plugin {plugin!r}: {hook} has to return {wanted}; it returned {got}", plugin=plugin
    )
