"""The hosts of a board, and which plugin runs in which; who may share one, and by what name it goes.

The plugin manager owns this and guards it with its lock.
"""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from ...supervision.errors import UnknownChild
from ...supervision.messages import Order
from ...supervision.runtime.telling import ask_supervisor
from ..registration_errors import PluginNameTaken

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pykka import ActorRef

    from ...hosts.hosted_tool import HostedToolPlugin
    from ...hosts.sharing import Program, Sharing
    from ...supervision.restart.policy import RestartPolicy
    from ..services import Services
    from .host import SupervisedHost
    from .limits import LimitWatch
    from .settings import HostSettings

_OWN = frozenset({"config", "hidden"})
"""Of the settings of a host, what is each plugin's own."""


@frozen
class Share:
    """The host that a plugin is to share.

    Attributes:
        name: the host's.
        of: what it is the host of by itself, such as the folder of a package. Two of those may have
            the same name, and are two hosts. Empty where the name was chosen: then it is one.
    """

    name: str
    of: str = ""


class SharingRefused(PluginLoadError):
    """A plugin cannot run in the host that it is to share.

    Attributes:
        option: what they do not agree in, or ``share``.
        other: a plugin that runs there already, or ``None``.
    """

    def __init__(self, message: str, *, plugin: str, option: str = "share", other: str | None = None) -> None:
        super().__init__(message, plugin=plugin)
        self.option = option
        self.other = other


def _sharing_of(plugin: HostedToolPlugin, name: str, share: Share) -> Sharing:
    """What a shared host needs to take it in.

    Raises:
        SharingRefused: it can only run alone.
    """
    sharing = plugin.sharing()
    if sharing is None:
        raise SharingRefused(
            f"plugin {name!r} cannot share the host {share.name!r}: a {plugin.kind} host has place for one "
            "plugin. Leave out 'share'",
            plugin=name,
        )
    return sharing


def terms_of(sharing: Sharing, host: HostSettings, policy: RestartPolicy) -> dict[str, Any]:
    """All that who shares a host has to agree in, by the name of the option."""
    settings = {each.name: getattr(host, each.name) for each in fields(host) if each.name not in _OWN}
    return {**sharing.terms, **settings, "restart": policy}


def disagreement(these: Mapping[str, Any], those: Mapping[str, Any]) -> str | None:
    """The first option that is not the same in both."""
    for option in {**these, **those}:
        if these.get(option) != those.get(option):
            return option
    return None


