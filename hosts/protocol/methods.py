"""Every method of the tool host protocol that a plugin answers, in one table.

Those of version 1, and those that a host may have beyond it. The table is the protocol page's method list, plus what a client has to know to use it well:
how long an answer may take, and what a host has to say of itself before it is asked.
"""

from __future__ import annotations

from ...base.frozen import frozen


@frozen
class Method:
    """One wire method.

    Attributes:
        name: as on the wire, in snake_case.
        required: a v1 host has to offer it.
        timeout: seconds an answer may take; ``None`` where the call's own deadline rules, or that of the board. Less
            than the five seconds that a board gives a plugin's hook, so that a host's silence is known for what it is.
        feature: what a host has to say of itself to be asked this, beside that it has the method; ``None`` for nothing.
        beyond_v1: it is asked only of a host that says that it has it.
    """

    name: str
    required: bool
    timeout: float | None
    feature: str | None = None
    beyond_v1: bool = False


_TABLE = (
    # name                                required timeout
    Method("init",                        True,    10.0),
    Method("get_tool_schemas",            True,    10.0),
    Method("execute_tool",                True,    None),
    Method("get_config_schema",           False,   4.0),
    Method("get_ui_elements",             False,   4.0),
    Method("get_tags",                    False,   4.0),
    Method("required_tags",               False,   4.0),
    Method("format_tool_result",          False,   4.0),
    Method("format_tool_call_preview",    False,   4.0),
    Method("to_display_format",           False,   4.0),
    Method("forbidden_tags",              False,   4.0, None, True),
    Method("prepare",                     False,   None, "prepare", True),
    Method("can_handle_tool_call",        False,   4.0, "can_handle", True),
    Method("is_enabled",                  False,   4.0, "is_enabled", True),
    Method("shutdown",                    False,   1.0, "shutdown", True),
)  # fmt: skip

METHODS: dict[str, Method] = {method.name: method for method in _TABLE}
"""All methods by wire name."""
