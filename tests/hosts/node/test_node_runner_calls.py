import pytest
from bare_host import BareHost
from programs import NODE

STEPS = NODE / "steps.mjs"


def test_the_echo_tool_of_the_authoring_guide_runs_as_it_stands():
    with BareHost(NODE / "spec_echo_tool.mjs", "echoTool") as host:
        init = host.ask("init", {"config": {"a": 1}})["result"]
        schemas = host.ask("get_tool_schemas", {"state": init["state"]})["result"]
        call = host.execute("echo", {"value": "hi"}, init["state"])
        part = host.read()
        answer = host.answer(call)

    assert init == {"value": {"config": {"a": 1}, "calls": 0}, "state": {"config": {"a": 1}, "calls": 0}}
    assert schemas["value"][0]["function"]["name"] == "echo"
    assert part == {"v": 1, "id": call, "event": {"type": "part", "payload": {"message": "working..."}}}
    assert answer == {
        "v": 1,
        "id": call,
        "ok": True,
        "result": {
            "value": {"success": True, "result": {"value": "hi", "calls": 1}},
            "state": {"config": {"a": 1}, "calls": 1},
        },
    }


def test_state_is_what_the_request_brings_and_goes_back_as_the_tool_left_it():
    with BareHost(STEPS) as host:
        first = host.answer(host.execute(arguments={"by": 2}, state={"count": 40, "other": [None]}))
        again = host.answer(host.execute(arguments={"by": 2}, state={"count": 0}))

    assert first["result"] == {
        "value": {"success": True, "result": 42},
        "state": {"count": 42, "other": [None]},
    }
    assert again["result"]["state"] == {"count": 2}


def test_state_goes_back_only_where_it_came_in():
    with BareHost(STEPS) as host:
        with_state = host.ask("format_tool_result", {"result": {"result": 1}, "state": {"count": 2}})
        without = host.ask("get_tags", {"config": {"prefix": "p-"}, "models": [{"name": "m"}]})

    assert with_state["result"] == {"value": "1 of 2", "state": {"count": 2}}
    assert without["result"] == {"value": ["p-m"]}


@pytest.mark.parametrize(
    ("method", "params", "arguments"),
    [
        ("get_tool_schemas", {"state": {"s": 1}}, [{"s": 1}]),
        (
            "execute_tool",
            {"tool_name": "t", "arguments": {"a": 1}, "state": {"s": 1}},
            ["t", {"a": 1}, {"s": 1}, "a function"],
        ),
        ("get_config_schema", {}, []),
        ("get_ui_elements", {}, []),
        ("get_tags", {"config": {"c": 1}, "models": [{"m": 1}]}, [{"c": 1}, [{"m": 1}]]),
        ("get_tags", {}, [{}, []]),
        ("required_tags", {}, []),
        ("forbidden_tags", {}, []),
        ("format_tool_result", {"result": {"r": 1}, "state": {"s": 1}}, [{"r": 1}, {"s": 1}]),
        (
            "format_tool_call_preview",
            {"tool_name": "t", "arguments": {"a": 1}, "state": {"s": 1}},
            ["t", {"a": 1}, {"s": 1}],
        ),
        (
            "to_display_format",
            {"text": "x", "result": {"r": 1}, "state": {"s": 1}},
            ["x", {"r": 1}, {"s": 1}],
        ),
    ],
)
def test_parameters_become_the_positional_arguments_of_the_guide(method, params, arguments):
    with BareHost(NODE / "records_arguments.mjs") as host:
        assert host.value(method, params) == arguments


def test_init_takes_the_configuration_alone():
    with BareHost(NODE / "records_arguments.mjs") as host:
        assert host.value("init", {"config": {"c": 1}}) == {"given": [{"c": 1}]}
        assert host.value("init") == {"given": [{}]}


def test_a_method_the_tool_lacks_and_one_the_protocol_lacks_are_not_found():
    with BareHost(STEPS) as host:
        lacking = host.error("to_display_format")
        unknown = host.error("constructor")

    assert lacking["type"] == unknown["type"] == "MethodNotFound"
    assert lacking["detail"] == "the tool has no method toDisplayFormat"
    assert unknown["detail"] == "version 1 of the protocol has no method constructor"


def test_calls_run_side_by_side_and_start_in_order():
    with BareHost(NODE / "waits_for_release.mjs") as host:
        waiting = [host.execute("wait", {"name": name}) for name in ("a", "b")]
        parts = [host.read()["event"]["payload"] for _ in waiting]
        releasing = host.execute("release", {"name": "c"})
        host.read()
        answers = {answer["id"]: answer["result"] for answer in (host.read(), host.read(), host.read())}

    assert parts == ["a", "b"]
    assert set(answers) == {*waiting, releasing}
    assert answers[waiting[1]]["state"]["order"][:4] == ["a starts", "b starts", "c starts", "c ends"]


def test_requests_sent_before_the_tool_is_loaded_wait_for_it():
    with BareHost(STEPS) as host:
        ids = [host.send("init", {"config": {"start": number}}) for number in range(3)]

        values = [host.answer(request_id)["result"]["value"]["count"] for request_id in ids]

    assert values == [0, 1, 2]


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (
            '{"v":2,"id":"x","method":"init","params":{}}',
            'this host speaks version 1 of the protocol, and "v" is 2',
        ),
        ('{"id":"x","method":"init"}', 'this host speaks version 1 of the protocol, and "v" is undefined'),
        ('{"v":1,"id":"x"}', 'a request has a "method", which is a string'),
        ('{"v":1,"id":"x","method":["init"]}', 'a request has a "method", which is a string'),
        ('{"v":1,"id":"x","method":"init","params":[]}', 'the "params" of a request are an object'),
        ('{"v":1,"id":"x","method":"init","params":null}', 'the "params" of a request are an object'),
        ('{"v":1,"id":"x","method":"init","params":"p"}', 'the "params" of a request are an object'),
    ],
)
def test_a_bad_request_with_an_id_is_answered_as_such(line, detail):
    with BareHost(STEPS) as host:
        host.send_bytes(line.encode() + b"\n")
        error = host.answer("x")["error"]

        assert error["type"] == "ProtocolError"
        assert error["detail"] == detail
        assert host.value("init") == {"count": 0}


def test_an_id_that_is_no_string_is_refused_under_that_id():
    with BareHost(STEPS) as host:
        host.send_bytes(b'{"v":1,"id":7,"method":"init"}\n')

        assert host.answer(7)["error"]["detail"] == 'a request has an "id", which is a string'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"nonsense", "not JSON"),
        (b'{"v":1,"id":"x","method":"init"', "not JSON"),
        (b'{"v":1,"method":"init"}', 'a request has an "id"'),
        (b'{"v":1,"id":null,"method":"init"}', 'a request has an "id"'),
        (b"[1]", "a request is a JSON object"),
        (b"null", "a request is a JSON object"),
        (b"7", "a request is a JSON object"),
        (b"\xff\xfe\x00", "not JSON"),
    ],
)
def test_a_bad_line_without_an_id_is_told_on_stderr_and_harms_nothing(line, said):
    with BareHost(STEPS) as host:
        host.send_bytes(line + b"\n")

        assert host.value("init") == {"count": 0}
        assert host.finish() == 0
        assert said in host.stderr


def test_blank_lines_and_carriage_returns_mean_nothing():
    with BareHost(STEPS) as host:
        host.send_bytes(b'\n\r\n  \n{"v":1,"id":"x","method":"init"}\r\n')

        assert host.answer("x")["ok"] is True
        assert host.finish() == 0
        assert host.stderr == ""
