"""What ``git ls-remote`` says, read: which commit a branch or a tag stands for. Pure."""

from __future__ import annotations

from ...base.frozen import frozen


@frozen
class Found:
    """What a ref stands for.

    Attributes:
        commit: its whole name.
        fixed: it is a tag or a commit, which by common consent never comes to mean another.
    """

    commit: str
    fixed: bool


@frozen
class Resolved:
    """What a source's ref stands for.

    Attributes:
        commit: the whole name of a commit, or the ref itself if it is the beginning of one that was not fetched yet.
        found: what the repository said, if it was asked.
        short: the commit is no whole name.
    """

    commit: str
    found: Found | None = None
    short: bool = False


def patterns(ref: str | None) -> tuple[str, ...]:
    """What to ask the repository for, to learn what ``ref`` stands for, or its default branch."""
    if ref is None:
        return ("HEAD",)
    if ref.startswith("refs/"):
        return (ref, f"{ref}^{{}}")
    return tuple(f"refs/{kind}/{ref}{peeled}" for kind, peeled in _ORDER)


_ORDER = (("tags", "^{}"), ("tags", ""), ("heads", ""))
"""As git itself looks: tags before branches, and of a tag the commit that it marks before the tag's own object."""


def read_listing(listing: str, ref: str | None) -> Found | None:
    """Find ``ref`` in the listing; ``None`` when there is no such branch or tag."""
    commits = {}
    for line in listing.splitlines():
        commit, tab, name = line.partition("\t")
        if tab:
            commits[name] = commit
    for name in _names(ref):
        if name in commits:
            return Found(commits[name], fixed=name.startswith("refs/tags/"))
    return None


def _names(ref: str | None) -> tuple[str, ...]:
    names = patterns(ref)
    return names[::-1] if ref is not None and ref.startswith("refs/") else names
