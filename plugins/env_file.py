"""The file of variables that an MCP server's entry names as ``envFile``, as other clients of MCP read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

MAX_ENV_FILE_BYTES: Final = 1024 * 1024


def read_env_file(file: Path) -> dict[str, str]:
    """The variables of a file with a ``NAME=value`` a line. Raises `ValueError`."""
    try:
        with file.open("rb") as opened:
            text = opened.read(MAX_ENV_FILE_BYTES + 1).decode("utf-8")
    except OSError as error:
        raise ValueError(f"its 'envFile' {file} cannot be read: {error.strerror}") from error
    if len(text) > MAX_ENV_FILE_BYTES:
        raise ValueError(f"its 'envFile' {file} has more than {MAX_ENV_FILE_BYTES >> 20} MB")
    read = {}
    for line in map(str.strip, text.splitlines()):
        name, equals, value = line.removeprefix("export ").partition("=")
        if equals and not line.startswith("#"):
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            read[name.strip()] = value[1:-1] if quoted else value
    return read
