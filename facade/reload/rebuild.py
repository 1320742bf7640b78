"""How what a host runs is made ready anew, from where its plugins came from.

Nothing is changed in place: a package that was changed is built into a new entry of the cache, TypeScript is made
JavaScript again, and the entry that the present generation runs from stays as long as a rollback may need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..actors.hosting.candidate import ProgramVersion
from ..actors.hosting.host_registry import disagreement
from ..actors.hosting.reload_progress import ReloadRefused
from ..actors.reload.policy import Change, ReloadPolicy, check_refused
from ..actors.reload.reload import NotTaken, reload
from ..base.foreign import Log
from ..loading.loaded import Loaded
from ..loading.loader import load_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..actors.board import Board
    from ..actors.reload.reload import Reloaded
    from ..config.configuration import Configuration
    from ..hosts.sharing import Sharing
    from ..loading.origins import Origins

logger: Log = Log("callboard.reload")


def reload_host(
    origins: Origins,
    board: Board,
    name: str,
    configuration: Configuration,
    *,
    timeout: float | None,
    refuse: Iterable[str] | None,
    reason: str,
) -> Reloaded:
    """Reload the host of that name, or of that plugin. Raises as `Callboard.reload`."""
    with board.plugin_manager.lock:
        supervised_host = board.plugin_manager.host_registry.of(
            name
        ) or board.plugin_manager.host_registry.named(name)
    names = [] if supervised_host is None else supervised_host.names
    present = [origins.loaded[each] for each in names if each in origins.loaded]
    anew: dict[str, Loaded] = {}

    def make(names: list[str]) -> ProgramVersion:
        if supervised_host is None:  # it came on the board in this very moment
            raise ReloadRefused(name, "there was no plugin and no host of that name")
        anew.update(_load_again(origins, names, configuration))
        return program_version_of(supervised_host.name, anew, shared=supervised_host.dispatcher is not None)

    reloaded = reload(
        board,
        name,
        make,
        policy=_policy(present, refuse),
        way_back=bool(present) and all(one.lasting for one in present),
        timeout=timeout,
        reason=reason,
    )
    if reloaded.done:
        origins.note(*anew.values())
    return reloaded


def _load_again(origins: Origins, names: list[str], configuration: Configuration) -> dict[str, Loaded]:
    """The plugins of a host as they are on the disk now. Raises `ReloadRefused` if they are others."""
    present = origins.loaded
    strangers = [name for name in names if name not in present]
    if strangers:
        raise ReloadRefused(strangers[0], "it came on the board of actors directly, from no source")
    found: dict[str, Loaded] = {}
    entries = {id(one.entry): one.entry for name in names if (one := present[name]).entry is not None}
    for entry in entries.values():
        called = {
            origin.path: name
            for name in origins.of_entry(entry)
            if (origin := getattr(present[name].hosted, "origin", None)) is not None
        }
        made = [one for one in load_entry(entry, configuration, called) if isinstance(one, Loaded)]
        loaded = {one.adapter.name: one for one in made}
        known = origins.of_entry(entry)
        others = [*(name for name in loaded if name not in known), *(n for n in known if n not in loaded)]
        if others:
            told = ", ".join(map(repr, others))
            raise ReloadRefused(
                names[0], f"its source has other plugins now ({told}); remove those and load it"
            )
        found |= loaded
    anew = {name: found.get(name, present[name]) for name in names}
    for name, one in anew.items():
        before = present[name].hosted
        if one.hosted is None or before is None:
            raise ReloadRefused(name, "it is to run in this process now; remove it and load it")
        one.hosted.carry = before.carry
    return anew


def program_version_of(host: str, plugins: Mapping[str, Loaded], *, shared: bool) -> ProgramVersion:
    """What a host with these plugins is started from.

    Raises:
        NotTaken: what it shares has come to be something that cannot be shared.
    """
    holds = tuple(plugins.values())
    if not shared:
        hosted = holds[0].hosted
        assert hosted is not None
        return ProgramVersion(hosted, holds=holds)
    sharings = {name: _sharing(name, one) for name, one in plugins.items()}
    first = next(iter(sharings.values()))
    for name, sharing in sharings.items():
        if (option := disagreement(sharing.terms, first.terms)) is not None:
            raise NotTaken(
                f"plugin {name!r} does not agree with the others of its host in {option!r} any more"
            )
    return ProgramVersion(
        first.program(host), {name: sharing.load for name, sharing in sharings.items()}, holds=holds
    )


def _sharing(name: str, one: Loaded) -> Sharing:
    sharing = None if one.hosted is None else one.hosted.sharing()
    if sharing is None:
        raise NotTaken(f"plugin {name!r} cannot share a host any more; remove it and load it")
    return sharing


def _policy(plugins: list[Loaded], refuse: Iterable[str] | None) -> ReloadPolicy:
    """What may be done to a host: what none of its plugins refuses, unless the caller says it."""
    policies = [one.options.reload for one in plugins] or [ReloadPolicy()]
    if refuse is None:
        given = [change.value for change in Change if any(change.value in each.refuse for each in policies)]
    else:
        given = list(check_refused([refuse] if isinstance(refuse, str) else list(refuse)))
    return ReloadPolicy(refuse=tuple(given), probation=max(each.probation for each in policies))
