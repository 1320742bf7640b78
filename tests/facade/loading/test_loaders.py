from __future__ import annotations

from importlib import import_module
from inspect import isfunction
from typing import get_args

import pytest
from callboard.loading.loader import LOADERS
from callboard.plugins.sources.source import PluginSource


def test_every_kind_of_source_has_a_loader() -> None:
    assert set(LOADERS) == set(get_args(PluginSource))


@pytest.mark.parametrize("place", sorted(set(LOADERS.values())))
def test_a_loader_loads_and_says_what_takes_long(place: str) -> None:
    loader = import_module(place, "callboard.loading")

    assert isfunction(loader.load)
    assert isfunction(loader.takes_long)
