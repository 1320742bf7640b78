"""One method of MCP that is served, as a row of a table."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from .served_client import Client
    from .shapes import Shape

    Handler = Callable[[Client, dict[str, Any]], Awaitable[dict[str, Any] | bytes]]


@frozen
class Method:
    """See the module.

    Attributes:
        handle: answers a request whose params have their shape, with a result or, if the client takes that, the JSON of one; raises `Refused`.
        required: the members that its params have to have.
        optional: those that they may have.
        handshake: there is such a method up to 2025-11-25.
        stateless: there is such a method from 2026-07-28 on.
    """

    handle: Handler
    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)
    handshake: bool = True
    stateless: bool = True
