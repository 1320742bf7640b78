"""All that is wrong with a configuration at once, each problem with its place in the file. Nothing is started, installed or fetched.

The readers of a configuration stop at the first thing that they cannot use. So what was refused is taken out, and the rest is read again,
until nothing is refused.
"""

from __future__ import annotations

import copy
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.errors import CallboardError, JsonValueError, PluginLoadError
from ..config.agent_section import PROVIDERS, provider_path
from ..config.configuration import load_text, read_value, unknown_of
from ..config.errors import ConfigurationError
from ..config.mcp_servers import INHERIT, NAMES, as_configuration, servers_of
from ..config.plugin_options import options_of
from ..config.profile import weakenings_of
from ..config.provider_section import choose
from ..plugins.sources.mcp import McpSource
from ..plugins.sources.options import parse_options
from ..plugins.sources.python import read_python_package
from ..plugins.sources.python_source import PythonPackageSource
from ..sources.entry import parse_entry
from ..sources.kinds import SOURCE_KEYS, parse_source, spelled
from .positions import START, Position, in_json, in_toml, nearest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from pathlib import Path

    from ..config.configuration import Configuration
    from ..sources.kinds import PluginSource

SHIPPED = frozenset(map(provider_path, PROVIDERS))
_LINE = re.compile(r"\bline (\d+)(?:,? column (\d+))?")
_OPTION = re.compile(r"the option '(\w+)'(.*)")


class Problem(NamedTuple):
    """One thing that is wrong.

    Attributes:
        path: where it stands in the configuration, as ``$.plugins[0].deadline``.
        message: what is wrong, and what to do.
        position: where it stands in the file; the beginning of the innermost part that has a place there.
    """

    path: str
    message: str
    position: Position = START


def problems_of(file: Path) -> list[Problem]:
    """Find all that is wrong with a file, in the order in which it stands there.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"cannot read the configuration {file}: {error.strerror}", path="$"
        ) from error
    try:
        value = load_text(text, file)
    except JsonValueError as error:
        return [Problem(error.path, str(error), _said(str(error)))]
    written = text.decode("utf-8-sig")
    positions = in_toml(written) if file.suffix == ".toml" else in_json(written)
    if isinstance(value, dict) and servers_of(value) is not None:
        positions = _of_servers(value, positions)
    found = [
        problem._replace(position=nearest(positions, problem.path))
        for problem in _problems(value, file.absolute().parent, file)
    ]
    return sorted(found, key=lambda problem: problem.position)


def _of_servers(value: Mapping[str, Any], written: Mapping[str, Position]) -> dict[str, Position]:
    """The places of a client's file by the paths that its servers have as entries of ours."""
    key = next(name for name in NAMES if name in value)
    entries = as_configuration(value[key])["plugins"]
    found: dict[str, Position] = {}
    for path, position in written.items():
        for index, entry in enumerate(entries):
            begin, ours = f"$.{key}.{entry['name']}", f"$.plugins[{index}]"
            if path == begin:
                found[ours] = position
            elif path.startswith(f"{begin}.") and path[len(begin) :].lstrip(".") == INHERIT:
                found[f"{ours}.{INHERIT}"] = position
            elif path.startswith(f"{begin}."):
                found[f"{ours}.mcp{path[len(begin) :]}"] = position
    return found


def _said(message: str) -> Position:
    """The position that an error names."""
    named = _LINE.search(message)
    return START if named is None else Position(int(named[1]), int(named[2] or 1))


def _problems(value: Any, base: Path, file: Path) -> Iterator[Problem]:
    rest = _Rest(value)
    unknown: list[str] = []
    if isinstance(value, dict) and servers_of(value) is None:
        for key in reversed(unknown_of(value)):  # from behind: no index in front of one changes
            yield Problem(key.path, key.why)
            unknown.append(key.path)
            rest.take_out(key.path)
        for path, why in weakenings_of(value):
            yield Problem(path, why)
            rest.take_out(path)
    told: list[str] = []
    configuration: Configuration | None = None
    while configuration is None:
        try:
            configuration = read_value(rest.value, base, file)
        except ConfigurationError as error:
            path = rest.as_written(error.path)
            if not any(each.startswith(path) for each in told):  # else a key that was taken out is missed
                told.append(path)
                yield Problem(path, str(error).replace(error.path, path))
            if not rest.take_out(error.path):
                return
    yield from _of_provider(configuration)
    paths = [rest.as_written(f"$.plugins[{index}]") for index in range(len(configuration.plugins))]
    entries = dict(zip(paths, configuration.plugins, strict=True))
    yield from _of_plugins(entries, configuration, tuple(unknown))


