"""What tests of this folder share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from leaks import no_leaks

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """The test leaves no process, thread or descriptor behind."""
    with no_leaks():
        yield


@pytest.fixture
def anyio_backend(nothing_is_left: None) -> str:
    """A test that is marked as anyio's runs in asyncio, and leaves nothing behind."""
    return "asyncio"
