import pytest
from callboard.hosts.protocol.methods import METHODS
from python_runner import python_host

SCHEMA = {"type": "function", "function": {"name": "moody", "parameters": {"type": "object"}}}


@pytest.fixture(scope="module")
def host():
    """One for all tests that leave it as it was."""
    with python_host() as host:
        yield host


def test_a_tool_streams_answers_and_keeps_its_state_where_it_came_from(host):
    init = host.ask("init", {"config": {"count": 4}})["result"]
    schemas = host.ask("get_tool_schemas", {"state": init["state"]})["result"]
    call = host.execute("moody", {"first": {"so": "far"}, "value": "hi"}, init["state"])
    part = host.read()
    answer = host.answer(call)

    assert init == {"value": {"count": 4}, "state": {"count": 4}}
    assert schemas == {"value": [SCHEMA], "state": {"count": 4}}
    assert part == {"v": 1, "id": call, "event": {"type": "part", "payload": {"so": "far"}}}
    assert answer == {
        "v": 1,
        "id": call,
        "ok": True,
        "result": {"value": {"success": True, "result": "hi", "count": 5}, "state": {"count": 5}},
    }


def test_state_goes_back_only_where_it_came_in(host):
    with_state = host.ask("format_tool_result", {"result": {"result": 1}, "state": {"count": 2}})

    assert with_state["result"] == {"value": "1 of 2", "state": {"count": 2}}
    assert host.ask("init")["result"]["state"] == {"count": 0}


@pytest.mark.parametrize(
    "method", [name for name, method in METHODS.items() if not method.required and method.feature is None]
)
def test_a_hook_that_the_plugin_leaves_out_is_not_found(method):
    with python_host("moody_python.Counter") as host:
        error = host.error(method)

    assert (error["type"], error["detail"]) == ("MethodNotFound", f"the plugin has no hook {method}")


def test_a_method_that_the_protocol_lacks_is_not_found(host):
    error = host.error("__class__")

    assert error["type"] == "MethodNotFound"
    assert error["detail"] == "version 1 of the protocol has no method __class__"


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (
            '{"v":2,"id":"x","method":"init"}',
            "this host speaks version 1 of the protocol, and 'v' is 2",
        ),
        (
            '{"v":true,"id":"x","method":"init"}',
            "this host speaks version 1 of the protocol, and 'v' is True",
        ),
        ('{"v":1,"id":"x"}', "a request has a 'method', which is a string"),
        ('{"v":1,"id":"x","method":"init","params":null}', "the 'params' of a request are an object"),
        (
            '{"v":1,"id":"x","method":"execute_tool","params":{"arguments":"raw"}}',
            "'arguments' in the 'params' of a request is an object",
        ),
    ],
)
def test_a_bad_request_with_an_id_is_answered_as_such(host, line, detail):
    host.send_bytes(line.encode() + b"\n")
    error = host.answer("x")["error"]

    assert (error["type"], error["detail"]) == ("ProtocolError", detail)


def test_an_id_that_is_no_string_is_refused_under_that_id(host):
    host.send_bytes(b'{"v":1,"id":7,"method":"init"}\n')

    assert host.answer(7)["error"]["detail"] == "a request has an 'id', which is a string"


@pytest.mark.parametrize("line", [b"nonsense", b'{"v":1,"method":"init"}', b"[1]", b"\xff\xfe\x00", b"NaN"])
def test_a_bad_line_without_an_id_is_told_on_stderr_and_harms_nothing(host, line):
    said = host.stderr.count("[tool host] ignored")

    host.send_bytes(line + b"\n \n\r\n")

    assert host.value("init") == {"count": 0}
    host.stderr_until("[tool host] ignored")
    assert host.stderr.count("[tool host] ignored") == said + 1


@pytest.mark.parametrize(
    ("way", "detail", "path"),
    [
        ("returns_an_object", "is of type object, which is not JSON", "$.result.deep[1]"),
        ("returns_nan", "is nan, which JSON cannot say", "$.result.ratio"),
        ("returns_no_verdict", "has 'perhaps' as 'success'", None),
        ("spoils_the_state", "the tool's state is no JSON any more", "$.state.made of"),
    ],
)
def test_what_is_no_result_is_an_invalid_result_and_says_where(host, way, detail, path):
    error = host.answer(host.execute("moody", {"way": way}, {"count": 0}))["error"]

    assert error["type"] == "InvalidResult"
    assert detail in error["detail"]
    assert error.get("path") == path


