"""What a sandbox of the system's shows, as words for bubblewrap."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from callboard.hosts.process_tree.group import Leader
from callboard.hosts.sandbox.bwrap import (
    SystemSandbox,
    View,
    bwrap_words,
    holds_home,
    prefix_of,
    read_system_sandbox,
)
from hypothesis import given
from hypothesis import strategies as st

BASE = Path("/base")


@pytest.mark.parametrize(
    ("given", "sandbox"),
    [
        ("bwrap", SystemSandbox()),
        ({"kind": "bwrap"}, SystemSandbox()),
        ({"kind": "bwrap", "network": True}, SystemSandbox(network=True)),
        ({"kind": "bwrap", "network": "outside"}, SystemSandbox(network="outside")),
        ({"kind": "bwrap", "seccomp": False}, SystemSandbox(seccomp=False)),
        (
            {"kind": "bwrap", "read": ["data", "/srv"], "write": ["out"]},
            SystemSandbox((BASE / "data", Path("/srv")), (BASE / "out",)),
        ),
    ],
)
def test_the_option_is_read_with_paths_from_where_the_configuration_is(given, sandbox):
    assert read_system_sandbox(given, BASE) == sandbox


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("jail", "bwrap"),
        ({"read": "data"}, "read"),
        ({"write": [""]}, "write"),
        ({"read": [3]}, "read"),
        ({"read": ["a\0b"]}, "read"),
        ({"network": "yes"}, "network"),
        ({"network": "Outside"}, "true, false or 'outside'"),
        ({"network": ["outside"]}, "network"),
        ({"network": 1}, "network"),
        ({"seccomp": "outside"}, "seccomp"),
        ({"seccomp": "off"}, "seccomp"),
        ({"read": ["/"]}, "read"),
        ({"write": ["/proc/1"]}, "write"),
        ({"read": ["/dev"]}, "read"),
        ({"read": ["/sys/fs"]}, "read"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_its_key(given, key):
    with pytest.raises(ValueError, match=key):
        read_system_sandbox(given, BASE)


def words_of(view):
    return " ".join(bwrap_words(view))


ALWAYS = (
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop ALL", "--proc /proc", "--dev /dev",
    "--tmpfs /tmp", "--remount-ro /", "--remount-ro /dev",
)  # fmt: skip


@pytest.mark.parametrize(
    ("view", "has", "lacks"),
    [
        (
            View(),
            ("--unshare-net", "--disable-userns", "--ro-bind-try /usr /usr"),
            ("--bind", "/run/secrets"),
        ),
        (View(network=True), (), ("--unshare-net",)),
        (
            View(network="outside", resolvers=Path("/run/x")),
            ("--ro-bind /run/x /etc/resolv.conf",),
            ("--unshare-net",),
        ),
        (View(nests=True), (), ("--disable-userns",)),
        (View(links={"/bin": "usr/bin"}), ("--symlink usr/bin /bin",), ("--ro-bind-try /bin",)),
        (View(read=(Path("/srv/a"),)), ("--ro-bind /srv/a /srv/a",), (" --bind",)),
        (View(write=(Path("/srv/a"),)), ("--bind /srv/a /srv/a",), ("--ro-bind /srv",)),
        (
            View(read=(Path("/srv/a"),), write=(Path("/srv/a"),)),
            ("--bind /srv/a /srv/a",),
            ("--ro-bind /srv",),
        ),
        (View(read=(Path("/usr/lib/x"),)), (), ("--ro-bind /usr/lib/x",)),
        (View(home="/people/ann"), ("--tmpfs /people/ann",), ()),
        (View(home="/tmp"), (), ("--tmpfs /tmp --size",)),
        (View(home="/"), (), ("--tmpfs / ",)),
        (View(home="here"), (), ("--tmpfs here",)),
        (View(secrets=Path("/dev/shm/s")), ("--ro-bind /dev/shm/s /run/secrets",), ()),
        (View(folder="/srv/a"), ("--chdir /srv/a",), ()),
        (View(environment={"LD_PRELOAD": "x.so"}), ("--setenv LD_PRELOAD x.so",), ()),
        (View(hidden=("/proc/kcore",)), ("--ro-bind /dev/null /proc/kcore",), ()),
        (View(fixed=("/proc/sys",)), ("--ro-bind-try /proc/sys /proc/sys",), ()),
        (View(room=5), ("--size 5 --tmpfs /tmp",), ()),
    ],
)
def test_a_sandbox_shows_what_it_was_given_and_nothing_else(view, has, lacks):
    words = words_of(view)

    assert [each for each in (*ALWAYS, *has) if each not in words] == []
    assert [each for each in lacks if each in words] == []


@pytest.mark.parametrize(
    "secret", ["/etc/shadow", "/etc/sudoers", "/etc/ssl/private", "/root", "/home", "/var", "/run "]
)
def test_no_secret_place_of_the_system_is_shown(secret):
    assert f" {secret}" not in words_of(View())


PATHS = st.lists(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(lambda each: Path("/srv", *each))
)


@given(PATHS, PATHS)
def test_no_folder_hides_what_was_given_inside_of_it(read, write):
    words = bwrap_words(View(read=tuple(read), write=tuple(write)))

    places = [words[index + 1] for index, word in enumerate(words) if word in {"--bind", "--ro-bind"}]

    assert sorted(places) == sorted({str(path) for path in (*read, *write)})
    for index, place in enumerate(places):
        assert not any(Path(place) in Path(earlier).parents for earlier in places[:index])


@pytest.mark.parametrize(
    ("path", "home", "holds"),
    [
        ("/", "/people/ann", True),
        ("/people", "/people/ann", True),
        ("/people/ann", "/people/ann", True),
        ("/people/ann/.local", "/people/ann", True),
        ("/people/ann/tools", "/people/ann", False),
        ("/srv", None, False),
        ("/", None, True),
    ],
)
def test_a_folder_with_the_home_folder_in_it_is_known(path, home, holds):
    assert holds_home(PurePosixPath(path), home) == holds


@pytest.mark.parametrize(
    ("program", "prefix"),
    [
        ("/opt/node/bin/node", "/opt/node"),
        ("/people/ann/.nvm/v22/bin/node", "/people/ann/.nvm/v22"),
        ("/people/ann/bin/tool", "/people/ann/bin/tool"),
        ("/people/ann/.local/bin/tool", "/people/ann/.local/bin/tool"),
        ("/srv/tool", "/srv/tool"),
        ("/bin/sh", "/bin/sh"),
    ],
)
def test_a_program_brings_what_it_was_installed_with_and_never_the_home_folder(program, prefix):
    assert str(prefix_of(PurePosixPath(program), "/people/ann")) == prefix


@pytest.mark.parametrize(
    ("status", "contained", "told"),
    [
        (0, True, 0), (1, True, 1), (128, True, 128), (129, True, -1), (137, True, -9), (139, True, -11),
        (192, True, -64), (193, True, 193), (255, True, 255), (-9, True, -9), (139, False, 139), (-11, False, -11),
    ],
)  # fmt: skip
def test_the_signal_that_ended_what_ran_in_a_sandbox_is_told_as_one(status, contained, told):
    assert Leader(None, 0.0, "", 0, contained).told(status) == told
