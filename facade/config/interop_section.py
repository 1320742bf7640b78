"""The contributions of a configuration: formats by their dotted paths, which are tried before all others' but a program's own.

They are imported when a board is started. One that cannot be had is reported, and the board goes on without its formats: no call
that they would have read is run for another's.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..actors.threads.timeout import in_time
from ..base.errors import CallboardError, PluginLoadError
from ..base.foreign import blames
from ..interop.default_registry import compose_registry
from ..interop.registry.contribution import Tier, TieredContribution, ToolInteropContribution
from ..plugins.results.failures import describe
from ..plugins.sources.python import load_python_object
from .errors import ConfigurationError

_REMEDY = "have it end, or raise 'load_deadline'"


def import_contribution(path: str, where: str, seconds: float | None) -> ToolInteropContribution:
    """Return the contribution that a dotted path names, or that the callable gives that it names.

    Args:
        path: the dotted path.
        where: it stands in the configuration.
        seconds: that importing and making it may take; see `in_time`.

    Raises:
        ConfigurationError: it cannot be imported or made, or not in time; it is none; or one of its accessors and
            adapters lacks what its protocol asks for.
    """
    doing = f"importing and making {path}"
    try:
        return in_time(partial(_made, path), seconds, plugin=path, doing=doing, remedy=_REMEDY)
    except CallboardError as error:
        said = str(error).replace("cannot load plugin ", "cannot load the contribution ", 1)
        raise ConfigurationError(f"{where}: {said}", path=where) from error


def _made(path: str) -> ToolInteropContribution:
    found = load_python_object(path, remedy="install the package that has it, or set PYTHONPATH")
    if not isinstance(found, ToolInteropContribution) and callable(found):
        found = _given(path, found)
    if not isinstance(found, ToolInteropContribution):
        raise PluginLoadError(
            f"{path} is {found!r:.60}; it has to be a ToolInteropContribution, or a callable that gives one",
            plugin=path,
        )
    compose_registry([TieredContribution(Tier.EXPLICIT, path, found)])
    return found


def _given(path: str, make: Any) -> Any:
    try:
        return make()
    except BaseException as error:  # the contributor's code
        if not blames(error):
            raise
        raise PluginLoadError(f"making {path} raised {describe(error)}", plugin=path) from error
