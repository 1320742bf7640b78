"""`callboard tools`: the tools of a configuration, where they run, and whether they do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from ...actors.threads.hook_pool import HookFailed
from ...base.errors import CallboardError
from ...base.suggestions import meant
from ...callboard import Callboard
from ...interop.format_ids import formats_of
from ..ui.board import why_absent
from ..ui.exit_codes import FAILED, WELL
from ..ui.options import common, config_argument, json_option, quiet
from ..ui.streams import Streams
from ..ui.text import Text
from ..ui.trust import admit
from .planning import show_plan

if TYPE_CHECKING:
    from ..ui.console import SafeConsole

Json = dict[str, Any]


@click.command(short_help="The tools of a configuration; --format for their schemas.")
@config_argument
@click.option(
    "--format", "wire_format", metavar="FORMAT",
    help="Write the tools' schemas in a wire format, such as openai.responses.function.",
)  # fmt: skip
@click.option(
    "--describe",
    is_flag=True,
    help="Write what each plugin says of itself instead: its configuration's schema, user interface elements, tags.",
)
@click.option(
    "--resources", "of_servers", is_flag=True,
    help="Write what its MCP servers share beside their tools: resources, and templates of their addresses.",
)  # fmt: skip
@click.option("--plan", "planned", is_flag=True, help="As 'callboard plan': start nothing.")
@json_option
@common
def tools(
    config: str,
    wire_format: str | None,
    *,
    describe: bool,
    of_servers: bool,
    planned: bool,
    as_json: bool,
) -> int:
    """List the tools of CONFIG, and where each of them runs.

    Starts all plugins to ask them. Exit status 1 when one of them could not be loaded or started.
    """
    if describe + of_servers + (wire_format is not None) > 1:
        raise click.UsageError(
            "--describe, --resources and --format ask for different things; choose one of them"
        )
    quiet()
    if planned:
        if describe or of_servers or wire_format is not None:
            raise click.UsageError("--plan starts nothing that could be asked; leave out the other option")
        return show_plan(Path(config), as_json=as_json)
    with Streams(as_json=as_json) as out:
        board = Callboard(config)
        board.configuration = admit(board.configuration, config, out.stdin)
        with board:
            rows = tool_rows(board)
            values = None if wire_format is None else _schemas(board, wire_format)
            if describe:
                values = [_described(board, name) for name in board.status()["plugins"]]
            if of_servers:
                values = _resources(board)
        if not out.people:
            for value in rows if values is None else values:
                out.print_json(value)
        elif values is None:
            show_tools(rows, out.console)
        else:
            for value in values:
                out.console.print_json(data=value)
    return WELL if all(row["available"] for row in rows) else FAILED


def _schemas(board: Callboard, wire_format: str) -> list[Json]:
    contributions = board.registry.contributions
    known = [adapter.target for each in contributions for adapter in each.contribution.schema_adapters]
    if not formats_of(wire_format, known, "schema"):
        raise click.BadParameter(
            f"no schema can be written as {wire_format!r}; {meant(wire_format, known)}",
            param_hint="'--format'",
        )
    return board.schemas([wire_format])


def _described(board: Callboard, plugin: str) -> Json:
    try:
        return board.describe(plugin)
    except HookFailed as error:
        return {"plugin": plugin, "error": str(error)}


def _resources(board: Callboard) -> list[Json]:
    """One object a resource or template; and one a server that cannot be asked."""
    rows: list[Json] = []
    for name, plugin in board.status()["plugins"].items():
        if plugin.get("kind") != "mcp":
            continue
        try:
            shared = [*board.resources(name), *board.resource_templates(name)]
        except CallboardError as error:
            shared = [{"error": str(error)}]
        rows += [{"plugin": name, **each} for each in shared]
    return rows


def tool_rows(board: Callboard) -> list[Json]:
    """One object a tool; and one a plugin that has none: it did not come up, was left out, or is a provider of models."""
    status = board.status()
    rows: list[Json] = []
    for tool in board.tools():
        where = _where(status["plugins"][tool.plugin_name], status["hosts"])
        description = board.registry.inspect_schema(tool.schema).description
        rows.append({"tool": tool.tool_name, "plugin": tool.plugin_name, **where, "description": description})
    rows += [
        {"tool": None, "plugin": name, **_where(plugin, status["hosts"])}
        for name, plugin in status["plugins"].items()
        if not plugin["tools"]
    ]
    rows += [
        {"tool": None, "plugin": failed["source"], "available": False, "error": failed["error"]}
        for failed in status["failed"]
        if failed["plugin"] is None  # the others have their rows by now
    ]
    rows += [
        {"tool": None, "plugin": provider["name"], "kind": provider["kind"], "available": True}
        for provider in status["providers"]
    ]
    return rows


def _where(plugin: Json, hosts: Json) -> Json:
    where: Json = {"runs_in": plugin["runs_in"]}
    if (host := plugin.get("host")) is not None:
        if len(hosts[host["name"]]["plugins"]) > 1:
            where["shared_host"] = host["name"]
        where |= {"kind": plugin["kind"], "state": host["state"], "pid": host.get("pid")}
    where["available"] = plugin["available"]
    why = why_absent(plugin)
    if why:
        where["error"] = why
    if left_out := plugin.get("left_out"):
        where["left_out"] = left_out
    return where


def show_tools(rows: list[Json], console: SafeConsole) -> None:
    """Show the rows of `tool_rows` to people."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=console.is_terminal)
    widest = _WIDEST if console.is_terminal else None
    for heading in ("tool", "plugin", "runs in"):
        table.add_column(heading, no_wrap=True, overflow="ellipsis", max_width=widest)
    table.add_column("description", ratio=1, no_wrap=True, overflow="ellipsis")
    for row in rows:
        if row["tool"] is not None:
            tool = Text(row["tool"], "bold" if row["available"] else "dim")
            table.add_row(tool, row["plugin"], _place(row), row["description"] or "")
    console.print(table)
    left_out = {row["plugin"]: row["left_out"] for row in rows if "left_out" in row}
    for plugin, tools in left_out.items():
        for why in dict.fromkeys(tools.values()):
            names = ", ".join(name for name, each in tools.items() if each == why)
            what = f"{plugin}: not offered: {names:.400}: {why}"
            console.print(Text.assemble(("· ", "dim"), what), soft_wrap=True)
    for row in rows:
        if not row["available"]:
            said = f"{row['plugin']}: {row.get('error', 'calls are refused at present')}"
            console.print(Text.assemble(("✗ ", "red"), said), soft_wrap=True)
        elif row.get("kind") in _ASKED_BY_AGENTS:
            what = f"{row['plugin']}: {_ASKED_BY_AGENTS[row['kind']]}"
            console.print(Text.assemble(("· ", "dim"), what), soft_wrap=True)


_ASKED_BY_AGENTS = {
    "provider": "a provider of models, which 'callboard chat' asks",
    "provider_extension": "an extension of how a provider of models is asked",
}


_WIDEST = 40
"""Cells of a name on a terminal: no plugin takes the room of all others."""

_HOSTS = {"node": "Node host", "python": "Python host"}


def _place(row: Json) -> Text:
    if row["runs_in"] != "host":
        return Text("thread")
    style = "green" if row["state"] == "ready" else "yellow"
    shared = f"{row['shared_host']} " if "shared_host" in row else ""
    return Text.assemble(f"{_HOSTS.get(row['kind'], 'host')} {shared}", ("● ", style), row["state"])
