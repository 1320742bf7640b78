"""What the templates make can be published: packed, installed somewhere else, and called there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from callboard.authoring.create import create
from command_line import ENVIRONMENT, command, write_config
from leaks import TEST_MARK
from node_path import environment_with_node, npm_program
from npm_registry import Registry, serving
from thorough import thorough

if TYPE_CHECKING:
    from pathlib import Path

NAME = "@acme/my-tools"
ECHO = ("echo", "value=hello")


def npm(folder: Path, *words: str, **environment: str) -> None:
    ended = subprocess.run(
        [*npm_program(), *words], cwd=folder, env=environment_with_node() | TEST_MARK | environment,
        capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr


def called(*words: str, **environment: str) -> Any:
    """What a call answers, from a program of its own: what is installed is looked up when it begins."""
    ended = subprocess.run(
        command("call", "--trust", "--json", *words),
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])["result"]


@pytest.mark.parametrize("kind", ["node", pytest.param("typescript", marks=thorough)])
def test_a_package_is_packed_published_installed_and_called(tmp_path, kind):
    package = tmp_path / "my-tools"
    create(kind, package)
    manifest = json.loads((package / "package.json").read_text())
    (package / "package.json").write_text(json.dumps(manifest | {"name": NAME, "private": False}))
    if kind == "typescript":
        npm(package, "install", "--prefer-offline")
        npm(package, "run", "build")
    cache = {"npm_config_cache": str(tmp_path / "npm-cache")}
    project = tmp_path / "project"
    project.mkdir()

    with serving(Registry({})) as registry:
        registry.publish(package, npm=npm_program(), **cache)
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / ".npmrc").write_text(f"registry={registry.url}\n")
        home = cache | {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
        by_name = write_config(tmp_path, f"npm:{NAME}@0.1.0", plugin_cache_dir="cache")
        assert called(by_name, *ECHO, **home)["value"] == "hello"
        npm(project, "install", f"{NAME}@0.1.0", **home)

    installed = write_config(project, f"node:./node_modules/{NAME}")
    assert called(installed, *ECHO, **home)["value"] == "hello"


def test_a_distribution_is_built_installed_and_called_by_its_entry_points(tmp_path):
    create("python", tmp_path / "py-tools")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wheel = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", "dist", "./py-tools"]
    subprocess.run([*pip, *wheel], cwd=tmp_path, env=os.environ | TEST_MARK, check=True)
    (built,) = (tmp_path / "dist").glob("*.whl")
    subprocess.run(
        [*pip, "install", "--target", "installed", built],
        cwd=tmp_path,
        env=os.environ | TEST_MARK,
        check=True,
    )
    isolated = {"plugin": "entry_point:py_tools_count_words", "isolate": True}
    config = write_config(tmp_path, "entry_point:py_tools_echo", isolated)
    paths = {"PYTHONPATH": str(tmp_path / "installed")}

    assert called(config, *ECHO, **paths)["value"] == "hello"
    assert called(config, "count_words", "text=to be", **paths) == {"words": 2}
