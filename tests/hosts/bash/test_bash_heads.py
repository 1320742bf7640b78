"""What a script says of itself becomes a tool, or one sentence about what is wrong with it."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from callboard.hosts.bash.tool import BASH_HOST
from node_packages import write

TOOL = "# @tool It does.\n"

ASKED = [
    {"v": 1, "id": "1", "method": "init", "params": {"config": {}}},
    {"v": 1, "id": "2", "method": "get_tool_schemas", "params": {"state": {}}},
]


def answers(way, path):
    """What a host says of a script or a folder before it is asked to do anything."""
    asked = "".join(json.dumps(each) + "\n" for each in ASKED)
    argv = [shutil.which("bash"), str(BASH_HOST), way, str(path)]
    said = subprocess.run(argv, input=asked, capture_output=True, text=True, check=True, timeout=20).stdout
    return [json.loads(line) for line in said.splitlines()]


def schemas(way, path):
    return answers(way, path)[1]["result"]["value"]


def test_the_comments_at_its_top_are_the_schema_of_a_script(tmp_path):
    head = """#!/usr/bin/env bash
# Copyright: nobody.  @author somebody
#  @tool   Say "hello".

# @param  name string  Who is greeted.
# @param times integer[] How often; see @times.
# @option way loud|low-voiced
# @option odd object
# @stdin

echo hello
# @param not_read string This is no head any more.
"""
    write(tmp_path, {"say hello.sh": head})

    (schema,) = schemas("--file", tmp_path / "say hello.sh")

    assert schema["function"] == {
        "name": "say hello",
        "description": 'Say "hello".',
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Who is greeted."},
                "times": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "How often; see @times.",
                },
                "way": {"type": "string", "enum": ["loud", "low-voiced"], "description": ""},
                "odd": {"type": "object", "description": ""},
            },
            "required": ["name", "times"],
            "additionalProperties": False,
        },
    }


def test_a_folder_has_those_of_its_scripts_that_say_so_or_have_a_schema_beside_them(tmp_path):
    whole = {"type": "custom", "name": "other", "description": "Free.", "format": {"type": "text"}}
    part = {"description": "Half.", "parameters": {"type": "object", "maxProperties": 12345678901234567890}}
    write(tmp_path, {
        "b.sh": TOOL, "a.sh": "echo", "a.json": whole, "c.sh": "# @stdin", "c.json": part,
        "plain.sh": "# Nothing.\n# @param $1 of a function\n", "_shared.sh": TOOL, "d.txt": TOOL,
        "e.sh": "", "e.json": {"type": "function", "function": {"name": "called"}},
    })  # fmt: skip

    assert schemas("--path", tmp_path) == [
        whole,
        {"type": "function", "function": {"name": "b", "description": "It does.", "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": False}}},
        {"type": "function", "function": {"name": "c", **part}},
        {"type": "function", "function": {"name": "called"}},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "is a tool; begin one, NAME.sh, with a comment '# @tool What it does.'"),
        ({"a.sh": "# @tool\n"}, "a.sh: line 1 says @tool, and not what it does"),
        ({"a.sh": TOOL + "\n# @parm x string\n"}, "a.sh: line 3 says @parm; known are @tool, @param, @option, @stdin and @freeform"),
        ({"a.sh": "#!/bin/bash\r\n# @tool X.\r\necho\r\n"}, "a.sh: line 2 ends as lines on Windows do (CRLF), which Bash takes"),
        ({"a.sh": "\ufeff#!/bin/bash\n# @tool X.\necho\n"}, "a.sh: it begins with a byte order mark, which Bash takes for a word"),
        ({"a.sh": TOOL + "# @param x"}, "a.sh: line 2 says @param x; it needs a name, a type and what it means"),
        ({"a.sh": TOOL + "# @param a-b string x\n"}, "calls a parameter 'a-b', which can be no variable"),
        ({"a.sh": TOOL + "# @param a text x\n"}, "gives 'a' the type 'text'; it has to be string, integer"),
        ({"a.sh": TOOL + "# @freeform\n# @param a string x\n"}, "a.sh: it takes one text, as @freeform says, and so no"),
        ({"a.sh": TOOL + "if true; then\n"}, "a.sh has a syntax error; correct it: "),
        ({"a.sh": TOOL, "a.json": '{"description": '}, "a.json is not JSON; correct it"),
        ({"a.sh": TOOL, "a.json": "[]"}, "a.json holds no object; write a tool schema"),
        ({"a.sh": TOOL, "a.json": {"type": "function"}}, "a.json is a schema without a name; add it"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_script_is_told_in_a_sentence_as_a_failure_to_load(tmp_path, files, problem):
    write(tmp_path, files)

    first, second = answers("--path", tmp_path)

    assert problem in first["error"]["detail"]
    assert "\n" not in first["error"]["detail"]
    assert (first["error"]["phase"], second["ok"]) == ("load", False)


def test_a_script_that_is_alone_has_to_be_a_tool(tmp_path):
    write(tmp_path, {"a.sh": "echo"})

    said = [answers("--file", tmp_path / name)[0]["error"]["detail"] for name in ("a.sh", "b.sh")]

    assert said == [
        f"{tmp_path}/a.sh is no tool; begin it with a comment '# @tool What it does.'",
        f"there is no file {tmp_path}/b.sh; correct the path",
    ]
