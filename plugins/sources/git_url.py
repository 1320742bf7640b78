"""What may be handed to git as an address and as a ref. Nothing is asked of a repository here.

git reads its command line and some addresses as orders: a word that begins with ``-`` is an option, and
``ext::COMMAND`` is a transport that runs it. So both are checked before any git is started, and the shell that
starts it says ``--`` all the same.
"""

from __future__ import annotations

import re
from pathlib import PurePath

SCHEMES = ("https", "http", "ssh", "git", "file")
"""What an address may begin with. Everything else is a program that git would run."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(r"[^/\[\]@]*::")
_SCP = re.compile(r"([^/:\[\]]+|[^/:]*\[[^\]/]+\]):(?!:)(.+)", re.DOTALL)
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?", re.IGNORECASE)
_SHORT_COMMIT = re.compile(r"[0-9a-f]{7,39}", re.IGNORECASE)
_UNFIT = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")


def address_problem(url: str) -> str | None:
    """Say why ``url`` is no address of a repository, or ``None`` when it may be one."""
    if url.startswith("-"):
        return "is neither an address nor a ref"
    if any(ord(letter) < ord(" ") or letter == "\x7f" for letter in url):
        return "has control characters in its address"
    scheme = _SCHEME.match(url)
    if scheme is not None:
        if scheme[1].lower() not in SCHEMES:
            return f"has the scheme {scheme[1]!r}; known are {', '.join(SCHEMES)}"
        if _host(url[scheme.end() :]).startswith("-"):
            return "has a host that begins with '-'"
        return None
    if _HELPER.match(url):
        return f"names a transport of its own; known are {', '.join(SCHEMES)}"
    scp = _SCP.fullmatch(url)
    if scp is not None and scp[1].rpartition("@")[2].startswith("-"):
        return "has a host that begins with '-'"
    return None


def ref_problem(ref: str) -> str | None:
    """Say why ``ref`` can name no branch, tag or commit, or ``None`` when it may."""
    if ref.startswith("-"):
        return "is neither an address nor a ref"
    if _UNFIT.search(ref) or ref.endswith((".", "/", ".lock")) or ref.startswith(("/", ".")) or ref == "@":
        return "can be the name of no branch, tag or commit"
    return None


def is_local(url: str) -> bool:
    """Whether the address is a path on this machine, written without a scheme."""
    return _SCHEME.match(url) is None and _SCP.fullmatch(url) is None


def is_commit(ref: str) -> bool:
    """Whether ``ref`` is the whole name of a commit, which never comes to mean another."""
    return _COMMIT.fullmatch(ref) is not None


def may_be_short(ref: str) -> bool:
    """Whether ``ref`` may be the beginning of a commit's name; it may be a branch as well."""
    return _SHORT_COMMIT.fullmatch(ref) is not None


def without_secrets(url: str) -> str:
    """The address as it may be shown: a password or token in it left out."""
    scheme = _SCHEME.match(url)
    if scheme is None:
        return url
    authority, slash, path = url[scheme.end() :].partition("/")
    user, at, host = authority.rpartition("@")
    if not at or (scheme[1].lower() == "ssh" and ":" not in user):
        return url
    return f"{scheme[0]}***@{host}{slash}{path}"


def repository_name(url: str) -> str:
    """What to call the repository: the last part of its address; never a name that leads out of a folder."""
    name = PurePath(re.split(r"[/:]", url.rstrip("/"))[-1]).name.removesuffix(".git")
    return "repository" if name in {"", ".", ".."} else name


def _host(rest: str) -> str:
    return rest.partition("/")[0].rpartition("@")[2]
