"""Changing a client's file, and those beside it: the difference is shown, a question asked, and each file exchanged as a whole.

Whatever ends this in between, each server stands in one of the files, all that was denied is denied, and nothing more is allowed: the same
command, or the one that takes it back, goes on from there.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ...base.frozen import frozen
from ...config.json_text import JsonTextError
from ...mcp_clients.client_file import ClientFileError, exchange, read_file, remove
from ...mcp_clients.installation import Texts, servers_file, servers_in
from ..ui.exit_codes import FAILED, WELL
from ..ui.streams import Streams, complain
from ..ui.trust import whole_plan
from .difference import difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ...mcp_clients.client import Client
    from ...trust.admission import Admission


@frozen
class OtherFile:
    """What becomes of another file of the client's.

    Attributes:
        file: which.
        now: what stands in it.
        between: what it has until the client's own file is changed.
        after: what it has then.
    """

    file: Path
    now: str
    between: str
    after: str


@frozen
class Change:
    """What is to become of a client's file and of those beside it.

    Attributes:
        client: whose it is.
        file: which.
        name: of the entry; the file as it last was without one is kept.
        before: what stood in the client's file; ``None`` if it was not there.
        now: what stood in both.
        after: what stands in both then.
        others: other files.
        said: what is said before the question.
        admission: what will be run, if that is to be agreed to as well.
    """

    client: Client
    file: Path
    name: str
    before: str | None
    now: Texts
    after: Texts
    others: Sequence[OtherFile] = ()
    said: Sequence[str] = ()
    admission: Admission | None = None


def texts_of(file: Path) -> tuple[str | None, Texts]:
    """What stands in a client's file, and in the one beside it. Raises `ClientFileError`."""
    before = read_file(file)
    return before, Texts(before or "", read_file(servers_file(file)))


@contextmanager
def of_file(file: Path) -> Iterator[None]:
    """Name the file of which a text cannot be changed."""
    try:
        yield
    except JsonTextError as error:
        raise ClientFileError(file, str(error)) from None


def carry_out(change: Change, *, yes: bool) -> int:
    """Show the difference, ask unless ``yes`` says so, and write."""
    file, now, after = change.file, change.now, change.after
    others = [other for other in change.others if other.after != other.now]
    if after == now and not others:
        for line in change.said:
            complain(line)
        complain(f"{file} is as it should be; nothing to do")
        return WELL
    admission = change.admission
    asked = None if admission is None or not admission.untrusted else whole_plan(admission)
    with Streams(as_json=False) as out:
        for line in (
            *change.said,
            *difference(file, now.client, after.client),
            *(line for other in others for line in difference(other.file, other.now, other.after)),
            *(["It will run:", *asked] if asked else []),
        ):
            out.console.print(line, soft_wrap=True)
        if after.servers is not None and after.servers != now.servers:
            out.console.print(f"The servers move to {servers_file(file)}", soft_wrap=True)
        if file.is_symlink():
            out.console.print(f"{file} is a link: what is changed is {file.resolve()}", soft_wrap=True)
    question = f"Change the file of {change.client.title}{', and trust that' if asked else ''}?"
    if not yes and not click.confirm(question, err=True):
        complain("nothing was changed")
        return FAILED
    if admission is not None and admission.untrusted:
        if asked and not yes:
            admission.trust()
        else:
            complain(f"what it runs is not trusted yet, and is left out; trust it: {admission.command}")
    kept = _write(change, others)
    complain(
        f"changed {', '.join(str(each) for each in (file, *(other.file for other in others)))}{kept}; start {change.client.title} anew"
    )
    return WELL


def _write(change: Change, others: Sequence[OtherFile]) -> str:
    """Exchange all files, in the order that loses nothing; return what is said of the copy. Raises `ClientFileError`."""
    file, now, after = change.file, change.now, change.after
    servers = servers_file(file)
    if after.servers is not None and after.servers != now.servers:
        exchange(servers, now.servers, after.servers, follow=False)
    for other in others:
        exchange(other.file, other.now, other.between)
    backup = file.with_name(f"{file.name}.backup")
    own = change.before is not None and change.name not in servers_in(now.client, change.client.key)
    if after.client != now.client or change.before is None:
        exchange(file, change.before, after.client, backup if own else None)
    for other in others:
        exchange(other.file, other.between, other.after)
    if after.servers is None and now.servers is not None:
        remove(servers)
    return f"; what it was is in {backup.name}" if own else ""
