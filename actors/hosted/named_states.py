"""Which states a generation of a host has of a plugin, and by which names: such a state need not be sent again."""

from __future__ import annotations

import itertools
from typing import Any

State = dict[str, Any]


class NamedStates:
    """The one state that it is certain to have, by its identity: a committed state is replaced and never changed.

    Several threads may use it. Of two that send at once, one may name what the other is about to send; a host that does
    not know a name says so and runs nothing.
    """

    __slots__ = ("_known", "_numbers")

    def __init__(self) -> None:
        self._known: tuple[State, str] | None = None
        self._numbers = itertools.count(1)

    def params_of(self, state: State) -> dict[str, Any]:
        """The params of a call that is given a state: its name, and the state itself if the host has not got it."""
        known = self._known
        if known is not None and known[0] is state:
            return {"state_version": known[1]}
        name = (
            f"s{next(self._numbers)}"  # no id of a request, by which the host's own news of a state are named
        )
        self._known = state, name
        return {"state": state, "state_version": name}

    def learn(self, state: State, request_id: str) -> None:
        """The host has answered that request with a state, which is the committed one now."""
        self._known = state, request_id

    def forget(self) -> None:
        """The host does not know the name."""
        self._known = None
