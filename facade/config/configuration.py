"""The configuration: read from a file or a mapping, checked whole, turned into frozen values.

Nothing is started here and nothing guessed: an unknown key is refused by name, a value of the
wrong kind by its path. Relative paths are relative to the configuration's own file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..actors.threads.timeout import LOAD_TIMEOUT
from ..base.errors import JsonValueError
from ..base.frozen import frozen
from ..base.json import require_json
from ..base.paths import at_home
from ..hosts.limits.limits import MAX_FRAMES
from ..plugins.hooks.approval_rules import ApprovalRules
from ..sources.entry import FileEntry
from ..supervision.restart.backoff import Backoff
from ..supervision.restart.policy import RestartPolicy, RestartType
from .agent_section import REQUEST_KEYS, AgentSettings, read_agent_settings, read_request_keys
from .errors import (
    ConfigurationError,
    refused,
    require_known,
    require_object,
    require_one_of,
    require_seconds,
    require_some_time,
    require_text,
    require_texts,
    require_version,
    without_values,
)
from .groups import read_groups
from .hook_section import HookSettings, read_approval, read_hooks
from .mcp_servers import as_configuration, servers_of
from .state import StateSettings, read_state_settings, working_folder, written_at

if TYPE_CHECKING:
    from ..hosts.packages.consent import Consent
    from ..supervision.restart.spec import GroupSpec
    from .known_keys import UnknownKey


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The usual folder: ``callboard/plugins`` in the user's cache folder.

    That is ``XDG_CACHE_HOME``, if it says where, and ``~/.cache`` otherwise. By the XDG rules a path that is not absolute
    says nothing: it would be another folder for each working directory.
    """
    said = Path(environment.get("XDG_CACHE_HOME", ""))
    caches = said if said.is_absolute() else Path("~/.cache").expanduser()
    return caches / "callboard" / "plugins"


Json = dict[str, Any]

_SMALLEST_LINE = 4096
"""Bytes of a message without which not even a host's `init` could be asked or answered."""


@frozen
class CallDefaults:
    """What holds for the calls of every plugin that says nothing else.

    Attributes:
        deadline: seconds a call may take, waiting included; ``None`` for no limit.
        concurrency: how many calls of one plugin may be under way at once; ``None``: one, but for servers of a board that is `Configuration.served`.
        mailbox_size: how many calls of one plugin may wait.
        grace: seconds that a cancelled call may go on before its host or thread is replaced.
        claim_patience: seconds a call waits for plugins to say whether it is theirs.
        max_line_bytes: the largest message to or from a host, in bytes.
        max_stray_lines: printed lines that are borne in one generation of a host; ``None`` for any number.
        flight_recorder: how many of a host's last messages a crash report has; 0 for none.
        validate: whether arguments are held to the schemas of their tools.
    """

    deadline: float | None = 60.0
    concurrency: int | None = None
    mailbox_size: int = 1000
    grace: float = 1.0
    claim_patience: float = 1.0
    max_line_bytes: int = 64 * 1024 * 1024
    max_stray_lines: int | None = None
    flight_recorder: int = 32
    validate: bool = True

    def __post_init__(self) -> None:
        if self.deadline is not None and not self.deadline > 0:
            raise ValueError(f"'deadline' is {self.deadline}; it has to be more than 0 seconds, or null")
        for name, least in (("concurrency", 1), ("mailbox_size", 1), ("max_line_bytes", _SMALLEST_LINE)):
            if (said := getattr(self, name)) is not None and said < least:
                raise ValueError(f"{name!r} is {said}; it has to be at least {least:,}")
        if self.flight_recorder > MAX_FRAMES:
            raise ValueError(
                f"'flight_recorder' is {self.flight_recorder}; it has to be at most {MAX_FRAMES}"
            )


@frozen
class PluginPolicy:
    """What loading a package from source may do.

    Attributes:
        node_install_deps: install a package's dependencies.
        node_build: run its build.
        node_allow_install_scripts: let dependencies run scripts while they are installed.
        node_step_timeout: seconds that a fetch, an installation and a build may each take.
        python_install_deps: make an environment for a Python package, with what it needs.
        python_allow_builds: let packages be built that are not to be had as wheels.
        python_step_timeout: seconds that making an environment and installing into it may each take.
    """

    node_install_deps: bool = True
    node_build: bool = True
    node_allow_install_scripts: bool = False
    node_step_timeout: float = 600.0
    python_install_deps: bool = True
    python_allow_builds: bool = False
    python_step_timeout: float = 600.0

    def __post_init__(self) -> None:
        for name in ("node_step_timeout", "python_step_timeout"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name!r} is {getattr(self, name)}; no step takes no time")


