"""The reference is complete, and its defaults are those of the code."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest
from callboard import Callboard, Configuration
from callboard.cli.app import command_line
from callboard.plugins.results.codes import OUTCOMES
from callboard.plugins.sources.options import PluginOptions
from callboard.supervision.core import ChildState
from callboard.supervision.runtime.event_kinds import EVENT_KINDS, FACTS
from house_source import ROOT, reference

REFERENCE = reference()


def section(heading: str) -> str:
    return re.split(r"^## ", REFERENCE.split(f"\n## {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows(heading: str) -> dict[str, list[str]]:
    """The rows of a section's tables: the other cells, by each name in the first one."""
    found: dict[str, list[str]] = {}
    for line in section(heading).splitlines():
        if line.startswith("| `"):
            first, *others = [cell.strip() for cell in line.strip("|").split(" | ")]
            found |= dict.fromkeys(re.findall(r"`([^`]*)`", first), others)
    return found


def settings(value: Any, path: str = "") -> dict[str, Any]:
    """The keys of a configuration with their defaults, those of its sections by dotted paths."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        default = getattr(value, field.name)
        if dataclasses.is_dataclass(default):
            found |= settings(default, f"{path}{SECTIONS.get(field.name, field.name)}.")
        else:
            found[path + field.name] = default
    return found


SECTIONS = {"agent_settings": "agent"}
"""Fields of a configuration that hold a section of another name."""

NO_KEYS = {"base", "file", "written", "consent", "served", "agent", "agent.options", "groups"}
"""Fields of a configuration that stand for nothing in its file, or for several keys."""

SAID_IN_WORDS = {"plugins", "node", "plugin_cache_dir"}

KEYS = {key: default for key, default in settings(Configuration()).items() if key not in NO_KEYS}


def test_every_configuration_key_stands_in_the_reference():
    assert set(KEYS) <= set(rows("Configuration"))


@pytest.mark.parametrize("key", sorted(KEYS.keys() - SAID_IN_WORDS))
def test_the_default_of_a_configuration_key_is_that_of_the_code(key):
    said = rows("Configuration")[key][0].strip("`")

    assert said == (KEYS[key] if isinstance(KEYS[key], str) else json.dumps(KEYS[key]))


def test_every_option_of_a_plugin_stands_in_the_reference():
    assert {field.name for field in dataclasses.fields(PluginOptions)} == set(rows("Options of a plugin"))


def test_every_code_stands_in_the_reference_with_its_outcomes():
    said = {code: cells[0] for code, cells in rows("Results").items() if code in {str(c) for c in OUTCOMES}}

    assert said == {
        str(code): ", ".join(f"`{outcome}`" for outcome in outcomes) for code, outcomes in OUTCOMES.items()
    }


def test_every_code_stands_in_the_readme_with_its_outcomes():
    page = (ROOT / "README.md").read_text()
    rows_of_codes = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (`\w+`|either) \|", page, re.MULTILINE)
    said = {code: outcome for codes, outcome in rows_of_codes for code in re.findall(r"`(\w+)`", codes)}

    assert said == {
        str(code): f"`{outcomes[0]}`" if len(outcomes) == 1 else "either"
        for code, outcomes in OUTCOMES.items()
    }


def test_what_to_do_about_each_code_stands_among_the_troubles():
    page = (ROOT / "docs" / "troubleshooting.md").read_text()

    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [str(code) for code in OUTCOMES]


def test_every_kind_of_event_stands_in_the_reference_with_its_facts():
    said = [line for line in section("Events").splitlines() if line.startswith("| `")]

    assert said == [
        *(
            f"| `{name}` | {kind.meaning} | {', '.join(f'`{fact}`' for fact in kind.facts)} |"
            for name, kind in EVENT_KINDS.items()
        ),
        *(
            f"| `{name}` | {fact.type.replace('?', ' or null')} | {fact.meaning} |"
            for name, fact in FACTS.items()
        ),
    ]


def test_every_field_of_the_status_stands_in_the_reference():
    class Quiet:
        name = "quiet"

        def get_tool_schemas(self):
            return []

        def execute_tool(self, tool_name, payload, state):
            return {"success": True}

    with Callboard() as board:
        board.load(f"node:{ROOT / 'examples' / 'js-echo-tool'}")
        board.register(Quiet)
        status = board.status()
    plugins = status["plugins"]

    fields = {*status, *plugins["echo"], *plugins["quiet"], *plugins["echo"]["host"]}
    assert fields - set(rows("Status")) == set()


def test_every_state_of_a_host_stands_in_the_reference():
    assert [state.value for state in ChildState if f"`{state.value}`" not in section("Status")] == []


@pytest.mark.parametrize("name", command_line.commands)
def test_every_command_and_option_stands_in_the_reference(name):
    rows_of_it = [
        row for row in section("Command line").splitlines() if row.startswith(f"| `callboard {name}")
    ]
    assert rows_of_it, f"docs/reference/commands.md has no row for `callboard {name}`"
    (said, *_) = rows_of_it
    common = {"--debug", "--log-format", "--verbose"}
    options = {option for parameter in command_line.commands[name].params for option in parameter.opts}

    missing = {option for option in options if option.startswith("--")} - common
    assert {option for option in missing if option not in said} == set()
