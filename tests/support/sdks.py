"""The providers' SDKs, imported with the first test that asks them.

They take seconds to import, and every process that runs tests reads all tests.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def sdks() -> Any:
    """The module `sdk_models`."""
    return import_module("sdk_models")
