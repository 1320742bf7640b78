"""The names that the flow of tool interop uses for what reads and writes results."""

from __future__ import annotations

from callboard import tool_interop


def test_the_result_members_have_the_names_of_the_document():
    assert tool_interop.ToolResultAccessor is tool_interop.ResultAccessor
    assert tool_interop.ToolResultAdapter is tool_interop.ResultAdapter
    assert {"ToolResultAccessor", "ToolResultAdapter"} <= set(tool_interop.__all__)


def test_a_contribution_takes_what_satisfies_them():
    class Reads:
        format = "acme.result"

        def matches(self, value):
            return isinstance(value, dict) and "acme" in value

        def inspect(self, value):
            return tool_interop.InspectedResult(format=self.format, call_id=None, parts=())

    reader: tool_interop.ToolResultAccessor = Reads()

    assert tool_interop.ToolInteropContribution(result_accessors=(reader,)).result_accessors == (reader,)
