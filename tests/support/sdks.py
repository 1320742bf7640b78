"""The providers' SDKs, imported with the first test that asks them.

They take seconds to import, and every process that runs tests reads all tests.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

needs_sdk = pytest.mark.needs_sdk
"""For a test that asks an SDK, as a decorator. A module that imports one has ``pytestmark = needs_sdk``, and is not imported without them."""

WHOLE_MODULE = "\npytestmark = needs_sdk\n"

SDKS = {
    "ag-ui-protocol": "ag_ui",
    "anthropic": "anthropic",
    "botocore": "botocore",
    "google-genai": "google.genai",
    "mcp": "mcp",
    "openai": "openai",
}
"""The packages of the extra ``sdk``, with the module by which each is found."""


def missing_sdks() -> list[str]:
    """The packages of the extra ``sdk`` that are not installed."""
    return [package for package, module in SDKS.items() if not _is_there(module)]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its namespace is not there
        return False


def sdks() -> Any:
    """The module `sdk_models`."""
    return import_module("sdk_models")