NAMES = ("as_declared", "strict")
"""Under which names a served board offers its tools."""


@frozen
class Configuration:
    """A whole configuration.

    Attributes:
        plugins: the entries as they were written; `sources` reads them.
        base: the folder that relative paths are relative to.
        supervision: the restart policy of every host that has none of its own.
        groups: hosts that are restarted together or share a budget, outer groups first.
        calls: the calls' defaults.
        served: the board serves clients of MCP: its servers are called side by side, and what they offered last is remembered.
        plugin_policy: what loading may do.
        plugin_cache_dir: where packages are built; see `cache_folder`.
        node: the Node program, or ``None`` to look it up.
        start_deadline: seconds a host has from spawn until it is ready.
        load_deadline: seconds that a plugin of this process has to be imported and made, and then for its `init` and
            its schemas; ``None`` for no limit, and in the thread that starts the board.
        prepare_deadline: seconds that a plugin of this process has for its set-up.
        state: where the states of tools are kept.
        hooks: those to be registered when the board starts.
        approval: which tools a person is asked about, and which never run.
        interop: the dotted paths of contributions that are tried first, in their order.
        names: under which names a served board offers its tools: ``as_declared``, or ``strict`` for names that the APIs of models take.
        list_ttl: seconds for which a client of a served board may keep a list of its tools.
        list_patience: seconds, from the start of a served board, for which a list of its tools waits for servers that were never up before.
        agent: the keys on top that are the agent's business (``provider``, ``model``); handed on.
        agent_settings: the section ``agent``.
        file: where it was read from, or ``None``.
        written: all of it as it was written; empty of one that a program has made.
        consent: asked before anything is fetched, installed or built; ``None``, which is what a program has, lets all
            be done that `plugin_policy` lets.
        profile: ``strict``, by which plugins are kept from all that can be kept from them, or ``None``.
    """

    plugins: tuple[Any, ...] = ()
    base: Path = field(default_factory=working_folder)
    supervision: RestartPolicy = field(default_factory=RestartPolicy)
    groups: tuple[GroupSpec, ...] = ()
    calls: CallDefaults = field(default_factory=CallDefaults)
    served: bool = False
    plugin_policy: PluginPolicy = field(default_factory=PluginPolicy)
    plugin_cache_dir: Path = field(default_factory=cache_folder)
    node: str | None = None
    start_deadline: float = 10.0
    load_deadline: float | None = LOAD_TIMEOUT
    prepare_deadline: float = 60.0
    state: StateSettings = field(default_factory=StateSettings)
    hooks: tuple[HookSettings, ...] = ()
    approval: ApprovalRules = field(default_factory=ApprovalRules)
    interop: tuple[str, ...] = ()
    names: str = NAMES[0]
    list_ttl: float = 300.0
    list_patience: float = 15.0
    agent: Mapping[str, Any] = field(default_factory=dict)
    agent_settings: AgentSettings = field(default_factory=AgentSettings)
    file: Path | None = None
    written: Mapping[str, Any] = field(default_factory=dict)
    consent: Consent | None = None
    profile: str | None = None


LONGEST_TTL = 86_400
"""Seconds: a day."""

LONGEST_PATIENCE = 600
"""Seconds: no client waits longer for a list."""

_OF_APPLICATIONS = frozenset({"app", "summarizer_agent"})
"""Handed on in `Configuration.written`; the latter is a key that the specification's guide to tools reads there."""
KEYS = frozenset({
    "$schema", "version", "plugins", "supervision", "calls", "plugin_policy", "plugin_cache_dir", "node", "start_deadline",
    "load_deadline", "prepare_deadline", "state", "agent", "hooks", "approval", "interop", "profile", "names", "list_ttl", "list_patience",
}) | REQUEST_KEYS | _OF_APPLICATIONS  # fmt: skip


def read_configuration(source: str | os.PathLike[str] | Mapping[str, Any] | None) -> Configuration:
    """Read a configuration from a JSON file, a TOML file (``.toml``) or a mapping; the empty one for ``None``.

    Raises:
        ConfigurationError: the file cannot be read, is neither, or something in it is wrong.
    """
    if source is None:
        return Configuration()
    if isinstance(source, Mapping):
        return read_value(source, working_folder(), None)
    if not isinstance(source, str | os.PathLike):
        raise ConfigurationError(
            f"the configuration is {source!r:.60}; it has to be the path of a file, or a mapping", path="$"
        )
    file = at_home(Path(source))
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"cannot read the configuration {file}: {error.strerror}", path="$"
        ) from error
    try:
        return _read_file(load_text(text, file), file)
    except JsonValueError as error:
        raise ConfigurationError(str(error), path=error.path, file=str(file)) from error
    except ConfigurationError as error:
        raise ConfigurationError(str(error), path=error.path, file=str(file), paths=error.paths) from error


