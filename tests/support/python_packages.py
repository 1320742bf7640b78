"""Python packages of tools, and wheels for them to need, written into a folder; none of them needs an index."""

from __future__ import annotations

import json
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any

import node_packages

if TYPE_CHECKING:
    from pathlib import Path

TOOL = """
class Where:
    name = "where"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "where", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": answer()}
"""

ANSWER = """
def answer():
    import subprocess, sys
    import callboard_words
    said = subprocess.run(["say-words"], capture_output=True, text=True, check=True).stdout.strip()
    return [callboard_words.WORD, said, sys.prefix, sys.dont_write_bytecode]
"""


def wheel(
    folder: Path, name: str = "callboard_words", version: str = "1.0", requires: tuple[str, ...] = ()
) -> Path:
    """A wheel with one module, whose ``WORD`` names the version, and a program ``say-words`` that prints it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    module = f"WORD = 'words {version}'\n\ndef say():\n    print(WORD)\n"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {each}\n" for each in requires)
    contents = {
        f"{name}.py": module,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\nsay-words = {name}:say\n",
    }
    record = "".join(f"{path},,\n" for path in (*contents, f"{info}/RECORD"))
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in {**contents, f"{info}/RECORD": record}.items():
            archive.writestr(path, text)
    return file


def tool_package(folder: Path, module: str, *, answer: str = ANSWER, **files: Any) -> Path:
    """A package of the tool ``where``, whose answer is what ``answer()`` of its module returns.

    Args:
        folder: where it is written.
        module: the name of its module, unique in the test run.
        answer: the function.
        files: by name, with ``_`` for a dot; texts.
    """
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "src" / f"{module}.py").write_text(TOOL + answer)
    (folder / "agent_plugin.json").write_text(json.dumps({"entries": [f"{module}.Where"]}))
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def project(*dependencies: str, **more: Any) -> str:
    """A ``pyproject.toml`` with dependencies."""
    values = {"name": "my-tools", "version": "0.1.0", **more, "dependencies": list(dependencies)}
    return "[project]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


LOADING = """
import logging, sys
from callboard import Callboard

logging.basicConfig(level=logging.INFO, format="%(message)s")
with Callboard({"plugin_cache_dir": sys.argv[1]}) as board:
    board.load(sys.argv[2])
    call = {"type": "function_call", "call_id": "1", "name": "where", "arguments": {}}
    print(board.execute(call)["result"][0])
"""


loading = partial(node_packages.loading, program=LOADING)
"""As there, of a Python package; it tells on stderr what it does, and prints the first of what its tool answers."""