def test_a_hook_that_answers_with_what_is_no_json_is_an_invalid_result(host):
    assert host.error("get_ui_elements")["type"] == "InvalidResult"


def test_half_a_character_and_a_number_without_bounds_come_through(host):
    call = host.execute("moody", {"way": "returns_half_a_character"}, {"count": 0})

    assert host.answer(call)["result"]["value"] == {
        "success": True,
        "result": "cut \ud83d, and 2**70 beside",
        "number": 2**70,
    }


@pytest.mark.parametrize(
    ("way", "type_", "detail", "in_stack"),
    [
        ("raises_in_a_chain", "ValueError", "outer", "FileNotFoundError"),
        ("raises_os_error", "FileNotFoundError", "No such file", "moody_python.py"),
        (
            "raises",
            "UnprintableError",
            "(the exception's own text cannot be read)",
            "moody_python.py",
        ),
        ("exits", "SystemExit", "enough", "moody_python.py"),
        ("interrupts", "KeyboardInterrupt", "", "moody_python.py"),
    ],
)
def test_whatever_a_tool_raises_is_an_error_with_type_detail_and_stack(host, way, type_, detail, in_stack):
    error = host.answer(host.execute("moody", {"way": way}, {"count": 0}))["error"]

    assert error["type"] == type_
    assert detail in error["detail"]
    assert in_stack in error["stack"]
    assert "phase" not in error


def test_the_name_of_a_systems_error_is_passed_on(host):
    error = host.answer(host.execute("moody", {"way": "raises_os_error"}, {"count": 0}))["error"]

    assert error["code"] == "ENOENT"


def test_a_hook_that_raises_is_an_error_of_its_own_kind(host):
    error = host.error("format_tool_result", {"result": {"raise": True}, "state": {}})

    assert (error["type"], error["detail"]) == ("LookupError", "no such format")
    assert "HookError" not in error["stack"]


def test_calls_run_side_by_side():
    with python_host("moody_python.Meeting") as host:
        calls = {host.execute("meet") for _ in range(2)}
        answers = [host.read(), host.read()]

    assert {answer["id"] for answer in answers} == calls
    assert all(answer["result"]["value"] == {"success": True, "result": "met"} for answer in answers)


def test_calls_that_come_one_by_one_run_in_the_main_thread(host):
    def where():
        call = host.execute("moody", {"way": "tells_where_it_runs"}, {"count": 0})
        return host.answer(call)["result"]["value"]["result"]["main thread"]

    assert all(where() for _ in range(200))


def test_requests_sent_before_the_tool_is_loaded_wait_for_it():
    with python_host() as host:
        ids = {host.send("init", {"config": {"count": number}}): number for number in range(5)}
        answers = [host.read() for _ in ids]

    assert {answer["id"]: answer["result"]["value"]["count"] for answer in answers} == ids


