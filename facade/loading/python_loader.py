"""Plugins written in Python: by their dotted paths, from a package's folder, and those that are installed."""

from __future__ import annotations

import sys
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, assert_never

from ..base.errors import PluginLoadError
from ..config.errors import ConfigurationError
from ..hosts.python.own_name import own_name
from ..hosts.python.runner.origin import PythonOrigin
from ..hosts.python.tool import PythonToolPlugin
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.amplifier.mount_function import MOUNT, module_name
from ..plugins.requirements.python_plan import Place
from ..plugins.sources.entry_points import ALL, find_installed, installed_names
from ..plugins.sources.python import load_package_entry, load_python_object, read_python_package
from ..plugins.sources.python_source import (
    AnyPythonSource,
    InstalledSource,
    PythonObject,
    PythonPackageSource,
)
from .in_process import load_here
from .loaded import Loaded, LoadedModule, LoadedProvider, Made, NotLoaded, apart
from .python_packages import place_of, ready_to_run
from .source_loader import Loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from ..hosts.python_packages.venv import Environment


def _load(
    source: AnyPythonSource, options: Options, configuration: Configuration
) -> Iterator[Made | NotLoaded]:
    match source:
        case PythonObject(path) if options.isolate:
            yield isolated(PythonOrigin(path), options)
        case PythonObject(path):
            former = _last_name(path)
            yield _here(partial(load_python_object, path), path, options, configuration, former=former)
        case InstalledSource(name):
            if name == ALL and options.name is not None:
                raise PluginLoadError(
                    f"the plugins that are installed cannot all go by {options.name!r}; leave out 'name'",
                    plugin=options.name,
                )
            for each in installed_names() if name == ALL else [name]:
                found = find_installed(each)
                if options.isolate:
                    yield _installed(
                        found.path, isolated(PythonOrigin(found.path), options, former=found.name)
                    )
                else:
                    load = partial(load_python_object, found.path)
                    made = _here(load, found.path, options, configuration, former=found.name)
                    yield _installed(found.path, made)
        case PythonPackageSource(directory):
            package = read_python_package(directory)
            place, environment = ready_to_run(
                package, options.isolate, configuration, options.confinement.sandbox
            )
            options = options.of_several(len(package.entries))
            for entry in package.entries:
                if place is Place.HERE:
                    load = partial(load_package_entry, package, entry)
                    former = _last_name(entry)
                    yield apart(partial(_here, load, entry, options, configuration, former=former))
                else:
                    origin = PythonOrigin(entry, package=str(directory))
                    yield isolated(origin, options, environment=environment)


def _place(source: AnyPythonSource, isolate: bool | None, configuration: Configuration) -> Place:
    if isinstance(source, PythonPackageSource):
        return place_of(read_python_package(source.directory), isolate, configuration)
    return Place.HOST if isolate else Place.HERE


def _argv(source: AnyPythonSource, options: Options, configuration: Configuration) -> tuple[str, ...]:
    place = _place(source, options.isolate, configuration)
    if place is Place.HERE:
        return ()
    python = "python" if place is Place.ENVIRONMENT else sys.executable
    match source:
        case PythonPackageSource(directory):
            return (python, *read_python_package(directory).entries)
        case PythonObject(path):
            return (python, path)
        case InstalledSource():
            return (python, source.identity())
        case _:
            assert_never(source)


class PythonLoader(Loader[AnyPythonSource]):
    """See the module."""

    def load(
        self, source: AnyPythonSource, options: Options, configuration: Configuration
    ) -> Iterator[Made | NotLoaded]:
        return _load(source, options, configuration)

    def takes_long(self, source: AnyPythonSource, isolate: bool | None, configuration: Configuration) -> bool:
        return _place(source, isolate, configuration) is Place.ENVIRONMENT

    def host(self, source: AnyPythonSource, isolate: bool | None, configuration: Configuration) -> str | None:
        return None if _place(source, isolate, configuration) is Place.HERE else "python"

    def argv(
        self, source: AnyPythonSource, options: Options, configuration: Configuration
    ) -> tuple[str, ...]:
        return _argv(source, options, configuration)

    def variables(self, _: AnyPythonSource, __: Configuration) -> frozenset[str]:
        return frozenset()


LOADER = PythonLoader()


def isolated(
    origin: PythonOrigin,
    options: Options,
    *,
    name: str | None = None,
    former: str | None = None,
    environment: Environment | None = None,
) -> Loaded:
    """A Python plugin in a host of its own, by the name that it would have in this process. Its code is not loaded here.

    Args:
        origin: where the host finds it.
        options: how it is run.
        name: its own name, where that is certain; it is found out if ``None``.
        former: what such a plugin was called in a host before it had its own name there; the last part of its path if ``None``.
        environment: what it runs in.
    """
    former = former or _last_name(origin.path)
    plugin = PythonToolPlugin(
        options.called(former),
        origin,
        env=options.env,
        environment=environment,
        watched=options.reload.watch,
        confinement=options.confinement,
    )
    if origin.path in options.known:
        plugin.name = options.known[origin.path]
    elif options.name is None or options.several:
        if name is None and not origin.path.endswith(f".{MOUNT}"):
            name = own_name(plugin, options.config, options.host.start_deadline)
        plugin.name = options.called(name or former)
    return Loaded(_known_before(PluginAdapter(plugin), former, options), plugin, options)


def _installed(path: str, made: Made) -> Made:
    """The same: what an entry point names is the plugin of its dotted path, whichever distribution has that entry point."""
    if isinstance(made, Loaded):
        made.adapter.source = PythonObject(path).identity()
    return made


def _last_name(path: str) -> str:
    """The name at the end of a dotted path; of a module's ``mount`` function the module's, for else two would be one."""
    *before, last = path.split(".")
    return before[-1] if last == MOUNT and before else last


def _here(
    load: Callable[[], Any], called: str, options: Options, configuration: Configuration, *, former: str
) -> Made:
    made = load_here(load, called, options, configuration)
    if isinstance(
        made, FunctionType
    ):  # the `mount` of a module: a function that is a tool has been made a plugin before
        return module_of(made, options)
    if isinstance(made, PluginAdapter):
        return Loaded(_known_before(made, former, options), None, options)
    return LoadedProvider(made)


def _known_before(adapter: PluginAdapter, former: str, options: Options) -> PluginAdapter:
    """The same, with the name that its state may be kept under: what it was called in a host, which it may have run in before."""
    before = options.called(former)
    if before != adapter.name:
        adapter.former_name = before
    return adapter


def module_of(mount: Callable[..., Any], options: Options) -> LoadedModule:
    """A module that is mounted in this process.

    Raises:
        ConfigurationError: it is given a name, or an option of hosts.
    """
    options.require_nothing_of_hosts()
    if options.name is not None:
        raise ConfigurationError(
            f"{module_name(mount)} is a module, whose plugins go by the names under which it mounts them; leave out 'name'",
            path="$.name",
        )
    return LoadedModule(mount, options)
