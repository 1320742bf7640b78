"""Placeholders in the texts of a user's files, filled from the environment and the keyring. Pure, but for what is looked up.

What was filled in is not read again. Nothing that a package, a host or a model brings is filled: the placeholders are those of
files that their user wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Keyring = Callable[[str, str], str | None]
"""Gives the secret of a service by its name, or ``None``."""

_OF_CLIENTS = re.compile(
    r"\$\{(?P<kind>env:|input:|keyring:)?(?P<name>[^${}:]+|/)(?::-(?P<default>[^{}]*))?\}"
)
_OWN = re.compile(r"\$\{(?P<kind>env:|keyring:)(?P<name>[^${}:]+)(?::-(?P<default>[^{}]*))?\}")


class Unfilled(ValueError):
    """A placeholder that cannot be filled; says which, why, and what to do.

    Attributes:
        name: what it names.
        path: where it stands below the value that was to be filled, as ``.config.key``.
    """

    def __init__(self, name: str, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.name = name
        self.path = path


def from_keyring(service: str, name: str) -> str | None:
    """A secret of the system's keyring. Raises `Unfilled`."""
    try:
        from . import keyring_secrets  # noqa: PLC0415 - an extra, for who names a secret of it
    except ModuleNotFoundError:
        remedy = "run: pip install keyring, or use ${env:NAME}"
        raise Unfilled(name, f"needs the package 'keyring'; {remedy}") from None
    try:
        return keyring_secrets.read_secret(service, name)
    except keyring_secrets.KeyringShut as error:
        raise Unfilled(name, f"needs the keyring, which cannot be read: {error}") from error


def fill(
    text: str,
    environment: Mapping[str, str],
    folder: Path,
    home: Path,
    separator: str,
    *,
    keyring: Keyring = from_keyring,
    found: Callable[[str], object] | None = None,
) -> str:
    """A text of a client's file with its placeholders filled, in the spellings of VS Code, Cursor and Claude Code.

    Args:
        text: of the file.
        environment: the variables that may be filled in.
        folder: where the file is.
        home: that of the user.
        separator: what separates the parts of a path.
        keyring: where secrets are.
        found: called with each value of a variable or of the keyring that is filled in.

    Raises:
        Unfilled: a variable is not set, there is no such secret, or a person would have to be asked.
    """
    known = {
        "workspaceFolder": str(folder),
        "workspaceFolderBasename": folder.name,
        "userHome": str(home),
        "pathSeparator": separator,
        "/": separator,
    }

    def filled(match: re.Match[str]) -> str:
        kind, name = match["kind"], match["name"]
        if kind == "input:":
            raise Unfilled(
                name,
                f"needs the input {name!r}, for which only its own client asks; write ${{env:NAME}} in its place, and set that variable",
            )
        if kind is None and name in known:
            return known[name]
        value = _looked_up(match, environment, keyring)
        if found is not None:
            found(value)
        return value

    return _OF_CLIENTS.sub(filled, text)


def fill_all(
    value: Any, environment: Mapping[str, str], keyring: Keyring = from_keyring
) -> tuple[Any, list[str]]:
    """A value of JSON with ``${env:NAME}``, ``${env:NAME:-else}`` and ``${keyring:SERVICE/NAME}`` filled in all its texts, but for keys.

    Returns:
        It, and what was filled in.

    Raises:
        Unfilled: as `fill`; with the path.
    """
    found: list[str] = []

    def filled(match: re.Match[str]) -> str:
        found.append(_looked_up(match, environment, keyring))
        return found[-1]

    def walk(value: Any, path: str) -> Any:
        if isinstance(value, str):
            try:
                return _OWN.sub(filled, value)
            except Unfilled as error:
                raise Unfilled(error.name, str(error), path) from None
        if isinstance(value, Mapping):
            return {key: walk(each, f"{path}.{key}") for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [walk(each, f"{path}[{index}]") for index, each in enumerate(value)]
        return value

    return walk(value, ""), found


_ALWAYS_KNOWN = frozenset({"workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "/"})


def named_in(value: Any, *, of_clients: bool = False) -> frozenset[str]:
    """Return what the placeholders in all texts of a value name: ``env:NAME`` and ``keyring:SERVICE/NAME``.

    Args:
        value: JSON.
        of_clients: the texts are those that `fill` fills; else those of `fill_all`.
    """
    if isinstance(value, str):
        return frozenset(_names(value, of_clients=of_clients))
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        return frozenset(name for each in value for name in named_in(each, of_clients=of_clients))
    return frozenset()


def _names(text: str, *, of_clients: bool) -> Iterator[str]:
    for match in (_OF_CLIENTS if of_clients else _OWN).finditer(text):
        if match["kind"] is not None:
            yield f"{match['kind']}{match['name']}"
        elif match["name"] not in _ALWAYS_KNOWN:
            yield f"env:{match['name']}"


def _looked_up(found: re.Match[str], environment: Mapping[str, str], keyring: Keyring) -> str:
    kind, name, default = found["kind"], found["name"], found["default"]
    if kind == "keyring:":
        service, slash, user = name.rpartition("/")
        if not slash or not service or not user:
            raise Unfilled(
                name, f"needs a secret of the keyring as ${{keyring:SERVICE/NAME}}, and not {name!r}"
            )
        if (secret := keyring(service, user)) is not None:
            return secret
        problem = f"needs the secret {user!r} of {service!r}, which is not in the keyring; run: keyring set {service} {user}"
    elif name in environment:
        return environment[name]
    else:
        problem = f"needs the variable {name!r}, which is not set; set it"
    if default is not None:
        return default
    raise Unfilled(name, problem)
