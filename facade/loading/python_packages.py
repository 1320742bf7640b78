"""Where a Python package runs under a configuration: here, in a host on this Python, or in an environment of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.threads import import_apart
from ..hosts.packages.file_tree import refuse_links_out
from ..plugins.requirements.python_plan import Place
from ..plugins.requirements.python_requirements import read_python_needs

if TYPE_CHECKING:
    from ..config.configuration import Configuration
    from ..hosts.python_packages.prepare_python import PythonReadiness
    from ..hosts.python_packages.venv import Environment
    from ..hosts.sandbox.bwrap import SystemSandbox
    from ..plugins.sources.python import PythonPackage


def place_of(package: PythonPackage, isolate: bool | None, configuration: Configuration) -> Place:
    """Where a package is to run; nothing is made for it. Raises as `ready_to_run`."""
    readiness = readiness_of(package, isolate, configuration)
    return _plain(isolate) if readiness is None else readiness.place


def ready_to_run(
    package: PythonPackage,
    isolate: bool | None,
    configuration: Configuration,
    sandbox: SystemSandbox | None = None,
) -> tuple[Place, Environment | None]:
    """Where a package runs, and the environment that was made for it, if it has one of its own.

    Raises:
        PluginLoadError: what it says of its needs cannot be read.
        PackageError: it cannot run, or its environment cannot be made, or may not be.
    """
    if sandbox is not None:
        refuse_links_out(package.directory, str(package.directory))
    readiness = readiness_of(package, isolate, configuration, sandbox)
    if readiness is None:
        return _plain(isolate), None
    ready = readiness.ready(configuration.plugin_cache_dir, configuration.consent)
    return ready.place, ready.environment


def _plain(isolate: bool | None) -> Place:
    return Place.HOST if isolate else Place.HERE


def readiness_of(
    package: PythonPackage,
    isolate: bool | None,
    configuration: Configuration,
    sandbox: SystemSandbox | None = None,
) -> PythonReadiness | None:
    """What a package needs, and what is done for that; ``None`` for one that needs nothing. Raises as `ready_to_run`."""
    needs = read_python_needs(package)
    if not needs.requirements and needs.python is None:
        return None
    # What reads requirements takes longer to import than most plugins take to load, which have none.
    import_apart("..hosts.python_packages.prepare_python", __package__)
    from ..hosts.python_packages.prepare_python import PythonPermissions, PythonReadiness  # noqa: PLC0415 - only packages with needs of their own need it

    policy = configuration.plugin_policy
    permissions = PythonPermissions(
        policy.python_install_deps, policy.python_allow_builds, policy.python_step_timeout
    )
    return PythonReadiness(package, needs, isolate, permissions, sandbox)
