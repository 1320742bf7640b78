"""What a host says of itself when it is asked to describe itself: what it can do beyond version 1. Pure.

A host that was not asked, cannot answer, or answers with what nobody can read, can do nothing more: that is no fault, it
is version 1. Only names that both sides know come into force, so a newer host and an older client get on, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ...base.frozen import frozen
from .methods import METHODS

PROTOCOL: Final = "thp/1"

FEATURES: Final = frozenset(
    {
        "ack",
        "can_handle",
        "cancel",
        "is_enabled",
        "payload",
        "plugins",
        "prepare",
        "shutdown",
        "state_version",
    }
)
"""What this client knows of."""


@frozen
class Description:
    """A host, as it describes itself.

    Attributes:
        program: its name and version, for people; empty if it does not say.
        features: what is in force between it and this client.
        methods: the wire methods of the plugin that was asked about; ``None`` if it does not say.
        wants: what its plugin is to be told of each call, of `FACTS` in ``call_params``.
        version: the plugin's, for people; empty if it does not say.
        objects_only: the plugin says that its tools can only be given arguments, and no raw text.
    """

    program: str = ""
    features: frozenset[str] = frozenset()
    methods: frozenset[str] | None = None
    wants: frozenset[str] = frozenset()
    version: str = ""
    objects_only: bool = False

    def offers(self, method: str) -> bool:
        """Whether the plugin is known to have this method, and the feature that it needs, if it needs one, is in force."""
        feature = METHODS[method].feature
        known = self.methods is not None and method in self.methods
        return known and (feature is None or feature in self.features)

    def of_loaded(self, value: Any) -> Description:
        """The same host with the plugin that it has loaded, by its answer to ``load``. Raises nothing."""
        if not isinstance(value, dict):
            return replace(self, methods=None, wants=frozenset(), version="", objects_only=False)
        return replace(self, **_offer(value))


PLAIN: Final = Description()
"""A host of version 1, or one that has not described itself yet."""


def describe_params() -> dict[str, Any]:
    """The params of the request: what this client is and knows."""
    return {"client": {"name": "callboard"}, "protocol": PROTOCOL, "features": sorted(FEATURES)}


def read_description(value: Any) -> Description:
    """Read the answer. Raises nothing: what cannot be read is not in force."""
    if not isinstance(value, dict):
        return PLAIN
    host = value.get("host")
    said = (host.get("name"), host.get("version")) if isinstance(host, dict) else ()
    return Description(
        program=" ".join([text for text in said if isinstance(text, str)]),
        features=_names(value.get("features")) & FEATURES,
        **_offer(value),
    )


def _offer(value: dict[str, Any]) -> dict[str, Any]:
    """What is said of a plugin."""
    version = value.get("version")
    return {
        "methods": _methods(value),
        "wants": _names(value.get("wants")),
        "version": version if isinstance(version, str) else "",
        "objects_only": value.get("objects_only") is True,
    }


def _methods(value: dict[str, Any]) -> frozenset[str] | None:
    return _names(value["methods"]) if isinstance(value.get("methods"), list) else None


def _names(value: Any) -> frozenset[str]:
    return (
        frozenset([name for name in value if isinstance(name, str)])
        if isinstance(value, list)
        else frozenset()
    )
