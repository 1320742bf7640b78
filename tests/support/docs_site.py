"""The site of the documentation: its pages laid out to be built, and its list for language models, made from the navigation.

    python tests/support/docs_site.py          writes llms.txt anew
    python tests/support/docs_site.py pages    lays the pages out in build/pages, for zensical
    python tests/support/docs_site.py finish   adds what zensical leaves out to build/site

The pages keep their folders, so that links between them lead where they led. The README is the start page. Files of the project
that a page links to are put beside the pages.
"""

from __future__ import annotations

import ast
import importlib
import re
import shutil
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from house_source import FACE, ROOT, modules, project_files

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIGURATION = ROOT / "zensical.toml"
LIST = ROOT / "llms.txt"
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"

API = "api"
"""The folder of the pages that are made of docstrings; they are on the site alone."""

INNER = {
    "Call": (
        *(
            "abandon",
            "add_chunk",
            "adopt",
            "belongs_to",
            "begin",
            "decided",
            "nudge",
            "end_early",
            "finish",
            "hold",
            "limit",
            "recover",
            "withdraw",
            "news",
        ),
        *("put_back", "take_chunk"),
    ),
    "Callboard": ("forked", "open_state"),
    "HostedToolPlugin": ("apart", "begins_otherwise", "known_as", "limit_memory", "remembered", "sharing"),
    "NodeToolPlugin": ("apart", "begins_otherwise", "known_as", "limit_memory", "remembered", "sharing"),
    "NotStarted": ("in_child_of",),
    "PluginAdapter": (
        *(
            "call_mode",
            "claim",
            "format_result",
            "has_prepare",
            "interop_contribution",
            "refusal",
            "wants_context",
        ),
    ),
    "Question": ("key",),
    "ReplayServer": ("root",),
    "ToolInteropRegistry": ("convert_schema",),
    "ToolResult": ("get_serialized_output", "model_dump"),
}
"""What is public for the rooms of the house alone, by class: it stands on no page."""

START = "index.md"
"""The README, on the site."""

SECTIONS = ("docs/adapters/README.md", "docs/design/README.md", "examples/README.md")
"""Pages that list others: those stand in no navigation of their own."""

_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)#\s]*)(?P<anchor>#[^)\s]*)?(?P<after>\))")
_ROW = re.compile(r"^\| \[(?P<title>[^]]+)\]\((?P<page>[^)]+)\)[^|]*\| (?P<says>.+?) \|$", re.MULTILINE)
_MARK = re.compile(r"^<!-- (?:not run|file: \S+) -->\n", re.MULTILINE)


class Listed(NamedTuple):
    """A page of the navigation: its section, its title, and its path in the checkout."""

    section: str
    title: str
    page: str


def navigation() -> list[Listed]:
    """The pages of the navigation, in order."""
    return list(_walk(_project()["nav"], ""))


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(CONFIGURATION.read_text())["project"]
    return project


def _walk(nav: list[dict[str, Any]], section: str) -> Iterator[Listed]:
    for item in nav:
        for title, target in item.items():
            if isinstance(target, str):
                yield Listed(section, title, "README.md" if target == START else target)
            else:
                yield from _walk(target, title)


def descriptions() -> dict[str, str]:
    """What the README, and the first page of the reference, say that each page is for."""
    found: dict[str, str] = {}
    for page in ("docs/reference.md", "README.md"):
        for row in _ROW.finditer((ROOT / page).read_text()):
            listed = (Path(page).parent / row["page"]).as_posix()
            found[listed] = _LINK.sub("", row["says"]).replace("[", "")
    return found


def llms_txt(*, site: bool = False) -> str:
    """The list of all pages for language models, see llmstxt.org; those of docstrings are there on the site alone."""
    project, says = _project(), descriptions()
    lines = [f"# {project['site_name']}", "", f"> {project['site_description']}"]
    section = None
    for each in navigation():
        if each.page.startswith(f"{API}/") and not site:
            continue
        if each.section != section:
            section = each.section
            lines += ["", f"## {section or 'Start'}", ""]
        more = says.get(each.page)
        lines.append(f"- [{each.title}]({each.page}){f': {more}' if more else ''}")
    return "\n".join(lines) + "\n"


def lay_out() -> None:
    """Fill `PAGES`: all pages of the project, and the files that they link to."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for face, names in faces().items():
        made = PAGES / API / f"{face}.md"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(api_page(face, names))
    for page in project_files(".md"):
        name = page.relative_to(ROOT)
        if name.parts[0] in {"tests", "build"}:
            continue
        target = PAGES / (START if name == Path("README.md") else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            _LINK.sub(lambda link, page=page: _placed(link, page), _MARK.sub("", page.read_text()))
        )


def _placed(link: re.Match[str], page: Path) -> str:
    target = link["target"]
    if not target or "://" in target or target.startswith("mailto:"):
        return link[0]
    found = (page.parent / target).resolve()
    if found == ROOT / "README.md":
        target = target.replace("README.md", START)
    elif found.is_file() and found.suffix != ".md":
        beside = PAGES / found.relative_to(ROOT)
        beside.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found, beside)
    return f"{link['before']}{target}{link['anchor'] or ''}{link['after']}"


def faces() -> dict[str, list[str]]:
    """The modules that publish names, and these."""
    found = {}
    for module in modules():
        for node in module.tree.body:
            if (
                module.room == FACE
                and isinstance(node, ast.Assign)
                and ast.unparse(node.targets[0]) == "__all__"
            ):
                found[module.name] = [
                    name for name in ast.literal_eval(node.value) if not name.startswith("_")
                ]
    return {name: names for name, names in found.items() if names}


def api_page(face: str, names: list[str]) -> str:
    """A page whose text is that of the docstrings."""
    module = importlib.import_module(face)
    return "\n\n".join([f"# {face}", str(module.__doc__), *(_directive(face, name) for name in names)]) + "\n"


def _directive(face: str, name: str) -> str:
    inner = INNER.get(name)
    hidden = f'\n    options:\n      filters: ["!^_", "!^({"|".join(inner)})$"]' if inner else ""
    return f"::: {face}.{name}{hidden}"


def finish() -> None:
    """Add to `SITE` the list for language models, and each page as the text that it lists."""
    (SITE / LIST.name).write_text(llms_txt(site=True))
    for page in PAGES.rglob("*.md"):
        name = page.relative_to(PAGES)
        target = SITE / ("README.md" if name == Path(START) else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)


class _Page(HTMLParser):
    """The links and the anchors of a page of the site."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in {"href", "src"} and value:
                self.links.add(value)


def broken_links() -> list[str]:
    """Links of the site, to files and anchors in it, that lead nowhere."""
    pages = {file: _Page(file.read_text()) for file in SITE.rglob("*.html") if file.name != "404.html"}
    broken = []
    for file, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            known = pages.get(target)
            if not target.is_file() or (
                parts.fragment and known and unquote(parts.fragment) not in known.anchors
            ):
                broken.append(f"{file.relative_to(SITE)}: {link}")
    return broken


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pages"]:
            lay_out()
        case ["finish"]:
            finish()
            if broken := broken_links():
                sys.exit("\n".join(["these links lead nowhere:", *broken]))
        case _:
            LIST.write_text(llms_txt())
