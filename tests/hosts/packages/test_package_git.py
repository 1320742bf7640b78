"""Repositories are fetched shallow, at the commit that is meant, and nothing of them is run. Real git, local repositories."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess

import pytest
from callboard.hosts.packages.cache import PackageCache
from callboard.hosts.packages.command_runner import CommandRunner
from callboard.hosts.packages.git import check_out, git_environment, resolve
from callboard.hosts.packages.git_refs import Found, patterns, read_listing
from callboard.hosts.packages.package_errors import PackageError
from callboard.plugins.sources.node_source import NodeGitSource
from leaks import TEST_MARK, wait_until
from node_packages import committed, contents, git, write

A, B, C = "a" * 40, "b" * 40, "c" * 40
LISTING = f"{A}\trefs/heads/main\n{B}\trefs/tags/v1\n{C}\trefs/tags/v1^{{}}\n{A}\trefs/tags/light\n{B}\trefs/heads/v1\n"

REFS = [
    ("main", Found(A, fixed=False)),
    ("v1", Found(C, fixed=True)),
    ("light", Found(A, fixed=True)),
    ("refs/heads/v1", Found(B, fixed=False)),
    ("refs/tags/v1", Found(C, fixed=True)),
    ("none", None),
]


@pytest.mark.parametrize(("ref", "found"), REFS)
def test_a_ref_stands_for_a_commit_tags_before_branches(ref, found):
    assert read_listing(LISTING, ref) == found


def test_no_ref_is_the_default_branch():
    assert patterns(None) == ("HEAD",)
    assert read_listing(f"{A}\tHEAD\n", None) == Found(A, fixed=False)
    assert read_listing("", None) is None


def test_git_sees_no_repository_and_no_secrets_of_the_program():
    parent = {
        "GIT_DIR": "/x",
        "GIT_INDEX_FILE": "/y",
        "GIT_SSH_COMMAND": "ssh -i key",
        "API_KEY": "s",
        "HOME": "/h",
    }

    seen = git_environment(parent)

    assert seen.keys() == {"GIT_SSH_COMMAND", "HOME", "GIT_TERMINAL_PROMPT", "GIT_ALLOW_PROTOCOL", "LC_ALL"}


@pytest.fixture
def repository(tmp_path):
    return write(tmp_path / "tools", {"a.txt": "one", "deep/b.txt": "b"})


@pytest.fixture
def cache(tmp_path):
    return PackageCache(tmp_path / "cache")


def fetch(cache, repository, ref=None, **more):
    with CommandRunner(30) as command_runner:
        source = NodeGitSource(str(repository), ref, **more)
        return check_out(source, resolve(source, cache, command_runner), cache, command_runner)


@pytest.fixture
def three(repository):
    """A repository with three commits: tagged ``v1``, on ``main``, and on the branch ``side``."""
    first = committed(repository, "v1")
    write(repository, {"a.txt": "two"})
    second = committed(repository)
    git(repository, "checkout", "--quiet", "-b", "side")
    write(repository, {"a.txt": "three"})
    third = committed(repository)
    git(repository, "checkout", "--quiet", "main")
    return first, second, third


def said(entry):
    return (entry.tree / "a.txt").read_text()


def test_a_ref_is_a_branch_a_tag_a_commit_or_the_beginning_of_one(cache, repository, three):
    first, second, third = three

    refs = [None, "main", "v1", "side", first, second[:10], third.upper(), "refs/heads/side"]
    words = [said(fetch(cache, repository, ref)) for ref in refs]

    assert words == ["two", "two", "one", "three", "one", "two", "three", "three"]


def test_nothing_of_the_repository_itself_is_kept(cache, repository):
    commit = committed(repository)

    entry = fetch(cache, f"file://{repository}")

    assert contents(entry.tree) == {"a.txt": b"one", "deep/b.txt": b"b"}
    assert not list(entry.tree.rglob(".git"))
    assert entry.record["commit"] == commit


def test_a_branch_is_asked_for_each_time_and_what_is_there_is_not_fetched_again(cache, repository, caplog):
    committed(repository)
    fetch(cache, repository, "main")

    with caplog.at_level("INFO", "callboard.packages"):
        assert said(fetch(cache, repository, "main")) == "one"
        assert "fetching" not in caplog.text
        write(repository, {"a.txt": "newer"})
        committed(repository)
        assert said(fetch(cache, repository, "main")) == "newer"

    assert caplog.text.count("fetching commit") == 1


@pytest.mark.parametrize("ref", ["v1", "commit", "short"])
def test_a_tag_or_commit_that_is_there_needs_no_repository(cache, repository, ref, caplog):
    commit = committed(repository, "v1")
    ref = {"v1": "v1", "commit": commit, "short": commit[:8]}[ref]
    fetch(cache, repository, ref)
    shutil.rmtree(repository)

    with caplog.at_level("INFO", "callboard.packages"):
        assert said(fetch(cache, repository, ref)) == "one"

    assert caplog.text == ""


def test_a_branch_that_cannot_be_asked_for_stands_for_what_it_stood_for_last(cache, repository, caplog):
    committed(repository)
    fetch(cache, repository, "main")
    shutil.rmtree(repository)

    assert said(fetch(cache, repository, "main")) == "one"

    assert "cannot be fetched" in caplog.text
    assert "what was fetched last is used" in caplog.text


def test_a_repository_that_is_not_there_is_told_with_gits_own_words(cache, tmp_path):
    with pytest.raises(PackageError) as caught:
        fetch(cache, tmp_path / "none")

    sentence, *words = str(caught.value).splitlines()
    assert sentence.startswith(
        f"{tmp_path / 'none'} cannot be fetched: git ls-remote ended with exit code 128; correct"
    )
    assert "does not appear to be a git repository" in words[0]


@pytest.mark.parametrize(
    ("ref", "problem"),
    [
        ("nope", "has no branch, tag or commit 'nope'; correct 'ref'"),
        ("abcdef0", "has no commit 'abcdef0'; correct 'ref'"),
        ("f" * 40, f"has no commit '{'f' * 40}'; correct 'ref'"),
    ],
)
def test_a_ref_that_is_not_there_is_told_by_name(cache, repository, ref, problem):
    committed(repository)

    with pytest.raises(PackageError, match=problem):
        fetch(cache, repository, ref)


def test_an_empty_repository_says_so(cache, tmp_path):
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "--quiet")

    with pytest.raises(PackageError, match="is an empty repository; push a commit to it"):
        fetch(cache, tmp_path / "empty")


def test_without_git_it_is_said_what_to_do(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(
        PackageError, match="git is not installed; install it, or load a folder with 'node:DIRECTORY'"
    ):
        fetch(cache, tmp_path)


def test_no_hook_runs_be_it_of_the_user_or_of_a_template(cache, repository, tmp_path, monkeypatch):
    committed(repository)
    ran = tmp_path / "ran"
    hook = f"#!/bin/sh\ntouch {ran}\n"
    write(
        tmp_path,
        {
            "hooks/post-checkout": hook,
            "template/hooks/post-checkout": hook,
            "template/hooks/reference-transaction": hook,
        },
    )
    for file in tmp_path.glob("**/hooks/*"):
        file.chmod(0o700)
    settings = (
        f"[core]\n\thooksPath = {tmp_path / 'hooks'}\n[init]\n\ttemplateDir = {tmp_path / 'template'}\n"
    )
    write(tmp_path, {"gitconfig": settings})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    fetch(cache, repository)

    assert not ran.exists()


@pytest.fixture
def served(tmp_path):
    """Where git serves the repositories in a folder, as over a network."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", f"--base-path={tmp_path}")
    daemon = subprocess.Popen(
        ["git", "daemon", *words], env={**os.environ, **TEST_MARK}, start_new_session=True
    )
    try:
        wait_until(lambda: _answers(port))
        yield f"git://127.0.0.1:{port}"
    finally:
        os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait()


