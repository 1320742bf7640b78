"""A plugin's options made complete: what its entry leaves out comes from the configuration."""

from __future__ import annotations

import os
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final

from ..actors.catalog.argument_validation import Validation
from ..actors.endpoint.circuit_breaker import BreakerPolicy
from ..actors.endpoint.crash_attribution import QuarantinePolicy
from ..actors.endpoint.endpoint import ToolSettings
from ..actors.endpoint.fallback import WhileDown
from ..actors.hosting.settings import HostSettings
from ..actors.reload.policy import ReloadPolicy
from ..base.frozen import frozen
from ..hosts.environment import inherited
from ..hosts.limits.limits import NAMES, Limits, read_limits
from ..hosts.node.sandbox import NAMES as SANDBOX_NAMES
from ..hosts.node.sandbox import Sandbox, read_sandbox
from ..hosts.sandbox.bwrap import KIND, SystemSandbox, read_system_sandbox
from ..hosts.sandbox.bwrap import NAMES as SYSTEM_NAMES
from ..hosts.sandbox.confinement import Confinement, read_secrets
from ..plugins.sources.mcp import McpSource
from ..plugins.sources.options import PluginOptions
from .configuration import Configuration, read_into, read_policy
from .errors import ConfigurationError, require_known
from .groups import require_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..sources.entry import PluginEntry
    from ..supervision.restart.policy import RestartPolicy

_OF_HOSTS = ("standby", "limits")
"""Options that a thread of this process cannot honour."""


SIDE_BY_SIDE: Final = 64
"""Calls of one MCP server at a time on a board that serves clients, unless the file says otherwise: they decide what runs together."""

_NOTHING_SAID = PluginOptions()

_PLAIN = HostSettings({})


@frozen
class Options:
    """How one plugin is run.

    Attributes:
        name: the name it is to go by, or ``None`` for its own; of one of several, what comes before its own.
        several: it is one of several plugins of a package.
        known: names of isolated plugins by their dotted paths, where they are loaded again: they keep them.
        config: given to its ``init``.
        required: failing to load it is an error.
        env: variables that its host gets, those that it inherits too.
        inherit: names of those that it inherits; not all of them need be set.
        isolate: it is to run in a host, even if it is written in Python; ``None`` if nothing is said.
        sandbox: what Node lets it do, if it is a Node plugin and may not do everything.
        confinement: its sandbox of the system's, and its secrets.
        share: the host that it shares, by name; ``True`` for that of all who say so, ``False`` for none, ``None``
            if nothing is said.
        start_deadline: seconds that its host has to become ready, if something is said; `host` has what holds.
        tool: how its calls are run.
        host: how its host is run.
        policy: when its host is started again.
        reload: what a reload of its host may do.
    """

    name: str | None
    config: dict[str, Any]
    required: bool
    env: Mapping[str, str]
    isolate: bool | None
    sandbox: Sandbox | None
    confinement: Confinement
    share: str | bool | None
    tool: ToolSettings
    host: HostSettings
    policy: RestartPolicy
    reload: ReloadPolicy
    start_deadline: float | None = None
    inherit: tuple[str, ...] = ()
    several: bool = False
    known: Mapping[str, str] = field(default_factory=dict)

    def called(self, own: str) -> str:
        """The name that a plugin goes by whose own name is ``own``."""
        if self.name is None:
            return own
        return f"{self.name}.{own}" if self.several else self.name

    def of_several(self, count: int) -> Options:
        """The same options, for each of so many plugins of one package."""
        return replace(self, several=True) if count > 1 else self

    def require_nothing_of_hosts(self) -> None:
        """Refuse what only a host can give, for a plugin that runs in this process.

        Raises:
            ConfigurationError: names the option. To ignore it would be to promise it.
        """
        asked = [name for name in _OF_HOSTS if getattr(self.host, name) != getattr(_PLAIN, name)]
        if self.tool.idle_deadline is not None:
            asked.append("idle_deadline")
        if self.start_deadline is not None:
            asked.append("start_deadline")
        if self.reload != ReloadPolicy():
            asked.append("reload")
        if self.confinement.sandbox is not None:
            asked.append("sandbox")
        if self.confinement.secrets:
            asked.append("secrets")
        if self.inherit:
            asked.append("inherit")
        for name in [*asked, *(["share"] if self.share else [])]:
            remedy = "Leave it out" if name == "share" else "Give it 'isolate' too"
            raise ConfigurationError(
                f"the option {name!r} is for plugins that run in a host; this one runs in a thread of "
                f"this process. {remedy}",
                path=f"$.{name}",
            )

    def require_nothing_of_node(self) -> None:
        """Refuse what only Node can give, for a plugin that runs in something else.

        Raises:
            ConfigurationError: names the option.
        """
        if self.sandbox is not None:
            raise ConfigurationError(
                f"the option 'sandbox' of this kind is for plugins that run in Node, whose permission model it is; write "
                f"{KIND!r} for a sandbox of the system's, or leave it out",
                path="$.sandbox",
            )

    def require_no_confinement(self) -> None:
        """Refuse what has to be said when a hosted plugin is made, for one that is made already.

        Raises:
            ConfigurationError: names the option.
        """
        for name, asked in (("sandbox", self.confinement.sandbox), ("secrets", self.confinement.secrets)):
            if asked:
                raise ConfigurationError(
                    f"the option {name!r} cannot be given to a plugin that was made before; give its class a 'confinement', "
                    "or load its source",
                    path=f"$.{name}",
                )

    def of_required(self) -> Options:
        """The same options for a plugin that has to come up."""
        return replace(self, required=True)


