from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from callboard.hosts.bash.source import BashSource
from callboard.hosts.command.source import CommandSource
from callboard.hosts.hosted_source import HostedSource
from callboard.loading.loader import loader_of
from callboard.loading.source_loader import Loader
from callboard.plugins.sources.mcp import McpSource
from callboard.plugins.sources.node_source import NodeFileSource, NodeGitSource, NodePackageSource
from callboard.plugins.sources.npm_source import NpmSource
from callboard.plugins.sources.python_source import InstalledSource, PythonObject, PythonPackageSource
from callboard.sources.kinds import PluginSource

HERE = Path("/nowhere")
SOURCES = [
    PythonObject("a.B"), PythonPackageSource(HERE), InstalledSource("a"), NodeFileSource(HERE, "a"), NodePackageSource(HERE),
    NodeGitSource("https://example.org/a.git"), NpmSource("a"), McpSource(("a",), HERE, "a"), BashSource(HERE, "a"),
    CommandSource(("a",), HERE, HERE, "a"),
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
def test_every_kind_of_source_has_a_loader(source):
    assert isinstance(loader_of(source), Loader)


def test_every_kind_of_source_is_tried():
    kinds = {HostedSource if issubclass(type(each), HostedSource) else type(each) for each in SOURCES}

    assert kinds == set(get_args(PluginSource))
