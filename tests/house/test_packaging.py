"""What is built holds all that is needed, only that, and runs where it is installed."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from house_source import FACE, MADE, PACKAGE, ROOT, project_files, rooms
from thorough import thorough

STALE = "build/lib/callboard/hosts/gone.py"
"""Left in the tree by an older build; the module is no more."""

TOOL = """
export default {
    init: () => ({}),
    getToolSchemas: () => [],
    executeTool: (name, { text }) => ({ success: true, result: text.toUpperCase() }),
};
"""

PROGRAM = """
import sys
import callboard
from callboard.hosts.node.tool import NodeToolPlugin

with NodeToolPlugin("upper", sys.argv[1]) as tool:
    state = tool.init({})
    print(callboard.__file__)
    print(tool.execute_tool("upper", {"text": "hello"}, state)["result"])
"""


ISOLATED = """
from callboard import Callboard, ToolPlugin

class Upper(ToolPlugin):
    name = "upper"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "upper", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": payload["text"].upper()}

if __name__ == "__main__":
    with Callboard() as board:
        board.register(Upper, isolate=True)
        print(board.status()["plugins"]["upper"]["runs_in"])
        call = {"type": "function_call", "call_id": "1", "name": "upper", "arguments": {"text": "hello"}}
        print(board.execute(call)["result"])
"""


class Built:
    """A copy of the tree, and what is built of it when it is asked for: each build takes seconds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tree = folder / "tree"
        shutil.copytree(ROOT, self._tree, ignore=shutil.ignore_patterns(*MADE, ".*", "*.egg-info"))
        shutil.rmtree(self._tree / "tests")
        (self._tree / STALE).parent.mkdir(parents=True)
        (self._tree / STALE).touch()

    @functools.cached_property
    def wheel(self) -> Path:
        """Of the tree."""
        _build(self._tree, self._folder / "direct", "--wheel")
        (wheel,) = (self._folder / "direct").glob("*.whl")
        return wheel

    @functools.cached_property
    def sdist(self) -> Path:
        _build(self._tree, self._folder / "dist")
        (sdist,) = (self._folder / "dist").glob("*.tar.gz")
        return sdist

    @property
    def wheel_of_sdist(self) -> Path:
        (wheel,) = self.sdist.parent.glob("*.whl")
        return wheel


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def python(built: Built, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment that the wheel is installed into."""
    return _environment(tmp_path_factory.mktemp("environment") / "installed", built.wheel)


@thorough
def test_the_wheel_of_the_sdist_is_the_wheel_of_the_tree(built: Built) -> None:
    assert _contents(built.wheel_of_sdist) == _contents(built.wheel)


def test_the_wheel_holds_every_module_and_every_data_file(built: Built) -> None:
    rooms_files = {
        _installed(path): path.read_bytes()
        for path in project_files(".py", ".mjs", ".cjs", ".sh", ".typed", ".tmpl", ".json", ".md", ".ts", "")
        if path.relative_to(ROOT).parts[0] in rooms()
    }

    package = {name: data for name, data in _contents(built.wheel).items() if name.startswith(f"{PACKAGE}/")}

    assert package == rooms_files
    with zipfile.ZipFile(built.wheel) as archive:
        programs = [each for each in archive.infolist() if "/programs/" in each.filename]
    assert programs
    assert all(each.external_attr >> 16 & 0o111 for each in programs), "they are run by their names"


def test_the_wheel_holds_nothing_but_the_package_and_its_metadata(built: Built) -> None:
    tops = {name.split("/")[0] for name in _contents(built.wheel)}

    assert {top for top in tops if not top.endswith(".dist-info")} == {PACKAGE}


def test_what_an_older_build_left_behind_is_not_built_again(built: Built) -> None:
    assert [name for name in _contents(built.wheel) if "gone" in name] == []


@thorough
def test_what_an_older_build_left_behind_is_not_packed(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        names = [*sdist.getnames(), *_contents(built.wheel_of_sdist)]

    assert [name for name in names if "gone" in name] == []


def test_the_installed_wheel_runs_a_node_tool_from_another_folder(python: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    (elsewhere / "upper.mjs").write_text(TOOL)

    said = _run([python, "-c", PROGRAM, "upper.mjs"], elsewhere).split()

    assert said[-1] == "HELLO"
    assert Path(said[0]).is_relative_to(Path(python).parents[1])


def test_the_installed_wheel_runs_a_python_tool_in_a_host(python: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(ISOLATED)

    said = _run([python, "program.py"], tmp_path).split()

    assert said == ["host", "HELLO"]


def test_the_installed_command_says_what_it_can_do(python: str, tmp_path: Path) -> None:

    said = _run([str(Path(python).with_name("callboard")), "--help"], tmp_path)

    assert "demo" in said


def _build(tree: Path, into: Path, *what: str) -> None:
    # Without isolation: setuptools is here already, and no network is needed.
    _run([sys.executable, "-m", "build", "--no-isolation", *what, "--outdir", str(into), str(tree)], tree)


def _environment(folder: Path, wheel: Path) -> str:
    """The Python of a new environment with the wheel, and the packages it needs from this one.

    A ``.pth`` file does not read the ``.pth`` files of the folder that it names: the editable
    install of this environment stays behind.
    """
    venv.create(folder)
    python = folder / "bin" / "python"
    _run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(python),
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            wheel,
        ],
        folder,
    )
    site = next((folder / "lib").glob("python*/site-packages"))
    (site / "needed.pth").write_text(sysconfig.get_path("purelib"))
    return str(python)


def _run(argv: list[str | Path], folder: Path) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ended = subprocess.run(
        argv,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _installed(path: Path) -> str:
    room, *inside = path.relative_to(ROOT).parts
    return "/".join([PACKAGE, *([] if room == FACE else [room]), *inside])
