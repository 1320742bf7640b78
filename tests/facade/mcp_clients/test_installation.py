"""A board in a client's file: beside its servers or in front of them, and out again with nothing lost."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest
from callboard.config.json_text import JsonTextError, read
from callboard.mcp_clients.client import CLIENTS
from callboard.mcp_clients.client_file import ClientFileError, exchange, read_file
from callboard.mcp_clients.installation import (
    Texts,
    added,
    put_in_front,
    servers_file,
    taken_back,
)

CLAUDE, VSCODE = CLIENTS["claude"], CLIENTS["vscode"]
WORDS = ("/usr/bin/callboard", "mcp", "/home/user/agent.json")
SERVED = Path(WORDS[-1])
OWN = (
    '{\n\t"globalShortcut": "",\n\t"mcpServers": {\n\t\t"git": {"command": "uvx", "args": ["mcp-server-git"]},\n'
    '\t\t"files": {"command": "npx"}\n\t}\n}\n'
)


@pytest.mark.parametrize(
    ("name", "system", "file"),
    [
        ("claude", "darwin", "/home/user/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude", "win32", "/roaming/Claude/claude_desktop_config.json"),
        ("claude", "linux", "/config/Claude/claude_desktop_config.json"),
        ("cursor", "linux", "/home/user/.cursor/mcp.json"),
        ("cursor", "win32", "/home/user/.cursor/mcp.json"),
        ("vscode", "linux", "/config/Code/User/mcp.json"),
        ("vscode", "darwin", "/home/user/Library/Application Support/Code/User/mcp.json"),
        ("windsurf", "linux", "/home/user/.codeium/windsurf/mcp_config.json"),
    ],
)
def test_each_client_keeps_its_servers_in_its_own_place(name: str, system: str, file: str) -> None:
    environ = {"APPDATA": "/roaming", "XDG_CONFIG_HOME": "/config"}

    found = CLIENTS[name].file(system, Path("/home/user"), environ)

    assert PurePosixPath(found) == PurePosixPath(file)


def test_an_added_entry_leaves_all_others_as_they_are() -> None:
    after = added(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS))

    assert read(after.client)["mcpServers"]["callboard"] == {"command": WORDS[0], "args": [*WORDS[1:]]}
    assert after.client.replace(_entry(after.client, OWN), "") == OWN
    assert taken_back(after, CLAUDE, "callboard", SERVED) == Texts(OWN, None)


def test_an_entry_of_vs_code_says_its_kind() -> None:
    after = added(Texts("", None), VSCODE, "callboard", VSCODE.entry(WORDS))

    assert read(after.client) == {
        "servers": {"callboard": {"type": "stdio", "command": WORDS[0], "args": [*WORDS[1:]]}}
    }


def test_in_front_the_client_has_one_server_and_the_others_have_moved() -> None:
    after = put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)

    assert list(read(after.client)["mcpServers"]) == ["callboard"]
    assert read(after.client)["globalShortcut"] == ""
    assert after.servers is not None
    assert read(after.servers) == {"mcpServers": read(OWN)["mcpServers"]}


def test_what_was_moved_comes_back_as_it_was_written() -> None:
    front = put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)

    assert taken_back(front, CLAUDE, "callboard", SERVED) == Texts(OWN, None)


MINE = {"command": "node", "args": ["my-own.js"]}
BOARD = CLAUDE.entry(("/usr/bin/callboard", "mcp", "--watch", "/home/user/other.json"))


@pytest.mark.parametrize("standing", [MINE, {"url": "https://example.org/mcp"}, "no server at all"])
def test_a_server_of_the_users_that_has_the_name_is_never_replaced(standing: object) -> None:
    now = Texts(json.dumps({"mcpServers": {"git": {"command": "uvx"}, "callboard": standing}}), None)
    entry = CLAUDE.entry(WORDS)

    for change in (
        lambda: put_in_front(now, CLAUDE, "callboard", entry, SERVED),
        lambda: added(now, CLAUDE, "callboard", entry, SERVED),
        lambda: taken_back(now, CLAUDE, "callboard", SERVED),
        lambda: taken_back(Texts(now.client, "{}"), CLAUDE, "callboard", SERVED),
    ):
        with pytest.raises(JsonTextError, match="--name"):
            change()


def test_boards_of_the_users_stay_where_they_are_and_as_they_are_written() -> None:
    own = f'{{"mcpServers": {{"mine": {json.dumps(BOARD)},\n  "git": {{"command": "uvx"}}}}}}'

    front = put_in_front(Texts(own, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)

    assert read(front.client)["mcpServers"] == {"mine": BOARD, "callboard": CLAUDE.entry(WORDS)}
    assert read(front.servers or "")["mcpServers"] == {"git": {"command": "uvx"}}
    assert taken_back(front, CLAUDE, "callboard", SERVED) == Texts(own, None)


def test_a_board_of_another_configuration_is_not_replaced_by_one_in_front() -> None:
    now = Texts(json.dumps({"mcpServers": {"git": {"command": "uvx"}, "callboard": BOARD}}), None)

    with pytest.raises(JsonTextError, match="--name"):
        put_in_front(now, CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)


def test_a_board_in_front_is_not_replaced_by_one_of_another_configuration() -> None:
    front = put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)

    with pytest.raises(JsonTextError, match="--name"):
        added(front, CLAUDE, "callboard", BOARD, SERVED)

    assert list(read(added(front, CLAUDE, "mine", BOARD, SERVED).client)["mcpServers"]) == [
        "callboard",
        "mine",
    ]


def test_it_is_taken_back_under_the_name_that_it_was_given() -> None:
    front = put_in_front(Texts(OWN, None), CLAUDE, "mine", CLAUDE.entry(WORDS), SERVED)

    with pytest.raises(JsonTextError, match="--name mine"):
        taken_back(front, CLAUDE, "callboard", SERVED)

    assert taken_back(front, CLAUDE, "mine", SERVED) == Texts(OWN, None)


def test_of_two_servers_of_one_name_none_is_lost() -> None:
    front = put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)
    other = Texts(json.dumps({"mcpServers": {"git": MINE, "callboard": CLAUDE.entry(WORDS)}}), front.servers)
    twice = OWN.replace('"files"', '"git"')

    with pytest.raises(JsonTextError, match="another server of that name"):
        put_in_front(other, CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)
    with pytest.raises(JsonTextError, match="another server of that name"):
        taken_back(other, CLAUDE, "callboard", SERVED)
    with pytest.raises(JsonTextError, match="stands twice"):
        put_in_front(Texts(twice, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)


def test_what_was_interrupted_before_the_clients_file_was_written_goes_on_or_back() -> None:
    front = put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)
    half = Texts(OWN, front.servers)

    assert put_in_front(half, CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED).client == front.client
    assert taken_back(half, CLAUDE, "callboard", SERVED) == Texts(OWN, None)


def test_to_be_in_front_twice_is_as_once_and_keeps_what_came_in_between() -> None:
    once = put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)
    more = added(once, CLAUDE, "new", CLAUDE.entry(("node", "new.js")))

    twice = put_in_front(more, CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)

    assert list(read(twice.client)["mcpServers"]) == ["callboard"]
    assert list(read(twice.servers or "")["mcpServers"]) == ["git", "files", "new"]
    assert put_in_front(twice, CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED) == twice


def test_a_server_that_the_client_got_meanwhile_stays() -> None:
    front = added(
        put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED),
        CLAUDE,
        "new",
        ("node", "new.js"),
    )

    back = taken_back(front, CLAUDE, "callboard", SERVED)

    assert list(read(back.client)["mcpServers"]) == ["git", "files", "new"]
    assert back.servers is None


def test_there_must_be_something_to_be_in_front_of() -> None:
    with pytest.raises(JsonTextError, match="no server"):
        put_in_front(Texts("{}", None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)


def test_a_file_is_exchanged_with_a_backup_and_keeps_its_mode(tmp_path: Path) -> None:
    file, backup = tmp_path / "config.json", tmp_path / "backup"
    file.write_text(OWN)
    file.chmod(0o640)

    exchange(file, OWN, "{}", backup)

    assert (read_file(file), read_file(backup)) == ("{}", OWN)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert sorted(tmp_path.iterdir()) == [backup, file]


def test_of_a_link_what_it_leads_to_is_exchanged(tmp_path: Path) -> None:
    file, link = tmp_path / "dotfiles.json", tmp_path / "config.json"
    file.write_text(OWN)
    link.symlink_to(file)

    exchange(link, OWN, "{}")

    assert link.is_symlink()
    assert file.read_text() == "{}"


def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text("{}")

    with pytest.raises(ClientFileError) as caught:
        exchange(file, OWN, "[]")

    assert caught.value.file == file
    assert file.read_text() == "{}"


@pytest.mark.parametrize("content", [b"\xff\xfe{", b" " * (4 * 1024 * 1024 + 1)])
def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content)

    with pytest.raises(ClientFileError):
        read_file(file)


def test_the_servers_move_to_a_file_beside_the_clients_own() -> None:
    assert servers_file(Path("/x/claude_desktop_config.json")) == Path(
        "/x/claude_desktop_config.callboard.json"
    )


def _entry(text: str, before: str) -> str:
    """What a text has more than another, in one piece."""
    start = next(at for at, (a, b) in enumerate(zip(text, before, strict=False)) if a != b)
    return text[start : start + len(text) - len(before)]


def test_what_is_taken_back_needs_no_file_of_the_client() -> None:
    front = put_in_front(Texts(OWN, None), CLAUDE, "callboard", CLAUDE.entry(WORDS), SERVED)

    assert taken_back(Texts("", None), CLAUDE, "callboard", SERVED) == Texts("", None)
    assert read(taken_back(Texts("", front.servers), CLAUDE, "callboard", SERVED).client) == {
        "mcpServers": read(OWN)["mcpServers"]
    }


@pytest.mark.parametrize("planted", [".mcp.json.callboard", "mcp.json.backup"])
def test_a_link_that_was_planted_beside_a_file_is_not_written_through(tmp_path: Path, planted: str) -> None:
    victim, file = tmp_path / "victim", tmp_path / "mcp.json"
    victim.write_text("mine")
    file.write_text(OWN)
    (tmp_path / planted).symlink_to(victim)

    with suppress(ClientFileError):
        exchange(file, OWN, "{}", tmp_path / "mcp.json.backup")

    assert victim.read_text() == "mine"
    assert file.read_text() in {OWN, "{}"}


def test_a_file_of_ours_that_is_a_link_is_refused(tmp_path: Path) -> None:
    victim, servers = tmp_path / "victim", tmp_path / "mcp.callboard.json"
    victim.write_text("{}")
    servers.symlink_to(victim)

    with pytest.raises(ClientFileError, match="is a link"):
        exchange(servers, "{}", '{"a": 1}', follow=False)

    assert victim.read_text() == "{}"


def test_what_a_kill_has_left_half_written_is_removed_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("old")
    left, under_way, others = (
        tmp_path / f".mcp.json.{name}"
        for name in ("0123456789abcdef", "fedcba9876543210", "0123456789abcdex")
    )
    for each in (left, under_way, others):
        each.write_text("half")
    for each in (left, others):
        os.utime(each, (1, 1))
    link = tmp_path / ".mcp.json.1111111111111111"
    link.symlink_to(others)

    exchange(file, "old", "new")

    assert file.read_text() == "new"
    assert set(tmp_path.iterdir()) == {file, under_way, others, link}
