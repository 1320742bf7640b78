"""Which entries have an inline command or an address, and what is agreed to of one: the step `run`. Pure.

An inline command is whatever a file names to be run that is no file of a plugin: ``npx -y x``, ``sh -c …``, ``docker run x``. It is
agreed to by its words, its folder and the *names* of what it is given. Values are no part of it: a token that is renewed asks nobody.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ..base.paths import without_dots
from ..hosts.packages.consent import Step
from ..plugins.hooks.form_safety import host_of
from ..plugins.placeholders import named_in
from ..plugins.sources.source import InlineAddress

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..hosts.sandbox.confinement import Secret
    from ..plugins.sources.source import InlineCommand

Json = dict[str, Any]

KIND = "run"


def run_step(
    inline: InlineCommand | InlineAddress,
    entry: Any,
    *,
    variables: Iterable[str],
    secrets: Mapping[str, Secret] | None = None,
    inherited: Iterable[str] = (),
    sandbox: Mapping[str, Any] | None = None,
) -> Step:
    """Return what is agreed to before an entry runs.

    Args:
        inline: what the entry names itself.
        entry: as it is written, with its placeholders.
        variables: names of the variables that the entry gives beside those of its source.
        secrets: its secrets.
        inherited: names of the variables that it gets as this program has them.
        sandbox: its sandbox, as it is kept among conditions.
    """
    secrets = secrets or {}
    read = {f"env:{each.env}" for each in secrets.values() if each.env is not None}
    read |= {f"file:{each.file}" for each in secrets.values() if each.file is not None}
    facts: Json
    if isinstance(inline, InlineAddress):
        facts = {
            "address": shown_address(inline.url),
            "address_sha256": hashlib.sha256(inline.url.encode("utf-8", "surrogatepass")).hexdigest(),
            "headers": sorted(inline.headers),
        }
    else:
        facts = {
            "command": list(inline.command),
            "base": str(inline.base),
            "folder": str(without_dots(inline.folder)),
            "variables": sorted({*inline.variables, *variables}),
            "secrets": sorted(secrets),
        }
    read |= {f"env:{name}" for name in inherited}
    facts["filled_from"] = sorted(read | _filled(entry))
    return Step(KIND, facts, {}, {} if sandbox is None else {"run": sandbox})


def _filled(entry: Any) -> frozenset[str]:
    if not isinstance(entry, dict):
        return frozenset()
    own = {key: value for key, value in entry.items() if key in {"config", "env"}}
    return named_in(entry.get("mcp"), of_clients=True) | named_in(own)


def shown_address(url: str) -> str:
    """An address without its query and fragment, which may be secrets; with the host that is looked up, where letters may deceive."""
    shown = url.partition("#")[0].partition("?")[0]
    hidden = "?…" if shown != url else ""
    if shown.isascii():
        return f"{shown}{hidden}"
    try:
        return f"{shown}{hidden} (the host {host_of(shown)})"
    except ValueError:
        return f"{shown}{hidden} (its host is no name)"