def options_of(entry: PluginEntry, configuration: Configuration) -> Options:
    """The options of an entry, under the profile of the configuration, as `complete`."""
    for option, why in entry.source.refused().items():
        if _is_asked(entry.options, option):
            raise ConfigurationError(f"the option {option!r}: {why}. Leave it out", path=f"$.{option}")
    asked, concurrency, validate = asked_of(entry, configuration), 1, configuration.calls.validate
    if isinstance(entry.source, McpSource):
        _require_no_other(entry.options.inherit, dict(entry.source.env))
        if configuration.served:
            concurrency, validate = SIDE_BY_SIDE, validate and _is_asked_to_validate(configuration)
    return complete(asked, configuration, entry.hidden, concurrency=concurrency, validate=validate)


def _is_asked(options: PluginOptions, option: str) -> bool:
    """Whether an option, or a key of one, as ``limits.memory``, asks for something."""
    name, _, key = option.partition(".")
    given = getattr(options, name)
    if key:
        return bool(given.get(key))
    return bool(given) and given != getattr(_NOTHING_SAID, name)


def _is_asked_to_validate(configuration: Configuration) -> bool:
    """Whether a served board checks the arguments of MCP servers' tools. By default only the servers check them."""
    return configuration.profile is not None or "validate" in configuration.written.get("calls", {})


def _require_no_other(inherit: tuple[str, ...], env: Mapping[str, str]) -> None:
    """Refuse to choose between two values of one variable."""
    for name in inherit:
        if name in env:
            raise ConfigurationError(
                f"the option 'inherit' names {name!r}, for which 'env' has a value; leave it out of one of them",
                path="$.inherit",
            )


def asked_of(entry: PluginEntry, configuration: Configuration) -> PluginOptions:
    """What an entry asks for, under the profile of the configuration.

    Raises:
        ConfigurationError: it would weaken the profile.
    """
    if configuration.profile is None:
        return entry.options
    from .profile import hardened  # noqa: PLC0415 - most configurations have no profile

    return hardened(configuration.profile, entry)


