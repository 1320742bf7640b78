"""Plugins that are MCP servers."""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import PluginLoadError
from ..base.foreign import Log
from ..base.paths import at_home, without_dots
from ..config.errors import ConfigurationError
from ..hosts.environment import OF_SERVERS, inherited, secrets_of
from ..hosts.mcp.pins import Pins
from ..hosts.mcp.result_bound import DEFAULT_LIMIT
from ..hosts.mcp.selection import Selection, prefix_of
from ..hosts.mcp.tool import McpToolPlugin
from ..hosts.mcp_http.tool import McpHttpPlugin
from ..hosts.mcp_oauth.oauth_client import OAuthClient
from ..hosts.report.redaction import Redactor
from ..pins.listing_record import last_listing_of
from ..pins.private_record import RecordNewer
from ..pins.tool_record import record_of
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.env_file import read_env_file
from ..plugins.placeholders import Unfilled, fill
from ..plugins.sources.mcp import IDLE, McpSource
from .loaded import Loaded
from .source_loader import Loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options

logger: Log = Log("callboard")

START_DEADLINE = 60.0
"""Seconds that a server has at least until it is ready, unless it says otherwise: ``npx`` and ``uvx`` may fetch it first."""


def _load(source: McpSource, options: Options, configuration: Configuration) -> Iterator[Loaded]:
    hidden: list[str] = []
    filled = partial(
        fill,
        environment=os.environ,
        folder=source.base,
        home=Path.home(),
        separator=os.sep,
        found=hidden.append,
    )
    name = options.name or source.id
    for key in source.idle:
        instead = IDLE[key]
        logger.warning(
            "the MCP server %r: %r has no effect here; write %r beside 'mcp' in a configuration of your own",
            name,
            key,
            instead,
        )
    try:
        if source.url is None:
            server = _started(source, name, options, filled, configuration.profile)
        else:
            server = _reached(source, name, options, filled)
    except Unfilled as error:
        raise PluginLoadError(f"the MCP server {name!r} {error}", plugin=name) from None
    except (ValueError, RuntimeError) as error:  # the latter of a home that nobody has
        problem = Redactor(hidden).text(str(error))
        raise PluginLoadError(f"the MCP server {name!r}: {problem}", plugin=name) from None
    redactor = Redactor((*hidden, *secrets_of({**dict(source.env), **dict(options.env)})))
    server.pins = _pins(source, name, configuration.profile, redactor)
    if configuration.served:
        server.last_listing = last_listing_of(source, name, redactor)
    patience = options.start_deadline or max(START_DEADLINE, options.host.start_deadline)
    host = replace(options.host, start_deadline=patience, hidden=(*options.host.hidden, *hidden))
    tool = options.tool
    named = tool.idempotent or frozenset()
    if not isinstance(named, bool | str):  # neither all of them nor by key
        tool = replace(tool, idempotent=Repeatable(server, named, trusted=source.trust_annotations))
    yield Loaded(PluginAdapter(server), server, replace(options, host=host, tool=tool))


def _pins(source: McpSource, name: str, profile: str | None, redactor: Redactor) -> Pins | None:
    mode = source.pin or ("tell" if profile is None else "withhold")
    if mode == "off":
        return None
    record = record_of(source, name)
    try:
        return Pins(
            record.kept(),
            withholds=mode == "withhold",
            keep=record.write,
            hides=lambda text: redactor.text(text) != text,
        )
    except RecordNewer as error:
        raise PluginLoadError(f"the MCP server {name!r}: {error}", plugin=name) from error


def _started(
    source: McpSource, name: str, options: Options, filled: Callable[[str], str], profile: str | None
) -> McpToolPlugin:
    """A server that is a process."""
    given = _given(profile)
    env = {} if source.env_file is None else read_env_file(source.base / at_home(filled(source.env_file)))
    for twice in env.keys() & set(options.inherit):
        raise ConfigurationError(
            f"the option 'inherit' names {twice!r}, for which the 'envFile' has a value; leave it out of one of them",
            path="$.inherit",
        )
    env |= {key: filled(value) for key, value in source.env}
    return McpToolPlugin(
        name,
        [filled(word) for word in source.command],
        cwd=_folder(source, filled, source.cwd),
        base=source.base,
        env=given | env | dict(options.env),
        confinement=options.confinement,
        revision=source.revision,
        roots=[_folder(source, filled, root).as_uri() for root in source.roots],
        selection=_selection(source, name),
        result_limit=source.result_limit or DEFAULT_LIMIT,
    )


def _given(profile: str | None) -> dict[str, str]:
    """The variables that SDKs of MCP give each server that they start."""
    return inherited(os.environ, OF_SERVERS) if profile is None else {}


def _reached(source: McpSource, name: str, options: Options, filled: Callable[[str], str]) -> McpToolPlugin:
    """A server over HTTP, which runs elsewhere."""
    assert source.url is not None
    return McpHttpPlugin(
        name,
        filled(source.url),
        headers={key: filled(value) for key, value in source.headers},
        revision=source.revision,
        roots=[_folder(source, filled, root).as_uri() for root in source.roots],
        selection=_selection(source, name),
        result_limit=source.result_limit or DEFAULT_LIMIT,
        max_answer=options.host.max_line_bytes,
        oauth=OAuthClient(
            None if source.client_id is None else filled(source.client_id),
            None if source.client_secret is None else filled(source.client_secret),
            source.scopes,
            source.callback_port,
        ),
        older=source.older,
    )


class Repeatable(Container[str]):
    """The tools of a server that may run twice: those of its entry, by any name of theirs; of a trusted one also what it says itself now."""

    def __init__(self, server: McpToolPlugin, named: Container[str], *, trusted: bool) -> None:
        self._server = server
        self._named = named
        self._trusted = trusted

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        names = (name, *self._server.known_as(name))
        return any(each in self._named for each in names) or (self._trusted and self._server.may_repeat(name))


def _selection(source: McpSource, name: str) -> Selection:
    prefix = prefix_of(name) if source.prefix is True else source.prefix or ""
    return Selection(source.allow, source.deny, source.rename, prefix, apart=source.prefix is None)


def _folder(source: McpSource, filled: Callable[[str], str], said: str) -> Path:
    return without_dots(source.base / at_home(filled(said)))


class McpLoader(Loader[McpSource]):
    """See the module."""

    def load(self, source: McpSource, options: Options, configuration: Configuration) -> Iterator[Loaded]:
        return _load(source, options, configuration)

    def takes_long(self, _: McpSource, __: bool | None, ___: Configuration) -> bool:
        return False  # a server fetches itself, once it is started

    def host(self, source: McpSource, _: bool | None, __: Configuration) -> str | None:
        return "mcp" if source.url is None else None

    def argv(self, source: McpSource, _: Options, __: Configuration) -> tuple[str, ...]:
        return source.command

    def variables(self, source: McpSource, configuration: Configuration) -> frozenset[str]:
        own = frozenset(name for name, _ in source.env)
        return own | frozenset(_given(configuration.profile)) if source.url is None else frozenset()


LOADER = McpLoader()
