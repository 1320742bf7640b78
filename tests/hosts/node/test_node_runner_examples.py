import json
import subprocess

import pytest
from bare_host import EXAMPLES, PATIENCE, BareHost
from node_path import node_program

PACKAGES = sorted(path.parent for path in EXAMPLES.glob("js-*/package.json"))

TOOLS = [
    pytest.param(package / tool["entry"], tool.get("export"), id=f"{package.name}:{tool['id']}")
    for package in PACKAGES
    for tool in json.loads((package / "package.json").read_text())["agent"]["tools"]
]


def test_the_examples_of_the_guide_are_there():
    assert {"js-echo-tool", "js-class-tool", "js-multi-tools", "js-fs-tools"} <= {
        path.name for path in PACKAGES
    }


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_an_example_passes_its_own_tests(package):
    run = subprocess.run(
        [node_program(), "--test", "--test-reporter=tap"],
        cwd=package,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert "# pass 0" not in run.stdout


@pytest.mark.parametrize(("entry", "export"), TOOLS)
def test_an_example_loads_and_offers_schemas(entry, export):
    with BareHost(entry, export) as host:
        state = host.value("init", {"config": {}})
        schemas = host.value("get_tool_schemas", {"state": state})

        assert schemas
        assert all(schema["type"] == "function" and schema["function"]["name"] for schema in schemas)
        assert host.finish() == 0
    assert host.stderr == ""


def test_the_multi_tools_answer_each_under_its_own_name():
    entry = EXAMPLES / "js-multi-tools" / "src" / "index.js"

    with BareHost(entry, "reverseTool") as host:
        state = host.value("init", {"config": {}})
        answer = host.answer(host.execute("reverse", {"text": "abc"}, state))

    assert answer["result"]["value"] == {"success": True, "result": {"text": "cba"}}


def test_the_class_tool_counts_in_the_state_it_is_given():
    with BareHost(EXAMPLES / "js-class-tool" / "src" / "index.js", "TemplateTool") as host:
        state = host.value("init", {"config": {}})
        arguments = {"template": "Dear {{name}}", "values": {"name": "Ada"}}
        answer = host.answer(host.execute("fill_template", arguments, state | {"filled": 7}))

    assert answer["result"]["value"]["result"]["text"] == "Dear Ada"
    assert answer["result"]["state"]["filled"] == 8


def test_the_fs_tools_stream_when_the_configuration_says_so(tmp_path):
    (tmp_path / "note.txt").write_text("remember\n")
    with BareHost(EXAMPLES / "js-fs-tools" / "src" / "index.js") as host:
        state = host.value("init", {"config": {"allowed_paths": [str(tmp_path)], "stream": True}})
        call = host.execute("read_file", {"file_path": "note.txt"}, state)
        part = host.read()
        answer = host.answer(call)

    assert part["event"] == {"type": "part", "payload": {"content": "remember\n"}}
    assert answer["result"]["value"]["result"]["content"] == "remember\n"


def test_the_fs_tools_refuse_what_a_link_leads_out_to(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    with BareHost(EXAMPLES / "js-fs-tools" / "src" / "index.js") as host:
        state = host.value("init", {"config": {"allowed_paths": [str(inside)]}})
        answer = host.answer(host.execute("read_file", {"file_path": "link.txt"}, state))

    assert answer["result"]["value"] == {"success": False, "error": "path not allowed: link.txt"}
