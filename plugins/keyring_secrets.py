"""Secrets of the system's keyring, by the package `keyring`."""

from __future__ import annotations

import keyring
from keyring.errors import KeyringError


class KeyringShut(Exception):
    """There is no keyring that can be read."""


def read_secret(service: str, name: str) -> str | None:
    """The secret of a service by its name, or ``None``.

    Raises:
        KeyringShut: there is no keyring that can be read.
    """
    try:
        return keyring.get_password(service, name)
    except KeyringError as error:
        raise KeyringShut(str(error) or type(error).__name__) from error
