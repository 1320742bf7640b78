"""What of a request's context crosses to a host. Pure.

A context holds live objects: the core, the application, clients. What is JSON is sent, key by key, and of a value that is
JSON in part, nothing: half an object would be taken for a whole one.

This is for the questions about a request. With the calls of a tool nothing of the context is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.errors import JsonValueError
from ...base.json import copy_json

if TYPE_CHECKING:
    from collections.abc import Mapping

STAYS: Final = frozenset({"base_config"})
"""JSON, and sent nowhere: the configuration of all agents, with what the entries of others declare."""


def what_crosses(context: Mapping[Any, Any]) -> dict[str, Any]:
    """Return copies of those values that are JSON, under their keys. Raises nothing."""
    crossing = {}
    for key, value in context.items():
        if not isinstance(key, str) or key in STAYS:
            continue
        try:
            crossing[key] = copy_json(value)
        except JsonValueError:  # live, and at home here
            continue
    return crossing
