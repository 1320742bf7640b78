"""TypeScript runs: by Node alone where taking out the types is enough, by esbuild where it is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from callboard.hosts.errors import RemoteError
from callboard.hosts.node.find import find_node
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.hosts.node_packages.typescript import TypeScript, is_typescript
from callboard.hosts.packages.cache import PackageCache
from callboard.hosts.packages.command_runner import CommandRunner
from callboard.hosts.packages.package_errors import PackageError
from leaks import no_leaks
from node_packages import write
from thorough import every

NODE = find_node()


@pytest.fixture(scope="module")
def esbuild(tmp_path_factory):
    """A cache in which esbuild is, so that it is fetched once for all these tests."""
    folder = tmp_path_factory.mktemp("esbuild")
    file = write(folder, {"a.ts": "export enum A { B }"}) / "a.ts"
    ready(folder / "cache", file)
    return folder / "cache" / "v1" / "tools"


@pytest.fixture
def cache(tmp_path, esbuild):
    (tmp_path / "cache" / "v1").mkdir(parents=True)
    (tmp_path / "cache" / "v1" / "tools").symlink_to(esbuild)
    return tmp_path / "cache"


def ready(cache, file, *, may_fetch=True):
    with CommandRunner(50) as command_runner:
        return TypeScript(PackageCache(cache), command_runner, NODE, may_fetch=may_fetch).ready(file)


def answer(module, file, **arguments):
    with NodeToolPlugin("it", file, module=module.path, node=NODE.path) as plugin:
        return plugin.execute_tool("it", arguments, plugin.init({}))


def tool(result, before="", statement=""):
    return (
        f"{before}\ntype State = {{ config: object }};\n"
        f"export default {{\n  init(config: object): State {{ return {{ config }}; }},\n  getToolSchemas() {{ return []; }},\n"
        f"  executeTool(name: string, args: {{ n: number }}) {{ {statement} return {{ success: true, result: {result} }}; }},\n}};\n"
    )


SERVED = {
    "types": {"tool.ts": tool("args.n as number")},
    "a module by its suffix": {
        "tool.ts": tool("twice(7)", "import { twice } from './twice.ts';"),
        "twice.ts": "export const twice = (n: number) => 2 * n;",
    },
    "marked types": {
        "tool.ts": tool(
            "one",
            "import { type One, one } from './one.ts'; import type { Two } from './one.ts';\ntype Three = One | Two;",
        ),
        "one.ts": "export type One = 1; export type Two = 2; export const one: One = 1;",
    },
    "what is built in": {"tool.ts": tool("basename('a/b')", "import { basename } from 'node:path';")},
    "a package": {
        "tool.ts": tool("word", "import { word } from 'words';"),
        "node_modules/words/package.json": {
            "name": "words",
            "type": "module",
            "exports": {"import": "./i.js"},
        },
        "node_modules/words/i.js": "export const word = 'w';",
    },
}
NOT_SERVED = {
    "an enum": ({"tool.ts": tool("Kind.A", "enum Kind { A = 'a' }")}, "a"),
    "a namespace": ({"tool.ts": tool("N.a", "namespace N { export const a = 1; }")}, 1),
    "a parameter property": (
        {"tool.ts": tool("new P(3).x", "class P { constructor(readonly x: number) {} }")},
        3,
    ),
    "a decorator": (
        {
            "tool.ts": tool(
                "new C().twice(2)",
                "const twice = (f: any, _: unknown) => (n: number) => f(n) * 2;\nclass C { @twice twice(n: number) { return n; } }",
            )
        },
        4,
    ),
    "an import without a suffix": (
        {"tool.ts": tool("one", "import { one } from './deep';"), "deep/index.ts": "export const one = 1;"},
        1,
    ),
    "an import by the suffix of what it would become": (
        {"tool.ts": tool("one", "import { one } from './one.js';"), "one.ts": "export const one = 1;"},
        1,
    ),
    "a type that is not marked": (
        {
            "tool.ts": tool("two", "import { One, two } from './one.ts';\nlet one: One;"),
            "one.ts": "export type One = 1; export const two = 2;",
        },
        2,
    ),
    "a type that is only spoken of": (
        {
            "tool.ts": tool(
                "two", "// One is a type\nimport { One, two } from './one.ts';\nlet one: One = 'One';"
            ),
            "one.ts": "export type One = string; export const two = 2;",
        },
        2,
    ),
    "an enum in a module that is imported": (
        {
            "tool.ts": tool("Kind.A", "import { Kind } from './kind.ts';"),
            "kind.ts": "export enum Kind { A = 5 }",
        },
        5,
    ),
    "a path of tsconfig.json": (
        {
            "tool.ts": tool("one", "import { one } from '@/one';"),
            "lib/one.ts": "export const one = 1;",
            "tsconfig.json": {"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}},
        },
        1,
    ),
}


@pytest.mark.parametrize("files", every(2, SERVED.values()), ids=every(2, SERVED))
def test_what_is_served_by_taking_out_its_types_is_run_as_it_is(tmp_path, files):
    file = write(tmp_path / "it", files) / "tool.ts"

    module = ready(tmp_path / "cache", file, may_fetch=False)

    assert (module.path, module.entry) == (file, None)
    assert answer(module, file, n=1)["success"]


@pytest.mark.parametrize(("files", "result"), every(2, NOT_SERVED.values()), ids=every(2, NOT_SERVED))
def test_what_is_more_than_types_is_run_by_way_of_esbuild(tmp_path, cache, files, result):
    file = write(tmp_path / "it", files) / "tool.ts"

    module = ready(cache, file)

    assert module.path.is_relative_to(cache)
    assert answer(module, file, n=1)["result"] == result


def test_a_module_in_node_modules_is_run_by_way_of_esbuild(tmp_path, cache):
    file = write(tmp_path / "node_modules" / "it", {"tool.ts": tool("args.n as number")}) / "tool.ts"

    module = ready(cache, file)

    assert module.path.is_relative_to(cache)
    assert answer(module, file, n=1)["result"] == 1


@pytest.mark.parametrize("suffix", every(2, [".ts", ".mts", ".cts"]))
@pytest.mark.parametrize("before", ["", "enum Kind { A }"], ids=["types alone", "more than types"])
def test_a_module_of_any_suffix_runs(tmp_path, cache, suffix, before):
    assert is_typescript(Path(f"tool{suffix}"))
    body = tool("args.n", before)
    if suffix == ".cts":
        body = body.replace("export default", "module.exports =")
    file = write(tmp_path / "it", {f"tool{suffix}": body}) / f"tool{suffix}"

    assert answer(ready(cache, file), file, n=7)["result"] == 7


def test_a_module_finds_what_lies_beside_it(tmp_path, cache):
    read = "readFileSync(new URL('./words.txt', import.meta.url), 'utf8') + data.n + require('./more.json').n"
    before = (
        "import { readFileSync } from 'node:fs'; import data from './data.json'; import { createRequire } from 'node:module';\n"
        "const require = createRequire(import.meta.url);\nenum Kind { A }"
    )
    files = {
        "tool.ts": tool(read, before),
        "words.txt": "beside ",
        "data.json": {"n": 7},
        "more.json": {"n": 8},
    }
    file = write(tmp_path / "it", files) / "tool.ts"

    assert answer(ready(cache, file), file)["result"] == "beside 78"


def test_an_error_is_told_by_the_lines_that_its_author_wrote(tmp_path, cache):
    fails = "export enum Kind { A }\n\nexport function fail(): never {\n\n  throw new TypeError('no');\n}\n"
    files = {"tool.ts": tool("0", "import { fail } from './deep/fails';", "fail();"), "deep/fails.ts": fails}
    file = write(tmp_path / "it", files) / "tool.ts"
    module = ready(cache, file)

    with pytest.raises(RemoteError) as caught:
        answer(module, file)

    assert f"{tmp_path / 'it' / 'deep' / 'fails.ts'}:5:" in caught.value.stack
    assert f"{file}:6:" in caught.value.stack


def test_a_wrong_export_is_told_by_the_file_that_its_author_wrote(tmp_path, cache):
    file = write(tmp_path / "it", {"tool.ts": "enum Kind { A }\nexport const other = Kind.A;"}) / "tool.ts"
    module = ready(cache, file)

    with pytest.raises(RemoteError, match=f'{file} has no export "default"; it exports other'):
        answer(module, file)


def test_a_module_is_made_once_and_anew_when_anything_of_it_changes(tmp_path, cache, caplog):
    files = dict(NOT_SERVED["an enum in a module that is imported"][0])
    file = write(tmp_path / "it", files) / "tool.ts"
    first = ready(cache, file)

    with caplog.at_level("INFO", "callboard.packages"):
        assert ready(cache, file).path == first.path
        assert caplog.text == ""
        write(tmp_path / "it", {"kind.ts": "export enum Kind { A = 6 }"})
        second = ready(cache, file)

    assert caplog.text.count("made JavaScript by esbuild") == 1
    assert answer(second, file)["result"] == 6
    assert answer(first, file)["result"] == 5


def test_a_setting_of_the_compiler_is_a_part_of_the_module(tmp_path, cache):
    file = write(tmp_path / "it", {**NOT_SERVED["an enum"][0], "tsconfig.json": {}}) / "tool.ts"
    first = ready(cache, file)

    write(tmp_path / "it", {"tsconfig.json": {"compilerOptions": {"target": "es2020"}}})

    assert ready(cache, file).path != first.path


def test_a_module_whose_package_has_moved_is_made_anew(tmp_path, cache):
    files = SERVED["a package"]
    more = {"tool.ts": f"{files['tool.ts']}enum Kind {{ A }}"}
    file = write(tmp_path / "it", {**files, **more}) / "tool.ts"
    ready(cache, file)
    shutil.rmtree(tmp_path / "it" / "node_modules")
    write(
        tmp_path,
        {
            f"node_modules/{name.removeprefix('node_modules/')}": content
            for name, content in files.items()
            if name != "tool.ts"
        },
    )

    assert answer(ready(cache, file), file)["result"] == "w"


def test_a_module_that_was_made_needs_neither_esbuild_nor_the_registry(tmp_path, cache):
    file = write(tmp_path / "it", NOT_SERVED["an enum"][0]) / "tool.ts"
    first = ready(cache, file)
    (cache / "v1" / "tools").unlink()

    assert ready(cache, file, may_fetch=False).path == first.path


def test_a_syntax_error_is_told_with_its_place(tmp_path, cache):
    file = write(tmp_path / "it", {"tool.ts": "export default {\n  a: ,\n};\n"}) / "tool.ts"

    with pytest.raises(PackageError) as caught:
        ready(cache, file)

    sentence, *words = str(caught.value).splitlines()
    assert sentence == f"{file} cannot be made JavaScript; correct it; its last words:"
    assert any("tool.ts:2:5" in word for word in words)


def test_esbuild_that_may_not_be_fetched_is_refused_with_what_to_do(tmp_path):
    file = write(tmp_path / "it", NOT_SERVED["an enum"][0]) / "tool.ts"

    with no_leaks(), pytest.raises(PackageError, match=r"needs esbuild, and 'node_install_deps' is off"):
        ready(tmp_path / "cache", file, may_fetch=False)

    assert list((tmp_path / "cache" / "v1" / "scratch").iterdir()) == []


def test_what_node_compiles_is_kept_before_the_host_can_be_killed(tmp_path):
    file = write(tmp_path / "it", {"tool.mts": tool("args.n")}) / "tool.mts"

    with NodeToolPlugin("it", file, compiled=tmp_path / "compiled", node=NODE.path) as plugin:
        plugin.init({})
        kept = [path for path in (tmp_path / "compiled").rglob("*") if path.is_file()]

    assert kept
