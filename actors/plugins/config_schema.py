"""Holding a plugin's configuration to the schema that the plugin has for it, when it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError, PluginLoadError
from ...base.foreign import Log
from ...base.json import copy_json
from ...interop.errors import UncheckableSchemaError
from ...interop.schemas.constrained import check_of
from .variants import HINT

if TYPE_CHECKING:
    from collections.abc import Sequence

logger: Log = Log("callboard.actors")

_WHOLE = "the arguments as a whole"


class ConfigMisfit(PluginLoadError):
    """The configuration of a plugin does not fit its `get_config_schema`.

    Attributes:
        path: of the first problem, as a JSON path such as ``$.roots[0]``; ``$`` for the whole.
        problems: path and sentence of each, eight at most.
    """

    def __init__(self, plugin: str, problems: Sequence[tuple[str, str]], *, more: bool = False) -> None:
        told = "; ".join([f"{path}: {said}" for path, said in problems] + ["and more"] * more)
        super().__init__(f"plugin {plugin!r}: its configuration does not fit: {told}", plugin=plugin)
        self.path: str = problems[0][0]
        self.problems: tuple[tuple[str, str], ...] = tuple(problems)


def require_fit(plugin: str, schema: dict[str, Any] | None, config: dict[str, Any]) -> None:
    """Refuse a configuration that does not fit.

    A schema that cannot be used is logged, and no configuration is checked against it.

    Args:
        plugin: whose they are.
        schema: JSON Schema; ``None`` if the plugin has none.
        config: the configuration.

    Raises:
        ConfigMisfit: says where and what.
    """
    if schema is None:
        return
    try:
        check = check_of(schema)
    except UncheckableSchemaError as error:
        logger.warning("the configuration of plugin %r is not checked: its schema %s", plugin, error.why)
        return
    own = {key: value for key, value in config.items() if key != HINT}
    try:
        own = copy_json(own, what="$")
    except JsonValueError as error:
        raise ConfigMisfit(plugin, [(error.path, str(error))]) from error
    misfit = None if check is None else check.misfit(own)
    if misfit is not None:
        problems = [
            (problem.path, problem.message.replace(_WHOLE, "the configuration as a whole"))
            for problem in misfit.problems
        ]
        raise ConfigMisfit(plugin, problems, more=misfit.more)
