"""Packages of a registry: packed by npm, named by version and hash, and held to both whatever the registry serves."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from callboard.hosts.node_packages.npm import npm_program
from command_line import callboard, lines, write_config
from leaks import no_leaks
from node_packages import manifest, tool, write
from npm_install import node_program
from npm_registry import Registry, serving

if TYPE_CHECKING:
    from pathlib import Path

WORD = 'export const word = "from the registry";\n'
NAME = "@acme/my-tools"


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def registry():
    with serving(Registry({"words": WORD}, token="the user's")) as registry:
        yield registry


@pytest.fixture
def home(tmp_path, registry):
    """The user's: a registry of one's own, and who one is to it."""
    said = f"registry={registry.url}\n//{registry.host}/:_authToken=${{NPM_TOKEN}}\n"
    return write(tmp_path / "home", {".npmrc": said})


class User:
    """Who has that home: what the command line answers."""

    def __init__(self, tmp_path: Path, home: Path) -> None:
        self.folder = tmp_path
        self.env = {
            "HOME": str(home),
            "NPM_TOKEN": "the user's",
            "npm_config_cache": str(tmp_path / "npm-cache"),
            "XDG_STATE_HOME": str(tmp_path / "state"),
        }

    def config(self, *sources: Any, **more: Any) -> str:
        return write_config(self.folder, *sources, plugin_cache_dir="cache", **more)

    def run(self, *words: str):
        return callboard(*words, env=self.env)

    def answer(self, *sources: Any, **more: Any) -> Any:
        ended = self.run("call", "--trust", "--json", self.config(*sources, **more), "where")
        return json.loads(ended.stdout)["result"] if ended.returncode == 0 else ended.stderr

    def plan(self, *sources: Any, **more: Any) -> Any:
        (plan,) = lines(self.run("plan", "--json", self.config(*sources, **more)).stdout)
        return plan


@pytest.fixture
def user(tmp_path, home):
    return User(tmp_path, home)


def npm() -> tuple[str, ...]:
    found = npm_program(node_program())
    assert found is not None
    return found


def published(registry: Registry, folder: Path, files: dict[str, Any] | None = None, **more: Any) -> str:
    """A package of a tool ``where``, packed by npm and served; its hash."""
    told = {"version": "1.0.0", "name": NAME, **more}
    shutil.rmtree(folder, ignore_errors=True)
    write(folder, {"package.json": manifest(**told), "dist/index.js": tool(), **(files or {})})
    return registry.publish(folder, npm=npm(), npm_config_cache=str(folder.parent / "packing"))


def test_a_package_is_installed_with_what_it_needs_and_its_tool_runs_from_node_modules(
    tmp_path, registry, user
):
    module = 'import { word } from "words";\n' + tool(result="word + import.meta.url")
    published(registry, tmp_path / "a", {"dist/index.js": module}, dependencies={"words": "1.0.0"})

    answer = user.answer(f"npm:{NAME}@1.0.0")

    assert answer.startswith("from the registryfile:")
    assert answer.endswith(f"/node_modules/{NAME}/dist/index.js")
    assert {asked.authorization for asked in registry.asked} == {"Bearer the user's"}


def test_what_was_installed_needs_no_registry(tmp_path, registry, user):
    published(registry, tmp_path / "a")
    assert user.answer(f"npm:{NAME}@1.0.0") == "here"
    registry.asked.clear()

    assert user.answer(f"npm:{NAME}@1.0.0") == "here"
    assert registry.asked == []


def test_a_tag_is_asked_for_each_time_and_stands_for_what_it_stood_for_last(tmp_path, registry, user):
    published(registry, tmp_path / "a")
    assert user.answer(f"npm:{NAME}") == "here"

    published(registry, tmp_path / "a", {"dist/index.js": tool(result='"newer"')}, version="1.1.0")
    assert user.answer(f"npm:{NAME}") == "newer"

    user.env["npm_config_registry"] = "http://127.0.0.1:9/"
    user.env["npm_config_fetch_retries"] = "0"
    assert user.answer(f"npm:{NAME}") == "newer"


def test_a_plan_tells_version_and_hash_and_installs_nothing(tmp_path, registry, user):
    integrity = published(registry, tmp_path / "a")

    (step,) = user.plan(f"npm:{NAME}")["plugins"][0]["steps"]

    assert (step["kind"], step["package"], step["version"]) == ("release", NAME, "1.0.0")
    assert step["integrity"] == integrity
    assert step["trusted"] is False
    assert not (tmp_path / "cache" / "v1" / "packages").exists()
    assert not [asked for asked in registry.asked if asked.path.endswith(".tgz")]


@pytest.mark.parametrize("command", [("plan",), ("trust",), ("trust", "--undo"), ("tools",)])
def test_no_node_of_a_folder_runs_before_there_is_trust(tmp_path, registry, user, command):
    published(registry, tmp_path / "a")
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    node.chmod(0o755)

    user.run(*command, user.config(f"npm:{NAME}@1.0.0", node=str(node)))

    assert not (tmp_path / "ran").exists()


def test_what_was_trusted_is_the_hash_and_not_the_version(tmp_path, registry, user):
    published(registry, tmp_path / "a")
    config = user.config(f"npm:{NAME}@1.0.0")
    assert user.run("trust", config).returncode == 0

    published(registry, tmp_path / "a", {"dist/index.js": tool(result='"another"')})

    refused = user.run("call", config, "where")
    assert refused.returncode == 2
    assert "callboard trust" in refused.stderr


def test_a_hash_that_is_given_needs_no_question_and_is_what_has_to_come(tmp_path, registry, user):
    integrity = published(registry, tmp_path / "a")
    pinned = {"node_tool": {"npm": f"{NAME}@1.0.0", "integrity": integrity}}
    (step,) = user.plan(pinned)["plugins"][0]["steps"]
    assert (step["integrity"], registry.asked) == (integrity, [])
    assert user.answer(pinned) == "here"

    ran = f"touch {tmp_path}/ran"
    published(
        registry, tmp_path / "a", {"dist/index.js": tool(result='"another"')}, scripts={"postinstall": ran}
    )
    shutil.rmtree(tmp_path / "cache")
    user.env["npm_config_cache"] = str(tmp_path / "another-cache")

    assert "hash" in user.answer(pinned, plugin_policy={"node_allow_install_scripts": True})
    assert not (tmp_path / "ran").exists()


def test_an_archive_that_is_another_than_the_registry_says_is_refused(tmp_path, registry, user):
    published(registry, tmp_path / "a")
    config = user.config(f"npm:{NAME}@1.0.0")
    assert user.run("trust", config).returncode == 0  # the hash of the first is known now
    registry.forge(NAME, b"another archive")
    user.env["npm_config_fetch_retries"] = "0"

    refused = user.run("call", config, "where")

    assert refused.returncode != 0
    assert "EINTEGRITY" in refused.stderr


def test_a_registry_that_tells_no_sha512_is_refused(tmp_path, registry, user):
    published(registry, tmp_path / "a")
    registry.integrity = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="

    problem = user.plan(f"npm:{NAME}@1.0.0")["plugins"][0]["problem"]

    assert "SHA-512" in problem


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("package_lock", "false"),
        ("install_strategy", "linked"),
        ("dry_run", "true"),
        ("global", "true"),
        ("save", "false"),
        ("omit", "optional"),
    ],
)
def test_what_the_user_has_set_for_other_work_keeps_none_from_its_place(
    tmp_path, registry, user, setting, value
):
    module = 'import { word } from "words";\n' + tool(result="word")
    published(registry, tmp_path / "a", {"dist/index.js": module}, dependencies={"words": "1.0.0"})
    user.env[f"npm_config_{setting}"] = value

    assert user.answer(f"npm:{NAME}@1.0.0") == "from the registry"


@pytest.mark.parametrize("allowed", [False, True])
def test_scripts_run_only_where_the_policy_allows_them_and_see_no_token(tmp_path, registry, user, allowed):
    script = 'require("fs").writeFileSync("ran", process.env.NPM_TOKEN ?? "no token")'
    module = 'import { readFileSync } from "node:fs";\nconst read = () => { try { return readFileSync(new URL("../ran", import.meta.url), "utf8"); } catch { return "not run"; } };\n'
    files = {"dist/index.js": module + tool(result="read()"), "script.cjs": script}
    published(registry, tmp_path / "a", files, scripts={"postinstall": "node script.cjs"})

    answer = user.answer(f"npm:{NAME}@1.0.0", plugin_policy={"node_allow_install_scripts": allowed})

    assert answer == ("no token" if allowed else "not run")


def test_no_package_is_installed_where_nothing_may_be(tmp_path, registry, user):
    published(registry, tmp_path / "a")
    off = {"node_install_deps": False}

    assert "node_install_deps" in user.plan(f"npm:{NAME}@1.0.0", plugin_policy=off)["plugins"][0]["problem"]
    assert "node_install_deps" in user.answer(f"npm:{NAME}@1.0.0", plugin_policy=off)
    assert registry.asked == []


@pytest.mark.parametrize(
    ("files", "more", "said"),
    [
        ({"dist/index.ts": tool()}, {"entry": "dist/index.ts"}, "TypeScript"),
        ({}, {"entry": "dist/other.js"}, "no dist/other.js"),
        ({}, {"entry": "../../elsewhere.js"}, "entry"),
        ({}, {"agent": {}}, "agent.tools"),
        ({}, {"dependencies": {"words": "file:../../../home"}}, ""),
    ],
    ids=["typescript", "not built", "an entry outside", "no tools", "a folder of its user"],
)
def test_a_package_that_cannot_run_is_refused_with_its_reason(tmp_path, registry, user, files, more, said):  # noqa: PLR0917 - fixtures
    told = {"version": "1.0.0", "name": NAME, **more}
    write(tmp_path / "a", {"package.json": manifest(**told) | more, "dist/index.js": tool(), **files})
    registry.publish(tmp_path / "a", npm=npm(), npm_config_cache=str(tmp_path / "packing"))

    answer = user.answer(f"npm:{NAME}@1.0.0")

    assert f"npm:{NAME}@1.0.0" in answer
    assert said in answer
    assert str(tmp_path / "cache") not in answer


def test_a_link_in_an_archive_leads_nowhere(tmp_path, registry, user):
    write(tmp_path / "secret", {"word": "secret"})
    registry.serve(NAME, "1.0.0", archive(link=str(tmp_path / "secret" / "word")))

    answer = user.answer(f"npm:{NAME}@1.0.0")

    assert "secret" not in answer


@pytest.mark.parametrize("name", ["nothing-here", "@acme/nothing"])
def test_a_package_that_the_registry_does_not_have_is_told(user, name):
    problem = user.plan(f"npm:{name}@1.0.0")["plugins"][0]["problem"]

    assert "E404" in problem
    assert name in problem


def test_a_version_that_the_registry_does_not_have_is_told(tmp_path, registry, user):
    published(registry, tmp_path / "a")

    problem = user.plan(f"npm:{NAME}@2.0.0")["plugins"][0]["problem"]

    assert "2.0.0" in problem


def test_a_login_that_is_refused_is_told(tmp_path, registry, user):
    published(registry, tmp_path / "a")
    user.env["NPM_TOKEN"] = "somebody else's"

    problem = user.plan(f"npm:{NAME}@1.0.0")["plugins"][0]["problem"]

    assert "log in to the registry" in problem
    assert "somebody else's" not in problem


def archive(*, link: str) -> bytes:
    """A package whose module reads a file of its own, which is a link in the archive."""
    module = (
        'import { readFileSync } from "node:fs";\nconst read = () => { try { return readFileSync(new URL("./word", import.meta.url), "utf8"); } catch { return "none"; } };\n'
        + tool(result="read()")
    )
    files = {"package.json": json.dumps(manifest(entry="index.js", name=NAME)), "index.js": module}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content.encode()))
        info = tarfile.TarInfo("package/word")
        info.type, info.linkname = tarfile.SYMTYPE, link
        tar.addfile(info)
    return packed.getvalue()


def test_in_a_sandbox_it_is_installed_and_runs_too(tmp_path, registry, user):
    module = 'import { word } from "words";\n' + tool(result="word")
    published(registry, tmp_path / "a", {"dist/index.js": module}, dependencies={"words": "1.0.0"})

    assert user.answer({"plugin": f"npm:{NAME}@1.0.0", "sandbox": "bwrap"}) == "from the registry"
    assert user.answer({"plugin": f"npm:{NAME}@1.0.0", "sandbox": True}) == "from the registry"
