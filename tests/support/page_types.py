"""The Python of the pages under two type checkers, each in its strict mode: what a reader copies is clean in the reader's editor too.
With it the programs of `tests/programs/typed`, which do with the types what no page shows. A comment that ignores a complaint is an
error where there is none, so such a program also says what has to be refused. And with it the plugin that ``callboard new python`` writes.

    python tests/support/page_types.py PYTHON

`PYTHON` is that of an environment that has the package as it is installed, the frameworks of the adapters, and both checkers. A page
is one module, as it is one program where the tests run it, and each line keeps its number. What a page has written to a file is a
module too, and can be imported by its name. Each checker starts once, for all of them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from pages import PAGES, Block, blocks, program
from programs import ROOT
from public_types import environment_of

PROGRAMS = ROOT / "tests" / "programs" / "typed"
TEMPLATE = ROOT / "examples" / "template-python-tools"

SETTINGS = f"""
[mypy]
cache_dir = {ROOT / ".mypy_cache" / "pages"}
strict = True
pretty = False
show_column_numbers = True
"""

PYRIGHT = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": True}

_PLACE = re.compile(r"^\s*(?P<file>\S+\.pyi?):(?P<line>\d+)(?::\d+)?[ :-]+(?P<said>.*)$")


def pages() -> dict[str, Path]:
    """The pages for readers: all but those that tell of the design."""
    return {name: page for name, page in PAGES.items() if not name.startswith("docs/design/")}


def modules_of(name: str, page: Path) -> dict[str, str]:
    """The modules of a page by their paths: its own, and those of the files that it has written."""
    slug = re.sub(r"\W", "_", name.removesuffix(".md"))
    found = {f"{slug}.py": program(page)}
    for block in blocks(page):
        if block.language == "python" and block.remark == "not run":
            found[f"{slug}_{block.line}.py"] = _text(block)
        elif block.language == "python" and block.file is not None:
            path = block.file.rpartition("src/")[2]
            found[f"{slug}_{path}" if path == "program.py" else path] = _text(block)
    return {path: text for path, text in found.items() if text.strip() or path.endswith("__init__.py")}


def template() -> dict[str, Path]:
    """The modules of the plugin that is written for an author, by the paths that they are imported by."""
    return {
        file.relative_to(TEMPLATE / part).as_posix(): file
        for part in ("src", "tests")
        for file in sorted((TEMPLATE / part).rglob("*.py"))
    }


def _text(block: Block) -> str:
    """A block's lines, each where it stands on the page."""
    return "\n" * (block.line - 1) + "\n".join(block.lines) + "\n"


def problems(python: str) -> list[str]:
    """What the checkers say against the pages, each as ``PAGE:LINE CHECKER: what``."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        of: dict[str, str] = {}
        for page_name, page in pages().items():
            for path, text in modules_of(page_name, page).items():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                of[path] = page_name
        for typed in PROGRAMS.glob("*.py"):
            (folder / f"typed_{typed.name}").write_text(typed.read_text())
            of[f"typed_{typed.name}"] = typed.relative_to(ROOT).as_posix()
        for path, part in template().items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(part.read_text())
            of[path] = part.relative_to(ROOT).as_posix()
        (folder / "mypy.ini").write_text(SETTINGS)
        (folder / "pyrightconfig.json").write_text(json.dumps(PYRIGHT))
        said = [*_run(python, "mypy", ".", folder=folder), *_run(python, "pyright", folder=folder)]
    return [found for line in said if (found := _placed(line, of)) is not None]


def _run(python: str, checker: str, *arguments: str, folder: Path) -> list[str]:
    argv = [python, "-m", checker, *arguments]
    environment = environment_of(python)
    ended = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1) or not ended.stdout:
        raise SystemExit(f"{checker} did not run:\n{ended.stdout}{ended.stderr}")
    return [f"{checker} {line.strip().removeprefix(f'{folder}/')}" for line in ended.stdout.splitlines()]


def _placed(line: str, of: dict[str, str]) -> str | None:
    checker, _, rest = line.partition(" ")
    found = _PLACE.match(rest)
    if found is None or not found["said"].startswith("error"):
        return None
    said = found["said"].removeprefix("error").lstrip(": ")
    return f"{of.get(found['file'], found['file'])}:{found['line']} {checker}: {said}"


def main(python: str) -> int:
    """Print what is wrong; 1 if anything is."""
    wrong = problems(python)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(pages())} pages: {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
