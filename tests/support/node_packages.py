"""Node packages and git repositories to load from, written into a folder; none of them needs a registry."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from interrupts import interruptible
from leaks import TEST_MARK

if TYPE_CHECKING:
    from pathlib import Path

TOOL = """
export default {{
  init: (config) => ({{ config }}),
  getToolSchemas: () => [{{ type: "function", function: {{ name: "{name}", parameters: {{ type: "object" }} }} }}],
  executeTool: () => ({{ success: true, result: {result} }}),
}};
"""

BUILD = """
import {{ mkdirSync, writeFileSync, readFileSync, appendFileSync }} from 'node:fs';
{first}
mkdirSync('dist', {{ recursive: true }});
writeFileSync('dist/index.js', readFileSync('src/tool.js'));
"""


def tool(name: str = "where", result: str = '"here"') -> str:
    """The module of a tool that answers with a JavaScript expression."""
    return TOOL.format(name=name, result=result)


def manifest(*, entry: str = "dist/index.js", plugin: str = "where", **more: Any) -> dict[str, Any]:
    agent = {"kinds": ["tools"], "tools": [{"id": plugin, "entry": entry}]}
    return {"name": "my-js-tools", "version": "0.1.0", "type": "module", "agent": agent, **more}


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Write files: texts, and values as JSON."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def built(folder: Path, first: str = "", **more: Any) -> Path:
    """A package whose build copies its module from ``src`` to ``dist``, after the statement ``first``."""
    return write(
        folder,
        {
            "package.json": manifest(scripts={"build": "node build.mjs"}, **more),
            "build.mjs": BUILD.format(first=first),
            "src/tool.js": tool(),
        },
    )


def depending(folder: Path, *, script: str | None = None, locked: bool = False) -> Path:
    """A package whose tool answers with what a package says that comes with it, and has to be installed."""
    words = {"name": "words", "version": "1.0.0", "type": "module", "main": "index.js"}
    if script is not None:
        words["scripts"] = {"postinstall": script}
    write(
        folder,
        {
            "package.json": manifest(entry="src/tool.js", dependencies={"words": "file:./words"}),
            "src/tool.js": 'import { word } from "words";\n' + tool(result="word"),
            "words/package.json": words,
            "words/index.js": 'export const word = "from words";\n',
        },
    )
    if locked:
        root = {"name": "my-js-tools", "version": "0.1.0", "dependencies": {"words": "file:./words"}}
        packages = {
            "": root,
            "node_modules/words": {"resolved": "words", "link": True},
            "words": {"version": "1.0.0"},
        }
        lock = {"name": "my-js-tools", "version": "0.1.0", "lockfileVersion": 3, "packages": packages}
        write(folder, {"package-lock.json": lock})
    return folder


def git(folder: Path, *words: str) -> str:
    """Run git there as somebody; what it says."""
    settings = ("user.name=Somebody", "user.email=somebody@example.com", "init.defaultBranch=main")
    options = [word for setting in settings for word in ("-c", setting)]
    environment = {
        **os.environ,
        **TEST_MARK,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ALLOW_PROTOCOL": "file:git",
    }
    ended = subprocess.run(
        ["git", *options, *words], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()


def committed(folder: Path, tag: str | None = None) -> str:
    """Commit all that is in a folder, which becomes a repository; the commit."""
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A version")
    if tag is not None:
        git(folder, "tag", "--annotate", "--message", tag, tag)
    return git(folder, "rev-parse", "HEAD")


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder, git's own left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


LOADING = """
import sys
from callboard import Callboard

with Callboard({"plugin_cache_dir": sys.argv[1], "plugin_policy": {"node_allow_install_scripts": True}}) as board:
    board.load(sys.argv[2])
    call = {"type": "function_call", "call_id": "1", "name": "where", "arguments": {}}
    print(board.execute(call)["result"])
"""


def loading(cache: Path, source: str, *, program: str = LOADING, **environment: str) -> subprocess.Popen[str]:
    """Start a program that loads a plugin from a source and prints what its tool ``where`` answers; it can be interrupted."""
    with interruptible():
        return subprocess.Popen(
            [sys.executable, "-c", program, str(cache), source],
            env={**os.environ, **TEST_MARK, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