def _answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.mark.parametrize("asked", [True, False])
def test_submodules_are_fetched_for_who_asks_for_them(cache, repository, tmp_path, asked, served):
    part = write(tmp_path / "part", {"part.txt": "part"})
    committed(part)
    committed(repository)
    git(repository, "submodule", "--quiet", "add", f"{served}/part", "part")
    committed(repository)

    entry = fetch(cache, repository, submodules=asked)

    assert (entry.tree / "part" / "part.txt").exists() == asked
    assert not list(entry.tree.rglob(".git"))


@pytest.mark.parametrize("spelled", ["file://{part}", "{part}", "../part", "deep"])
def test_a_submodule_that_is_a_repository_of_this_machine_is_refused(
    cache, repository, tmp_path, spelled, served
):
    private = write(tmp_path / "part", {"private.txt": "private"})
    committed(private)
    committed(repository)
    if spelled == "deep":  # a submodule of a submodule
        middle = write(tmp_path / "middle", {"m.txt": "m"})
        committed(middle)
        git(middle, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(private), "part")
        committed(middle)
        git(repository, "submodule", "--quiet", "add", f"{served}/middle", "middle")
    else:
        address = spelled.format(part=private)
        git(
            repository,
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            str(private),
            "part",
        )
        git(repository, "config", "-f", ".gitmodules", "submodule.part.url", address)
    committed(repository)

    with pytest.raises(PackageError, match=r"submodule.*'file'") as caught:
        fetch(cache, repository, submodules=True)

    assert caught.value.step == "git submodule update"
    assert not list(cache.root.rglob("private.txt"))


