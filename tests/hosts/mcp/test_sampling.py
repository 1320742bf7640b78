"""What a server wants a model to say is read whole, or refused; the answer is that of MCP."""

from __future__ import annotations

import pytest
from callboard.base.json import dump_json
from callboard.hosts.mcp.elicitation import NotAsked
from callboard.hosts.mcp.sampling import MOST_MESSAGES, MOST_TOKENS, params_of, sampled, sampling_of
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import methods
from sdks import needs_sdk

pytestmark = needs_sdk

WISHES = {
    "modelPreferences": {"costPriority": 1},
    "stopSequences": ["."],
    "includeContext": "thisServer",
    "metadata": {"own": None},
}
LEAF = st.none() | st.booleans() | st.integers(-5, 10**6) | st.text(max_size=5)
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "tool_use", 7])},
    optional={"text": LEAF, "data": LEAF, "mimeType": LEAF},
)
MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system"]),
        "content": BLOCK | st.lists(BLOCK, max_size=3) | LEAF,
    }
)
PARAMS = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGE | LEAF, max_size=3) | LEAF, "maxTokens": LEAF},
    optional={"systemPrompt": LEAF, "temperature": LEAF, "tools": LEAF, "modelPreferences": LEAF},
)


@given(PARAMS)
def test_any_request_is_read_or_refused_and_all_that_is_sent_is_shown(params):
    try:
        asked = sampling_of(params, "server", "tool")
    except NotAsked:
        return
    assert 1 <= asked.max_tokens <= MOST_TOKENS
    shown = asked.shown
    assert dump_json(shown)
    assert [each["text"] for each in shown["messages"]] == [text for _, text, _ in asked.messages]
    assert shown.get("system") == asked.system
    for (_, _, media), each in zip(asked.messages, shown["messages"], strict=True):
        assert len(each.get("media", [])) == len(media)


TEXT = st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=5)})
MEDIA = st.fixed_dictionaries(
    {"type": st.sampled_from(["image", "audio"]), "data": st.just("aGk="), "mimeType": st.just("a/b")}
)


@given(
    st.lists(TEXT | st.lists(TEXT | MEDIA, min_size=1, max_size=3), min_size=1, max_size=3),
    st.none() | st.text(max_size=5),
    st.none() | st.floats(0, 1),
)
def test_what_a_client_is_asked_on_is_the_same_in_the_words_of_mcp(contents, system, temperature):
    messages = [{"role": "user", "content": content} for content in contents]
    params = {"messages": messages, "maxTokens": 9, "systemPrompt": system, "temperature": temperature}
    asked = sampling_of({**params, **WISHES}, "server", None)

    said = params_of(asked, "2025-11-25")
    before = params_of(asked, "2025-06-18")

    assert sampling_of(said, "server", None) == asked
    assert {key: said.get(key) for key in WISHES} == WISHES
    methods.parse_server_request("sampling/createMessage", "2025-11-25", said)
    methods.parse_server_request("sampling/createMessage", "2025-06-18", before)


def test_a_conversation_has_an_end():
    message = {"role": "user", "content": {"type": "text", "text": "a"}}
    with pytest.raises(NotAsked):
        sampling_of({"messages": [message] * (MOST_MESSAGES + 1), "maxTokens": 1}, "server", None)


@pytest.mark.parametrize("cut", [True, False])
def test_the_answer_is_one_of_the_protocol(cut):
    methods.validate_client_result("sampling/createMessage", "2025-11-25", sampled("Hi", "m", cut=cut))
