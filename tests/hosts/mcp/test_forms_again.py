"""A form that a server has asked for is asked for again, of a client, as the same form."""

from __future__ import annotations

from callboard.hosts.mcp.elicitation import form_of, params_of
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import ElicitRequest, methods
from sdks import needs_sdk

pytestmark = needs_sdk

TITLED = st.lists(
    st.fixed_dictionaries({"const": st.text(max_size=3), "title": st.text(max_size=3)}),
    min_size=1,
    max_size=3,
)
NAMED = st.lists(st.text(max_size=3), min_size=1, max_size=3)
GOOD_FIELD = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"title": st.text(max_size=5), "minLength": st.integers(0, 3), "default": st.text(max_size=3), "format": st.just("email")},
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": st.integers(-5, 5), "maximum": st.integers(-5, 5), "default": st.integers(-5, 5)},
    ),
    st.fixed_dictionaries({"type": st.just("boolean")}, optional={"default": st.booleans(), "description": st.text(max_size=5)}),
    st.fixed_dictionaries({"type": st.just("string"), "enum": NAMED}),
    st.fixed_dictionaries({"type": st.just("string"), "oneOf": TITLED}),
    st.fixed_dictionaries({"type": st.just("array"), "items": st.fixed_dictionaries({"type": st.just("string"), "enum": NAMED})}, optional={"minItems": st.integers(0, 2)}),
    st.fixed_dictionaries({"type": st.just("array"), "items": st.fixed_dictionaries({"anyOf": TITLED})}),
)  # fmt: skip


@given(
    st.dictionaries(st.text(max_size=3), GOOD_FIELD, max_size=4),
    st.sampled_from(["2025-11-25", "2026-07-28"]),
    st.data(),
)
def test_a_form_that_is_asked_for_again_is_the_same_form_in_the_words_of_mcp(properties, revision, data):
    required = data.draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    beside = data.draw(st.dictionaries(st.sampled_from(["title", "$schema", "x-own"]), st.text(max_size=3)))
    schema = {**beside, "type": "object", "properties": properties}
    if required or data.draw(st.booleans()):
        schema["required"] = required
    form = form_of({"message": "m", "requestedSchema": schema}, "server", None)

    said = params_of(form, revision)

    assert form_of(said, "server", None) == form
    again = said["requestedSchema"]
    assert list(again) == list(schema)
    assert {**again, "properties": None} == {**schema, "properties": None}
    ElicitRequest.model_validate({"params": said})
    if revision == "2025-11-25":
        methods.parse_server_request("elicitation/create", revision, said)


def test_what_is_no_name_among_the_required_fields_costs_no_more_than_itself():
    schema = {"type": "object", "properties": {"f": {"type": "string"}}, "required": [1, "f", None]}
    form = form_of({"message": "m", "requestedSchema": schema}, "server", None)

    assert params_of(form, "2025-11-25")["requestedSchema"]["required"] == ["f"]


def test_a_page_that_is_asked_for_again_is_the_same_page():
    form = form_of({"mode": "url", "message": "m", "url": "https://example.org/"}, "server", None)

    assert form_of(params_of(form, "2025-11-25"), "server", None) == form


def test_choices_have_their_titles_beside_them_for_a_client_of_the_revision_before():
    choice = {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]}
    form = form_of(
        {"message": "m", "requestedSchema": {"type": "object", "properties": {"f": choice}}}, "server", None
    )

    said = params_of(form, "2025-06-18")["requestedSchema"]["properties"]["f"]

    assert said == {"type": "string", "enum": ["r", "b"], "enumNames": ["Red", "Blue"]}
