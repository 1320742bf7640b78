import pytest
from bare_host import BareHost
from programs import EVIL_NODE, NODE
from thorough import every

RESULTS = NODE / "any_result.mjs"
ERRORS = NODE / "any_error.mjs"

at_once_and_later = pytest.mark.parametrize("later", every(2, [True, False]))


def answer_to(host, value, *, later):
    if later:
        return host.ask("format_tool_result", {"result": {"value": value}, "state": {}})
    return host.answer(host.execute(arguments={"value": value}))


@at_once_and_later
@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ("cycle", "the returned value cannot be written as JSON: Converting circular structure"),
        ("bigint", "the returned value cannot be written as JSON: Do not know how to serialize a BigInt"),
        ("throwing toJSON", "the returned value cannot be written as JSON: not today"),
        ("function", "the returned value is a function, which JSON cannot say"),
        ("symbol", "the returned value is a symbol, which JSON cannot say"),
        ("nan", "the returned value cannot be written as JSON: $ is NaN"),
        ("nan in a result", "the returned value cannot be written as JSON: $.result is NaN"),
        ("infinity deep in a result", "JSON: $.result.rows[1].price is -Infinity"),
    ],
)
def test_a_value_that_is_not_json_is_an_invalid_result(value, detail, later):
    with BareHost(RESULTS) as host:
        error = answer_to(host, value, later=later)["error"]

        assert error["type"] == "InvalidResult"
        assert detail in error["detail"]
        assert host.value("init") == {}


def test_a_state_that_is_not_json_is_an_invalid_result():
    with BareHost(RESULTS) as host:
        error = answer_to(host, "bigint in state", later=False)["error"]

    assert error["type"] == "InvalidResult"
    assert "the state cannot be written as JSON" in error["detail"]


@at_once_and_later
@pytest.mark.parametrize("value", ["nothing", "null"])
def test_no_value_is_null(value, later):
    with BareHost(RESULTS) as host:
        assert answer_to(host, value, later=later)["result"] == {"value": None, "state": {}}


def test_what_javascript_itself_writes_as_null_is_null():
    with BareHost(RESULTS) as host:
        value = answer_to(host, "words of their own", later=False)["result"]["value"]

    assert value["result"] == [None, None, {}]


def test_half_a_character_is_replaced_since_no_decoder_takes_it():
    with BareHost(RESULTS) as host:
        text = answer_to(host, "half a character", later=False)["result"]["value"]["result"]

    assert text == "cut \N{REPLACEMENT CHARACTER}, kept \\ud83d 😀 and \\\N{REPLACEMENT CHARACTER}"


@at_once_and_later
@pytest.mark.parametrize(
    ("value", "kind", "detail"),
    [
        ("TypeError", "TypeError", "of the wrong type"),
        ("CustomError", "CustomError", "of its own kind"),
        ("errorLike", "ErrorLike", "looks like one"),
        ("string", "NonError", "a plain string"),
        ("object", "NonError", "{ code: 3 }"),
        ("undefined", "NonError", "undefined"),
        ("hostile", "Error", "something was thrown that throws again when it is looked at"),
    ],
)
def test_whatever_a_tool_throws_is_an_error_with_type_detail_and_stack(value, kind, detail, later):
    with BareHost(ERRORS) as host:
        error = answer_to(host, value, later=later)["error"]

        assert (error["type"], error["detail"]) == (kind, detail)
        assert isinstance(error["stack"], str)
        assert "phase" not in error
        assert host.value("init") == {}


def test_the_stack_names_the_place_and_the_cause():
    with BareHost(ERRORS) as host:
        error = answer_to(host, "cause", later=False)["error"]

    assert error["detail"] == "outer"
    assert "any_error.mjs" in error["stack"]
    assert "inner reason" in error["stack"]


def test_the_code_of_an_error_is_passed_on():
    with BareHost(ERRORS) as host:
        assert answer_to(host, "CustomError", later=False)["error"]["code"] == "E_CUSTOM"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("cycle", "InvalidPart: the payload given to emit cannot be written as JSON: Converting circular"),
        ("untyped", "TypeError: emit takes an object with a type"),
        ("nothing", "TypeError: emit takes an object with a type"),
    ],
)
def test_a_part_that_cannot_be_sent_is_thrown_at_the_tool(event, said):
    with BareHost(EVIL_NODE / "emits_wrongly.mjs") as host:
        value = host.answer(host.execute(arguments={"event": event}))["result"]["value"]

    assert value["success"] is False
    assert value["error"].startswith(said)


def test_a_part_without_payload_is_null():
    with BareHost(EVIL_NODE / "emits_wrongly.mjs") as host:
        host.execute(arguments={"event": "empty"})

        assert host.read()["event"] == {"type": "part", "payload": None}


def test_parts_after_the_answer_are_dropped_and_told_once():
    with BareHost(EVIL_NODE / "emits_after_the_answer.mjs") as host:
        first = host.execute("first")
        host.answer(first)
        host.answer(host.execute("second"))

        assert host.finish() == 0
    assert host.stderr.count("emit was called after the answer") == 1
    assert f'"{first}"' in host.stderr


def test_a_part_is_out_before_emit_returns():
    with BareHost(EVIL_NODE / "spins.mjs") as host:
        host.execute("spin")

        assert host.read()["event"]["payload"] == "about to spin"


def test_an_answer_at_once_is_out_before_the_next_call_begins():
    with BareHost(EVIL_NODE / "spins.mjs") as host:
        host.value("init")
        call = '{"v":1,"id":"%s","method":"execute_tool","params":{"tool_name":"%s","state":{}}}\n'
        host.send_bytes((call % ("a", "quick") + call % ("b", "spin")).encode())

        assert host.answer("a")["result"]["value"]["result"] == "done"
        assert host.read()["id"] == "b"