def test_a_plugin_that_cannot_be_loaded_answers_every_request_with_why(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("raise RuntimeError('not today')")

    with python_host("broken.Tool", file) as host:
        errors = [host.error("init"), host.error("get_tags")]
        host.stderr_until("[tool host] cannot load broken.Tool")

    for error in errors:
        assert (error["type"], error["phase"]) == ("PluginLoadError", "load")
        assert "RuntimeError: not today" in error["detail"]
        assert "broken.py" in error["stack"]


INITS = """
class Tool:
    def get_tool_schemas(self, state): return []
    def execute_tool(self, tool_name, payload, state): return {"success": True}
    def init(self, config): %s

class Demanding(Tool):
    def __init__(self, address): pass
    def init(self, config): return {}

class Failing(Tool):
    def __init__(self, config): raise OSError("no network")
"""


@pytest.mark.parametrize(
    ("name", "init", "type_", "phase"),
    [
        ("Tool", "raise OSError('no network')", "OSError", "init"),
        ("Tool", "return [1]", "InvalidResult", "init"),
        ("Tool", "raise SystemExit", "SystemExit", "init"),
        ("Failing", "pass", "PluginLoadError", "load"),
    ],
)
def test_a_failure_before_the_tool_is_alive_says_in_which_phase(tmp_path, name, init, type_, phase):
    file = tmp_path / "inits.py"
    file.write_text(INITS % init)

    with python_host(f"inits.{name}", file) as host:
        error = host.error("init", {"config": {}})

    assert (error["type"], error["phase"]) == (type_, phase)


def test_a_class_may_take_its_configuration_when_it_is_made(tmp_path):
    file = tmp_path / "configured.py"
    file.write_text(
        "class Tool:\n"
        "    name, description = 'told', 'Tells what it was told.'\n"
        "    def __init__(self, config): self.told = config\n"
        "    async def execute(self, input): return {'success': True, 'output': self.told}\n"
    )

    with python_host("configured.Tool", file) as host:
        host.value("init", {"config": {"a": 1}})
        result = host.answer(host.execute("told"))["result"]["value"]

    assert result == {"success": True, "output": {"a": 1}, "result": {"a": 1}}


def test_what_a_plugin_prepares_is_there_for_every_hook_that_asks(tmp_path):
    file = tmp_path / "prepares.py"
    file.write_text(
        "class Tool:\n"
        "    async def prepare_async(self, config, state, *, context=None): return {'ready': config['a']}\n"
        "    def get_tool_schemas(self, state, *, prepared=None): return [prepared]\n"
        "    async def execute_tool_async(self, tool_name, payload, state, *, prepared=None, payload_kind=None):\n"
        "        return {'success': True, 'result': [prepared, payload_kind]}\n"
    )

    with python_host("prepares.Tool", file) as host:
        host.value("init", {"config": {"a": 1}})
        schemas = host.value("get_tool_schemas", {"state": {}})
        result = host.answer(host.execute("any"))["result"]["value"]

    assert schemas == [{"ready": 1}]
    assert result["result"] == [{"ready": 1}, "object"]


def test_a_plugin_prepares_once_for_a_configuration_whatever_formats_it_is_asked_about(tmp_path):
    file = tmp_path / "counts.py"
    file.write_text(
        "class Tool:\n"
        "    times = 0\n"
        "    def init(self, config): return {'hint': config.get('_tool_schema_target_formats')}\n"
        "    def prepare(self, config, state, *, context=None):\n"
        "        self.times += 1\n"
        "        return {'times': self.times}\n"
        "    def get_tool_schemas(self, state, *, prepared=None): return [{**state, **prepared}]\n"
        "    def execute_tool(self, tool_name, payload, state): return {'success': True}\n"
    )
    configs = [{"a": 1}, {"a": 1, "_tool_schema_target_formats": ["f"]}, {"a": 2}]

    with python_host("counts.Tool", file) as host:
        states = [host.value("init", {"config": config}) for config in configs[:2]]
        schemas = [host.value("get_tool_schemas", {"state": state}) for state in states]
        host.value("init", {"config": configs[2]})
        (again,) = host.value("get_tool_schemas", {"state": {}})

    assert schemas == [[{"hint": None, "times": 1}], [{"hint": ["f"], "times": 1}]]
    assert again == {"times": 2}


def test_hooks_that_the_protocol_cannot_ask_are_told_on_stderr(tmp_path):
    file = tmp_path / "claims.py"
    file.write_text(
        "class Tool:\n"
        "    def get_tool_schemas(self, state): return []\n"
        "    def execute_tool(self, tool_name, payload, state): return {'success': True}\n"
        "    def can_handle_tool_call(self, tool_name, payload, state): return True\n"
    )

    with python_host("claims.Tool", file) as host:
        host.value("init")

        host.stderr_until("can_handle_tool_call of plugin 'tool' is not asked in a host")


def test_a_tool_that_can_do_both_is_asked_for_its_result_alone_where_nobody_wants_parts(tmp_path):
    file = tmp_path / "both.py"
    file.write_text(
        "class Tool:\n"
        "    def get_tool_schemas(self, state): return []\n"
        "    def execute_tool(self, tool_name, payload, state): return {'success': True, 'result': 'whole'}\n"
        "    async def stream_tool_async(self, tool_name, payload, state):\n"
        "        yield 'in'\n"
        "        yield {'success': True, 'result': 'parts'}\n"
    )

    with python_host("both.Tool", file) as host:
        params = {"tool_name": "any", "arguments": {}, "state": {}}
        whole = host.value("execute_tool", {**params, "stream": False})
        call = host.send("execute_tool", params)
        part = host.read()["event"]["payload"]
        parts = host.answer(call)["result"]["value"]

    assert (whole["result"], part, parts["result"]) == ("whole", "in", "parts")
