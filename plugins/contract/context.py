"""The context that a tool may ask for: what runs it, layer by layer. Pure builders.

Layer 1 comes from the core and is there whenever a core runs the tool; layer 2 adds what an application has.
A caller may add keys of its own, and add only: a key that a builder owns keeps the builder's value, and the
caller is warned.

A context holds live objects. It is handed to the hooks that run tools and is never sent to a host.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Context = dict[str, Any]


class ReservedContextKeyWarning(UserWarning):
    """A caller gave a context key that belongs to the one who builds the context; its value was left out."""


def core_context(
    core: Any,
    config: Mapping[str, Any],
    *,
    trigger_source: str = "core",
    extra: Mapping[str, Any] | None = None,
) -> Context:
    """Return layer 1: ``core``, ``config`` and ``trigger_source``.

    Args:
        core: the instance that runs the tool.
        config: the resolved configuration of the request.
        trigger_source: where the tool was triggered. What an application adds to a layer of this core, and
            hands in as ``extra``, was triggered where that says.
        extra: the caller's own keys.

    Warns:
        ReservedContextKeyWarning: ``extra`` holds a key of this layer, with another value.
    """
    if extra is not None and "app" in extra and extra.get("core") is core:
        trigger_source = extra.get("trigger_source", trigger_source)
    return _layered({"core": core, "config": config, "trigger_source": trigger_source}, {}, extra)


def application_context(
    core_layer: Mapping[str, Any],
    *,
    app: Any,
    base_config: Mapping[str, Any],
    session_asset_store: Any,
    tool_runtime: Any = None,
    extra: Mapping[str, Any] | None = None,
) -> Context:
    """Return layer 2: all of ``core_layer``, and what the application has.

    Args:
        core_layer: from `core_context`.
        app: the application; also under its older name ``application``.
        base_config: the configuration of all agents.
        session_asset_store: for attachments.
        tool_runtime: the application's store of live clients and managers; no key if ``None``.
        extra: the caller's own keys.

    Warns:
        ReservedContextKeyWarning: ``extra`` holds a key of either layer, with another value.
    """
    owned = {
        "app": app,
        "application": app,
        "base_config": base_config,
        "session_asset_store": session_asset_store,
        "trigger_source": "application",
    }
    if tool_runtime is not None:
        owned["tool_runtime"] = tool_runtime
    return _layered(owned, core_layer, extra)


def request_context(
    layer: Mapping[str, Any], *, registry: Any, schema_target_formats: Iterable[str]
) -> Context:
    """Return what the hooks of one request see: all of ``layer``, and ``tool_interop``, which the request owns.

    Args:
        layer: from `core_context` or `application_context`.
        registry: of the request.
        schema_target_formats: what its provider accepts, best first.

    Warns:
        ReservedContextKeyWarning: ``layer`` holds a ``tool_interop``, such as that of an outer request.
    """
    interop = {"registry": registry, "schema_target_formats": list(schema_target_formats)}
    below = {key: value for key, value in layer.items() if key != "tool_interop"}
    given = {key: value for key, value in layer.items() if key == "tool_interop"}
    return _layered({"tool_interop": interop}, below, given)


def _layered(owned: Context, below: Mapping[str, Any], extra: Mapping[str, Any] | None) -> Context:
    context = {**below, **owned}
    for key, value in (extra or {}).items():
        if key not in context:
            context[key] = value
        elif context[key] is not value:
            warnings.warn(
                f"the context key {key!r} belongs to the one who runs the tool; the value given for it is left out",
                ReservedContextKeyWarning,
                stacklevel=3,
            )
    return context
