"""What is shown of a client's file: no value that was given in confidence, whatever the file looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from callboard.cli.mcp.difference import difference, masked
from hypothesis import given
from hypothesis import strategies as st

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "written",
    [
        '{"mcpServers": {"a": {"env": {"TOKEN": "s3cr3t"}}}}',
        '{"mcpServers": {"a.env": {"env": {"A": ["s3cr3t", {"B": "s3cr3t"}], "C": "s3cr3t"}}}}',
        '{"servers": {"a": {"headers": {"X": "a ${env:B} s3cr3t"}, "env": "s3cr3t"}}}',
        '{"a": {"env": {\n  // "OLD": "s3cr3t",\n  "TOKEN": "s3cr3t", /* s3cr3t */ }}}',
        '{"a": {"oauth": {"client_secret": "s3cr3t"}, "\\u0065nv": {"A": "s3cr3t"}}}',
        '{"a": {"env": {"A": "${A:-s3cr3t}"}}}',
        '{"a": {"args": ["--token", "TOKEN=s3cr3t-and-more"]}}',
    ],
)
def test_no_value_is_shown(written: str) -> None:
    assert SECRET not in masked(written)


def test_all_else_is_shown_as_it_stands() -> None:
    written = '{\n  // the first\n  "env": 1, "mcpServers": {"git": {"command": "uvx", "args": ["env"], "env": {"A": "${env:A}"}},}}\n'

    assert masked(written) == written.replace('"env": 1', '"env": "***"')


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), VALUES), st.sampled_from([None, 2]))
def test_a_masked_text_reads_as_the_text_but_for_the_values(
    value: dict[str, Any], indent: int | None
) -> None:
    written = json.dumps({"a": {"env": value}, "b": {"c": 1}}, indent=indent)

    read = json.loads(masked(written))

    assert read["b"] == {"c": 1}
    assert read["a"]["env"].keys() == value.keys()


def test_a_change_of_values_alone_is_told_without_them() -> None:
    (line,) = difference(Path("/x.json"), '{"env": {"A": "one"}}', '{"env": {"A": "two"}}')

    assert "one" not in line
    assert "two" not in line
