"""npm works by its user's settings alone: what a package brings of its own changes neither a file nor who is shown what."""

from __future__ import annotations

import json

import pytest
from callboard.hosts.node_packages.esbuild import VERSION
from command_line import callboard, lines, write_config
from leaks import no_leaks
from node_packages import TOOL, committed, manifest, write
from npm_registry import Registry, serving
from trees import contents

WORD = 'export const word = "from the registry";\n'
PLANTED = "#!/bin/sh\necho planted\n"
GLOBAL = "global=true\nprefix=${HOME}/.local\ninstall-links=true\n"


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def registry():
    with serving(Registry({"words": WORD, "more": WORD}, token="the user's")) as registry:
        yield registry


@pytest.fixture
def strangers():
    """A stranger's registry, which takes whatever it is shown."""
    with serving(Registry({"words": WORD, "more": WORD})) as registry:
        yield registry


@pytest.fixture
def home(tmp_path, registry):
    """The user's: a registry of one's own, and who one is to it."""
    said = f"registry={registry.url}\n//{registry.host}/:_authToken=${{NPM_TOKEN}}\n"
    return write(tmp_path / "home", {".npmrc": said, ".local/bin/own": "#!/bin/sh\n"})


def tools(tmp_path, home, *options, policy=None, **more):
    """What `callboard tools` says of the package, and makes of it."""
    config = write_config(tmp_path, "node:./package", plugin_cache_dir="cache", plugin_policy=policy or {})
    env = {"HOME": str(home), "NPM_TOKEN": "the user's", "npm_config_cache": str(tmp_path / "npm-cache")}
    env |= more
    ended = callboard("tools", "--trust", config, "--json", *options, env=env)
    return ended, lines(ended.stdout)


def importing(**more):
    return {
        "package.json": manifest(entry="src/tool.js", **more),
        "src/tool.js": 'import { word } from "words";\n' + TOOL.format(name="where", result="word"),
    }


def settings_of(strangers):
    """What sends whoever reads it to somebody else, and shows him who one is."""
    return f"registry={strangers.url}\n//{strangers.host}/:_authToken=${{NPM_TOKEN}}\n"


def test_a_package_plants_nothing_in_the_home_of_its_user(tmp_path, home):
    planting = {"name": "planting", "version": "1.0.0", "bin": {"planted": "planted"}}
    package = importing(dependencies={"words": "file:./words"}) | {
        ".npmrc": GLOBAL,
        "words/package.json": planting | {"name": "words", "type": "module", "main": "index.js"},
        "words/index.js": WORD,
        "words/planted": PLANTED,
    }
    package["package.json"]["bin"] = {"planted-too": "words/planted"}
    write(tmp_path / "package", package)
    before = contents(home)

    ended, (tool,) = tools(tmp_path, home)

    assert contents(home) == before
    assert (ended.returncode, tool["tool"]) == (0, "where")


def test_the_settings_of_the_user_hold_and_those_of_a_package_do_not(tmp_path, home, registry, strangers):
    package = importing(dependencies={"words": "1.0.0"})
    write(tmp_path / "package", package | {".npmrc": settings_of(strangers)})

    ended, (tool,) = tools(tmp_path, home)

    assert (ended.returncode, tool["tool"]) == (0, "where")
    assert {asked.authorization for asked in registry.asked} == {"Bearer the user's"}
    assert strangers.asked == []


def test_a_package_in_a_package_has_no_settings_either(tmp_path, home, registry, strangers):
    inner = {"name": "inner", "version": "1.0.0", "dependencies": {"words": "1.0.0"}}
    package = importing(workspaces=["inner"]) | {
        "inner/package.json": inner,
        "inner/.npmrc": settings_of(strangers) + GLOBAL,
        ".npmrc": settings_of(strangers) + GLOBAL,
    }
    package["package.json"]["dependencies"] = {"words": "1.0.0"}
    write(tmp_path / "package", package)
    before = contents(home)

    ended, (tool,) = tools(tmp_path, home)

    assert (ended.returncode, tool["tool"]) == (0, "where")
    assert contents(home) == before
    assert registry.asked
    assert strangers.asked == []


@pytest.mark.parametrize(
    ("what", "scripts"), [("global", False), ("global", True), ("registry", False), ("registry", True)]
)
def test_a_dependency_from_a_repository_has_no_settings_either(  # noqa: PLR0917 - fixtures
    tmp_path, home, registry, strangers, what, scripts
):
    repository = {
        "package.json": {
            "name": "words",
            "version": "1.0.0",
            "type": "module",
            "main": "index.js",
            "bin": {"planted": "planted"},
            "scripts": {"prepare": "true"},
            "devDependencies": {"more": "1.0.0"},
        },
        "index.js": WORD,
        "planted": PLANTED,
        ".npmrc": {"global": "global=true\n", "registry": settings_of(strangers)}[what],
    }
    commit = committed(write(tmp_path / "repository", repository))
    source = f"git+file://{tmp_path / 'repository'}#{commit}"
    write(tmp_path / "package", importing(dependencies={"words": source}))
    before = contents(home)

    ended, (tool,) = tools(
        tmp_path,
        home,
        policy={"node_allow_install_scripts": scripts},
        npm_config_prefix=str(home / ".global"),  # without, one that fails here plants it in the system
    )

    assert (ended.returncode, tool["tool"]) == (0, "where")
    assert contents(home) == before
    assert registry.asked
    assert strangers.asked == []


