"""No file is longer than one can keep in mind. What explains it does not count: only code does."""

from __future__ import annotations

import ast
import io
import tokenize

from house_source import ROOT, project_files

MOST = 300
"""Lines of code in a module of the package: no docstring, comment, import or blank line."""

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
    most = {name: MOST_OF_A_TEST if name.startswith("tests/") else MOST for name in paths}
    texts = {name: path.read_text() for name, path in paths.items()}
    long = {
        name: text for name, text in texts.items() if text.count("\n") > most[name]
    }  # reading tokens is slow
    lengths = {name: code_lines(text) for name, text in long.items()}

    assert {name: length for name, length in lengths.items() if length > most[name]} == {}


def test_no_other_file_is_over_400_lines() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines())
        for path in project_files(".mjs", ".js", ".ts", ".sh")
    }

    assert {name: length for name, length in lengths.items() if length > MOST_OF_OTHERS} == {}
