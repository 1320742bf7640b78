"""Plugins that installed distributions offer are found by the names of their entry points."""

from __future__ import annotations

import sys

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.sources.entry_points import InstalledPlugin, find_installed, installed_names


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """Install a distribution that offers plugins."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(name, **points):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = "".join(f"{key} = {value}\n" for key, value in points.items())
        (info / "entry_points.txt").write_text(f"[callboard.plugins]\n{lines}")

    return install


def test_a_plugin_is_found_by_the_name_of_its_entry_point_and_not_imported(distribution):
    distribution("my-tools", shout="cb_shouting.tools:Shout", inner="cb_shouting:Outer.Inner")

    assert find_installed("shout") == InstalledPlugin("shout", "cb_shouting.tools.Shout", "my-tools")
    assert find_installed("inner").path == "cb_shouting.Outer.Inner"
    assert {"inner", "shout"} <= set(installed_names())
    assert "cb_shouting" not in sys.modules


def test_a_name_that_nobody_offers_is_refused_with_the_nearest(distribution):
    distribution("my-tools", shout="cb_shouting:Shout")

    with pytest.raises(
        PluginLoadError, match=r"no installed package offers a plugin 'shot' .*did you mean 'shout'\?"
    ):
        find_installed("shot")


def test_a_name_that_two_offer_is_refused_with_both(distribution):
    distribution("a", shout="cb_a:Shout")
    distribution("b", shout="cb_b:Shout")

    with pytest.raises(
        PluginLoadError, match=r"'shout': cb_a.Shout of a and cb_b.Shout of b; name it by its dotted path"
    ):
        find_installed("shout")


@pytest.mark.parametrize("value", ["cb_shouting", "not at all", ":Shout"])
def test_an_entry_point_that_names_no_plugin_is_refused(distribution, value):
    distribution("my-tools", shout=value)

    with pytest.raises(
        PluginLoadError, match=r"the entry point 'shout' of my-tools is .*, which names no plugin"
    ):
        find_installed("shout")