class HostRegistry:
    """See the module.

    Args:
        services: the board's.
        watch: looks at the processes that have limits.
    """

    def __init__(self, services: Services, watch: LimitWatch) -> None:
        self._services = services
        self._watch = watch
        self._hosts: dict[str, SupervisedHost] = {}
        self._shares: dict[Share, tuple[SupervisedHost, dict[str, Any]]] = {}
        self._home: dict[str, SupervisedHost] = {}

    def assign(
        self,
        name: str,
        plugin: HostedToolPlugin,
        host: HostSettings,
        policy: RestartPolicy,
        share: Share | None,
    ) -> tuple[SupervisedHost, dict[str, Any] | None]:
        """Find the host that a plugin is to run in, or make it; it runs there from now on, until it leaves.

        Returns:
            The host, and what it is to load for the plugin; ``None`` if that is known to it.

        Raises:
            SharingRefused: it cannot share that host.
            PluginLoadError: its name is that of another host.
        """
        if share is None:
            self._require_place(name)
            supervised_host = self._make(name, plugin, host, policy, shared=False)
            self._enter(name, supervised_host)
            return supervised_host, None
        sharing = _sharing_of(plugin, name, share)
        terms = terms_of(sharing, host, policy)
        there = self._shared(name, share, terms)
        self._require_place(name, there)
        if there is None:
            host_name = self._name_for(share, name)
            there = self._make(host_name, sharing.program(host_name), host, policy, shared=True)
            self._shares[share] = there, terms
        self._enter(name, there)
        return there, sharing.load

    def would_found(self, name: str, share: Share | None) -> str | None:
        """The name of the host that `assign` would found for a plugin; ``None`` if it would run in one that is there.

        Raises:
            SharingRefused: as `assign`.
        """
        if share is None:
            return name
        return None if share in self._shares else self._name_for(share, name)

    def of(self, plugin: str) -> SupervisedHost | None:
        """Where a plugin runs; ``None`` for one that does not run in a host."""
        return self._home.get(plugin)

    def named(self, host: str) -> SupervisedHost | None:
        """The host of that name."""
        return self._hosts.get(host)

    def order(
        self, supervisor: ActorRef[Any], verb: str, name: str, reason: str, plugins: Collection[str]
    ) -> list[str]:
        """As `Board.order`, with the names of all plugins. Raises `UnknownChild`, and pykka's `ActorDeadError` once the supervisor has been stopped."""
        supervised_host = self.of(name) or self.named(name)
        if supervised_host is None:
            if name in plugins:
                problem = f"cannot {verb} {name!r}: the plugin runs in this process and has no host"
                raise UnknownChild(name, list(self._hosts), problem)
            # It knows no such child, and says so.
            ask_supervisor(supervisor, Order(verb, name, reason))
            return []
        if supervised_host.name != name:
            reason = f"{reason}, for plugin {name!r}"
        if verb != "park":
            supervised_host.acquit()
        ask_supervisor(supervisor, Order(verb, supervised_host.name, reason))
        if verb == "revive":
            supervised_host.pardon()
        return supervised_host.names

    def _make(
        self, name: str, program: Program, settings: HostSettings, policy: RestartPolicy, *, shared: bool
    ) -> SupervisedHost:
        from .host import SupervisedHost  # noqa: PLC0415 - with it comes all that runs hosts

        return SupervisedHost(
            name, program, settings, policy, shared=shared, services=self._services, watch=self._watch
        )

    def _shared(self, plugin: str, share: Share, terms: dict[str, Any]) -> SupervisedHost | None:
        """The host that a plugin is to share; ``None`` if it would be the first.

        Raises:
            SharingRefused: it does not agree with the plugins that run there.
        """
        there = self._shares.get(share)
        if there is None:
            return None
        supervised_host, agreed = there
        option = disagreement(terms, agreed)
        if option is not None:
            other = supervised_host.names[0]
            raise SharingRefused(
                f"plugins {plugin!r} and {other!r} cannot share the host {supervised_host.name!r}: they do not agree in "
                f"{option!r} ({_said(terms.get(option))} and {_said(agreed.get(option))}). "
                "One process has one of each: give both the same, or another 'share'",
                plugin=plugin,
                option=option,
                other=other,
            )
        return supervised_host

    def _name_for(self, share: Share, plugin: str) -> str:
        """The name of a host that is to be shared from now on.

        Raises:
            SharingRefused: the name that was chosen means something else.
        """
        if share.name not in self._hosts and (share.name not in self._home or share.name == plugin):
            return share.name
        if not share.of:
            raise SharingRefused(
                f"plugin {plugin!r} cannot share a host {share.name!r}: a plugin of that name has a host of its "
                "own. Choose another word for 'share'",
                plugin=plugin,
            )
        names = (f"{share.name}-{number}" for number in itertools.count(2))
        return next(name for name in names if name not in self._hosts and name not in self._home)

    def _require_place(self, plugin: str, supervised_host: SupervisedHost | None = None) -> None:
        """Refuse a name that would stand for a plugin in one host and for another host.

        Raises:
            PluginNameTaken: so it is.
        """
        there = self._hosts.get(plugin)
        if there is not None and there is not supervised_host:
            raise PluginNameTaken(
                f"there is a host {plugin!r} already, which other plugins share; give this plugin another name",
                plugin=plugin,
                by="host",
            )

    def _enter(self, plugin: str, supervised_host: SupervisedHost) -> None:
        self._home[plugin] = supervised_host
        self._hosts[supervised_host.name] = supervised_host

    def leave(self, plugin: str) -> None:
        """A plugin runs there no more; with its last plugin a host is one no more."""
        supervised_host = self._home.pop(plugin, None)
        if supervised_host is None or supervised_host in self._home.values():
            return
        del self._hosts[supervised_host.name]
        self._shares = {share: each for share, each in self._shares.items() if each[0] is not supervised_host}

    def status(self) -> dict[str, Any]:
        """Which plugins run in which host, as JSON."""
        hosts: dict[str, Any] = {name: {"plugins": []} for name in self._hosts}
        for plugin, supervised_host in self._home.items():
            hosts[supervised_host.name]["plugins"].append(plugin)
        return hosts


def _said(value: Any) -> str:
    return "none" if value is None else textwrap.shorten(repr(value), 60, placeholder=" …")
