from __future__ import annotations

from callboard.hosts.environment import host_environment
from hypothesis import given
from hypothesis import strategies as st

names = st.text("ABCXYZ_", min_size=1, max_size=6) | st.sampled_from(
    ["PATH", "HOME", "LC_ALL", "OPENAI_API_KEY"]
)
environments = st.dictionaries(names, st.text(max_size=3))


def test_a_secret_of_the_parent_stays_behind():
    parent = {
        "PATH": "/bin",
        "OPENAI_API_KEY": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "NODE_OPTIONS": "-x",
    }

    assert host_environment(parent, {}) == {"PATH": "/bin"}


def test_what_a_program_needs_to_run_at_all_is_passed_on():
    parent = {
        "PATH": "/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "LC_TIME": "de_DE",
        "TMPDIR": "/var/tmp",
        "TZ": "UTC",
    }

    assert host_environment(parent, {}) == parent


def test_what_was_declared_is_given_and_wins():
    environment = host_environment({"PATH": "/bin", "TOKEN": "theirs"}, {"TOKEN": "ours", "PATH": "/opt/bin"})

    assert environment == {"PATH": "/opt/bin", "TOKEN": "ours"}


def test_on_windows_a_name_is_one_variable_however_it_is_written():
    parent = {"Path": r"C:\\", "SystemRoot": r"C:\\Windows", "Api_Key": "secret"}

    environment = host_environment(parent, {"path": r"D:\\", "Token": "ours"}, folds=True)

    assert environment == {"PATH": r"D:\\", "SYSTEMROOT": r"C:\\Windows", "TOKEN": "ours"}


@given(environments, environments)
def test_nothing_comes_from_anywhere_else(parent, declared):
    environment = host_environment(parent, declared)

    assert declared.items() <= environment.items()
    assert all(parent[name] == environment[name] for name in environment.keys() - declared.keys())
