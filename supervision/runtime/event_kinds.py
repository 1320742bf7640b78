"""The contract of the event stream: every kind of event, and every fact that one can carry. Pure.

A fact means the same in each kind that has it, so it is described once. An event carries all facts
of its kind and no others; what does not apply is null, where the table allows that, and never left
out. To add a kind is one line in `EVENT_KINDS`, and one in `FACTS` for each fact that is new; the
reference has the same lines, and a test shows them as they have to be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}
"""The types of facts, by their names in JSON Schema."""


class Fact(NamedTuple):
    """What one fact is.

    Attributes:
        type: one of `TYPES`; with ``?`` behind it the fact may be null.
        meaning: for people.
    """

    type: str
    meaning: str

    def admits(self, value: Any) -> bool:
        """Whether a value is of its type."""
        if value is None:
            return self.type.endswith("?")
        kinds = TYPES[self.type.rstrip("?")]
        return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


class EventKind(NamedTuple):
    """One kind of event.

    Attributes:
        meaning: what has happened, for people.
        facts: the names of its facts, all of which it has.
    """

    meaning: str
    facts: tuple[str, ...]


FACTS: dict[str, Fact] = {
    "action": Fact("string", "`accept`, `decline` or `cancel`"),
    "added": Fact("array", "names of tools that were not offered before"),
    "allowed": Fact("boolean", "the call may go on"),
    "aside": Fact("string", "the name that the file has now"),
    "attempt": Fact("integer", "how often the call was given to its tool; 0 for never"),
    "blamed": Fact("string", "`tool` or `arguments`"),
    "bound": Fact("number", "what the limit allows: bytes, seconds or pieces"),
    "by": Fact("string", "who decided: `person`, `client`, `remembered`, `timeout`, `nobody`, `error` or `withdrawn`"),
    "call": Fact("string", "the call's id; of a form empty if several calls can be meant"),
    "cause": Fact("string", "how it ended, in a sentence"),
    "changed": Fact("array", "names of tools whose schemas are not what they were"),
    "child": Fact("string", "the member that has ended: a host, or a group in it"),
    "code": Fact("string?", "the result's; null for a success, and for a failure that is the tool's own"),
    "count": Fact("integer", "how many this stands for; of a flood a hundred a second are told, and the others with the next or at the host's end"),
    "detail": Fact("string", "more, for people"),
    "elapsed": Fact("number", "seconds since the call was submitted"),
    "error": Fact("string", "what went wrong"),
    "event": Fact("string", "what the hook was asked about: `tool:pre`, `tool:post` or `tool:error`"),
    "exit": Fact("string", "how: `code`, `signal`, `protocol`, `oom`, `limit`, `hang`, `cancel`, `start_failed`, `start_timeout`; of a generation that retired also `clean` or `requested`"),
    "former": Fact("string", "the name that the plugin had before"),
    "generation": Fact("integer", "which of the host's generations: 1, 2, 3, …"),
    "letter": Fact("string", "what was dropped: the id of a call, or of a request whose answer it was"),
    "limit": Fact("string", "which: `memory`, `cpu_seconds`, `descriptors`, `age` or `calls`"),
    "measure": Fact("number", "what was used of it"),
    "members": Fact("array", "names of the members that stop, and start again together"),
    "message": Fact("string", "what the actor was told, cut"),
    "outcome": Fact("string?", "the result's"),
    "path": Fact("string", "of the store's file"),
    "pid": Fact("integer", "of its process"),
    "plugins": Fact("array", "names of the plugins whose states could be saved from it"),
    "prompt": Fact("string", "the question"),
    "reason": Fact("string", "`overflow`, `stopped`, `poison`, `late`, `duplicate`, `unknown` or `parts`"),
    "removed": Fact("array", "names of tools that are offered no more"),
    "report": Fact("object", "the [crash report](../crash-recovery.md#reading-a-crash-report); empty if it never ran"),
    "restarts": Fact("array", "how many seconds ago each restart was that the budget was charged with"),
    "retry_in": Fact("number", "seconds until one call may try"),
    "rolled_back": Fact("boolean", "the new program was serving, and the one before it has been brought back"),
    "seconds": Fact("number?", "until it is started by itself; null where nobody knows, or for never"),
    "stuck": Fact("integer", "threads of the plugin that are stuck"),
    "success": Fact("boolean", "the result's"),
    "text": Fact("string", "the line, cut"),
    "thread": Fact("string", "the thread's name"),
    "timeout": Fact("number", "seconds that the answer may take"),
    "took": Fact("number", "seconds from the order, the making of its sources included"),
    "tool": Fact("string?", "the tool that the call names; null if it names none"),
    "tools": Fact("array", "names of the tools that the plugin offers"),
    "uri": Fact("string", "the address of the resource; it may be a part of the one that was subscribed to"),
    "version": Fact("integer", "of the state"),
    "why": Fact("string", "a sentence"),
}  # fmt: skip
"""Every fact, in the order of the alphabet."""

EVENT_KINDS: dict[str, EventKind] = {
    "host_starting": EventKind("a generation of a host begins", ("generation",)),
    "host_ready": EventKind("the generation is ready, and calls reach it", ("generation",)),
    "host_crashed": EventKind("the generation has ended as it should not have", ("generation", "exit", "cause", "report")),
    "host_backoff": EventKind("the host waits to be started again", ("generation", "seconds", "why")),
    "host_parked": EventKind("the host is given up for now; its calls are refused", ("generation", "seconds", "why")),
    "host_stopped": EventKind("the host has ended, and nothing starts it but an order", ("generation", "why")),
    "host_replaced": EventKind("the generation retires beside its successor, which is about to be started", ("generation", "why")),
    "host_retired": EventKind("a generation that was replaced has ended", ("generation", "exit", "cause", "report")),
    "group_restarting": EventKind("members stop in reverse, and start again in order", ("members", "seconds", "why")),
    "group_limit": EventKind("the budget of the group is used up, and its members stop", ("child", "exit", "cause", "restarts")),
    "group_parked": EventKind("its members are down until the group is probed or revived", ("seconds", "why")),
    "group_stopped": EventKind("its members are down; the group that it is in decides what follows", ("why",)),
    "host_recycling": EventKind("the generation has come to a limit, and is about to be replaced; no crash", ("generation", "limit", "bound", "measure", "why")),
    "standby_ready": EventKind("a standby of the host is loaded, and could take over", ("pid",)),
    "standby_failed": EventKind("a standby has ended while it waited; `seconds` until the next one is made", ("exit", "cause", "report", "seconds")),
    "host_reloading": EventKind("what the host runs is loaded anew, beside the present generation, which serves on", ("why",)),
    "host_reloaded": EventKind("the generation that was loaded anew has taken over", ("generation", "added", "removed", "changed", "took")),
    "host_reload_failed": EventKind("nothing has changed, or what was changed has been taken back", ("why", "rolled_back")),
    "plugin_registered": EventKind("the plugin offers these tools, newly or instead of others", ("tools",)),
    "offer_withheld": EventKind("a model request is composed without this tool, or without the plugin, and the one before was not, or for another reason", ("tool", "why")),
    "offer_restored": EventKind("a model request is composed with it again", ("tool",)),
    "tools_changed": EventKind("a later generation of the host has brought other tools than the one before; told before it is sent calls", ("added", "removed", "changed")),
    "tools_differ": EventKind("the MCP server does not declare its tools as they were kept, or does again: then `tools` is empty", ("tools", "why")),
    "resources_changed": EventKind("the MCP server's list of resources is another now, or may be: it was started again", ()),
    "prompts_changed": EventKind("as `resources_changed`, its list of prompts", ()),
    "resource_updated": EventKind("a resource that was [subscribed to](../mcp.md#resources-and-prompts) has changed, or may have: its server was started again", ("uri",)),
    "arguments_unchecked": EventKind("the tool's schema cannot be used to check arguments; they reach the tool as they come", ("tool", "why")),
    "plugin_unavailable": EventKind("the plugin could not be set up, or not be taken into its shared host; it stays, and has no tools", ("why",)),
    "plugin_removed": EventKind("the plugin was taken off the board", ()),
    "call_submitted": EventKind("the plugin has taken the call", ("call", "tool")),
    "call_started": EventKind("the call is about to be given to its tool", ("call", "tool", "attempt", "elapsed")),
    "call_repeated": EventKind("that attempt was lost with its host; the call waits again", ("call", "tool", "attempt", "why")),
    "call_ended": EventKind("the call has its result", ("call", "tool", "success", "code", "outcome", "attempt", "elapsed")),
    "call_denied": EventKind("a hook, or the person it had asked, refused the call; no tool was given it", ("call", "tool", "why")),
    "call_modified": EventKind("the hook has changed the call's input, or its result", ("call", "tool", "event")),
    "result_withheld": EventKind("the hook, or the person it had asked, refused to hand the result out", ("call", "tool", "why")),
    "hook_failed": EventKind("the hook raised, took too long, answered with what is no answer, or wants too much said", ("call", "tool", "event", "error")),
    "approval_asked": EventKind("a person is asked about the call", ("call", "tool", "prompt", "timeout")),
    "approval_answered": EventKind("it is decided what that person was asked", ("call", "tool", "allowed", "by")),
    "form_asked": EventKind("a person is asked what a server wants to know for a call", ("call", "tool", "prompt", "timeout")),
    "form_answered": EventKind("it is decided what the server is told; the answers themselves are in no event", ("call", "tool", "action", "by")),
    "breaker_opened": EventKind("the tool failed too often in a row; its calls are refused", ("tool", "retry_in")),
    "breaker_half_open": EventKind("one call goes through, to try the tool", ("tool",)),
    "breaker_closed": EventKind("the tool works again, or its breaker was closed by hand", ("tool",)),
    "tool_quarantined": EventKind("it was in flight at too many crashes, and is refused for a while", ("tool", "blamed", "call", "why")),
    "tool_released": EventKind("its quarantine is over", ("tool", "blamed")),
    "state_reset": EventKind("the host crashed with this state too often; the tool begins with a fresh one", ("version", "why")),
    "state_taken_over": EventKind("the plugin's state was kept under its former name, or for its former source, and is its own now", ("former",)),
    "state_not_taken_over": EventKind("a state is kept under the plugin's former name, and stays there", ("former", "why")),
    "dead_letter": EventKind("something was dropped", ("reason", "letter", "tool", "detail", "count")),
    "claim_failed": EventKind("a `can_handle_tool_call` raised, or did not answer in time", ("tool", "error")),
    "thread_fenced": EventKind("a call went on too long, and its thread was given up", ("call", "tool", "stuck")),
    "thread_returned": EventKind("a thread that was given up has come back", ("call", "tool")),
    "place_freed": EventKind("a fault of Callboard's own: a call that had ended kept its place under way, and nothing ran it", ("call", "tool")),
    "output_stray": EventKind("a host printed to stdout what is no message", ("text", "count")),
    "state_store_set_aside": EventKind("the state store was not sound, and a new one takes its place", ("path", "aside", "why", "plugins")),
    "state_store_failing": EventKind("the plugin's state could not be saved; it is kept in memory, and saved again by and by", ("why",)),
    "state_store_recovered": EventKind("the plugin's state is saved again", ()),
    "actor_failed": EventKind("a fault of Callboard's own, which it survived", ("message", "error")),
    "thread_failed": EventKind("a fault of Callboard's own, in one of its threads: that goes on, or its host is replaced", ("thread", "error")),
}  # fmt: skip
"""Every kind there is. Its subject is a plugin's name; of those of a group, the group's; of `actor_failed`, an actor's;
of `thread_failed`, a plugin's or a host's, or ``events``, ``clock`` or ``hooks``; of `state_store_set_aside`, ``state_store``; of those of hooks, from `call_denied` to `approval_answered`, the hook's."""


def faults_of(kind: str, facts: Mapping[str, Any]) -> list[str]:
    """What is wrong with an event, a sentence each; nothing if it keeps the contract."""
    known = EVENT_KINDS.get(kind)
    if known is None:
        return [f"there is no kind of event {kind!r}"]
    missing = [f"{kind} lacks the fact {name!r}" for name in known.facts if name not in facts]
    undeclared = [f"{kind} has no fact {name!r}" for name in facts if name not in known.facts]
    wrong = [
        f"{kind}: {name!r} is {facts[name]!r:.100}, which is no {FACTS[name].type}"
        for name in known.facts
        if name in facts and not FACTS[name].admits(facts[name])
    ]
    return missing + undeclared + wrong