def test_a_fetched_link_that_leads_out_is_refused_and_one_that_stays_in_is_not(cache, repository):
    committed(repository)
    (repository / "within").symlink_to("deep/b.txt")
    good = committed(repository)
    (repository / "deep" / "root").symlink_to("/")
    absolute = committed(repository)
    (repository / "deep" / "root").unlink()
    (repository / "deep" / "up").symlink_to("../../../../..")
    relative = committed(repository)

    entry = fetch(cache, repository, good)
    for commit, name in ((absolute, "deep/root"), (relative, "deep/up")):
        with pytest.raises(PackageError, match=f"the link '{name}'"):
            fetch(cache, repository, commit)

    assert (entry.tree / "within").read_text() == "b"


def test_a_secret_in_an_address_is_told_to_nobody(cache, tmp_path, caplog):
    url = "http://user:hunter2@127.0.0.1:1/tools.git"

    with caplog.at_level("DEBUG", "callboard.packages"), pytest.raises(PackageError) as caught:
        fetch(cache, url)

    assert "hunter2" not in str(caught.value) + caplog.text
    assert "***@127.0.0.1" in str(caught.value)


def test_a_repository_that_never_answers_is_given_up(cache, tmp_path, monkeypatch):
    silent = write(tmp_path, {"ssh": "#!/bin/sh\nexec sleep 600\n"}) / "ssh"
    silent.chmod(0o700)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(silent))

    with (
        CommandRunner(0.5) as command_runner,
        pytest.raises(PackageError, match="git ls-remote took too long"),
    ):
        resolve(NodeGitSource("ssh://git@example.com/a.git"), cache, command_runner)


def test_a_checkout_that_is_used_by_no_git_of_the_user_is_left_alone(
    cache, repository, tmp_path, monkeypatch
):
    committed(repository)
    inner = write(tmp_path / "inner", {"x": "x"})
    committed(inner)
    monkeypatch.setenv("GIT_DIR", str(inner / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(inner))

    entry = fetch(cache, repository)

    assert contents(entry.tree) == {"a.txt": b"one", "deep/b.txt": b"b"}
    assert {path.name for path in inner.iterdir()} == {"x", ".git"}
