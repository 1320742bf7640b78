"""A session with a client, as a table: what it says, and what is done."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from callboard.mcp_protocol.method import Method
from callboard.mcp_protocol.shapes import TEXT
from callboard.mcp_stdio.session import (
    MOST_UNDER_WAY,
    Answered,
    Begin,
    Cancel,
    Introduced,
    Say,
    Session,
)
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

if TYPE_CHECKING:
    from callboard.mcp_stdio.session import Asked, Effects

Json = dict[str, Any]

REVISION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "tester", "version": "1"},
}


async def nothing(_: Any, params: Json) -> Json:
    return params


METHODS = {
    "tools/call": Method(nothing, {"name": TEXT}),
    "tools/list": Method(nothing, optional={"cursor": TEXT}),
    "old": Method(nothing, stateless=False),
    "new": Method(nothing, handshake=False),
}


class Talk:
    """A session, and what its client has heard."""

    def __init__(self) -> None:
        self.session = Session(METHODS, lambda revision: {"of": revision})
        self.heard: list[Json] = []
        self.begun: list[Asked] = []

    def say(self, **members: Any) -> Effects:
        return self.send(json.dumps({"jsonrpc": "2.0", **members}).encode())

    def send(self, line: bytes) -> Effects:
        effects = self.session.hear(line)
        for effect in effects:
            if isinstance(effect, Say):
                self.hear(effect.line)
            elif isinstance(effect, Begin):
                self.begun.append(effect.asked)
        return effects

    def hear(self, line: bytes) -> None:
        if line:
            self.heard.append(json.loads(line))

    def ask(self, method: str, request_id: Any = 1, **params: Any) -> Effects:
        return self.say(id=request_id, method=method, params=params)

    def error(self) -> tuple[int, str]:
        (said,) = self.heard
        return said["error"]["code"], said["error"]["message"]


def handshake(revision: str = "2025-11-25") -> Talk:
    talk = Talk()
    talk.ask("initialize", 0, **{**HELLO, "protocolVersion": revision})
    talk.say(method="notifications/initialized")
    talk.heard.clear()
    return talk


def stateless() -> Talk:
    talk = Talk()
    talk.ask("server/discover", 0, _meta=ENVELOPE)
    talk.heard.clear()
    return talk


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_a_handshake_agrees_on_the_revision_that_is_asked_for_or_the_newest(asked: str, agreed: str) -> None:
    talk = Talk()

    *_, introduced = talk.ask("initialize", **{**HELLO, "protocolVersion": asked})

    assert talk.heard == [{"jsonrpc": "2.0", "id": 1, "result": {"of": agreed}}]
    assert isinstance(introduced, Introduced)
    assert introduced.asked.who == (agreed, "tester", HELLO["capabilities"])


def test_in_the_stateless_era_each_request_says_whose_it_is() -> None:
    talk = stateless()

    talk.ask("tools/call", 7, name="a", _meta={**ENVELOPE, "progressToken": 1})

    (asked,) = talk.begun
    assert asked.who == (REVISION, "tester", {"sampling": {}})
    assert (asked.id, asked.meta["progressToken"], asked.params["name"]) == (7, 1, "a")


BAD = (-32602, "Invalid request parameters")
NONE = (-32601, "Method not found")


@pytest.mark.parametrize(
    ("method", "params", "error"),
    [
        ("no such", {}, NONE),
        ("new", {}, NONE),
        ("tools/call", {}, BAD),
        ("tools/call", {"name": 7}, BAD),
        ("tools/call", {"name": "a", "_meta": {"progressToken": 1.5}}, BAD),
        ("tools/list", {"cursor": 7}, BAD),
        ("initialize", {}, BAD),
        ("ping", {"_meta": 7}, BAD),
    ],
)
def test_what_cannot_be_asked_in_a_session_is_refused(method: str, params: Json, error: Any) -> None:
    talk = handshake()

    talk.ask(method, **params)

    code, message = talk.error()
    assert (code, message.partition(":")[0]) == error


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no such", {"_meta": ENVELOPE}, -32601),
        ("old", {"_meta": ENVELOPE}, -32601),
        ("ping", {"_meta": ENVELOPE}, -32601),
        ("tools/call", {"_meta": ENVELOPE}, -32602),
        ("tools/call", {"name": "a"}, -32602),
        ("tools/call", {"name": "a", "_meta": {**ENVELOPE, "io.modelcontextprotocol/logLevel": "loud"}}, -32602),
        ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": REVISION}}, -32602),
        ("tools/list", {"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": 7}}, -32602),
        ("tools/list", {"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}}, -32022),
        ("initialize", HELLO, -32022),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_in_the_stateless_era_is_refused(method: str, params: Json, code: int) -> None:
    talk = stateless()

    talk.ask(method, **params)

    assert talk.error()[0] == code
    assert talk.begun == []


def test_nothing_is_served_before_a_handshake_but_a_ping() -> None:
    talk = Talk()

    talk.ask("ping", 1)
    talk.ask("tools/list", 2)
    talk.say(method="notifications/initialized")
    talk.ask("tools/list", 3)

    assert [each.get("result", each.get("error", {}).get("code")) for each in talk.heard] == [{}, -32602]
    assert [each.id for each in talk.begun] == [3]


def test_the_first_request_decides_the_era_and_one_of_the_other_is_refused() -> None:
    old, new = handshake(), stateless()

    old.ask("tools/list", _meta=ENVELOPE)
    new.ask("initialize", **HELLO)

    assert (old.error()[0], new.error()[0]) == (-32600, -32022)


@pytest.mark.parametrize("talk", [handshake, stateless])
def test_what_is_cancelled_has_no_answer(talk: Any) -> None:
    talk = talk()
    talk.ask("tools/list", 7, _meta=ENVELOPE if talk.session._stateless else {})
    (asked,) = talk.begun

    effects = talk.say(method="notifications/cancelled", params={"requestId": 7})

    assert effects == (Cancel(asked),)
    assert talk.session.answered(asked, {}) == b""
    assert talk.session.refused(asked, 1, "no") == b""
    assert talk.say(method="notifications/cancelled", params={"requestId": 7}) == ()


@pytest.mark.parametrize("other", [8, "8", None, 7.0, True, [7], {"a": 7}, "", "7a"])
def test_a_cancel_of_what_is_not_under_way_does_nothing(other: Any) -> None:
    talk = handshake()
    talk.ask("tools/list", 7)

    assert talk.say(method="notifications/cancelled", params={"requestId": other}) == ()
    assert talk.session.answered(talk.begun[0], {}) != b""


@pytest.mark.parametrize(("asked", "named"), [(7, "7"), ("7", 7), ("7", "7")])
def test_a_cancel_may_say_a_number_as_a_text(asked: Any, named: Any) -> None:
    talk = handshake()
    talk.ask("tools/list", asked)

    assert len(talk.say(method="notifications/cancelled", params={"requestId": named})) == 1


def test_of_an_id_that_is_used_again_both_requests_are_answered_and_a_cancel_is_of_the_later_one() -> None:
    talk = handshake()
    talk.ask("tools/call", 7, name="first")
    talk.ask("tools/call", 7, name="second")
    first, second = talk.begun

    (cancel,) = talk.say(method="notifications/cancelled", params={"requestId": 7})

    assert cancel == Cancel(second)
    assert json.loads(talk.session.answered(first, {"a": 1}))["id"] == 7


def test_an_answer_is_that_of_the_request_of_its_number() -> None:
    talk = handshake()

    assert talk.say(id=3, result={"a": 1}) == (Answered(3, {"a": 1}, None),)
    assert talk.say(id="3", error={"code": 1}) == (Answered(3, None, {"code": 1}),)
    assert talk.say(id="a", result={}) == ()
    assert talk.say(id=None, result={}) == ()


def test_batches_are_of_the_one_revision_that_has_them() -> None:
    with_them, without = handshake("2025-03-26"), handshake("2025-06-18")
    batch = b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, 3]'

    with_them.send(batch)
    without.send(batch)

    assert [each["id"] for each in with_them.heard] == [1, None]
    assert [each.id for each in with_them.begun] == [2]
    assert without.error()[0] == -32600


def test_a_request_too_many_is_refused_and_one_more_is_taken_when_another_has_ended() -> None:
    talk = handshake()
    for number in range(MOST_UNDER_WAY):
        talk.ask("tools/list", number)

    talk.ask("tools/list", "too many")
    talk.session.answered(talk.begun[0], {})
    talk.ask("tools/list", "more")

    assert talk.error()[0] == -32603
    assert talk.begun[-1].id == "more"


def test_at_the_end_what_is_under_way_is_refused() -> None:
    talk = handshake()
    talk.ask("tools/list", 1)
    talk.ask("tools/list", 2)
    talk.say(method="notifications/cancelled", params={"requestId": 2})

    said = [json.loads(line) for line in talk.session.end().splitlines()]

    assert said == [{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "Connection closed"}}]


class Client(RuleBasedStateMachine):
    """A client that says whatever it likes: each request is answered once, unless it was cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk()
        self.open: list[Asked] = []
        self.asked = 0
        self.cancelled = 0
        self.answered = 0

    ids = st.integers(0, 3) | st.sampled_from(["0", "1", "a"])

    @rule(
        request_id=ids,
        method=st.sampled_from([*METHODS, "ping", "initialize", "server/discover", "no such"]),
        meta=st.sampled_from([None, {}, ENVELOPE, {"progressToken": 1}]),
        whole=st.booleans(),
    )
    def ask(self, request_id: Any, method: str, meta: Any, whole: bool) -> None:
        params = {**(HELLO if method == "initialize" else {}), "name": "a"} if whole else {}
        before = len(self.talk.begun)
        self.talk.ask(method, request_id, **params, **({} if meta is None else {"_meta": meta}))
        self.open += self.talk.begun[before:]
        self.asked += 1

    @rule(request_id=ids)
    def cancel(self, request_id: Any) -> None:
        for effect in self.talk.say(method="notifications/cancelled", params={"requestId": request_id}):
            assert isinstance(effect, Cancel)
            self.open.remove(effect.asked)
            self.cancelled += 1

    @rule(line=st.binary(max_size=30))
    def say_nothing_that_can_be_read(self, line: bytes) -> None:
        said = self.talk.send(b"\xff" + line.replace(b"\n", b""))
        assert len(said) == 1
        self.asked += 1

    @rule(at=st.integers(0, 9))
    def end_one(self, at: int) -> None:
        if self.open:
            self.talk.hear(self.talk.session.answered(self.open.pop(at % len(self.open)), {}))

    @invariant()
    def each_has_its_answer(self) -> None:
        assert len(self.talk.heard) + len(self.open) + self.cancelled == self.asked


TestClient = Client.TestCase


@given(lines=st.lists(st.binary(max_size=30)))
def test_nothing_that_comes_raises(lines: list[bytes]) -> None:
    talk = Talk()
    for line in lines:
        talk.send(line)
