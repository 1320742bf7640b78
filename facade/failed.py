"""The plugins of a configuration that could not be loaded, where nobody requires them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from .plugins.errors import CallboardError
from .plugins.frozen import frozen
from .plugins.source import spelled

logger = logging.getLogger("callboard")


@frozen
class FailedPlugin:
    """A plugin of the configuration that could not be loaded; the others run without it.

    Attributes:
        source: as the configuration spells it, without its options.
        error: what went wrong, and what to do.
    """

    source: str
    error: str


class Noting:
    """Notes the failure of a plugin that nobody requires."""

    def __init__(self, failed: list[FailedPlugin], entry: Any) -> None:
        self._failed = failed
        self._entry = entry

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        required = isinstance(self._entry, Mapping) and bool(self._entry.get("required"))
        if not isinstance(error, CallboardError) or required:
            return False
        source = spelled(self._entry)
        self._failed.append(FailedPlugin(source, str(error)))
        logger.warning("plugin %s is left out: %s", source, error)
        return True
