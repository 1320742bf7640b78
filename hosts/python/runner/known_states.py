"""States that travel only when they have changed: the client names one that it has sent, or was sent, before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ....base.errors import JsonValueError
from ....base.json import dump_json, load_json
from ....base.locks import Lock
from .messages import HostFault

if TYPE_CHECKING:
    from .messages import Json

KEPT: Final = 2
"""States that are known by name: the one of the present, and the one that may become it."""


class KnownStates:
    """The states that a request may name. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._texts: dict[str, bytes] = {}

    def given(self, params: Json) -> bytes | None:
        """Read the state of a request with a ``state_version``; ``params["state"]`` is what the tool is given, afterwards.

        Returns:
            Its text, for `news`.

        Raises:
            HostFault: of type ``StateUnknown``; it came by name alone, and that name is not known, or not any more.
        """
        name = str(params["state_version"])
        if "state" in params:
            return self._keep(name, params["state"])
        with self._lock:
            text = self._texts.get(name)
        if text is None:
            raise HostFault("StateUnknown", f"no state is known here as {name!r:.100}")
        params["state"] = load_json(text)
        return text

    def news(self, state: Any, given: bytes | None, request_id: str) -> Any:
        """What the client has to be told of a state: ``None`` if it is the same still.

        From then on it is known by the id of that request. One that is no JSON any more is told, to be refused.
        """
        text = self._keep(request_id, state, unless=given)
        return state if text is None or text != given else None

    def _keep(self, name: str, state: Any, unless: bytes | None = None) -> bytes | None:
        try:
            text = dump_json(state)
        except JsonValueError:
            return None
        if text != unless:
            with self._lock:
                self._texts.pop(name, None)
                self._texts[name] = text
                for _ in range(len(self._texts) - KEPT):
                    del self._texts[next(iter(self._texts))]
        return text
