"""Every method of the tool host protocol that a plugin answers, in one table.

Those of version 1, and those that a host may have beyond it. The table is the protocol page's method list, plus what a client has to know to use it well:
whether the request carries the tool's state (and so its answer brings the new state), whether
asking twice does no harm, and how long an answer may take.
"""

from __future__ import annotations

from ..plugins.frozen import frozen


@frozen
class Method:
    """One wire method.

    Attributes:
        name: as on the wire, in snake_case.
        required: a v1 host has to offer it.
        carries_state: ``params.state`` is sent and ``result.state`` comes back.
        repeatable: it may be asked again when it is unknown whether it ran.
        timeout: seconds an answer may take; ``None`` where the call's own deadline rules, or that of the board.
        feature: what a host has to say of itself to be asked this; ``None`` in version 1.
    """

    name: str
    required: bool
    carries_state: bool
    repeatable: bool
    timeout: float | None
    feature: str | None = None


_TABLE = (
    # name                        required  state   repeat  timeout
    Method("init",                    True,  False,  True,  10.0),
    Method("get_tool_schemas",        True,  True,   True,  10.0),
    Method("execute_tool",            True,  True,   False, None),
    Method("get_config_schema",       False, False,  True,  5.0),
    Method("get_ui_elements",         False, False,  True,  5.0),
    Method("get_tags",                False, False,  True,  5.0),
    Method("required_tags",           False, False,  True,  5.0),
    Method("forbidden_tags",          False, False,  True,  5.0),
    Method("format_tool_result",      False, True,   True,  5.0),
    Method("format_tool_call_preview", False, True,  True,  5.0),
    Method("to_display_format",       False, True,   True,  5.0),
    Method("prepare",                 False, True,   True,  None, "prepare"),
    Method("can_handle_tool_call",    False, True,   True,  5.0, "can_handle"),
    Method("is_enabled",              False, False,  True,  5.0, "is_enabled"),
    Method("shutdown",                False, True,   False, 1.0, "shutdown"),
)  # fmt: skip

METHODS: dict[str, Method] = {method.name: method for method in _TABLE}
"""All methods by wire name."""
