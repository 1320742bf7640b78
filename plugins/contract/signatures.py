"""How a hook's implementation wants to be called, read from its signature once.

`plan_call` answers which of the values that a hook is offered go to the method, and how; it calls
nothing. The four ways of the specification are cases of one rule: positional values in the order of
the contract, as many as the method takes, then those keywords that it names, or all of them if it
has ``**kwargs``.

A method whose decorator used `functools.wraps` shows the signature of what it wraps. That one counts
if a call fits it, since what is behind the wrapper is what has to take the values; a decorator that
adds arguments of its own makes it misfit, and then the wrapper's own signature counts.
"""

from __future__ import annotations

import inspect
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ...base.errors import ContractError
from ...base.foreign import blames
from ...base.frozen import frozen
from ..results.failures import describe
from .foreign_signature import read_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .hook_table import Hook

_KIND = inspect.Parameter


@frozen
class CallPlan:
    """How to call one method.

    Attributes:
        positional: how many of the hook's positional values it gets.
        keywords: the names it is given values for, in the order of the contract.
        legacy: it is of the older ``(tool_name, arguments, state)`` contract: it has nothing to learn
            from that a payload is not an object, so it must only be given objects.
    """

    positional: int
    keywords: tuple[str, ...]
    legacy: bool


class _Misfit(Exception):
    """Why a signature cannot be called the hook's way."""


def plan_call(method: Callable[..., Any], hook: Hook, *, plugin: str) -> CallPlan:
    """Decide how ``method``, which implements ``hook``, is to be called.

    A method whose signature cannot be read (some builtins) is called with the positional values.

    Raises:
        ContractError: no call that the contract allows fits the signature.
    """
    written = _written(method)
    if written is None:
        return _plan(method, hook, plugin)
    known = _known.get((hook, written))
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[hook, written] = _plan(method, hook, plugin)
    return known


_MOST_KNOWN = 1024
_known: dict[tuple[Hook, Hashable], CallPlan] = {}
"""Plans of methods that are written plainly: a thousand plugins of one class have the same few of them.

Of two threads that make one at a time, one does so for nothing.
"""


def _written(method: Callable[..., Any]) -> Hashable:
    """All that the signature of a function or a bound method hangs on; ``None`` if it may hang on more.

    What `functools.wraps` and others leave on a function tells `inspect` to look elsewhere.
    """
    bound = type(method) is MethodType
    function = method.__func__ if isinstance(method, MethodType) else method
    if type(function) is not FunctionType or vars(function):
        return None
    return (
        bound,
        function.__code__,
        len(function.__defaults__ or ()),
        frozenset(function.__kwdefaults__ or ()),
    )


def _plan(method: Callable[..., Any], hook: Hook, plugin: str) -> CallPlan:
    try:
        seen = read_signature(method)
        direct = read_signature(method, follow_wrapped=False)
    except (ValueError, TypeError):
        return CallPlan(len(hook.positional), (), legacy=False)
    except BaseException as error:  # annotations are the author's expressions
        if not blames(error):
            raise
        raise ContractError(
            f"plugin {plugin!r}: reading the signature of {hook.name} raised {describe(error)}", plugin=plugin
        ) from error
    bound = frozenset(method.keywords) if isinstance(method, partial) else frozenset()
    misfits: list[_Misfit] = []
    for signature in (seen, direct):
        try:
            return _fit(signature, hook, bound)
        except _Misfit as misfit:
            misfits.append(misfit)
    offer = ", ".join(hook.positional)
    if names := (*hook.keywords, *hook.also):
        offer += ", *, " + ", ".join(names)
    raise ContractError(
        f"plugin {plugin!r}: {hook.name}{seen} cannot be called as {hook.name}({offer}): {misfits[0]}",
        plugin=plugin,
    )


def _fit(signature: inspect.Signature, hook: Hook, bound: frozenset[str]) -> CallPlan:
    """Fit a call to a signature; names in ``bound`` were given values by `functools.partial` and keep them."""
    askable = (frozenset(hook.keywords) | frozenset(hook.also)) - bound
    slots: list[str] = []
    named: set[str] = set()
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    for name, parameter in signature.parameters.items():
        by_name = name in askable and parameter.kind in _BY_NAME
        if parameter.kind in _POSITIONAL and not by_name and len(slots) < len(hook.positional):
            slots.append(name)
        elif by_name:
            named.add(name)
        elif parameter.default is _KIND.empty and parameter.kind not in _VARIADIC:
            raise _Misfit(f"it requires {name!r}")
    if _KIND.VAR_KEYWORD in kinds:
        named.update(name for name in hook.keywords if name not in bound)
    given = len(hook.positional) if _KIND.VAR_POSITIONAL in kinds else len(slots)
    if given < hook.fewest:
        raise _Misfit(f"it takes {given} positional arguments, not {hook.fewest}")
    knows_payloads = any(name.startswith("payload") for name in (*slots, *named))
    return CallPlan(
        given,
        tuple(name for name in (*hook.keywords, *hook.also) if name in named),
        legacy="payload" in hook.positional and not knows_payloads and given == len(slots),
    )


_POSITIONAL = (_KIND.POSITIONAL_ONLY, _KIND.POSITIONAL_OR_KEYWORD)
_BY_NAME = (_KIND.POSITIONAL_OR_KEYWORD, _KIND.KEYWORD_ONLY)
_VARIADIC = (_KIND.VAR_POSITIONAL, _KIND.VAR_KEYWORD)
