"""Packages from git repositories: fetched shallow into the cache, one folder a commit.

A whole commit and a tag that was fetched once are never asked for again. A branch is asked for each time; when the
repository cannot be reached, what the branch stood for last is used, with a warning.

Nothing of the repository is run, and nothing of it is an option to git: no hooks, no templates, no transports but those
of `git_url`, submodules only for who asks for them.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from ...base.foreign import Log
from ...plugins.sources.git_url import SCHEMES, is_commit, may_be_short, repository_name, without_secrets
from ..environment import host_environment
from ..process.process import Command
from ..sandbox.steps import Access
from .cache import key_of, remove
from .command_runner import network_environment
from .file_tree import refuse_links_out
from .git_refs import Found, Resolved, patterns, read_listing
from .package_errors import PackageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...plugins.sources.node_source import NodeGitSource
    from .cache import Entry, PackageCache
    from .command_runner import CommandRunner, Ended

logger: Log = Log("callboard.packages")

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "maintenance.auto=false",
    "gc.auto=0",
    "init.defaultBranch=main",
    "advice.detachedHead=false",
)
_OPTIONS = tuple(word for setting in _SETTINGS for word in ("-c", setting))

_REMOTE = tuple(scheme for scheme in SCHEMES if scheme != "file")
"""How a submodule may be reached: who names it is the repository, not the user."""

_OF_USER = (".gitconfig", ".config/git", ".git-credentials", ".netrc", ".ssh")
"""What of its user's git needs, in his home folder."""

_BARRED = re.compile(r"transport '([^']*)' not allowed")

_ITS_OWN = frozenset({
    "SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "SSH_ASKPASS",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
})  # fmt: skip


def git_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """All that git sees of the environment: how it reaches repositories and who one is there, and no repository."""
    own = {name: value for name, value in parent.items() if name in _ITS_OWN}
    return {
        **host_environment(parent, network_environment(parent)),
        **own,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
        "LC_ALL": "C",
    }


def resolve(source: NodeGitSource, cache: PackageCache, command_runner: CommandRunner) -> Resolved:
    """The commit that a source names now; its repository is asked if that is not known, and nothing fetched.

    Raises:
        PackageError: there is no git, no such repository or ref, or it cannot be reached.
    """
    return _CheckOut(source, cache, command_runner).resolve()


def fetched(source: NodeGitSource, resolved: Resolved, cache: PackageCache) -> Entry | None:
    """What was fetched before of a commit, or ``None``. Raises `PackageError`: others may have changed the cache."""
    return cache.find("checkouts", _key(source, resolved))


def check_out(
    source: NodeGitSource, resolved: Resolved, cache: PackageCache, command_runner: CommandRunner
) -> Entry:
    """The files of a repository at a commit that it was resolved to, in the cache.

    Raises:
        PackageError: there is no git, no such commit, or it cannot be fetched.
    """
    return _CheckOut(source, cache, command_runner).entry(resolved)


def _key(source: NodeGitSource, resolved: Resolved) -> str:
    if resolved.short:
        return key_of(source.url, "short", resolved.commit.lower(), str(source.submodules))
    return key_of(source.url, resolved.commit, str(source.submodules))


