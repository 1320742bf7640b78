"""A process that makes a plugin, says what it calls itself, and ends. It answers no calls; see `own_name`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ....base.json import dump_line, load_json
from ....plugins.adapter.adapter import PluginAdapter
from .loading import loading
from .streams import claim_streams

if TYPE_CHECKING:
    from .origin import PythonOrigin


def run(origin: PythonOrigin) -> None:
    """Read the configuration from stdin, write the name to stdout. Raises whatever loading or making the plugin raises."""
    source, sink = claim_streams()
    with os.fdopen(source, "rb") as given:
        config = load_json(given.read())
    with loading():
        found = origin.load()
    name = PluginAdapter(found, config=config).name
    os.write(sink, dump_line({"name": name}, what="the name"))
    os._exit(0)  # whatever threads the plugin has started
