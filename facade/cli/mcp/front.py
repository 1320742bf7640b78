"""Callboard in front of all servers of a client: what would move is started, what is allowed and denied is rewritten, and back again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ...config.configuration import read_value
from ...mcp_clients.client import placeholders_of
from ...mcp_clients.client_file import ClientFileError
from ...mcp_clients.installation import (
    SERVERS,
    Texts,
    candidates_in,
    put_in_front,
    servers_file,
    servers_in,
    taken_back,
)
from ...mcp_clients.rule_texts import record_in, with_record, without_record
from ..doctor.finding import counted
from ..ui.exit_codes import FAILED
from ..ui.files import absolute
from ..ui.options import quiet
from ..ui.streams import Streams, complain
from ..ui.trust import admit, runs_of, whole_plan
from .changing import Change, carry_out, of_file, texts_of
from .rule_files import RuleFiles
from .started import approvals_of, lines_of, moved_of, start_all

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ...mcp_clients.client import Client
    from .started import Started


def install_in_front(
    client: Client, file: Path, name: str, entry: dict[str, Any], *, trusts: bool, yes: bool
) -> int:
    """Start what would move, say what comes up, and move what can run behind Callboard.

    Args:
        client: whose servers they are.
        file: its file.
        name: of the entry.
        entry: what stands there then.
        trusts: all that the file has may be started.
        yes: do not ask.
    """
    served = absolute(servers_file(file))
    before, raw = texts_of(file)
    with of_file(file):
        now = Texts(raw.client, without_record(raw.servers))
        put_in_front(now, client, name, entry, served)  # what is refused is refused before anything runs
        found = candidates_in(now.client, client.key)
        servers = {**servers_in(now.servers or "", SERVERS), **found}
        rules = RuleFiles(client, file, raw.client, record_in(raw.servers))
    if not _may_start(found, served, trusts=trusts, yes=yes):
        complain("nothing was started, and nothing was changed")
        return FAILED
    stays: dict[str, str] = {}
    while True:
        started = _started({key: servers[key] for key in servers if key not in stays}, served, trusts=trusts)
        stays |= {each.name: each.why for each in started if each.state == "stays" and each.name in found}
        moving = {key: servers[key] for key in servers if key not in stays}
        rewriting = rules.rewritten(moved_of(started, moving, name), moving)
        held = {key: why for key, why in rewriting.held.items() if key in found}
        stays |= held
        if not held:  # else names may be others without those servers
            break
    late = [
        f"  rules  {key} has moved before, and what it gets later is not denied: {why}"
        for key, why in rewriting.held.items()
        if key not in stays
    ]
    approvals = approvals_of(started, moving)
    said = [*lines_of(started, stays, file), *rewriting.said, *late, *approvals.said]
    if found and found.keys() <= stays.keys() and now.servers is None:  # which is refused: it is said why
        for line in said:
            complain(line)
    filled = placeholders_of(moving.values(), os.environ) if client.fills else {}
    whole = {**entry, "env": {**entry.get("env", {}), **filled}, **approvals.lists}
    with of_file(file):
        after = put_in_front(now, client, name, whole, served, stays=stays)
        assert after.servers is not None
        after = Texts(after.client, with_record(after.servers, rewriting.notes, rewriting.later))
    if texts_of(file) != (before, raw):
        raise ClientFileError(file, "has changed since it was read; nothing was written, try again")
    return carry_out(Change(client, file, name, before, raw, after, rewriting.others, said), yes=yes)


def take_back(client: Client, file: Path, name: str, *, yes: bool) -> int:
    """Take Callboard's entry out of a client's file; the servers that were moved, and its rules, are back."""
    before, raw = texts_of(file)
    with of_file(file):
        after = taken_back(
            Texts(raw.client, without_record(raw.servers)), client, name, absolute(servers_file(file))
        )
        restoring = RuleFiles(client, file, raw.client, record_in(raw.servers)).restored()
    return carry_out(
        Change(client, file, name, before, raw, after, restoring.others, restoring.said), yes=yes
    )


def _may_start(found: Mapping[str, Any], served: Path, *, trusts: bool, yes: bool) -> bool:
    """Whether what would move may be started: nobody is asked of files of the user's own clients, in their places."""
    admission = runs_of(read_value({SERVERS: dict(found)}, served.parent, served), str(served))
    if trusts or not admission.untrusted:
        return True
    lines = whole_plan(admission)
    if not yes:
        with Streams(as_json=False) as out:
            for line in ["It would run:", *(lines or [f"  {admission.command} shows it"])]:
                out.console.print(line, soft_wrap=True)
        if not click.confirm("Start these servers, to see what comes up, and trust them?", err=True):
            return False
    admission.trust()
    return True


def _started(servers: Mapping[str, Any], served: Path, *, trusts: bool) -> list[Started]:
    """What becomes of these servers; none of another one that came with the folder is started without trust."""
    configuration = read_value({SERVERS: dict(servers)}, served.parent, served)
    if not configuration.plugins:
        return []
    complain(f"starting {counted(len(configuration.plugins), 'server')}, to see what comes up")
    quiet()
    with Streams(as_json=False):
        return start_all(admit(configuration, str(served), trusts=trusts))
