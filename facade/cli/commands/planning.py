"""`callboard plan` and `callboard trust`: what a configuration would have fetched, built and run, and agreeing to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...authoring.locate import configuration_at
from ...pins.tool_record import records_of
from ...trust.admission import Admission, trusting
from ...trust.load_plan import lines_of
from ...trust.trust_file import TrustFile, trust_file
from ..ui.exit_codes import FAILED, WELL
from ..ui.options import common, json_option, quiet
from ..ui.streams import Streams
from ..ui.text import Text, clean

if TYPE_CHECKING:
    from ...pins.tool_record import ToolRecord

_place = click.argument("place", metavar="CONFIG", type=click.Path(path_type=Path))


@click.command(short_help="What would be fetched, built and run; runs nothing.")
@_place
@json_option
@common
def plan(place: Path, as_json: bool) -> int:
    """Show what CONFIG would have fetched, built and run, and do nothing of it.

    CONFIG may be the folder of a plugin, too. Repositories are asked what commit a ref stands for. Exit status 1 when
    an entry cannot be loaded.
    """
    quiet()
    return show_plan(place, as_json=as_json)


@click.command(short_help="Trust what would be fetched, built or run, and declared tools.")
@_place
@click.option("--undo", is_flag=True, help="Trust it no more.")
@json_option
@common
def trust(place: Path, undo: bool, as_json: bool) -> int:
    """Trust what CONFIG would have fetched, built and run, as 'callboard plan' shows it, from now on.

    Another commit, other packages or another command are asked about again. Tools that MCP servers do not declare as
    they were kept are shown with the difference, and kept as they are declared now. Exit status 1 when an entry cannot
    be loaded; the others are trusted. With --undo no code of it is trusted any more, whatever other configurations have of
    it; what servers declare stays as it was kept.
    """
    quiet()
    return show_plan(place, as_json=as_json, trusts=not undo)


def show_plan(place: Path, *, as_json: bool, trusts: bool | None = None) -> int:
    """Show the plan of a place, and trust it from now on or no more, if either is said; returns the exit status.

    Raises:
        ConfigurationError, NothingThere: there is nothing to plan.
        TrustNotKept: the trust cannot be written down.
        RecordNotKept: what servers declare cannot be.
    """
    file = TrustFile(trust_file())
    with Streams(as_json=as_json) as out:
        configuration = configuration_at(place)
        admission = Admission(configuration, str(place), file)
        records = records_of(configuration)
        differing = _differing(records)
        trusted = admission.trusted
        forgotten = admission.undo() if trusts is False else None
        if trusts is not None:
            trusted = frozenset(step.digest for step in admission.plan.steps if trusts)
        if out.people:
            for line in lines_of(admission.plan, trusted):
                out.console.print(Text(clean(line).replace("\n", "␤")), soft_wrap=True)
            for name, tools in differing.items():
                out.console.print(Text(f"{clean(name)}: its tools are not declared as they were kept"))
                for tool, change in ((tool, each) for tool, changes in tools.items() for each in changes):
                    out.console.print(Text(clean(f"  {tool}: {change}").replace("\n", "␤")), soft_wrap=True)
            out.console.print(Text(f"digest {admission.plan.digest}", "dim"), soft_wrap=True)
        else:
            counted = {} if forgotten is None else {"forgotten": forgotten}
            out.print_json({**admission.plan.as_json(trusted), "differing": differing, **counted})
        if trusts:
            admission.trust()
            for record in records:
                record.learn()
        if out.people:
            out.console.print(Text(_ending(admission, place, forgotten)), soft_wrap=True)
            if differing:
                said = (
                    "the tools are kept as they are declared now"
                    if trusts
                    else f"tools that differ are not kept; keep them: {trusting(str(place))}"
                )
                out.console.print(Text(clean(said)), soft_wrap=True)
    return FAILED if any(each.problem for each in admission.plan.plugins) else WELL


def _differing(records: list[ToolRecord]) -> dict[str, dict[str, tuple[str, ...]]]:
    return {record.name: found for record in records if (found := record.pending())}


def _ending(admission: Admission, place: Path, forgotten: int | None) -> str:
    if not admission.plan.steps:
        return "nothing is fetched or built, and no command of it is asked about"
    if forgotten == 0:
        return "nothing of it was trusted, so nothing was forgotten"
    if forgotten is not None:
        many = "1 step is" if forgotten == 1 else f"{forgotten:,} steps are"
        return f"{many} no longer trusted; trust it again: {clean(trusting(str(place)))}"
    if admission.untrusted:
        return f"not trusted yet; trust it: {clean(trusting(str(place)))}"
    return "all of it is trusted"
