"""What an isolated plugin calls itself: read from its text where that is certain, else asked in a process of its own."""

from __future__ import annotations

import textwrap

import pytest
from callboard.hosts.python.name_in_source import MOST_BYTES, name_in

CERTAIN = {
    "a class": "class Tool:\n    name = 'tool'",
    "a typed class": "class Tool:\n    name: str = 'tool'",
    "of the contract": "from callboard.types import ToolPlugin\nclass Tool(ToolPlugin):\n    name = 'tool'",
    "with methods": "class Tool:\n    name = 'tool'\n    def run(self):\n        name = 'other'\n        return name",
    "with a constructor": "class Tool:\n    name = 'tool'\n    def __init__(self): self.file = 1",
    "beside another": "class Other:\n    name = 'other'\nclass Tool:\n    name = 'tool'",
}

UNCERTAIN = {
    "no name": "class Tool: pass",
    "an empty name": "class Tool:\n    name = ''",
    "a computed name": "class Tool:\n    name = 'to' + 'ol'",
    "a name that is no text": "class Tool:\n    name = 3",
    "a property": "class Tool:\n    @property\n    def name(self): return 'tool'",
    "a base": "class Tool(Base):\n    name = 'tool'",
    "a base that is called as the contract's": "class ToolPlugin: pass\nclass Tool(ToolPlugin):\n    name = 'tool'",
    "a metaclass": "class Tool(metaclass=M):\n    name = 'tool'",
    "a decorator": "@other\nclass Tool:\n    name = 'tool'",
    "two names": "class Tool:\n    name = 'tool'\n    name = 'other'",
    "a name under a condition": "class Tool:\n    name = 'tool'\n    if X:\n        name = 'other'",
    "a name that is assigned": "class Tool:\n    name = 'tool'\n    def __init__(self): self.name = 'other'",
    "a name that is assigned later": "class Tool:\n    name = 'tool'\nTool.name = 'other'",
    "a name that is set": "class Tool:\n    name = 'tool'\nsetattr(Tool, 'name', 'other')",
    "two classes": "class Tool:\n    name = 'tool'\nclass Tool:\n    name = 'other'",
    "a class under a condition": "if X:\n    class Tool:\n        name = 'tool'\nelse:\n    class Tool:\n        name = 'x'",
    "another by its name": "class Tool:\n    name = 'tool'\nTool = other(Tool)",
    "an import": "from elsewhere import Other as Tool",
    "anything": "class Tool:\n    name = 'tool'\nfrom elsewhere import *",
    "an instance": "class Kind:\n    name = 'tool'\nTool = Kind()",
    "no such word": "class Other:\n    name = 'tool'",
    "no Python": "def Tool(: pass",
    "no text": "\0",
}


@pytest.mark.parametrize("text", CERTAIN.values(), ids=CERTAIN)
def test_a_name_that_the_text_leaves_no_doubt_about_is_read(text):
    assert name_in(text.encode(), "Tool") == "tool"


@pytest.mark.parametrize("text", UNCERTAIN.values(), ids=UNCERTAIN)
def test_a_name_that_may_be_another_at_run_time_is_not_read(text):
    assert name_in(text.encode(), "Tool") is None


def test_a_function_is_called_as_it_is_written():
    assert name_in(b"def shout(text: str): pass", "shout") == "shout"
    assert name_in(b"@other\ndef shout(text: str): pass", "shout") is None


@pytest.mark.parametrize(
    "text",
    [
        b"class Tool:\n    name = 'tool'\n" + b"#" * MOST_BYTES,
        b"(" * 100_000,
        b"x = " + b"-" * 50_000 + b"1",
        b"+".join([b"x"] * 3_000),
    ],
)
def test_a_text_that_is_too_large_or_too_deep_is_not_read(text):
    assert name_in(text, "Tool") is None


def test_a_text_is_read_whatever_is_in_it_beside_the_plugin():
    text = """
        import sys
        try:
            import orjson as json
        except ImportError as error:
            json = error
        for number in range(3):
            pass
        with open(__file__) as file:
            rest = [line for line in file]
        match rest:
            case [first, *_]:
                pass
        total: int = 0
        total += 1
        shout = lambda name: name
        class Tool:
            name = "tool"
    """
    assert name_in(textwrap.dedent(text).encode(), "Tool") == "tool"
