"""What it costs to read a call and to say a tool in another provider's words, and whether it is right.

Beside litellm and langchain-core, on the conversions that they make too, all in one run and in turns.
The time is that of a typical value; the count beside it is of the recorded values that come out right.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import ToolInteropTarget
from callboard.interop.errors import InteropError
from harness import Samples, alternate, timed
from peers.interop_peer import Peers, PeersMissing, require
from peers.interop_records import CALL, declaration, is_right_call, is_right_schema, recorded, schema_of
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from contest import Contest

_TOOLS = 50


class Shared(NamedTuple):
    """A conversion that a peer makes too.

    Attributes:
        what: in words.
        conversion: its name, and the peer's.
        form: what it converts: a declaration of this form, or a Chat call for ``None``.
        target: the format it ends in.
        plain_root: the target's server refuses alternatives at the root of a schema.
    """

    what: str
    conversion: str
    form: str | None
    target: str
    plain_root: bool = False


SHARED = (
    Shared("tool, MCP to Chat", "mcp_to_chat langchain-core", "mcp", "openai.chat_completions.function"),
    Shared(
        "tool, Anthropic to Chat",
        "anthropic_to_chat langchain-core",
        "anthropic",
        "openai.chat_completions.function",
    ),
    Shared(
        "tool, Bedrock to Chat",
        "bedrock_to_chat langchain-core",
        "bedrock",
        "openai.chat_completions.function",
    ),
    Shared("tool, Chat to Anthropic", "chat_to_anthropic litellm", "chat", "anthropic.messages.tool", True),
    Shared("tool, Chat to Bedrock", "chat_to_bedrock litellm", "chat", "bedrock.converse.tool"),
    Shared("tool, Chat to Gemini", "chat_to_gemini litellm", "chat", "gemini.generate_content.function"),
    Shared("call, Chat read", "call_read langchain-core", None, ""),
    Shared("call, Chat to Anthropic", "call_to_anthropic litellm", None, "anthropic.messages.tool"),
    Shared("call, Chat to Gemini", "call_to_gemini litellm", None, "gemini.generate_content.function"),
    Shared("call, Chat to Bedrock", "call_to_bedrock litellm", None, "bedrock.converse.tool"),
)


def measure(contest: Contest) -> list[Row]:
    """Our own figures, then the conversions that others make too."""
    return [*_alone(contest), *_beside_peers(contest)]


def _alone(contest: Contest) -> list[Row]:
    count, rounds = contest.times(500, 50), contest.times(40, 4)
    anthropic = ToolInteropTarget("anthropic.messages")
    tools = [declaration("chat", f"tool_{number}") for number in range(_TOOLS)]
    samples = alternate(
        {
            "inspect": lambda: timed(partial(REGISTRY.inspect_call, CALL), count),
            "convert": lambda: timed(partial(REGISTRY.convert_tool_call, CALL, anthropic), count),
            "tools": lambda: timed(partial(REGISTRY.convert_schemas, tools, anthropic), 2),
        },
        rounds,
    )
    return [
        _bounded("inspecting a Chat call", samples["inspect"], 5, 1e6, "µs"),
        _bounded("converting a Chat call to Anthropic", samples["convert"], 15, 1e6, "µs"),
        _bounded(f"{_TOOLS} tools, Chat to Anthropic, no cache", samples["tools"], 5, 1e3, "ms"),
    ]


def _bounded(what: str, samples: Samples, limit: float, factor: float, unit: str) -> Row:
    seconds = samples.median
    return Row(what, microseconds(seconds), judged=seconds * factor, goal=at_most(limit, unit))


def _beside_peers(contest: Contest) -> list[Row]:
    try:
        require(install=not contest.quick)
    except PeersMissing as missing:
        return [Row("conversions that others make too", against=f"litellm, langchain-core: {missing}")]
    with Peers() as peers:
        return [_shared(contest, peers, shared) for shared in SHARED]


def _shared(contest: Contest, peers: Peers, shared: Shared) -> Row:
    count = contest.times(100, 10)
    typical = CALL if shared.form is None else declaration(shared.form)
    ours = partial(_ours, shared, typical)
    samples = alternate(
        {
            "callboard": lambda: timed(ours, count),
            "peer": lambda: peers.timed(shared.conversion, typical, count),
        },
        contest.times(20, 3),
    )
    kind = "call" if shared.form is None else "schema"
    records = recorded(shared.form or "chat", kind)
    theirs = _right(shared, records, peers.outcomes(shared.conversion, records))
    mine = _right(shared, records, [_outcome(shared, record) for record in records])
    peer = shared.conversion.split()[1]
    return compared(
        f"{shared.what}, times faster",
        f"{microseconds(samples['callboard'].median)}, {mine} of {len(records)} right",
        f"{peer} {microseconds(samples['peer'].median)}, {theirs} of {len(records)} right",
        samples["peer"].over(samples["callboard"]),
    )


def _ours(shared: Shared, value: Any) -> Any:
    """Convert as a sender does: to the one format."""
    target = ToolInteropTarget(shared.target)
    if shared.form is not None:
        return REGISTRY.convert_schema(value, target, [shared.target]).value
    if not shared.target:
        return REGISTRY.inspect_call(value)
    return REGISTRY.convert_tool_call(value, target, [shared.target], turn=0).value


_MADE: dict[str, Callable[[Any], Any]] = {
    "openai.chat_completions.function": lambda tool: schema_of("chat", tool),
    "anthropic.messages.tool": lambda made: made.get("input_schema", made.get("input")),
    "bedrock.converse.tool": lambda made: (
        made["toolUse"]["input"] if "toolUse" in made else schema_of("bedrock", made)
    ),
    "gemini.generate_content.function": lambda made: (
        made["functionCall"]["args"] if "functionCall" in made else made.get("parametersJsonSchema")
    ),
}
"""Where the schema, or the arguments, stand in what came out."""


def _outcome(shared: Shared, record: Any) -> dict[str, Any]:
    try:
        made = _ours(shared, record)
    except InteropError as refusal:
        return {"raised": type(refusal).__name__}
    if shared.target:
        return {"made": _MADE[shared.target](made)}
    return {"made": made.payload} if made.payload_kind == "object" else {"raised": made.payload_kind}


def _right(shared: Shared, records: list[Any], outcomes: list[dict[str, Any]]) -> int:
    if shared.form is None:
        return sum(map(is_right_call, records, outcomes))
    return sum(
        is_right_schema(schema_of(shared.form, record), outcome, plain_root=shared.plain_root)
        for record, outcome in zip(records, outcomes, strict=True)
    )
