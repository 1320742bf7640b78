"""The host's half of the tool host protocol, one line at a time: requests read, answers written. Pure.

The client's half is `wire` and `peer`; this one has nothing to correlate, since an answer carries the
id that its request came with. A line that cannot be a request is told apart by whether there is
an id to refuse it under.
"""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ....base.errors import JsonValueError
from ....base.json import dump_json, load_json
from ....plugins.results.failures import tool_raised
from ...protocol.wire import PROTOCOL_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]


class Request(NamedTuple):
    """One request, of the right shape; whether there is such a method is not known yet."""

    id: str
    method: str
    params: Json


class Refused(NamedTuple):
    """A line with an id that is no request: to be refused under that id, of whatever kind it is."""

    id: str | float
    fault: str


class Ignored(NamedTuple):
    """A line that nobody can be answered for; empty ``fault`` for a blank one, which means nothing."""

    fault: str


class HostFault(Exception):
    """A fault that the host itself reports.

    Attributes:
        type: ``MethodNotFound``, ``InvalidResult`` or ``ProtocolError``; becomes ``error.type``.
        path: where a value is not JSON, or ``None``.
    """

    def __init__(self, type_: str, detail: str, *, path: str | None = None) -> None:
        super().__init__(detail)
        self.type = type_
        self.path = path


def read_request(line: bytes) -> Request | Refused | Ignored:
    """Read one line of stdin, without its newline. Raises nothing."""
    try:
        message = _loads(line)
    except ValueError as error:
        text = line[:200].decode("utf-8", "replace").strip()
        return Ignored(f"a line that is not JSON ({error}): {text}" if text else "")
    fault = _fault_in(message)
    if fault is None:
        return Request(message["id"], message["method"], message.get("params", {}))
    request_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(request_id, str | int | float) and not isinstance(request_id, bool):
        return Refused(request_id, fault)
    return Ignored(f"a line: {fault}: {line[:200].decode('utf-8', 'replace')}")


def part_line(request_id: str, payload: Any) -> bytes:
    """Write a partial result. Raises `JsonValueError` for what is not JSON."""
    return _line(request_id, {"event": {"type": "part", "payload": payload}})


def ack_line(request_id: str) -> bytes:
    """Say that the tool begins."""
    return _line(request_id, {"event": {"type": "ack"}})


def answer_line(request_id: str, value: Any, state: Any = None) -> bytes:
    """Write a good answer; the state goes along unless it is ``None``.

    Raises:
        HostFault: the value or the state is not JSON, so there is no good answer.
    """
    result = {"value": value} if state is None else {"value": value, "state": state}
    try:
        return _line(request_id, {"ok": True, "result": result})
    except JsonValueError as error:
        _refuse_result(value, state)
        raise HostFault("InvalidResult", str(error), path=error.path) from error


def error_line(request_id: str | float, error: BaseException, phase: str | None = None) -> bytes:
    """Write the answer of a request that failed with ``error``; never fails itself.

    Args:
        request_id: whose answer.
        error: a `HostFault`, or whatever the plugin raised.
        phase: ``load`` or ``init`` when the plugin never came to generation.
    """
    return _line(request_id, {"ok": False, "error": _described(error, phase)})


def _described(error: BaseException, phase: str | None) -> Json:
    said = tool_raised(error)
    described = {"type": said["type"], "detail": said["message"], "stack": said["traceback"]}
    if isinstance(error, HostFault):
        described |= {"type": error.type, "stack": ""}
        if error.path is not None:
            described["path"] = error.path
    elif isinstance(error, OSError) and error.errno is not None and error.errno in errno.errorcode:
        described["code"] = errno.errorcode[error.errno]
    if phase is not None:
        described["phase"] = phase
    return described


def _refuse_result(value: Any, state: Any) -> None:
    for what, mine, said in (
        ("$", value, "the returned value cannot be written as JSON"),
        ("$.state", state, "the tool's state is no JSON any more"),
    ):
        try:
            dump_json(mine, what=what)
        except JsonValueError as error:
            raise HostFault("InvalidResult", f"{said}: {error}", path=error.path) from error


def _line(request_id: str | float, body: Mapping[str, Any]) -> bytes:
    return dump_json({"v": PROTOCOL_VERSION, "id": request_id, **body}) + b"\n"


def _loads(line: bytes) -> Any:
    try:
        return load_json(line)
    except JsonValueError:
        # Half a surrogate pair, a number beyond 64 bits: JSON all the same.
        try:
            return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
        except RecursionError as error:
            raise ValueError("it is nested too deep") from error


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _fault_in(message: Any) -> str | None:
    if not isinstance(message, dict):
        return "a request is a JSON object"
    version = message.get("v")
    if version != PROTOCOL_VERSION or version is True:
        return f"this host speaks version {PROTOCOL_VERSION} of the protocol, and 'v' is {version!r:.100}"
    if not isinstance(message.get("id"), str):
        return "a request has an 'id', which is a string"
    if not isinstance(message.get("method"), str):
        return "a request has a 'method', which is a string"
    params = message.get("params", {})
    if not isinstance(params, dict):
        return "the 'params' of a request are an object"
    for name in ("state", "config", "arguments"):
        if not isinstance(params.get(name, {}), dict):
            return f"'{name}' in the 'params' of a request is an object"
    return None