def _of_plugins(
    entries: dict[str, Any], configuration: Configuration, unknown: tuple[str, ...]
) -> Iterator[Problem]:
    sources: dict[str, PluginSource] = {}
    servers: dict[str, str] = {}
    for path, entry in entries.items():
        sourceless = isinstance(entry, dict) and not SOURCE_KEYS & entry.keys()
        if sourceless and any(key.startswith(f"{path}.") for key in unknown):
            continue  # a source key that is misspelled has been told as that
        source = yield from _of_entry(entry, path, configuration)
        if source is not None:
            sources[path] = source
        if isinstance(source, McpSource):
            name = entry["name"] if isinstance(entry.get("name"), str) else source.id
            if name in servers:
                place = ".name" if "name" in entry else ".mcp.id" if "id" in entry["mcp"] else ""
                yield Problem(
                    path + place,
                    f"the entry {servers[name]} is called {name!r} already; write another 'name' in this one",
                )
            servers.setdefault(name, path)
    roots = _roots_of(sources.values())
    for path, source in sources.items():
        for missing in source.missing(roots):
            yield Problem(path, missing)


def _roots_of(sources: Iterable[PluginSource]) -> list[str]:
    """The folders that the Python packages among sources are imported from."""
    found = []
    for source in sources:
        if isinstance(source, PythonPackageSource):
            with suppress(PluginLoadError):  # told at its own entry
                found.append(str(read_python_package(source.directory).import_root))
    return found


def _of_provider(configuration: Configuration) -> Iterator[Problem]:
    """What is wrong with the options of a shipped provider, if one is asked. A provider among the plugins reads its own options."""
    try:
        choice = choose(configuration, ())
    except (
        ConfigurationError
    ):  # none is named, which only a conversation needs, or it may be among the plugins
        return
    if choice.path not in SHIPPED:
        return
    options = {"model": configuration.agent.get("model"), **choice.options}
    if options["model"] is None:
        yield Problem(choice.where, f"{choice.where} names no 'model'; add the name of the model to ask")
    from ..agent.wires.options import read_options  # noqa: PLC0415 - only a configured agent needs it

    name = next(kind for kind in PROVIDERS if provider_path(kind) == choice.path)
    for key, value in options.items():
        if value is None or "${" in str(value):
            continue  # a placeholder is filled when it is read
        try:
            read_options({"model": name, key: value}, provider=name, home="", api_key_env="")
        except CallboardError as error:
            of_section = choice.where == "$.agent.provider" and key in choice.options
            yield Problem(f"{choice.where}.{key}" if of_section else f"$.{key}", str(error))


def _of_entry(
    entry: Any, path: str, configuration: Configuration
) -> Generator[Problem, None, PluginSource | None]:
    """Yield what is wrong with an entry; return where its plugin comes from, if that can be read."""
    wrong: list[str] = []
    if isinstance(entry, dict):
        for key, value in entry.items():
            if key in SOURCE_KEYS:
                continue
            try:
                parse_options({key: value}, plugin=spelled(entry))
            except CallboardError as error:
                yield Problem(f"{path}.{key}", str(error))
                wrong.append(key)
    rest = {key: value for key, value in entry.items() if key not in wrong} if wrong else entry
    try:
        source = parse_source(rest, configuration.base) if isinstance(rest, str | dict) else None
    except CallboardError as error:
        yield Problem(path, str(error))
        return None
    try:
        options_of(parse_entry(rest, configuration.base), configuration)
    except ConfigurationError as error:
        yield Problem(_in_entry(error.path, path, rest), str(error))
    except CallboardError as error:
        yield Problem(path, str(error))
    return source


def _in_entry(said: str, path: str, entry: Any) -> str:
    """The path of what an error says of an option: ``the option 'restart'.intensity``, or ``$.limits``."""
    if (option := _OPTION.match(said)) is not None:
        return f"{path}.{option[1]}{option[2]}"
    if isinstance(entry, dict) and re.split(r"[.\[]", said.removeprefix("$."), maxsplit=1)[0] in entry:
        return path + said.removeprefix("$")
    return path


class _Rest:
    """What is left of a configuration when parts are taken out."""

    def __init__(self, value: Any) -> None:
        self.value = copy.deepcopy(value)
        self._taken: list[tuple[str, int]] = []

    def take_out(self, path: str) -> bool:
        """Take out the innermost part of a path that there is; False for the whole."""
        container, key, here = None, None, self.value
        at, way = "$", path.removeprefix("$")
        while way:
            step = _first_step(way, here)
            if step is None:
                break
            container, key, here, outer = here, step, here[step], at
            taken = f"[{step}]" if isinstance(step, int) else f".{step}"
            at, way = at + taken, way.removeprefix(taken)
        if container is None:
            return False
        del container[key]
        if isinstance(key, int):
            self._taken.append((outer, key))
        return True

    def as_written(self, path: str) -> str:
        """The path that a part had before others were taken out."""
        for outer, index in reversed(self._taken):
            begun = re.match(re.escape(outer) + r"\[(\d+)\]", path)
            if begun is not None and int(begun[1]) >= index:
                path = f"{outer}[{int(begun[1]) + 1}]{path[begun.end() :]}"
        return path


def _first_step(way: str, value: Any) -> str | int | None:
    """The key or the index that a path goes on with, if the value has it. A key may have a dot in it: the longest is meant."""
    if isinstance(value, list):
        index = re.match(r"\[(\d+)\]", way)
        return int(index[1]) if index is not None and int(index[1]) < len(value) else None
    if not isinstance(value, dict):
        return None
    keys = [key for key in value if re.match(re.escape(f".{key}") + r"(?=[.\[]|$)", way)]
    return max(keys, key=len, default=None)