def _read_file(value: Any, file: Path) -> Configuration:
    """What its user wrote, with its placeholders filled; those in an entry when that is read."""
    base = file.absolute().parent
    if not isinstance(value, Mapping) or servers_of(value) is not None:
        return read_value(value, base, file)
    from ..plugins.placeholders import Unfilled, fill_all  # noqa: PLC0415 - only a file has placeholders

    try:
        filled, hidden = fill_all({key: each for key, each in value.items() if key != "plugins"}, os.environ)
    except Unfilled as error:
        raise ConfigurationError(f"${error.path} {error}", path=f"${error.path}") from None
    if isinstance(entries := value.get("plugins"), list):
        filled["plugins"] = [
            FileEntry(each, os.environ) if isinstance(each, dict) else each for each in entries
        ]
    try:
        return replace(read_value({**value, **filled}, base, file), written=value)
    except ConfigurationError as error:
        raise without_values(error, hidden) from None


def load_text(text: bytes, file: Path) -> Any:
    """The value of a file's text: TOML, or JSON with comments or without.

    Raises:
        JsonValueError: it is neither, or a key stands in it twice.
    """
    if file.suffix == ".toml":
        return _load_toml(text)
    from .json_text import load_commented  # noqa: PLC0415 - only a file has a text

    return load_commented(text)


def _load_toml(text: bytes) -> Any:
    import tomllib  # noqa: PLC0415 - most files are JSON

    try:
        value = tomllib.loads(text.decode("utf-8"))
    except ValueError as error:  # which says the line, or that it is no text
        raise JsonValueError(f"not TOML: {error}", path="$") from error
    require_json(value)  # dates and endless numbers are TOML's own
    return value


def read_value(given: Mapping[str, Any], base: Path, file: Path | None) -> Configuration:
    """Read a configuration that was loaded; paths in it are relative to ``base``. Raises `ConfigurationError`."""
    require_object(given, "$")
    if (servers := servers_of(given)) is not None:
        given = as_configuration(servers)
    if given:
        require_version(given)
        _require_all_known(given)
    require_object(given.get("app", {}), "$.app")
    written, profile = given, None
    if given.get("profile") is not None:
        from .profile import read_profile, under  # noqa: PLC0415 - most configurations have none

        profile = read_profile(given["profile"])
        given = under(profile, given)
    plugins = given.get("plugins", [])
    if not isinstance(plugins, list | tuple):
        raise refused(plugins, "$.plugins", "a list")
    supervision = dict(require_object(given.get("supervision", {}), "$.supervision"))
    groups = read_groups(supervision.pop("groups", {}), "$.supervision.groups")
    said = given.get("plugin_cache_dir", str(cache_folder()))
    cache = written_at(base, require_text(said, "$.plugin_cache_dir"), "$.plugin_cache_dir")
    return Configuration(
        plugins=tuple(plugins),
        base=base,
        supervision=read_policy(supervision, "$.supervision"),
        groups=groups,
        calls=read_into(CallDefaults, given.get("calls", {}), "$.calls"),
        plugin_policy=read_into(PluginPolicy, given.get("plugin_policy", {}), "$.plugin_policy"),
        plugin_cache_dir=cache,
        node=None if given.get("node") is None else require_text(given["node"], "$.node"),
        start_deadline=require_some_time(
            given.get("start_deadline", 10.0), "$.start_deadline", "no host starts"
        ),
        load_deadline=_load_deadline(given.get("load_deadline", LOAD_TIMEOUT)),
        prepare_deadline=require_some_time(
            given.get("prepare_deadline", 60.0), "$.prepare_deadline", "nothing is prepared"
        ),
        state=read_state_settings(given.get("state", {}), base),
        hooks=read_hooks(given.get("hooks", [])),
        approval=read_approval(given.get("approval", {})),
        interop=_dotted_paths(given.get("interop", []), "$.interop"),
        names=require_one_of(given.get("names", NAMES[0]), "$.names", NAMES),
        list_ttl=_seconds(given.get("list_ttl", 300.0), "list_ttl", LONGEST_TTL),
        list_patience=_seconds(given.get("list_patience", 15.0), "list_patience", LONGEST_PATIENCE),
        agent=read_request_keys(given),
        agent_settings=read_agent_settings(given.get("agent", {}), base),
        file=file,
        written=written,
        profile=profile,
    )


