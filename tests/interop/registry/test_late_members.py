from __future__ import annotations

import subprocess
import sys

import pytest
from callboard.interop.formats.built_in import BUILT_IN, LateAccessor, LateAdapter

KINDS = ("schema", "call", "result")
ACCESSORS = [member for kind in KINDS for member in getattr(BUILT_IN, f"{kind}_accessors")]
ADAPTERS = [member for kind in KINDS for member in getattr(BUILT_IN, f"{kind}_adapters")]


@pytest.mark.parametrize("late", ACCESSORS, ids=lambda late: f"{late.stands_for} of {late.format}")
def test_a_stand_in_of_an_accessor_says_what_the_accessor_says(late):
    real = late.real()

    assert type(late) is LateAccessor
    assert (type(real).__name__, real.format, real.discriminators) == (
        late.stands_for,
        late.format,
        late.discriminators,
    )


@pytest.mark.parametrize("late", ADAPTERS, ids=lambda late: f"{late.stands_for} of {late.target}")
def test_a_stand_in_of_an_adapter_says_what_the_adapter_says(late):
    real = late.real()

    assert type(late) is LateAdapter
    assert (type(real).__name__, real.source, real.target) == (late.stands_for, late.source, late.target)


def test_a_stand_in_is_on_the_way_of_the_first_value_alone():
    late = LateAccessor("mcp_tools:McpCalls", "mcp.2025_11_25.tool", {None})

    late.matches({})

    assert late.matches.__self__ is not late
    assert late.inspect.__self__ is late.matches.__self__ is late.sanitize.__self__


def test_a_call_brings_the_formats_that_could_be_its_own_and_no_others():
    program = """
import sys
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as registry

def there():
    return sorted(name for name in sys.modules if name.startswith('callboard.interop.formats.'))

before = there()
call = {'id': '1', 'type': 'function', 'function': {'name': 'x', 'arguments': '{}'}}
assert registry.inspect_call(call).tool_name == 'x'
print([name.rpartition('.')[2] for name in there() if name not in before])
"""

    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert said.stdout == "['openai_chat_function', 'openai_content']\n"
