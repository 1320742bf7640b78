"""The page on providers says what the code does: its keys, its codes, its faults, its hooks."""

from __future__ import annotations

import dataclasses
import re

from callboard.agent.errors import PROVIDER_CODES
from callboard.agent.replay.faults import Fault
from callboard.agent.requests.provider_hooks import PROVIDER_HOOKS
from callboard.agent.wires.options import CONFIG_SCHEMA
from house_source import ROOT

PAGE = (ROOT / "docs" / "providers.md").read_text()


def first_cells(heading):
    """The names in the first cells of a section's tables."""
    section = re.split(r"^## ", PAGE.split(f"\n## {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    cells = [line.strip("|").split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`([a-z_]+)(?:\([^)]*\))?`", cell)]


def test_the_tables_of_the_page_are_those_of_the_code():
    events = ["text", "reasoning", "usage", "retry", "no_answer", "error", "message"]
    faults = [field.name for field in dataclasses.fields(Fault)]

    assert first_cells("Configuration") == list(CONFIG_SCHEMA["properties"])
    assert first_cells("What comes, and what goes wrong") == [*events, *PROVIDER_CODES]
    assert {*first_cells("Write a provider"), "send_request_stream_async"} == PROVIDER_HOOKS.keys()
    assert sorted(first_cells("Without an account")) == sorted(faults)
