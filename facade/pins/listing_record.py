"""What a server offered when it was last up, in a file for each server, `listings/*.json` beside the records of tools.

It is served until the server is up. A tool in whose declaration a secret stands is not kept.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import PluginLoadError
from ..base.files.versions import Versions
from ..base.foreign import Log
from ..base.json import dump_json
from ..config.errors import ConfigurationError
from ..hosts.mcp.listing import LastListing, Listing
from ..plugins.sources.mcp import McpSource
from ..sources.entry import parse_entry
from .private_record import PrivateRecord, RecordNewer, Unfit, file_of

if TYPE_CHECKING:
    from collections.abc import Container

    from ..config.configuration import Configuration
    from ..hosts.report.redaction import Redactor

logger: Log = Log("callboard")

VERSIONS: Final[Versions[dict[str, Any]]] = Versions("the record of a listing", 1, newer=RecordNewer)


def last_listing_of(source: McpSource, name: str, redactor: Redactor) -> LastListing:
    """The last listing of a server, in its usual place. One of a newer Callboard counts for nothing, and stays as it is."""
    record = _record_of(source, name)

    def read() -> Listing | None:
        try:
            return record.read(_listing)
        except RecordNewer as newer:
            logger.warning("what %r offered when it was last up is not offered: %s", name, newer)
            return None

    def write(now: Listing) -> None:
        tools = [tool for tool in now.tools if _has_no_secret(tool, redactor)]
        instructions = redactor.text(now.instructions)
        kept = {"tools": tools, "names": dict(now.names), "instructions": instructions}
        record.write(kept | {"asks_of_any": now.asks_of_any})

    return LastListing(read, write)


def last_instructions(configuration: Configuration, besides: Container[str]) -> dict[str, str]:
    """What servers of a configuration said of how they are used when they were last up, by name.

    Args:
        configuration: what is no entry in it is found out elsewhere.
        besides: the names of servers that are left out.
    """
    found = {}
    for entry in configuration.plugins:
        with suppress(PluginLoadError, ConfigurationError, RecordNewer):
            parsed = parse_entry(entry, configuration.base)
            if isinstance(parsed.source, McpSource):
                name = parsed.options.name or parsed.source.id
                if name in besides:
                    continue
                listing = _record_of(parsed.source, name).read(_listing)
                found[name] = "" if listing is None else listing.instructions
    return found


def _record_of(source: McpSource, name: str) -> PrivateRecord:
    return PrivateRecord(name, file_of("listings", source, name), VERSIONS)


def _has_no_secret(tool: dict[str, Any], redactor: Redactor) -> bool:
    text = dump_json(tool).decode()
    return redactor.text(text) == text


def _listing(content: dict[str, Any]) -> Listing:
    match content:
        case {"tools": list(tools), "names": dict(names), "instructions": str(instructions)}:
            if all(isinstance(each, dict) for each in tools) and all(
                isinstance(each, str) for each in names.values()
            ):
                # An older version has not written whether it asks, and drops it.
                return Listing(tools, names, instructions, content.get("asks_of_any") is True)
    raise Unfit("it is damaged")
