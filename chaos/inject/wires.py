"""What goes over the line of a host, in every protocol that one may speak: calls of tools, and their answers. Pure.

One table for those who stand at the line: a `Witness`, which writes down what it hears, and a `Tamper`, which spoils it.
A host that speaks a further protocol is known to both once `WIRES` has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.errors import JsonValueError
from ...base.frozen import frozen
from ...base.json import load_json
from ...hosts.mcp.results import message_of
from ...hosts.mcp.server_requests import INPUT_REQUIRED, call_of
from ...hosts.protocol.wire import Response

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]


class ToolRequest(NamedTuple):
    """A host is asked to run a tool.

    Attributes:
        id: of this request.
        first: the id of the first request of its call. Another one is a further round of the same call.
        params: what the tool is given.
        has_state: the protocol hands the plugin's state over with each call.
    """

    id: str
    first: str
    params: Json
    has_state: bool


class HostReply(NamedTuple):
    """A host answers a request, whatever that was.

    Attributes:
        id: of the request.
        first: that of the first request of its call; see `ToolRequest`.
        value: what the tool has answered; ``None`` if it has failed in a way that is no answer of its own.
        state: of the plugin, if it came with the answer.
        is_last: the request is over; the answer asks for no further round.
    """

    id: str
    first: str
    value: Any = None
    state: Json | None = None
    is_last: bool = True


@frozen
class Wire:
    """A protocol.

    Attributes:
        method: of the request that runs a tool.
        first: the id of the first request of a call, by that of any round.
        read: reads a message as a `HostReply`; ``None`` if it is none.
        has_state: see `ToolRequest`.
        mark: stands in every reply.
    """

    method: str
    first: Callable[[str], str]
    read: Callable[[Json], HostReply | None]
    has_state: bool
    mark: bytes


def tool_request(line: bytes) -> ToolRequest | None:
    """The call that a line to a host makes; ``None`` if it makes none."""
    wire = next((wire for wire in WIRES if wire.method.encode() in line), None)
    message = {} if wire is None else _message(line)
    request_id, params = message.get("id"), message.get("params")
    if wire is None or message.get("method") != wire.method:
        return None
    if not isinstance(request_id, str) or not isinstance(params, dict):
        return None
    return ToolRequest(request_id, wire.first(request_id), params, wire.has_state)


def host_reply(line: bytes) -> HostReply | None:
    """The answer that a line of a host is; ``None`` if it is none."""
    wires = [wire for wire in WIRES if wire.mark in line]
    message = _message(line) if wires else {}
    return next((found for wire in wires if (found := wire.read(message)) is not None), None)


def _message(line: bytes) -> Json:
    try:
        value = load_json(line)
    except JsonValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _of_host(message: Json) -> HostReply | None:
    ok, result = message.get("ok"), message.get("result")
    if not isinstance(ok, bool) or "id" not in message:
        return None
    request_id = str(message["id"])
    if not ok or not isinstance(result, dict):
        return HostReply(request_id, request_id)
    state = result.get("state")
    return HostReply(request_id, request_id, result.get("value"), state if isinstance(state, dict) else None)


def _of_server(message: Json) -> HostReply | None:
    # A question of the server's own has an id, too, and a method.
    if "jsonrpc" not in message or "method" in message or not isinstance(message.get("id"), str | int):
        return None
    request_id, result, error = str(message["id"]), message.get("result"), message.get("error")
    first = call_of(request_id)
    if isinstance(result, dict) and result.get("resultType") == INPUT_REQUIRED:
        return HostReply(request_id, first, is_last=False)
    read = message_of(request_id, result, error if isinstance(error, dict) else None)
    return HostReply(request_id, first, read.value if isinstance(read, Response) else None)


WIRES: Final = (
    Wire("execute_tool", str, _of_host, has_state=True, mark=b'"ok"'),
    Wire("tools/call", call_of, _of_server, has_state=False, mark=b'"jsonrpc"'),
)
"""Callboard's own protocol, and that of MCP."""
