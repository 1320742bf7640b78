"""What hostile packages may do to whom only lists their tools: nothing to the user's files, nor to what other packages have."""

from __future__ import annotations

import os

import pytest
from command_line import callboard, lines, write_config
from leaks import no_leaks
from node_packages import built, committed, depending, manifest, tool, write
from python_packages import tool_package
from trees import contents


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def fetched(folder, files, link=None):
    """A repository, as its address; with a symbolic link to somewhere."""
    write(folder, files)
    if link is not None:
        (folder / "link").symlink_to(link)
    return f"node+git:file://{folder}#{committed(folder)}"


def hostile(tmp_path, home, good):
    """Packages that want what they may not have: by name, how each is spelled and what it is refused with."""
    plain = {"package.json": manifest(entry="src/tool.js"), "src/tool.js": tool()}
    script = f"touch {home}/planted; echo planted > {good}/src/tool.js"
    own = tmp_path / "hostile"
    own.mkdir()
    (own / "pipe").mkdir()
    os.mkfifo(own / "pipe" / "package.json")
    (own / "long").mkdir()
    with (own / "long" / "package.json").open("wb") as file:
        file.truncate(1 << 40)
    write(own / "outside", {"package.json": manifest(entry="../../home/.npmrc")})
    write(
        own / "climbs",
        plain | {"package.json": manifest(entry="src/tool.js", plugin="../../../home/planted")},
    )
    depending(own / "scripts", script=script)
    tool_package(own / "option", "cb_option", requirements_txt=f"--target {home}\nx")
    tool_package(own / "reads", "cb_reads", requirements_txt="-r ../../home/.npmrc")
    return {
        fetched(own / "links", plain, link=home): "'link'",
        f"node:{own / 'pipe'}": "is no file",
        f"node:{own / 'long'}": "4 MB",
        f"node:{own / 'outside'}": "outside",
        f"node:{own / 'climbs'}": None,
        f"node:{own / 'scripts'}": None,
        f"path:{own / 'option'}": "'--target'",
        f"path:{own / 'reads'}": "leads out",
        f"node+git:ext::sh -c touch% {home}/planted#main": "transport",
        f"node+git:file://{own / 'links'}#--upload-pack=touch {home}/planted": "neither an address nor a ref",
    }


def test_hostile_packages_leave_the_home_and_what_others_have_as_they_were(tmp_path):
    home = write(tmp_path / "home", {".npmrc": "fund=false\n", ".local/bin/own": "#!/bin/sh\n"})
    good = built(tmp_path / "good")
    packages = hostile(tmp_path, home, good)
    env = {
        "HOME": str(home),
        "npm_config_cache": str(tmp_path / "npm-cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
    config = write_config(tmp_path, f"node:{good}", plugin_cache_dir="cache")
    assert callboard("tools", "--trust", config, "--json", env=env).returncode == 0
    before = contents(home), contents(good), contents(tmp_path / "cache")
    config = write_config(tmp_path, f"node:{good}", *packages, plugin_cache_dir="cache")

    refused = callboard("tools", config, "--json", env=env)

    assert refused.returncode != 0
    assert (contents(home), contents(good), contents(tmp_path / "cache")) == before

    ended = callboard("tools", "--trust", config, "--json", env=env)

    told = lines(ended.stdout)
    after = contents(home), contents(good), contents(tmp_path / "cache")
    assert after[:2] == before[:2]
    assert {path: after[2].get(path) for path in before[2]} == before[2]
    assert [each["tool"] for each in told if "tool" in each and each.get("plugin") == "where"]
    errors = [each["error"] for each in told if "error" in each]
    for spelled, problem in packages.items():
        if problem is not None:
            assert [error for error in errors if problem in error], spelled
