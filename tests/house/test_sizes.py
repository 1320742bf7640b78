"""No file is longer than one can keep in mind, nor so short that it is a part of another. Only code counts, not what explains it."""

from __future__ import annotations

import ast
import functools
import io
import tokenize
from collections import defaultdict

from house_purity import is_pure
from house_source import ROLES, ROOT, Module, imports, modules, project_files

MOST = 250
"""Lines of code in a module of the package: no docstring, comment, import or blank line."""

MOST_OF_A_CLASS = 300
"""In a module that is one public class; its errors and protocols may stand beside it."""

LONGER = {
    "chaos/inject/evil_host.py": "a program that is started with one file, and imports nothing of the house",
    "hosts/process_tree/tree_kill.py": "as above: the watchdog",
}
"""Modules with more, up to `MOST_OF_A_CLASS`, and why."""

LEAST = 40
"""Lines of code below which a module that one other alone imports is a part of that one."""

TOGETHER = 200
"""Lines of code of the two together above which both are better read apart."""

APART = {
    "agent/providers/anthropic_messages.py": "a provider, beside the others",
    "agent/providers/openai_responses.py": "a provider, beside the others",
    "chaos/virtual/event_stream.py": "imported by users under this name; the reference says so",
    "chaos/virtual/stuck.py": "imported by users under this name; the reference says so",
    "facade/cli/commands/npm.py": "a command, which the list of all names; another asks whether it is needed",
    "facade/demo/demonstration.py": "what the demonstration does; the command only asks for it",
    "facade/cli/mcp/login.py": "another step than serving, which the command only has an option for",
    "facade/trial/tampered_board.py": "the one thing that a program of a lower room has from here",
    "hosts/node/shared.py": "what hosts of several plugins have in common",
    "hosts/node_packages/inner_manifests.py": "which manifests count; what makes a package ready only takes them into its step",
    "hosts/node_packages/node_facts.py": "what was read of a package; what makes it ready only decides by it",
    "hosts/node_packages/npm_package.py": "in another room than its user, beside the package that it reads",
    "hosts/packages/output_posix.py": "a system's own: the other one has its twin",
    "hosts/packages/output_windows.py": "a system's own: the other one has its twin",
    "hosts/process/channel.py": "a queue, which is tested on every system; its user runs on one",
    "hosts/python/runner/known_states.py": "which states are known is no matter of threads and streams",
    "interop/streams/anthropic.py": "the stream of a provider, beside the others",
    "interop/streams/bedrock.py": "the stream of a provider, beside the others",
    "interop/streams/cohere.py": "the stream of a provider, beside the others",
    "interop/streams/ollama.py": "the stream of a provider, beside the others",
}
"""Small modules that one other alone imports, and why they stand apart all the same."""

MOST_OF_A_TEST = 320
"""Of a file of tests, and of what helps them."""

MOST_OF_OTHERS = 400
"""Lines, all counted, of a file that is not Python."""

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(source: str) -> int:
    """How many lines of a module are code."""
    aside: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            aside |= _lines_of(node)
        elif isinstance(node, _DOCUMENTED):
            aside |= {line for text in node.body if _is_text(text) for line in _lines_of(text)}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {
        line
        for token in tokens
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code - aside)


def _lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def test_what_explains_code_is_not_counted():
    source = '"""What it is.\n\nAnd is not.\n"""\nimport ast\n\n# Why.\nx = [\n    1,\n]\n"""What x is."""\n'

    assert code_lines(source) == 3


def test_no_python_file_has_too_many_lines_of_code() -> None:
    paths = {path.relative_to(ROOT).as_posix(): path for path in project_files(".py")}
    one_class = {module.path for module in modules() if _is_one_class(module)} | set(LONGER)
    most = {
        name: MOST_OF_A_TEST if name.startswith("tests/") else MOST_OF_A_CLASS if name in one_class else MOST
        for name in paths
    }
    texts = {name: path.read_text() for name, path in paths.items()}
    # Only these are read as tokens, which is slow.
    long = {name: text for name, text in texts.items() if text.count("\n") > most[name]}
    lengths = {name: code_lines(text) for name, text in long.items()}

    assert {name: length for name, length in lengths.items() if length > most[name]} == {}


def _is_one_class(module: Module) -> bool:
    """Whether one class is all that others can have from it, but for its errors and protocols."""
    public = [
        node
        for node in module.tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
    ]
    main = [node for node in public if not (isinstance(node, ast.ClassDef) and _is_aside(node))]
    return len(main) == 1 and isinstance(main[0], ast.ClassDef)


def _is_aside(node: ast.ClassDef) -> bool:
    """Whether it is an error or a protocol."""
    bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
    return any(base == "Protocol" or base.endswith("Error") for base in bases)


def test_the_table_of_longer_modules_is_up_to_date() -> None:
    assert [path for path in LONGER if code_lines((ROOT / path).read_text()) <= MOST] == []


def test_a_small_module_that_one_other_imports_is_a_part_of_that_one() -> None:
    alone = _alone()

    assert {path: by for path, by in alone.items() if path not in APART} == {}


def test_the_table_of_small_modules_is_up_to_date() -> None:
    assert set(APART) - set(_alone()) == set()


@functools.cache
def _alone() -> dict[str, str]:
    """The small modules with the one that imports each.

    Not those that are imported late, whose use decides whether they are loaded at all; not what several folders have by
    design; not a decision that is kept pure, apart from what carries it out.
    """
    by_name = {module.name: module for module in modules()}
    importers: dict[str, set[str]] = defaultdict(set)
    late = set()
    for found in imports():
        if found.target in by_name and found.target != found.module.name:
            importers[found.target].add(found.module.path)
            late |= {found.target} if found.in_function else set()
    alone = {}
    for name, above in importers.items():
        path, by = by_name[name].path, min(above)
        if len(above) > 1 or name in late or by_name[name].is_package or path.rpartition("/")[2] in ROLES:
            continue
        if is_pure(path) and not is_pure(by):
            continue
        own, both = (code_lines((ROOT / each).read_text()) for each in (path, by))
        if own < LEAST and own + both <= TOGETHER:
            alone[path] = by
    return alone


def test_no_other_file_is_over_400_lines() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines())
        for path in project_files(".mjs", ".js", ".ts", ".sh")
    }

    assert {name: length for name, length in lengths.items() if length > MOST_OF_OTHERS} == {}
