"""By what a kept state knows the source of its plugin."""

from __future__ import annotations

from inspect import isabstract
from pathlib import Path

import pytest
from callboard.plugins.sources.source import Source
from callboard.sources.kinds import parse_source

BASE = Path("/srv/agent")
SAME = [
    ("python:a.b.C", "a.b.C", {"plugin": "a.b.C"}),
    ("path:/srv/agent/tools", "path:./tools", "path:/srv/agent/x/../tools"),
    ("node:/srv/agent/tools", "node:tools", {"node_tool": {"path": "./tools"}}),
    ("node:/srv/tool.mjs", {"node_tool": {"file": "../tool.mjs"}}, {"node_tool": {"file": "/srv/tool.mjs", "id": "t"}}),
    ("node+git:https://***@example.org/t.git", "node+git:https://me:s3cret@example.org/t.git",
     "node+git:https://me:renewed@example.org/t.git#v2"),
    ("npm:@scope/tool", "npm:@scope/tool", "npm:@scope/tool@1.2.3"),
    ("bash:/srv/agent/t.sh", {"bash_tool": {"file": "t.sh"}}, {"bash_tool": {"file": "./t.sh", "id": "t"}}),
    ('host:/srv/agent ["perl","t.pl"]', {"host": {"command": ["perl", "t.pl"], "protocol": "thp/1"}},
     {"host": {"command": ["perl", "t.pl"], "protocol": "thp/1+", "id": "t"}}),
    ("entry_point:tool", "entry_point:tool", {"plugin": "entry_point:tool"}),
    ("mcp:files", {"mcp": {"command": ["a"], "id": "files"}}, {"mcp": {"url": "https://example.org", "id": "files"}}),
]  # fmt: skip


def concrete(kind):
    for each in kind.__subclasses__():
        yield from concrete(each)
        if not isabstract(each):
            yield each.__name__


@pytest.mark.parametrize(("identity", "first", "second"), SAME)
def test_a_source_is_the_same_in_each_version_and_spelling_and_has_no_secret(identity, first, second):
    assert parse_source(first, BASE).identity() == parse_source(second, BASE).identity() == identity


def test_every_kind_of_source_has_an_identity_and_no_two_are_one():
    sources = [parse_source(first, BASE) for _, first, _ in SAME]

    assert {type(source).__name__ for source in sources} == set(concrete(Source))
    assert len({source.identity() for source in sources}) == len(sources)