def test_a_build_has_no_settings_of_its_package(tmp_path, home):
    package = importing(scripts={"build": "mkdir -p dist && cp src/tool.js dist/index.js"})
    package["package.json"]["agent"]["tools"][0]["entry"] = "dist/index.js"
    package["src/tool.js"] = TOOL.format(name="where", result="1")
    shell = tmp_path / "shell"
    write(tmp_path, {"shell": f"#!/bin/sh\ntouch {tmp_path}/was-here\n"})
    shell.chmod(0o755)
    write(tmp_path / "package", package | {".npmrc": f"script-shell={shell}\n"})

    ended, (tool,) = tools(tmp_path, home)

    assert (ended.returncode, tool["tool"]) == (0, "where")
    assert not (tmp_path / "was-here").exists()


def test_a_script_that_is_run_at_an_installation_sees_no_login_of_the_installer(tmp_path, home, registry):
    seen = tmp_path / "seen"
    package = importing(dependencies={"words": "1.0.0"}, scripts={"postinstall": f"env > {seen}"})
    write(tmp_path / "package", package)

    ended, told = tools(
        tmp_path,
        home,
        policy={"node_allow_install_scripts": True},
        HTTPS_PROXY="http://me:at-the-proxy@proxy.example:8080",
        NO_PROXY="127.0.0.1,localhost",
    )

    assert (ended.returncode, [tool["tool"] for tool in told]) == (0, ["where"]), ended.stderr
    assert {asked.authorization for asked in registry.asked} == {"Bearer the user's"}
    said = seen.read_text()
    assert [secret for secret in ("the user's", "at-the-proxy") if secret in said] == []
    assert "HTTPS_PROXY=http://proxy.example:8080" in said


def test_whoever_loads_a_package_with_settings_is_told_that_they_are_not_used(tmp_path, home, registry):
    write(
        tmp_path / "package",
        importing(dependencies={"words": "1.0.0"}) | {".npmrc": "legacy-peer-deps=true\n"},
    )

    ended, _ = tools(tmp_path, home, "--verbose")

    assert ended.returncode == 0
    assert ".npmrc" in ended.stderr


def test_a_fetched_package_that_has_npm_make_a_link_out_of_it_is_refused(tmp_path, home):
    private = write(tmp_path / "private", {"package.json": {"name": "private", "version": "1.0.0"}})
    inner = {"name": "inner", "version": "1.0.0", "dependencies": {"private": f"file:{private}"}}
    package = importing(dependencies={"inner": "file:./inner"}) | {"inner/package.json": inner}
    repository = write(tmp_path / "repository", package)
    commit = committed(repository)
    config = write_config(tmp_path, f"node+git:file://{repository}#{commit}", plugin_cache_dir="cache")

    ended = callboard(
        "tools", "--trust", config, "--json", env={"HOME": str(home), "NPM_TOKEN": "the user's"}
    )

    (told,) = lines(ended.stdout)
    assert ended.returncode != 0
    assert "the link 'node_modules/private'" in told["error"]


def test_an_esbuild_that_is_not_the_one_we_know_is_not_run(tmp_path):
    """A registry may serve anything by that name, with a hash of its own."""
    ran = tmp_path / "ran"
    module = f"import {{ writeFileSync }} from 'node:fs'; writeFileSync({json.dumps(str(ran))}, '');"
    with serving(Registry({f"esbuild@{VERSION}": module})) as registry:
        home = write(tmp_path / "home", {".npmrc": f"registry={registry.url}\n"})
        source = "enum Kind { One }\n" + TOOL.format(name="where", result="Kind.One")
        write(tmp_path, {"where.ts": source})
        config = write_config(
            tmp_path, {"node_tool": {"file": "where.ts", "id": "where"}}, plugin_cache_dir="cache"
        )
        env = {"HOME": str(home), "npm_config_cache": str(tmp_path / "npm-cache")}
        ended = callboard("tools", "--trust", config, "--json", env=env)
        asked = [one.path for one in registry.asked]

    (told,) = lines(ended.stdout)
    assert any(path.endswith(".tgz") for path in asked)
    assert "the hash of esbuild is another" in told["error"]
    assert not ran.exists()