def complete(
    given: PluginOptions,
    configuration: Configuration,
    hidden: tuple[str, ...] = (),
    *,
    concurrency: int = 1,
    validate: bool | None = None,
) -> Options:
    """Fill in what the options leave out.

    Args:
        given: the options.
        configuration: has what holds for all plugins.
        hidden: what nobody is to read in a report.
        concurrency: calls at once, where neither of them says it.
        validate: whether arguments are checked, where the options do not say it; ``None`` for the configuration's value.

    Raises:
        ConfigurationError: the restart policy, or another option that is looked at here, is wrong.
    """
    if given.group is not None:
        require_group(given.group, (group.id for group in configuration.groups), "the option 'group'")
    _require_no_other(given.inherit, given.env)
    calls, confinement = configuration.calls, _confinement(given, configuration)
    if configuration.profile is not None and confinement.sandbox is not None:
        _require_closed_sockets(confinement.sandbox, configuration.profile)
    return Options(
        name=given.name,
        config=given.config,
        required=given.required,
        env={**inherited(os.environ, given.inherit), **given.env},
        inherit=given.inherit,
        isolate=True if confinement.sandbox is not None and given.isolate is None else given.isolate,
        sandbox=None if confinement.sandbox is not None else _sandbox(given, configuration),
        confinement=confinement,
        share=given.share,
        tool=ToolSettings(
            concurrency=given.concurrency or calls.concurrency or concurrency,
            mailbox_size=given.mailbox_size or calls.mailbox_size,
            deadline=given.deadline if given.deadline is not None else calls.deadline,
            idle_deadline=given.idle_deadline,
            grace=calls.grace,
            idempotent=given.idempotent,
            repeats=1 if given.repeats is None else given.repeats,
            breaker=_policy(BreakerPolicy, given.breaker, "breaker"),
            quarantine=_policy(QuarantinePolicy, given.quarantine, "quarantine"),
            while_down=_while_down(given),
            validate=_validation(given.validate, default=calls.validate if validate is None else validate),
            claims=given.claims,
            state_from=given.state_from,
        ),
        host=HostSettings(
            given.config,
            start_deadline=given.start_deadline or configuration.start_deadline,
            max_line_bytes=calls.max_line_bytes,
            max_stray_lines=calls.max_stray_lines,
            flight_recorder=calls.flight_recorder,
            group=given.group or "",
            standby=bool(given.standby),
            limits=_limits(given),
            hidden=hidden,
        ),
        start_deadline=given.start_deadline,
        policy=read_policy(given.restart, "the option 'restart'", configuration.supervision),
        reload=ReloadPolicy(watch=given.reload)
        if isinstance(given.reload, bool)
        else read_into(ReloadPolicy, given.reload, "the option 'reload'"),
    )


def _policy(kind: Callable[..., Any], given: Mapping[str, Any] | bool, option: str) -> Any:
    """A policy of the option's settings; the usual one for true, and none for false."""
    if isinstance(given, bool):
        return kind() if given else None
    return read_into(kind, given, f"the option {option!r}")


def _validation(given: bool | Mapping[str, bool] | None, *, default: bool) -> Validation:
    """Tools that the option does not name go by the configuration."""
    if given is None or isinstance(given, bool):
        return Validation(default if given is None else given)
    return Validation(default, given)


def _limits(given: PluginOptions) -> Limits:
    require_known(given.limits, NAMES, path="the option 'limits'")
    try:
        limits = read_limits(given.limits)
    except ValueError as error:
        raise ConfigurationError(f"the option 'limits': {error}", path="$.limits") from error
    if given.standby and not limits.overlap:
        raise ConfigurationError(
            "'standby' keeps two generations of a host, and 'overlap: false' in 'limits' says that two must not be",
            path="$.limits.overlap",
        )
    return limits


def _confinement(given: PluginOptions, configuration: Configuration) -> Confinement:
    sandbox, option = None, "sandbox"
    try:
        if isinstance(given.sandbox, str):
            sandbox = read_system_sandbox(given.sandbox, configuration.base)
        elif isinstance(given.sandbox, dict) and given.sandbox.get("kind") == KIND:
            require_known(given.sandbox, SYSTEM_NAMES, path="the option 'sandbox'")
            sandbox = read_system_sandbox(given.sandbox, configuration.base)
        option = "secrets"
        return Confinement(sandbox, read_secrets(given.secrets, configuration.base))
    except ValueError as error:
        raise ConfigurationError(f"the option {option!r}: {error}", path=f"$.{option}") from error


def _require_closed_sockets(sandbox: SystemSandbox, profile: str) -> None:
    from ..hosts.sandbox.containment import open_sockets  # noqa: PLC0415 - most configurations have no profile

    opened = open_sockets(sandbox)
    if opened:
        raise ConfigurationError(
            f"the profile {profile!r} does not allow the network in this sandbox: {opened}; leave 'network' out, "
            'write "network": "outside", or take a kernel from Linux 6.12 on',
            path="$.sandbox.network",
        )


def _sandbox(given: PluginOptions, configuration: Configuration) -> Sandbox | None:
    assert not isinstance(given.sandbox, str), "it is the system's"
    if isinstance(given.sandbox, dict):
        require_known(given.sandbox, SANDBOX_NAMES, path="the option 'sandbox'")
    try:
        return read_sandbox(given.sandbox or False, configuration.base)
    except ValueError as error:
        raise ConfigurationError(f"the option 'sandbox': {error}", path="$.sandbox") from error


def _while_down(given: PluginOptions) -> WhileDown:
    if callable(given.while_down):
        return WhileDown(answer=given.while_down)
    return WhileDown(hold=0 if given.while_down == "refuse" else given.hold)
