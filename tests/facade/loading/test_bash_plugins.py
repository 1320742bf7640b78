"""Bash tools from a configuration: by every spelling, supervised like any other, and told what is wrong with a bad one."""

from __future__ import annotations

import os
import signal

from callboard import Callboard
from house_source import ROOT
from leaks import TEST_MARK, alive, no_leaks, wait_until
from node_packages import write
from tools import tool_call

EXAMPLE = ROOT / "examples" / "bash-tools"
FREEFORM = '# @tool Shout.\n# @freeform\nprintf "%s!" "${CALLBOARD_TEXT^^}"\n'
HANGING = "# @tool Hang.\nsleep 1000 & echo $$ $! >pids; wait\n"


def test_every_spelling_of_a_bash_tool_and_a_good_one_beside_bad_ones(tmp_path):
    (tmp_path / "away.sh").write_text("# @tool Elsewhere.\n")
    write(tmp_path, {
        "agent.json": {"plugins": [
            f"bash:{EXAMPLE}",
            {"bash_tool": {"file": "one.sh", "id": "mine"}, "env": {"WHAT": "told"}, "config": {"a": 1}},
            {"bash_tool": {"file": "shout.sh"}}, "bash:gone", "bash:empty", "bash:out", "bash:wrong", "bash:torn",
        ]},
        "one.sh": '# @tool One.\necho "$WHAT $CONFIG_a"\n',
        "shout.sh": FREEFORM, "empty/README.md": "", "out/a.sh": "# @tool One.\n", "wrong/a.sh": "# @tool\n", "torn/a.sh": "# @tool Torn.\nfi\n",
    })  # fmt: skip
    (tmp_path / "out/b.sh").symlink_to("../away.sh")

    with no_leaks(), Callboard(tmp_path / "agent.json") as board:
        results = [board.execute(tool_call("count", text="a b")), board.execute(tool_call("one"))]
        shouted = [
            board.execute({"type": "custom_tool_call", "call_id": "1", "name": "shout", "input": text})
            for text in ("it's $(x)", "a" * 130_000)
        ]
        numbers = [board.execute(tool_call("next_number"))["result"] for _ in range(3)]
        failed = {each.source: each.error for each in board.failed}
        hosts = {name: each["host"] for name, each in board.status()["plugins"].items()}

    assert [result["result"] for result in results] == ["2", "told 1"]
    assert shouted[0]["result"] == "IT'S $(X)!"
    assert "the text is 130000 bytes long" in shouted[1]["error"]
    assert numbers == ["1", "2", "3"]
    assert f"{tmp_path / 'gone'} does not exist; correct the path" in failed["bash:gone"]
    assert "has no script that could be a tool; a comment '# @tool What it does.'" in failed["bash:empty"]
    assert "b.sh is a link that leads out of the plugin" in failed["bash:out"]
    assert [(hosts[name]["state"], hosts[name]["generation"]) for name in ("wrong", "torn")] == [
        ("parked", 1)
    ] * 2
    assert "line 1 says @tool, and not what it does" in hosts["wrong"]["why"]
    assert "has a syntax error; correct it" in hosts["torn"]["why"]


def test_a_script_that_hangs_ends_at_its_deadline_and_one_whose_host_was_killed_is_not_left_behind(tmp_path):
    write(tmp_path, {"hang.sh": HANGING, "fine.sh": "# @tool Fine.\necho fine\n"})

    def pids():
        return [int(word) for word in (tmp_path / "pids").read_text().split()]

    with no_leaks(), Callboard({"calls": {"grace": 0.1}}) as board:
        board.load(f"bash:{tmp_path}", env=TEST_MARK)
        late = board.execute(tool_call("hang"), deadline=0.4)
        wait_until(lambda: not any(map(alive, pids())))
        generation = board.status()["plugins"][tmp_path.name]["host"]["generation"]
        (tmp_path / "pids").unlink()
        call = board.submit(tool_call("hang"))
        wait_until(lambda: (tmp_path / "pids").is_file() and len(pids()) == 2)
        os.kill(board.status()["plugins"][tmp_path.name]["host"]["pid"], signal.SIGKILL)
        lost = call.result(10)
        wait_until(lambda: not any(map(alive, pids())))
        fine = board.execute(tool_call("fine"))

    assert (late["code"], lost["code"]) == ("deadline_exceeded", "host_crashed")
    assert generation == 1  # the script was cancelled, and its host lived on
    assert fine == {"success": True, "result": "fine"}
