"""Node plugins from folders and repositories, as whole programs load them: killed, two at once, from an empty cache."""

from __future__ import annotations

import os
import shutil
import signal

import psutil
import pytest
from callboard import Callboard
from callboard.hosts.packages.cache import PackageCache
from leaks import TEST_MARK, no_leaks, wait_until
from node_packages import built, committed, contents, depending, loading, manifest, tool, write
from thorough import every
from tools import tool_call

PATIENCE = 50


def run(cache, source, **environment):
    program = loading(cache, source, **environment)
    said, complained = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, complained
    return said


def test_a_repository_is_fetched_installed_and_run(tmp_path):
    committed(depending(tmp_path / "tools"), "v0.1.0")
    before = contents(tmp_path / "tools")

    with Callboard({"plugin_cache_dir": str(tmp_path / "cache")}) as board:
        (loaded,) = board.load(f"node+git:{tmp_path / 'tools'}#v0.1.0")
        result = board.execute(tool_call("where"))

    assert (loaded.plugin_name, result) == ("where", {"success": True, "result": "from words"})
    assert contents(tmp_path / "tools") == before


def test_what_is_wrong_in_a_repository_is_told_by_its_address(tmp_path):
    committed(write(tmp_path / "tools", {"package.json": "{}"}))

    with Callboard(
        {"plugins": [f"node+git:{tmp_path / 'tools'}"], "plugin_cache_dir": str(tmp_path / "cache")}
    ) as board:
        (failed,) = board.failed

    assert failed.error.startswith(f"{tmp_path / 'tools'}/package.json lists no tools under agent.tools")


@pytest.mark.parametrize("spelling", every(2, ["node+git:", "node:"]))
def test_what_is_in_a_cache_serves_where_nothing_can_be_written(tmp_path, spelling):
    committed(depending(tmp_path / "tools"))
    source, cache = f"{spelling}{tmp_path / 'tools'}", tmp_path / "cache"
    run(cache, source)
    for folder in ("locks", "making", "scratch"):
        shutil.rmtree(cache / "v1" / folder, ignore_errors=True)
        (cache / "v1" / folder).write_text("no folder, so that whoever would write fails")

    assert run(cache, source) == "from words\n"


def test_a_package_that_runs_is_not_cleaned_away(tmp_path):
    built(tmp_path / "tools")

    with Callboard({"plugin_cache_dir": str(tmp_path / "cache")}) as board:
        board.load(f"node:{tmp_path / 'tools'}")
        ((_, key, place),) = PackageCache(tmp_path / "cache").entries()

        assert not PackageCache(tmp_path / "cache").clean(key, place)
        assert board.execute(tool_call("where"))["success"]


def test_two_processes_that_load_a_package_at_once_build_it_once(tmp_path):
    built(tmp_path / "tools", f"appendFileSync({str(tmp_path / 'times')!r}, 'x');")

    programs = [loading(tmp_path / "cache", f"node:{tmp_path / 'tools'}") for _ in range(2)]
    said = [program.communicate(timeout=PATIENCE)[0] for program in programs]

    assert said == ["here\n", "here\n"]
    assert (tmp_path / "times").read_text() == "x"


def test_a_package_of_the_registry_is_installed_once_and_needs_no_network_after_that(tmp_path):
    render = 'import markdownIt from "markdown-it";\n' + tool(result='markdownIt().render("# hi")')
    files = {
        "package.json": manifest(entry="src/tool.js", dependencies={"markdown-it": "14.1.0"}),
        "src/tool.js": render,
    }
    write(tmp_path / "tools", files)

    online = run(tmp_path / "cache", f"node:{tmp_path / 'tools'}")
    offline = run(tmp_path / "cache", f"node:{tmp_path / 'tools'}", npm_config_registry="http://127.0.0.1:1")

    assert (online, offline) == ("<h1>hi</h1>\n\n", online)
    assert sorted(contents(tmp_path / "tools")) == ["package.json", "src/tool.js"]


