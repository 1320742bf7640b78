"""`callboard cache`: what was fetched, installed and built for plugins, and clearing it away."""

from __future__ import annotations

import time
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from ...config.configuration import read_configuration
from ...hosts.packages.cache import PackageCache
from ...hosts.packages.cache_admin import clean as clean_cache
from ...hosts.packages.cache_admin import items
from ..ui.exit_codes import WELL
from ..ui.files import ConfigFile
from ..ui.options import common, json_option
from ..ui.streams import Streams

if TYPE_CHECKING:
    from ...hosts.packages.cache_admin import Item
    from ..ui.console import SafeConsole

_DAY = 86400.0
_config = click.argument("config", type=ConfigFile(), required=False)


@click.group(short_help="What was built for plugins; list it, clean it.")
@common
def cache() -> None:
    """Look at the folder in which plugins are fetched, installed and built, or clean it.

    It is CONFIG's `plugin_cache_dir`, or the usual one. All in it can be made again.
    """


@cache.command("list", short_help="What is in it.")
@_config
@json_option
@common
def list_(config: str | None, as_json: bool) -> int:
    """List what is in the cache."""
    with Streams(as_json=as_json) as out:
        found = list(items(_cache(config)))
        if out.people:
            _show(found, _cache(config), out.console)
        else:
            for item in found:
                out.print_json(_told(item))
    return WELL


@cache.command("clean", short_help="Remove what is not in use.")
@_config
@click.option(
    "--unused-for", "days", type=click.FloatRange(min=0), metavar="DAYS",
    help="Only what was not used for so many days.",
)  # fmt: skip
@json_option
@common
def clean_(config: str | None, days: float | None, as_json: bool) -> int:
    """Remove what is in the cache, but for what a running board uses."""
    since = None if days is None else time.time() - days * _DAY
    with Streams(as_json=as_json) as out:
        cleaned = clean_cache(_cache(config), unused_since=since)
        if out.people:
            kept = f"; {cleaned.kept} in use, and kept" if cleaned.kept else ""
            out.console.print(f"removed {cleaned.removed}, {_size(cleaned.size)}{kept}")
        else:
            out.print_json(asdict(cleaned))
    return WELL


def _cache(config: str | None) -> PackageCache:
    return PackageCache(read_configuration(config).plugin_cache_dir)


def _told(item: Item) -> dict[str, Any]:
    return {**asdict(item), "place": str(item.place), "used": _time(item.used).isoformat()}


def _show(found: list[Item], cache: PackageCache, console: SafeConsole) -> None:
    if not found:
        console.print(f"{cache.root} is empty")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=console.is_terminal)
    for heading in ("kind", "name", "version", "size", "last used"):
        table.add_column(heading, no_wrap=True, justify="right" if heading == "size" else "left")
    table.add_column("from", ratio=1, no_wrap=True, overflow="ellipsis")
    for item in found:
        used = "now" if item.in_use else f"{_time(item.used):%Y-%m-%d %H:%M}"
        table.add_row(item.kind, item.name, item.version, _size(item.size), used, item.source)
    console.print(table)
    console.print(f"{_size(sum(item.size for item in found))} in {cache.root}", soft_wrap=True)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds).astimezone()


def _size(size: int) -> str:
    megabytes = f"{size / 1_000_000:.1f} MB"
    return f"{size / 1_000:.1f} kB" if megabytes.startswith("0.0 ") else megabytes
