"""A package is made ready in the cache, with real npm, and its owner's folder is left as it is."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace

import pytest
from callboard.hosts.errors import HostStartError
from callboard.hosts.node.find import find_node, node_candidates
from callboard.hosts.node_packages.prepare_node import Permissions, make_ready
from callboard.hosts.packages.cache import PackageCache
from callboard.hosts.packages.command_runner import CommandRunner
from callboard.hosts.packages.package_errors import PackageError
from callboard.plugins import PluginLoadError
from node_packages import built, contents, depending, manifest, tool, write


@pytest.fixture
def ready(tmp_path):
    """Make a package ready with the cache of this test."""

    def make(directory, node=find_node, seconds=50.0, **permissions):
        with CommandRunner(seconds) as command_runner:
            return make_ready(
                directory,
                Permissions(**permissions),
                cache=PackageCache(tmp_path / "cache"),
                command_runner=command_runner,
                node=node,
            )

    return make


@pytest.fixture
def package(tmp_path):
    return tmp_path / "my-js-tools"


def no_node():
    raise AssertionError("nothing has to be done")


def older(path, seconds=100):
    facts = path.stat()
    os.utime(path, (facts.st_atime, facts.st_mtime - seconds))


def test_what_can_run_runs_where_it_is_and_needs_neither_npm_nor_node(ready, package, tmp_path):
    write(package, {"package.json": manifest(entry="src/tool.js"), "src/tool.js": tool()})

    made = ready(package, no_node)

    assert (made.package.directory, made.entry) == (package, None)
    assert not (tmp_path / "cache").exists()


def nodes():
    """Each that could be used here: the system's, and the wheel's, beside which no npm is to be found on PATH."""
    return [candidate for candidate in node_candidates() if candidate.problem is None]


@pytest.mark.parametrize("node", nodes(), ids=lambda candidate: candidate.source)
def test_a_build_script_may_run_npm_and_npx_on_any_node(ready, package, node):
    built(package)
    described = manifest(
        scripts={
            "build": "npm run inner && npx --version && npx --no -- node --version",
            "inner": "node build.mjs",
        }
    )
    write(package, {"package.json": described})

    made = ready(package, lambda: node)

    assert made.entry is not None
    assert (made.package.directory / "dist/index.js").is_file()


def test_a_package_is_built_in_the_cache_and_not_in_its_folder(ready, package):
    before = contents(built(package))

    made = ready(package)

    assert contents(package) == before
    assert made.entry is not None
    assert made.package.tools[0].entry == made.entry.tree / "dist" / "index.js"
    assert made.package.tools[0].entry.read_text() == tool()


def test_a_package_that_is_there_is_not_built_again(ready, package, tmp_path):
    built(package, f"appendFileSync({str(tmp_path / 'times')!r}, 'x');")

    first, second = ready(package), ready(package)

    assert first.package == second.package
    assert (tmp_path / "times").read_text() == "x"


def test_a_package_that_was_changed_is_built_anew(ready, package):
    built(package)
    first = ready(package)
    write(package, {"src/tool.js": tool(result='"there"')})

    second = ready(package)

    assert first.package.directory != second.package.directory
    assert "there" in second.package.tools[0].entry.read_text()
    assert "here" in first.package.tools[0].entry.read_text()


def test_the_same_package_elsewhere_is_the_same(ready, package, tmp_path):
    built(package)
    shutil.copytree(package, tmp_path / "elsewhere")

    assert ready(package).package.tools[0].entry == ready(tmp_path / "elsewhere").package.tools[0].entry


def test_what_is_built_already_is_run_where_it_is(ready, package):
    built(package)
    write(package, {"dist/index.js": tool()})

    assert ready(package, no_node).entry is None


def test_what_was_built_before_its_sources_changed_is_built_anew(ready, package):
    built(package)
    write(package, {"dist/index.js": tool(result='"old"')})
    older(package / "dist" / "index.js")

    made = ready(package)

    assert made.package.tools[0].entry.read_text() == tool()
    assert "old" in (package / "dist" / "index.js").read_text()


@pytest.mark.parametrize("name", ["README.md", ".editorconfig", "dist/other.js", "node_modules/a/index.js"])
def test_what_no_build_reads_makes_nothing_old(ready, package, name):
    built(package)
    write(package, {"dist/index.js": tool()})
    for file in package.rglob("*"):
        older(file)
    write(package, {name: "newer"})

    assert ready(package, no_node).entry is None


def test_what_may_not_be_built_is_run_as_it_is_with_a_warning(ready, package, caplog):
    built(package)
    write(package, {"dist/index.js": tool()})
    older(package / "dist" / "index.js")

    assert ready(package, no_node, build=False).entry is None

    assert "older than its sources" in caplog.text


def test_what_is_not_built_and_may_not_be_is_refused(ready, package):
    built(package)

    with pytest.raises(PackageError, match=r"my-js-tools is not built, and 'node_build' is off"):
        ready(package, no_node, build=False)


@pytest.mark.parametrize("locked", [True, False], ids=["npm ci", "npm install"])
def test_what_a_package_needs_to_run_is_installed(ready, package, locked, caplog):
    before = contents(depending(package, locked=locked))

    with caplog.at_level("INFO", "callboard.packages"):
        made = ready(package)

    assert contents(package) == before
    assert (made.package.directory / "node_modules" / "words" / "index.js").is_file()
    assert ("npm ci" in caplog.text, "npm install" in caplog.text) == (locked, not locked)


def test_what_its_owner_has_installed_is_run_where_it_is(ready, package):
    depending(package)
    shutil.copytree(package / "words", package / "node_modules" / "words")

    assert ready(package, no_node).entry is None


def test_what_may_not_be_installed_is_refused(ready, package):
    with pytest.raises(PackageError, match=r"needs words, and 'node_install_deps' is off"):
        ready(depending(package), no_node, install=False)


@pytest.mark.parametrize("allowed", [True, False])
def test_the_scripts_of_dependencies_run_only_where_they_may(ready, package, tmp_path, allowed):
    depending(package, script=f"touch {tmp_path / 'ran'}")

    ready(package, scripts=allowed)

    assert (tmp_path / "ran").exists() == allowed


def test_a_dependency_beside_the_package_is_for_its_owner_to_install(ready, package, tmp_path):
    write(tmp_path / "shared", {"package.json": {"name": "shared", "version": "1.0.0"}})
    write(
        package,
        {
            "package.json": manifest(entry="src/tool.js", dependencies={"shared": "file:../shared"}),
            "src/tool.js": tool(),
        },
    )

    with pytest.raises(PackageError, match="depends on shared by a path that leads out of it"):
        ready(package)


def test_a_failed_build_says_what_was_run_what_it_said_and_what_to_do(ready, package, tmp_path):
    built(package, "console.error('the moon is wrong'); process.exit(7);")

    with pytest.raises(PackageError) as caught:
        ready(package)

    sentence, *words = str(caught.value).splitlines()
    assert sentence.startswith(
        f"plugin {package}: npm run build ended with exit code 7; correct what it complains of"
    )
    assert sentence.endswith("its last words:")
    assert "    the moon is wrong" in words
    assert caught.value.step == "npm run build"
    assert list((tmp_path / "cache" / "v1" / "making").iterdir()) == []


def test_a_build_without_its_program_says_which_one_is_missing(ready, package):
    built(package)
    write(package, {"package.json": manifest(scripts={"build": "no-such-builder src"})})

    with pytest.raises(
        PackageError, match=r"add the package that has the program 'no-such-builder' to its devDependencies"
    ):
        ready(package)


def test_a_build_that_makes_something_else_says_so(ready, package):
    built(package)
    write(package, {"package.json": manifest(entry="dist/other.js", scripts={"build": "node build.mjs"})})

    with pytest.raises(PackageError, match=r"its build made no dist/other.js; correct 'entry' or the build"):
        ready(package)


def test_a_build_that_takes_too_long_is_ended(ready, package):
    built(package, "setInterval(() => {}, 1000); await new Promise(() => {});")

    with pytest.raises(
        PackageError, match=r"npm run build took too long; raise 'node_step_timeout', now 1.5 s"
    ):
        ready(package, seconds=1.5)


def test_a_build_cannot_see_the_secrets_of_the_program(ready, package, tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "secret")
    built(package, f"writeFileSync({str(tmp_path / 'seen')!r}, JSON.stringify(process.env));")

    ready(package)

    assert "secret" not in (tmp_path / "seen").read_text()


def test_a_build_gets_no_password_of_a_proxy_or_a_registry(ready, package, tmp_path, monkeypatch):
    home = write(tmp_path / "home", {".npmrc": "registry=http://me:in-a-file@registry.example/\n"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HTTPS_PROXY", "http://me:at/the@proxy@proxy.example:8080")
    monkeypatch.setenv("npm_config_proxy", "me:at-the-proxy@proxy.example:8080")
    monkeypatch.setenv("npm_config_@mine:registry", "http://me:of-a-scope@registry.example/")
    built(package, f"writeFileSync({str(tmp_path / 'seen')!r}, JSON.stringify(process.env));")

    ready(package)

    seen = json.loads((tmp_path / "seen").read_text())
    assert [name for name, value in seen.items() if "me:" in value or "@proxy" in value] == []
    assert seen["HTTPS_PROXY"] == "http://proxy.example:8080"
    assert seen["npm_config_proxy"] == "proxy.example:8080"
    assert seen["npm_config_registry"] == "http://registry.example/"


def test_an_entry_that_the_build_links_out_of_the_package_is_refused(ready, package, tmp_path):
    write(tmp_path, {"outside.js": tool()})
    built(package)
    build = f"import {{ mkdirSync, symlinkSync }} from 'node:fs'; mkdirSync('dist'); symlinkSync({str(tmp_path / 'outside.js')!r}, 'dist/index.js');"
    write(package, {"build.mjs": build})

    with pytest.raises(PluginLoadError, match=r"leads out of the package, to .*outside\.js"):
        ready(package)


def test_a_package_may_hold_the_cache_itself(ready, package, tmp_path):
    built(tmp_path)

    first, second = ready(tmp_path), ready(tmp_path)

    assert first.package == second.package
    assert not list(first.package.directory.rglob("record.json"))


def test_links_inside_a_package_are_copied_as_links(ready, package):
    built(package)
    (package / "src" / "link.js").symlink_to("tool.js")

    assert (ready(package).package.directory / "src" / "link.js").readlink().as_posix() == "tool.js"


def test_a_pipe_in_a_package_is_passed_over(ready, package):
    built(package)
    os.mkfifo(package / "pipe")

    assert not (ready(package).package.directory / "pipe").exists()


def test_what_somebody_took_out_of_the_cache_is_made_again(ready, package):
    built(package)
    ready(package).package.tools[0].entry.unlink()

    assert ready(package).package.tools[0].entry.read_text() == tool()


def test_a_package_that_was_made_needs_neither_npm_nor_the_registry_again(ready, package):
    depending(package)
    ready(package)
    gone = replace(find_node(), path="/no/such/node")

    assert ready(package, lambda: gone).entry is not None


def test_without_node_nothing_can_be_made(ready, package):
    built(package)

    with pytest.raises(HostStartError, match="no usable Node"):
        ready(package, lambda: find_node("/no/such/node"))