class _CheckOut:
    def __init__(self, source: NodeGitSource, cache: PackageCache, command_runner: CommandRunner) -> None:
        self._source = source
        self._cache = cache
        self._command_runner = command_runner
        self._shown = without_secrets(source.url)
        self._name = repository_name(source.url)
        self._note = key_of("refs", source.url)
        program = shutil.which("git")
        if program is None:
            raise self._error(
                f"{self._shown} cannot be fetched: git is not installed; install it, or load a folder with 'node:DIRECTORY'"
            )
        self._git = program

    def resolve(self) -> Resolved:
        ref = self._source.ref
        if ref is not None and is_commit(ref):
            return Resolved(ref.lower())
        if ref is not None and may_be_short(ref):
            short = Resolved(ref, short=True)
            if fetched(self._source, short, self._cache) is not None:
                return short
        known = self._known()
        if known is not None and known.fixed:
            return Resolved(known.commit)
        try:
            found = self._ask()
        except PackageError as error:
            if known is None or fetched(self._source, Resolved(known.commit), self._cache) is None:
                raise
            logger.warning("what was fetched last is used, commit %.12s, for %s", known.commit, error)
            return Resolved(known.commit)
        if found is not None:
            return Resolved(found.commit, found)
        if ref is None:
            raise self._error(f"{self._shown} is an empty repository; push a commit to it")
        if not may_be_short(ref):  # neither a branch nor a tag, nor the beginning of a commit's name
            raise self._error(f"{self._shown} has no branch, tag or commit {ref!r}; correct 'ref'")
        return Resolved(ref, short=True)

    def entry(self, resolved: Resolved) -> Entry:
        work = self._fetch_short if resolved.short else partial(self._fetch, commit=resolved.commit)
        entry = fetched(self._source, resolved, self._cache) or self._cache.make(
            "checkouts", _key(self._source, resolved), work
        )
        if resolved.found is not None and resolved.found != self._known():
            self._keep(resolved.found)
        return entry

    # What was learnt before

    def _known(self) -> Found | None:
        match self._cache.note(self._note).get(self._source.ref or "HEAD"):
            case {"commit": str(commit), "fixed": bool(fixed)}:
                return Found(commit, fixed)
            case _:  # nothing, or what somebody has damaged
                return None

    def _keep(self, found: Found) -> None:
        kept = {"commit": found.commit, "fixed": found.fixed}
        ref = self._source.ref or "HEAD"
        self._cache.keep_note(self._note, lambda refs: {**refs, ref: kept})

    # What git does

    def _ask(self) -> Found | None:
        asked = patterns(self._source.ref)
        logger.info("%s: asking for %s", self._name, self._source.ref or "the default branch")
        said = self._run(None, "ls-remote", "--quiet", "--", self._source.url, *asked)
        return read_listing(self._succeeded(said, "git ls-remote").stdout, self._source.ref)

    def _fetch(self, tree: Path, commit: str) -> dict[str, Any]:
        logger.info("%s: fetching commit %.12s", self._name, commit)
        self._begin(tree)
        one = (
            "fetch",
            "--quiet",
            "--depth=1",
            "--no-tags",
            "--no-recurse-submodules",
            "--",
            self._source.url,
            commit,
        )
        if not self._run(tree, *one).well:  # servers may refuse to give a single commit
            self._fetch_all(tree)
        return self._finish(tree, commit)

    def _fetch_short(self, tree: Path) -> dict[str, Any]:
        ref = self._source.ref
        logger.info("%s: fetching all commits, to find %s", self._name, ref)
        self._begin(tree)
        self._fetch_all(tree)
        return self._finish(tree, f"{ref}")

    def _begin(self, tree: Path) -> None:
        self._succeeded(self._run(tree, "init", "--quiet", "--template="), "git init")

    def _fetch_all(self, tree: Path) -> None:
        everything = ("+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
        said = self._run(
            tree, "fetch", "--quiet", "--no-recurse-submodules", "--", self._source.url, *everything
        )
        self._succeeded(said, "git fetch")

    def _finish(self, tree: Path, commit: str) -> dict[str, Any]:
        whole = self._run(tree, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
        if not whole.well:
            raise self._error(f"{self._shown} has no commit {commit!r}; correct 'ref'")
        said = self._run(tree, "checkout", "--quiet", "--detach", whole.stdout.strip(), "--")
        self._succeeded(said, "git checkout")
        if self._source.submodules:
            self._run(tree, "config", "remote.origin.url", self._source.url)
            words = ("submodule", "--quiet", "update", "--init", "--recursive", "--depth=1")
            said = self._run(tree, *words, transports=_REMOTE)
            if barred := _BARRED.search(said.said):
                raise PackageError(
                    f"{self._shown} has a submodule by the transport {barred[1]!r}; a repository may name others only by "
                    f"{', '.join(_REMOTE)}, for it could name the private ones of this machine",
                    plugin=self._shown,
                    step="git submodule update",
                    output=said.said,
                )
            self._succeeded(said, "git submodule update")
        for records in list(tree.rglob(".git")):
            remove(records)
        refuse_links_out(tree, self._shown)
        return {
            "name": self._name,
            "url": self._shown,
            "ref": self._source.ref,
            "commit": whole.stdout.strip(),
        }

    def _run(self, tree: Path | None, *words: str, transports: tuple[str, ...] = SCHEMES) -> Ended:
        argv = (self._git, *_OPTIONS, *words)
        try:
            folder = str(tree) if tree else os.path.abspath(os.sep)  # noqa: PTH100 - never in a repository
            seen = {**git_environment(os.environ), "GIT_ALLOW_PROTOCOL": ":".join(transports)}
            return self._command_runner.run(Command(argv, seen, folder), self._access(tree, seen))
        except OSError as error:
            raise self._error(
                f"{self._shown} cannot be fetched: git cannot be started ({error.strerror})"
            ) from error

    def _access(self, tree: Path | None, seen: Mapping[str, str]) -> Access:
        own = () if (home := seen.get("HOME")) is None else tuple(Path(home) / name for name in _OF_USER)
        named = tuple(Path(seen[name]) for name in ("GIT_CONFIG_GLOBAL", "SSH_AUTH_SOCK") if seen.get(name))
        url = self._source.url
        path = unquote(urlsplit(url).path) if url.startswith("file:") else url
        local = (Path(path),) if path.startswith("/") else ()
        write = () if tree is None else (tree,)
        return Access(write, local, (self._git,), network=True, settings=(*own, *named))

    def _succeeded(self, ended: Ended, step: str) -> Ended:
        if ended.well:
            return ended
        raise PackageError(
            f"{self._shown} cannot be fetched: {step} {ended.text}; correct the address, or see to it that git "
            "reaches it without asking anything",
            plugin=self._shown,
            step=step,
            output=ended.said.replace(self._source.url, self._shown),
        )

    def _error(self, problem: str) -> PackageError:
        return PackageError(problem, plugin=self._shown)
