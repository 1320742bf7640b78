"""What a configuration that cannot be used is refused with; a key that nobody knows, by the one that was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .plugins.errors import CallboardError
from .plugins.suggestions import meant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ConfigurationError(CallboardError):
    """A configuration cannot be used as it is.

    Attributes:
        path: where, as ``$.supervision.backoff.jitter``.
        file: the file it was read from, or ``None``.
    """

    def __init__(self, message: str, *, path: str, file: str | None = None) -> None:
        super().__init__(f"{file}: {message}" if file else message)
        self.path = path
        self.file = file


def require_known(given: Mapping[str, Any], known: Iterable[str], *, path: str) -> None:
    """Refuse the first key of ``given`` that is not ``known``.

    Raises:
        ConfigurationError: names the key, where it is, and the nearest known one.
    """
    names = frozenset(known)
    for key in given:
        if key not in names:
            where = "" if path == "$" else f" in {path}"
            hint = meant(str(key), names)
            raise ConfigurationError(f"unknown key {key!r}{where}; {hint}", path=f"{path}.{key}")