def _seconds(value: float, key: str, most: int) -> float:
    return require_seconds(value, f"$.{key}", f"0 to {most:,}", most)


def unknown_of(given: Mapping[str, Any]) -> tuple[UnknownKey, ...]:
    """All unknown keys of a configuration."""
    from .known_keys import unknown_keys  # noqa: PLC0415 - a program's empty configuration has none

    return unknown_keys(given, KEYS, {"calls": CallDefaults, "plugin_policy": PluginPolicy})


def _require_all_known(given: Mapping[str, Any]) -> None:
    """Raises `ConfigurationError`: names every unknown key, wherever it stands."""
    if unknown := unknown_of(given):
        whys = [each.why for each in unknown]
        said = whys[0] if len(whys) == 1 else "\n  ".join([f"{len(whys)} keys are unknown:", *whys])
        raise ConfigurationError(said, path=unknown[0].path, paths=[each.path for each in unknown])


def read_policy(given: Any, path: str, default: RestartPolicy | None = None) -> RestartPolicy:
    """Read a restart policy; what it leaves out comes from ``default``.

    Raises:
        ConfigurationError: something in it is wrong.
    """
    default = default or RestartPolicy()
    mapping = dict(require_object(given, path))
    if "backoff" in mapping:
        mapping["backoff"] = read_into(Backoff, mapping["backoff"], f"{path}.backoff", default.backoff)
    for key in ("never_restart_on", "always_restart_on"):
        if key in mapping:
            mapping[key] = require_texts(mapping[key], f"{path}.{key}")
    if "restart" in mapping:
        try:
            mapping["restart"] = RestartType(mapping["restart"])
        except ValueError:
            kinds = ", ".join(kind.value for kind in RestartType)
            raise ConfigurationError(
                f"{path}.restart is {mapping['restart']!r}; it has to be one of: {kinds}",
                path=f"{path}.restart",
            ) from None
    policy: RestartPolicy = read_into(RestartPolicy, mapping, path, default)
    return policy


def read_into(kind: Callable[..., Any], given: Any, path: str, default: Any = None) -> Any:
    """Read a mapping into a frozen dataclass whose fields are numbers, booleans or ready values."""
    mapping = require_object(given, path)
    default = default if default is not None else kind()
    if not mapping:
        return default
    names = {f.name: getattr(default, f.name) for f in fields(default)}
    require_known(mapping, names, path=path)
    for key, value in mapping.items():
        names[key] = _alike(value, names[key], f"{path}.{key}")
    try:
        return kind(**names)
    except ValueError as error:
        if named := re.match(r"'(\w+)' (?=is )", str(error)):
            path = f"{path}.{named[1]}"
            raise ConfigurationError(f"{path} {str(error)[named.end() :]}", path=path) from error
        raise ConfigurationError(f"{path}: {error}", path=path) from error


_OPEN_ENDED = {"$.calls.deadline", "$.calls.max_stray_lines"}
"""Limits that may be ``null``: none."""
_LEAST = {
    "$.calls.deadline": "more than 0, or null for none",
    "$.plugin_policy.node_step_timeout": "more than 0",
    "$.plugin_policy.python_step_timeout": "more than 0",
}
"""What is said of a number that 0 is too small for."""


def _alike(value: Any, default: Any, path: str) -> Any:
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise refused(value, path, "true or false")
        return value
    if value is None and path in _OPEN_ENDED:
        return None
    if isinstance(default, int) or path == "$.calls.max_stray_lines":
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise refused(value, path, "a whole number, 0 or more")
        return value
    if isinstance(default, float) or path in _OPEN_ENDED:
        return require_seconds(value, path, _LEAST.get(path, "0 or more"))
    return value


def _dotted_paths(value: Any, path: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise refused(value, path, "a list of dotted paths")
    for index, each in enumerate(value):
        if not isinstance(each, str) or "." not in each:
            raise refused(
                each, f"{path}[{index}]", "a dotted path, such as 'my_package.my_formats.contribution'"
            )
    return tuple(value)


def _load_deadline(value: Any) -> float | None:
    none = "null means no limit, and nothing is loaded"
    return None if value is None else require_some_time(value, "$.load_deadline", none)
