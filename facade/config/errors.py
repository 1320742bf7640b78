"""What a configuration that cannot be used is refused with; an unknown key, by the one that was probably meant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import CallboardError
from ..base.suggestions import meant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


VERSION: Final = 1
"""Of configurations: the one that is read here, and that of a file that says nothing."""


class ConfigurationError(CallboardError):
    """A configuration cannot be used as it is.

    Attributes:
        path: where, as ``$.supervision.backoff.jitter``; the first place, if there are several.
        paths: all places.
        file: the file it was read from, or ``None``.
    """

    def __init__(
        self, message: str, *, path: str, file: str | None = None, paths: Iterable[str] = ()
    ) -> None:
        super().__init__(f"{file}: {message}" if file else message)
        self.path = path
        self.paths: tuple[str, ...] = tuple(paths) or (path,)
        self.file = file


def without_values(error: ConfigurationError, hidden: Iterable[str]) -> ConfigurationError:
    """Return an error without values that were filled in, of which it may tell the beginning."""
    from ..hosts.report.redaction import Redactor  # noqa: PLC0415 - only a refusal needs it

    redactor = Redactor([text for each in hidden for text in (each, repr(each)[1:-1])])
    clauses = [redactor.text(each, cut=True) for each in str(error).split("; ")]
    return ConfigurationError("; ".join(clauses), path=error.path, paths=error.paths)


def refused(value: Any, path: str, wanted: str) -> ConfigurationError:
    """The error of a value that is not what is ``wanted`` at its place, to be raised."""
    return ConfigurationError(f"{path} is {value!r:.60}; it has to be {wanted}", path=path)


def require_object(value: Any, path: str) -> Mapping[str, Any]:
    """Return an object as it is. Raises `ConfigurationError` for anything else."""
    if not isinstance(value, Mapping):
        what = "the configuration" if path == "$" else path
        raise ConfigurationError(f"{what} is {value!r:.60}; it has to be an object", path=path)
    return value


def require_texts(value: Any, path: str) -> tuple[str, ...]:
    """Return a list of texts. Raises `ConfigurationError` for anything else."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise refused(value, path, "a list of texts")
    return tuple(value)


def require_text(value: Any, path: str) -> str:
    """Return a text that is not empty. Raises `ConfigurationError` for anything else."""
    if not isinstance(value, str) or not value:
        raise refused(value, path, "a text")
    return value


def require_one_of(value: Any, path: str, words: Sequence[str]) -> str:
    """Return one of these words. Raises `ConfigurationError` for anything else."""
    if not isinstance(value, str) or value not in words:
        raise refused(value, path, f"one of: {', '.join(words)}")
    return value


def require_seconds(value: Any, path: str, said: str = "0 or more", most: float = math.inf) -> float:
    """Return a number of seconds, 0 to ``most``, which is ``said`` of it. Raises `ConfigurationError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise refused(value, path, f"a number of seconds, {said}")
    return float(value)


def require_some_time(value: Any, path: str, otherwise: str) -> float:
    """Return a number of seconds above 0. Raises `ConfigurationError`, which says what would be ``otherwise``."""
    if seconds := require_seconds(value, path, "more than 0"):
        return seconds
    raise ConfigurationError(f"{path} is {value!r}; {otherwise} in no time", path=path)


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


def require_version(given: Mapping[str, Any]) -> None:
    """Refuse a configuration that was written for a newer Callboard, before it is asked what its keys mean.

    Raises:
        ConfigurationError: its version is newer, or none.
    """
    version, path = given.get("version", VERSION), "$.version"
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise refused(version, path, f"a whole number from 1 to {VERSION}")
    if version > VERSION:
        raise ConfigurationError(
            f"{path} is {version}; this Callboard reads configurations up to version {VERSION}: upgrade it, or write "
            f"the file as version {VERSION} has it",
            path=path,
        )
