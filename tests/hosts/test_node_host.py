"""The Node host as one module: how its modules are joined, and when that is what runs."""

from __future__ import annotations

import re

import pytest
from callboard.hosts.node import build_runner as node_making
from callboard.hosts.node import runner_script as node_host
from callboard.hosts.node.join_modules import joined

LEAF = (
    "// Leaf.\n\nimport { a, b } from 'node:fs';\n\nexport const { one, two } = a;\nexport class Three {}\n"
)
MIDDLE = (
    "import { b, c } from 'node:fs';\nimport { one } from './leaf.mjs';\n\nexport async function four() {}\n"
)
ENTRY = "import { four } from './middle.mjs';\nimport { Three } from './leaf.mjs';\n\nfour(new Three());\n"
MODULES = {"entry.mjs": ENTRY, "middle.mjs": MIDDLE, "leaf.mjs": LEAF, "another.mjs": "import x from 'y';\n"}


def test_modules_are_joined_in_the_order_in_which_they_would_run():
    text = joined(MODULES, "entry.mjs")

    assert text.split("\n") == [
        "import { a, b, c } from 'node:fs';",
        "",
        "// Leaf.",
        "",
        "",
        "const { one, two } = a;",
        "class Three {}",
        "",
        "",
        "async function four() {}",
        "",
        "",
        "four(new Three());",
        "",
    ]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (
            {"leaf.mjs": "import { four } from './middle.mjs';\n"},
            "leaf.mjs imports middle.mjs, which imports it",
        ),
        (
            {"entry.mjs": "import { x } from './gone.mjs';\n"},
            "entry.mjs imports gone.mjs, which is not there",
        ),
        (
            {"middle.mjs": "import fs from 'node:fs';\n"},
            "middle.mjs cannot be joined with others: import fs from",
        ),
        (
            {"middle.mjs": "import { a as b } from 'node:fs';\n"},
            "cannot be joined with others: import { a as b }",
        ),
        ({"middle.mjs": "export default 1;\n"}, "middle.mjs cannot be joined with others: export default 1"),
        ({"middle.mjs": MIDDLE + "const two = 2;\n"}, "leaf.mjs and middle.mjs both have a two"),
        ({"entry.mjs": ENTRY + "function Three() {}\n"}, "leaf.mjs and entry.mjs both have a Three"),
        ({"entry.mjs": ENTRY + "const b = 1;\n"}, "node:fs and entry.mjs both have a b"),
    ],
)
def test_what_cannot_be_joined_is_refused(changed, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        joined(MODULES | changed, "entry.mjs")


def test_the_modules_of_the_host_can_be_joined_and_what_is_made_is_told_apart_from_them():
    made = node_making.made_of(node_host.sources())

    assert list(made)[-1] == "host.mjs"
    assert made["host.mjs"].startswith("// Made of the modules beside this folder, ")
    assert "'./host_" not in made["host.mjs"]


def test_what_was_made_runs_for_as_long_as_the_sources_are_those_it_was_made_of(tmp_path):
    for name, text in {
        "host.mjs": "import { a } from './host_a.mjs';\n",
        "host_a.mjs": "export const a = 1;\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "host_syntax.mjs").write_text("")

    before = node_host.host_script(tmp_path)
    node_making.make(tmp_path)
    node_host.host_script.cache_clear()
    made = node_host.host_script(tmp_path)
    (tmp_path / "host_a.mjs").write_text("export const a = 2;\n")
    node_host.host_script.cache_clear()
    after = node_host.host_script(tmp_path)

    assert (before, after) == (tmp_path / "host.mjs", tmp_path / "host.mjs")
    assert made == tmp_path / "dist" / "host.mjs"
    assert made.read_text().endswith("\nconst a = 1;\n\n")
