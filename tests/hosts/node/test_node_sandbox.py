"""What a Node tool in a sandbox may do, as options of Node, and as real tools find it."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard.hosts.errors import HostStartError
from callboard.hosts.node.sandbox import Sandbox, permission_options, read_sandbox
from callboard.hosts.node.tool import NodeToolPlugin

BASE = Path("/srv/agent")
PROBE = """
import { readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';

const ways = {
  read: ({ path }) => readFileSync(path, 'utf8'),
  write: ({ path }) => writeFileSync(path, 'written'),
  spawn: () => spawnSync('true').status,
  worker: () => new Worker('', { eval: true }).on('error', () => {}) && 'started',
  raw: () => { writeFileSync(1, 'this is no message\\n'); return 'said'; },
};

export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool: (name, input) => {
    try {
      return { success: true, result: ways[name](input) ?? null };
    } catch (error) {
      return { success: false, error: error.code };
    }
  },
};
"""


@pytest.mark.parametrize(
    ("given", "sandbox"),
    [
        (False, None),
        (True, Sandbox()),
        ({}, Sandbox()),
        ({"read": ["data", "/usr/share"]}, Sandbox(read=(BASE / "data", Path("/usr/share")))),
        ({"write": ["out"], "workers": True}, Sandbox(write=(BASE / "out",), workers=True)),
        ({"network": False}, Sandbox(network=False)),
    ],
)
def test_the_option_is_read_with_paths_from_where_the_configuration_is(given, sandbox):
    assert read_sandbox(given, BASE) == sandbox


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"read": "data"}, "'read' is 'data'; it has to be a list of paths"),
        ({"read": [1]}, "'read' has 1; it has to be a path"),
        ({"write": ["a,b"]}, "without '*' and ','"),
        ({"read": ["/*"]}, "without '*' and ','"),
        ({"workers": "yes"}, "'workers' is 'yes'; it has to be true or false"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_key(given, why):
    with pytest.raises(ValueError, match="'") as caught:
        read_sandbox(given, BASE)

    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("version", "sandbox", "has", "lacks"),
    [
        ((22, 18, 0), Sandbox(), ["--permission"], ["--allow-worker", "--allow-addons", "--allow-wasi"]),
        ((22, 18, 0), Sandbox(workers=True), ["--permission", "--allow-worker"], ["--allow-child-process"]),
        ((24, 1, 0), Sandbox(child_processes=True, addons=True), ["--allow-child-process", "--allow-addons"], []),
        ((24, 1, 0), Sandbox(network=True), [], ["--allow-net"]),
        ((25, 0, 0), Sandbox(network=True), ["--allow-net"], []),
        ((25, 0, 0), Sandbox(network=False), [], ["--allow-net"]),
    ],
)  # fmt: skip
def test_each_right_is_said_in_the_words_of_that_node(version, sandbox, has, lacks):
    options = permission_options(sandbox, version, [Path("/hosts")])

    assert {"--allow-fs-read=/hosts", *has} <= set(options)
    assert not set(lacks) & set(options)


def test_what_this_node_cannot_keep_a_tool_from_is_not_promised():
    with pytest.raises(ValueError, match=r"Node 24\.1\.0 cannot keep a tool from the network; take Node 25"):
        permission_options(Sandbox(network=False), (24, 1, 0), [])


def test_a_tool_may_read_its_own_folder_and_what_it_was_given_and_no_more(tmp_path):
    own, given, kept = (tmp_path / name for name in ("own", "given", "kept"))
    for folder in (own, given, kept):
        folder.mkdir()
        (folder / "note").write_text(folder.name)
    (own / "probe.mjs").write_text(PROBE)
    sandbox = Sandbox(read=(given,), write=(given,))

    def said(name, path=None):
        answer = tool.execute_tool(name, {"path": str(path)}, {})
        return answer.get("result", answer.get("error"))

    with NodeToolPlugin("probe", own / "probe.mjs", sandbox=sandbox) as tool:
        tool.init({})
        found = {
            "own": said("read", own / "note"),
            "given": said("read", given / "note"),
            "kept": said("read", kept / "note"),
            "written": said("write", given / "new"),
            "not written": said("write", own / "new"),
            "spawned": said("spawn"),
            "worker": said("worker"),
            "raw": said("raw"),
        }
        strays = tool.host.counts.get("stray", 0)

    denied = "ERR_ACCESS_DENIED"
    assert found == {
        "own": "own",
        "given": "given",
        "kept": denied,
        "written": None,
        "not written": denied,
        "spawned": denied,
        "worker": denied,
        "raw": "said",
    }
    assert strays == 0, "the protocol's streams are as far out of reach as without a sandbox"
    assert (given / "new").read_text() == "written"


def test_rights_that_are_given_are_there(tmp_path):
    (tmp_path / "probe.mjs").write_text(PROBE)
    sandbox = Sandbox(child_processes=True, workers=True)

    with NodeToolPlugin("probe", tmp_path / "probe.mjs", sandbox=sandbox) as tool:
        tool.init({})
        said = [tool.execute_tool(name, {}, {}) for name in ("spawn", "worker")]

    assert said == [{"success": True, "result": 0}, {"success": True, "result": "started"}]


def test_a_folder_that_is_not_there_is_told_before_anything_runs(tmp_path):
    (tmp_path / "probe.mjs").write_text(PROBE)
    tool = NodeToolPlugin("probe", tmp_path / "probe.mjs", sandbox=Sandbox(write=(tmp_path / "later",)))

    with pytest.raises(HostStartError, match=r"its sandbox: there is no .*later; make it first") as caught:
        tool.open()

    assert caught.value.permanent
