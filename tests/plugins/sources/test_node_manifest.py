"""A Node package's tools are read from its manifest, or refused in one sentence with the remedy."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.sources.node_manifest import NodePackage, NodeToolEntry, read_node_package

ECHO = {"id": "echo", "entry": "dist/index.js", "export": "echoTool"}
REVERSE = {"id": "reverse", "entry": "dist/index.js"}


@pytest.fixture
def package(tmp_path):
    """Write a package: its ``package.json``, as text or as a value, and empty files."""

    def write(manifest, *files):
        directory = tmp_path / "my-js-tools"
        directory.mkdir(exist_ok=True)
        text = manifest if isinstance(manifest, str) else json.dumps(manifest)
        (directory / "package.json").write_text(text)
        for file in files:
            (directory / file).parent.mkdir(parents=True, exist_ok=True)
            (directory / file).write_text("")
        return directory

    return write


def tools(*entries):
    return {"agent": {"kinds": ["tools"], "tools": list(entries)}}


def test_a_package_offers_the_tools_that_its_manifest_lists(package):
    directory = package(
        {
            "name": "my-js-tools",
            "version": "0.1.0",
            "scripts": {"build": "esbuild"},
            "devDependencies": {"esbuild": "*"},
            **tools(ECHO, REVERSE),
        },
        "dist/index.js",
    )

    read = read_node_package(directory)

    entry = directory / "dist/index.js"
    assert read == NodePackage(
        directory,
        "my-js-tools",
        "0.1.0",
        (NodeToolEntry("echo", entry, "echoTool"), NodeToolEntry("reverse", entry, None)),
        builds=True,
        has_dependencies=True,
    )
    assert read.missing_entries() == ()
    read.require_entry(read.tools[0])


@pytest.mark.parametrize(
    ("script", "wants"),
    [
        ("esbuild src/index.ts --bundle", True),
        ("tsc --noEmit && npx esbuild src/a.ts", True),
        ("tsc -p . ; esbuild a.ts", True),
        ("node esbuild.mjs", False),
        ("tsc", False),
        (3, False),
    ],
)
def test_a_build_that_calls_esbuild_and_does_not_bring_it_wants_it(package, script, wants):
    alone = read_node_package(package({"scripts": {"build": script}, **tools(REVERSE)}))
    bringing = {"scripts": {"build": script}, "devDependencies": {"esbuild": "*"}, **tools(REVERSE)}

    assert alone.wants_esbuild is wants
    assert not read_node_package(package(bringing)).wants_esbuild


def test_a_package_may_say_little(package):
    read = read_node_package(package(tools(REVERSE), "dist/index.js"))

    assert (read.name, read.version, read.builds, read.has_dependencies) == ("my-js-tools", "0", False, False)


@pytest.mark.parametrize(
    ("scripts", "remedy"),
    [({"build": "tsc"}, "build the package (npm run build)"), ({}, "correct 'entry', or add the file")],
)
def test_an_entry_that_is_not_there_is_asked_for_after_the_build(package, scripts, remedy):
    directory = package({"scripts": scripts, **tools(ECHO)})

    read = read_node_package(directory)

    assert [tool.id for tool in read.missing_entries()] == ["echo"]
    with pytest.raises(PluginLoadError) as caught:
        read.require_entry(read.tools[0])
    assert str(caught.value) == (
        f"tool 'echo' of {directory} has no module: {directory / 'dist/index.js'} does not exist; {remedy}"
    )


def test_what_an_entry_is_built_of_goes_before_it_where_it_is_there(package):
    directory = package(tools(ECHO | {"source": "src/index.ts"}), "dist/index.js")
    assert read_node_package(directory).tools[0].entry == directory / "dist/index.js"

    package(tools(ECHO | {"source": "src/index.ts"}), "src/index.ts")
    assert read_node_package(directory).tools[0].entry == directory / "src/index.ts"


def test_in_node_modules_an_entry_is_what_is_run(package, tmp_path):
    directory = package(tools(ECHO | {"source": "src/index.ts"}), "src/index.ts", "dist/index.js")
    installed = tmp_path / "node_modules" / "a"
    installed.parent.mkdir()
    linked = tmp_path / "other" / "node_modules" / "a"
    linked.parent.mkdir(parents=True)
    linked.symlink_to(directory)
    # It is a link, as of a workspace: the files are elsewhere.
    assert read_node_package(linked).tools[0].entry.name == "index.ts"

    directory.rename(installed)

    assert read_node_package(installed).tools[0].entry.name == "index.js"


@pytest.mark.parametrize("source", ["../evil.js", "/etc/evil.js", 1, ""])
def test_what_an_entry_is_built_of_lies_in_the_package(package, source):
    with pytest.raises(PluginLoadError, match="source"):
        read_node_package(package(tools(ECHO | {"source": source}), "dist/index.js"))


@pytest.mark.parametrize(("entry", "problem"), [("src", "is a folder"), ("circle.js", "does not exist")])
def test_an_entry_that_is_no_file_is_told_as_what_it_is(package, entry, problem):
    directory = package(tools({"id": "x", "entry": entry}), "src/index.js")
    (directory / "circle.js").symlink_to("circle.js")

    read = read_node_package(directory)

    with pytest.raises(PluginLoadError, match=rf"has no module: \S+/{entry} {problem}; correct 'entry'"):
        read.require_entry(read.tools[0])


REFUSED = {
    "no JSON": ('{"agent": ', "package.json is not JSON"),
    "no object": ("[]", "holds a list, not an object"),
    "no agent": ({}, "lists no tools under agent.tools; add them, as in"),
    "an agent that is no object": ({"agent": []}, "lists no tools under agent.tools"),
    "no tools": ({"agent": {}}, "lists no tools under agent.tools"),
    "an empty list of tools": (tools(), "lists no tools under agent.tools"),
    "tools that are no list": ({"agent": {"tools": {"echo": ECHO}}}, "lists no tools under agent.tools"),
    "a tool that is no object": (
        tools(ECHO, "reverse"),
        "has 'reverse' as agent.tools[1]; it has to be an object",
    ),
    "no id": (tools({"entry": "x"}), "has no 'id' in agent.tools[0]; add it"),
    "no entry": (tools({"id": "x"}), "has no 'entry' in agent.tools[0]; add it"),
    "an entry that is no text": (
        tools({"id": "x", "entry": 1}),
        "has 1 as agent.tools[0].entry; it has to be a text that is not empty",
    ),
    "an entry with a NUL": (tools({"id": "x", "entry": "a\0b"}), "'a\\x00b'; no path has a NUL in it"),
    "an unknown key": (
        tools({**ECHO, "exports": "x"}),
        "unknown key 'exports' in agent.tools[0]; did you mean 'export'?",
    ),
    "two tools of one id": (tools(ECHO, ECHO), "has two tools of the id 'echo'"),
    "an entry outside": (tools({"id": "x", "entry": "../evil.js"}), "which leads out of the package"),
    "an absolute entry": (tools({"id": "x", "entry": "/etc/evil.js"}), "which leads out of the package"),
    "an entry that comes back": (
        tools({"id": "x", "entry": "../other/../../evil.js"}),
        "leads out of the package",
    ),
}


@pytest.mark.parametrize(("manifest", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_manifest_that_cannot_be_used_is_refused_in_one_sentence(package, manifest, problem):
    directory = package(manifest)

    with pytest.raises(PluginLoadError) as caught:
        read_node_package(directory)

    assert problem in str(caught.value)
    assert str(directory / "package.json") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.plugin == str(directory)


def test_an_entry_that_a_link_leads_out_of_the_package_is_refused(package, tmp_path):
    outside = tmp_path / "outside.js"
    outside.write_text("")
    directory = package(tools({"id": "x", "entry": "index.js"}))
    (directory / "index.js").symlink_to(outside)

    with pytest.raises(
        PluginLoadError, match=r"agent\.tools\[0\]\.entry .* leads out of the package, to .*outside.js"
    ):
        read_node_package(directory)


def test_a_package_may_itself_be_a_link(package, tmp_path):
    directory = package(tools(REVERSE), "dist/index.js")
    link = tmp_path / "link"
    link.symlink_to(directory)

    read = read_node_package(link)

    assert read.directory == link
    assert read.tools[0].entry == directory / "dist/index.js"
    assert read.name == "my-js-tools"


def test_a_link_inside_the_package_is_followed(package):
    directory = package(tools({"id": "x", "entry": "index.js"}), "dist/index.js")
    (directory / "index.js").symlink_to(directory / "dist/index.js")

    assert read_node_package(directory).tools[0].entry == directory / "dist/index.js"


def test_a_directory_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(
        PluginLoadError, match=r"the plugin directory .*nowhere does not exist; correct the path"
    ):
        read_node_package(tmp_path / "nowhere")


def test_a_file_is_no_package(tmp_path):
    (tmp_path / "tool.js").write_text("")

    with pytest.raises(PluginLoadError, match=r"tool.js is a file, not a directory"):
        read_node_package(tmp_path / "tool.js")


def test_a_directory_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(PluginLoadError, match=r"has no package.json; name a Node package that has one"):
        read_node_package(tmp_path)


def test_a_manifest_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "package.json").mkdir()

    with pytest.raises(PluginLoadError, match=r"package\.json is no file"):
        read_node_package(tmp_path)


def test_a_manifest_that_is_too_long_is_refused_before_it_is_read(package):
    directory = package("")
    with (directory / "package.json").open("r+b") as file:
        file.truncate(1 << 40)  # a terabyte that takes no room on the disk

    with pytest.raises(PluginLoadError, match="4 MB"):
        read_node_package(directory)


def test_a_manifest_that_is_a_pipe_keeps_nobody_waiting(tmp_path):
    os.mkfifo(tmp_path / "package.json")
    program = f"""
from pathlib import Path
from callboard.plugins import PluginLoadError
from callboard.plugins.sources.node_manifest import read_node_package
try:
    read_node_package(Path({str(tmp_path)!r}))
except PluginLoadError as error:
    print(error)
"""

    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )

    assert str(tmp_path / "package.json") in told.stdout


def test_a_manifest_with_more_tools_than_a_package_may_have_is_refused(package):
    most = [{"id": str(number), "entry": "a.js"} for number in range(1_000)]

    assert len(read_node_package(package(tools(*most))).tools) == 1_000
    with pytest.raises(PluginLoadError, match="1,000"):
        read_node_package(package(tools(*most, {"id": "one more", "entry": "a.js"})))
