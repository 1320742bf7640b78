"""`callboard check` and `callboard schema`: what is wrong with a configuration, and what one may have."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...authoring.locate import CONFIGURATION
from ...check.problems import problems_of
from ..ui.exit_codes import FAILED, WELL
from ..ui.files import Report, write_report
from ..ui.options import common, json_option, quiet
from ..ui.streams import Streams

if TYPE_CHECKING:
    from ...check.problems import Problem


@click.command(short_help="All that is wrong with configurations, with lines; starts nothing.")
@click.argument("configs", metavar="CONFIG...", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@common
def check(configs: tuple[Path, ...], as_json: bool) -> int:
    """Say all that is wrong with each CONFIG at once, as FILE:LINE:COLUMN: what is wrong. Nothing is started, installed or fetched.

    CONFIG may be a folder with an agent.json. Whether a plugin takes its `config` only the plugin knows, when it is
    loaded. Exit status 1 when something is wrong, 2 when a file cannot be read.
    """
    quiet()
    status = WELL
    with Streams(as_json=as_json) as out:
        for place in configs:
            file = place / CONFIGURATION if place.is_dir() else place
            found = problems_of(file)
            status = FAILED if found else status
            if not out.people:
                for problem in found:
                    out.print_json(_told(file, problem))
                continue
            for problem in found:
                line, column = problem.position
                text = f"{file}:{line}:{column}: {problem.message}"
                out.console.print(text, markup=False, highlight=False, soft_wrap=True)
            if found:
                continue
            out.console.print(f"{file}: nothing is wrong", markup=False, highlight=False, soft_wrap=True)
    return status


def _told(file: Path, problem: Problem) -> dict[str, object]:
    line, column = problem.position
    return {
        "file": str(file),
        "line": line,
        "column": column,
        "path": problem.path,
        "message": problem.message,
    }


@click.command(short_help="The JSON Schema of configurations, for editors.")
@click.option("-o", "--output", type=Report(), help="Write it to this file instead.")
@common
def schema(output: Path | None) -> int:
    """Write the JSON Schema of configurations: an editor that has it completes keys, shows what they mean, and marks what is wrong.

    \b
    callboard schema -o callboard.schema.json
    {"$schema": "./callboard.schema.json", "plugins": []}
    """  # noqa: D301 - the mark by which click keeps lines apart
    text = files("callboard.config").joinpath("configuration.schema.json").read_text("utf-8")
    with Streams(as_json=False) as out:
        if output is None:
            out.console.print(text, markup=False, highlight=False, soft_wrap=True, end="")
        return WELL if write_report(output, text) else FAILED
