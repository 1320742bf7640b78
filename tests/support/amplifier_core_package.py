"""The package ``amplifier-core``, in a folder of its own.

It is not installed where the tests run: it brings a pytest plugin that every run of pytest would load. It is
fetched once for each version of Python, since it brings compiled modules, and kept under ``build/``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "2.0.2"
FOLDER = Path(__file__).parents[2] / "build" / f"amplifier-core-{VERSION}-{sys.implementation.cache_tag}"

_PIP = (sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary=:all:")


def amplifier_core() -> Path:
    """The folder to be put on ``PYTHONPATH``; it is made when it is not there."""
    if FOLDER.is_dir():
        return FOLDER
    FOLDER.parent.mkdir(exist_ok=True)
    making = FOLDER.with_name(f"{FOLDER.name}.{os.getpid()}")
    for wanted in ((f"amplifier-core=={VERSION}",), ("--no-deps", "pytest-asyncio>=1.2,<2")):
        subprocess.run([*_PIP, "--target", str(making), *wanted], check=True)
    try:
        making.rename(FOLDER)
    except OSError:  # another run was first
        shutil.rmtree(making)
    return FOLDER
