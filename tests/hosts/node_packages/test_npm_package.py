"""The npm package `callboard-tool`: what is in it, that it runs, and that it says what Callboard says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from typing import TYPE_CHECKING

from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.node_packages.npm_package import ROOT, npm_package
from callboard.hosts.process.process import Command
from callboard.plugins.adapter.formatting import default_text
from callboard.plugins.results.normalise import complete_result
from callboard.version import __version__
from leaks import TEST_MARK
from node_packages import tool, write
from node_path import environment_with_node, node_program, npm_program
from programs import PROGRAMS

if TYPE_CHECKING:
    from pathlib import Path

KIT = PROGRAMS / "npm_kit"

ANSWERS = (
    {"success": True},
    {"success": True, "result": None},
    {"success": True, "result": "text"},
    {"success": True, "result": {"a": [1, "b"]}},
    {"success": True, "output": "shown"},
    {"success": True, "more": 1},
    {"value": 3},
    {"error": None, "value": 3},
    {"error": "why"},
    {"success": False},
    {"success": False, "error": "why", "output": "what was said"},
    {"success": False, "error": {"message": "why", "code": 3}},
    {"success": False, "error": {"message": "", "code": 3}},
    {"success": False, "error": [1]},
    {"success": False, "error": 3, "output": {"a": 1}},
)

COMPARING = f"""
import {{ defaultText, resultFrom }} from {json.dumps((ROOT / "npm" / "answers.mjs").as_uri())};
import {{ METHODS }} from {json.dumps((ROOT / "host_tool.mjs").as_uri())};
const results = JSON.parse(process.argv[1]).map(resultFrom);
console.log(JSON.stringify({{
  results, texts: results.map(defaultText), methods: [...METHODS.values()].map((method) => method.name),
}}));
"""


def run(*words: str, folder: Path) -> str:
    ended = subprocess.run(
        words,
        cwd=folder,
        env=environment_with_node() | TEST_MARK,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_package_is_what_npm_packs_and_its_host_runs(tmp_path):
    shutil.copytree(ROOT, tmp_path / "hosts", ignore=shutil.ignore_patterns("__pycache__"))
    write(tmp_path, {"upper.mjs": tool("upper", "'HERE'")})

    packed = json.loads(run(*npm_program(), "pack", "--json", "--offline", folder=tmp_path / "hosts"))[0]
    with tarfile.open(tmp_path / "hosts" / packed["filename"]) as archive:
        archive.extractall(tmp_path, filter="data")
    host = str(tmp_path / "package" / "host.mjs")
    command = Command((node_program(), host, "--entry", str(tmp_path / "upper.mjs")), {})
    with HostedToolPlugin("upper", lambda: command) as plugin:
        result = plugin.execute_tool("upper", {}, plugin.init({}))

    assert {file["path"] for file in packed["files"]} == set(npm_package())
    assert packed["version"] == __version__
    assert result == {"success": True, "result": "HERE"}


def test_answers_are_read_as_callboard_reads_them_and_every_method_has_its_type():
    said = json.loads(
        run(node_program(), "--input-type=module", "--eval", COMPARING, json.dumps(ANSWERS), folder=ROOT)
    )

    read = [complete_result(dict(answer)).result for answer in ANSWERS]
    assert said["results"] == read
    assert said["texts"] == [default_text(result) for result in read]
    types = npm_package()["npm/index.d.ts"]
    assert [name for name in said["methods"] if not re.search(rf"^  {name}\??\(", types, re.MULTILINE)] == []


def test_the_tests_of_the_package_pass():
    run(node_program(), "--test", str(KIT / "tested_tool.test.mjs"), folder=KIT)