class Hang:
    """Has one step of git, npm or a build wait for ever once, and say that it does."""

    def __init__(self, folder):
        self.armed = folder / "armed"
        self.reached = folder / "reached"
        self.armed.touch()
        self.shell = f"test ! -e {self.armed} || {{ touch {self.reached}; exec sleep 600; }}"
        self.script = (
            "import { existsSync } from 'node:fs';"
            f"if (existsSync({str(self.armed)!r})) {{"
            f"writeFileSync({str(self.reached)!r}, ''); setInterval(() => {{}}, 1000); await new Promise(() => {{}}); }}"
        )

    def git(self, folder, word, when):
        """A folder for the PATH whose git hangs before or after the command ``word``."""
        real = f'{shutil.which("git")} "$@"'
        then = f"{self.shell}; exec {real}" if when == "before" else f"{real} || exit; {self.shell}"
        case = f'case " $* " in *" {word} "*) {then};; *) exec {real};; esac'
        file = write(folder, {"bin/git": f"#!/bin/sh\n{case}\n"}) / "bin" / "git"
        file.chmod(0o700)
        return f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"


def kill_when_reached(program, hang):
    wait_until(lambda: hang.reached.exists() or program.poll() is not None, PATIENCE)
    assert hang.reached.exists(), program.communicate()[1]
    program.kill()
    program.communicate()
    hang.armed.unlink()


def no_orphans():
    return not [process for process in psutil.process_iter() if _is_ours(process)]


def _is_ours(process):
    (name, value), *_ = TEST_MARK.items()
    try:
        return process.environ().get(name) == value
    except psutil.Error:
        return False


def assert_repaired(cache, source, expected):
    """After a kill: nobody of the dead program's is left, the next run works, and leaves no rubbish."""
    wait_until(no_orphans)
    assert run(cache, source) == expected
    assert list((cache / "v1" / "making").iterdir()) == []


GIT_STEPS = [
    ("ls-remote", "before"),
    ("fetch", "before"),
    ("fetch", "after"),
    ("checkout", "after"),
]


@pytest.mark.parametrize(("word", "when"), every(2, GIT_STEPS))
def test_a_program_that_is_killed_while_it_fetches_leaves_a_cache_that_works(tmp_path, word, when):
    committed(
        write(tmp_path / "tools", {"package.json": manifest(entry="src/tool.js"), "src/tool.js": tool()})
    )
    hang, source = Hang(tmp_path), f"node+git:{tmp_path / 'tools'}"

    with no_leaks():
        program = loading(tmp_path / "cache", source, PATH=hang.git(tmp_path, word, when))
        kill_when_reached(program, hang)

        assert_repaired(tmp_path / "cache", source, "here\n")


def test_a_program_that_is_killed_while_it_installs_leaves_a_cache_that_works(tmp_path):
    hang, cache = Hang(tmp_path), tmp_path / "cache"
    committed(depending(tmp_path / "tools", script=hang.shell))
    source = f"node+git:{tmp_path / 'tools'}"

    with no_leaks():
        kill_when_reached(loading(cache, source), hang)

        assert [path.name for path in (cache / "v1").glob("checkouts/*/record.json")] == ["record.json"]
        assert_repaired(cache, source, "from words\n")


def test_a_program_that_is_killed_while_it_builds_leaves_a_cache_that_works(tmp_path):
    hang = Hang(tmp_path)
    built(tmp_path / "tools", hang.script)
    source = f"node:{tmp_path / 'tools'}"

    with no_leaks():
        kill_when_reached(loading(tmp_path / "cache", source), hang)

        assert_repaired(tmp_path / "cache", source, "here\n")


def test_a_program_that_is_interrupted_while_it_builds_ends_at_once_and_leaves_nothing(tmp_path):
    hang, cache = Hang(tmp_path), tmp_path / "cache"
    built(tmp_path / "tools", hang.script)

    with no_leaks():
        program = loading(cache, f"node:{tmp_path / 'tools'}")
        wait_until(hang.reached.exists, PATIENCE)
        program.send_signal(signal.SIGINT)
        complained = program.communicate(timeout=PATIENCE)[1]

        assert complained.splitlines()[-1] == "KeyboardInterrupt"
        assert no_orphans()
        assert list((cache / "v1" / "making").iterdir()) == []
        assert list((cache / "v1").glob("packages/*")) == []


def test_who_waits_for_a_maker_that_is_killed_makes_it_then(tmp_path):
    hang, source = Hang(tmp_path), f"node:{tmp_path / 'tools'}"
    built(tmp_path / "tools", hang.script)

    first = loading(tmp_path / "cache", source)
    wait_until(hang.reached.exists, PATIENCE)
    second = loading(tmp_path / "cache", source)
    kill_when_reached(first, hang)

    assert second.communicate(timeout=PATIENCE)[0] == "here\n"
