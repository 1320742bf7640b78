"""What `Callboard` is made of, refused at once if it is something else. The configuration has errors of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..base.validation import require, require_several
from ..interop.registry.contribution import ToolInteropContribution
from .state import read_state_settings, working_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..actors.state.store import StateStore
    from .configuration import Configuration


def require_parts(clock: Any, seed: Any, state: Any) -> None:
    """Raises `TypeError`: one of them is not what its name says."""
    has_time = all(callable(getattr(clock, method, None)) for method in ("now", "call_at", "inbox"))
    require(clock is None or has_time, "clock", clock, "a clock, with now, call_at and inbox")
    require(seed is None or isinstance(seed, int | float | str | bytes), "seed", seed, "a whole number")
    is_store = all(callable(getattr(state, method, None)) for method in ("load", "save", "attach"))
    is_where = isinstance(state, str | os.PathLike | Mapping)
    require(
        state is None or is_where or is_store,
        "state",
        state,
        "a path, a section as in a configuration, or a StateStore",
    )


def with_state(
    configuration: Configuration, state: str | os.PathLike[str] | Mapping[str, Any] | StateStore | None
) -> tuple[Configuration, StateStore | None]:
    """Return the configuration with the place of states that is given beside it, and the store if that is given instead.

    Raises:
        ConfigurationError: the place is wrong; names the key.
    """
    if isinstance(state, str | os.PathLike | Mapping):
        return replace(configuration, state=read_state_settings(state, working_folder(), "state")), None
    return configuration, state


def contributions_of(given: Iterable[Any]) -> tuple[ToolInteropContribution, ...]:
    """The interop contributions. Raises `TypeError`: they are none."""

    def fits(value: Any) -> bool:
        return isinstance(value, ToolInteropContribution)

    return tuple(require_several("contributions", given, fits, "a ToolInteropContribution"))


def subscribers_of(given: Iterable[Any]) -> tuple[tuple[Any, Iterable[str] | None], ...]:
    """Callables and actors, each with the kinds of events that it gets; ``None`` for all. Raises `TypeError`: they are none."""

    def fits(value: Any) -> bool:
        heard = value[0] if isinstance(value, tuple) and len(value) == _PAIR else value
        return callable(heard) or callable(getattr(heard, "tell", None))

    several = require_several(
        "subscribers", given, fits, "a callable or an actor, or a pair of one and kinds of events"
    )
    return tuple(each if isinstance(each, tuple) else (each, None) for each in several)


_PAIR = 2


def options_of_board(configuration: Configuration) -> dict[str, Any]:
    """What of a configuration a `Board` is made with, by the names of its arguments."""
    return {
        "claim_patience": configuration.calls.claim_patience,
        "load_timeout": configuration.load_deadline,
        "prepare_timeout": configuration.prepare_deadline,
        "max_state_bytes": configuration.state.max_state_bytes,
        "groups": configuration.groups,
    }
