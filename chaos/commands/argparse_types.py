"""What may stand behind the options of the long tests, for argparse: said before minutes of work, not after."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def whole(least: int) -> Callable[[str], int]:
    """The type of an option that is a whole number, ``least`` or more."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"it is {number:,}; it has to be {least:,} or more")
        return number

    return read


def seconds(text: str) -> float:
    """The type of an option that is a number of seconds, more than 0."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 < number < inf:
        raise argparse.ArgumentTypeError(f"it is {number:g}; it has to be more than 0, and no infinity")
    return number


def report(text: str) -> Path:
    """The type of an option that is a file to be written; its folder has to be there."""
    file = Path(text)
    if file.is_dir():
        raise argparse.ArgumentTypeError(f"{file} is a folder")
    if not file.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {file.absolute().parent}")
    return file
