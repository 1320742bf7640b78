"""What a server offered when it was last up, in a file for each server, `listings/*.json` beside the records of tools.

It is served until the server is up. A tool in whose declaration a secret stands is not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..base.files.versions import Versions
from ..base.json import dump_json
from ..hosts.mcp.listing import LastListing, Listing
from .private_record import PrivateRecord, RecordNewer, Unfit, file_of

if TYPE_CHECKING:
    from ..hosts.report.redaction import Redactor
    from ..plugins.sources.mcp import McpSource

VERSIONS: Final[Versions[dict[str, Any]]] = Versions("the record of a listing", 1, newer=RecordNewer)


def last_listing_of(source: McpSource, name: str, redactor: Redactor) -> LastListing:
    """The last listing of a server, in its usual place. Raises `RecordNewer`."""
    record = PrivateRecord(name, file_of("listings", source, name), VERSIONS)

    def write(now: Listing) -> None:
        tools = [tool for tool in now.tools if _has_no_secret(tool, redactor)]
        instructions = redactor.text(now.instructions)
        record.write({"tools": tools, "names": dict(now.names), "instructions": instructions})

    return LastListing(lambda: record.read(_listing), write)


def instructions_of_last_start(source: McpSource, name: str) -> str:
    """What a server said of how it is used when it was last up; empty if nothing is kept. Raises `RecordNewer`."""
    listing = PrivateRecord(name, file_of("listings", source, name), VERSIONS).read(_listing)
    return "" if listing is None else listing.instructions


def _has_no_secret(tool: dict[str, Any], redactor: Redactor) -> bool:
    text = dump_json(tool).decode()
    return redactor.text(text) == text


def _listing(content: dict[str, Any]) -> Listing:
    match content:
        case {"tools": list(tools), "names": dict(names), "instructions": str(instructions)}:
            if all(isinstance(each, dict) for each in tools) and all(
                isinstance(each, str) for each in names.values()
            ):
                return Listing(tools, names, instructions)
    raise Unfit("it is damaged")
