"""What is fetched, installed and built for packages, and run by a command, as values that can be shown, agreed to, and held against what is done. Pure.

A `Step` is told before anything of it is done, by the plan and by the loader, from the same facts. So what was
agreed to is what is done: a step that is another has another digest, and is not begun.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from ...base.frozen import frozen
from ...plugins.sources.git_url import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...plugins.sources.node_manifest import NodePackage
    from ...plugins.sources.node_plan import Make
    from ...plugins.sources.node_source import NodeGitSource
    from ...plugins.sources.npm_source import NpmSource, Release
    from ...plugins.sources.source import Source
    from .git_refs import Resolved

Json = dict[str, Any]

NOTHING: Mapping[str, Any] = {}
"""The conditions of what is built and run outside of a sandbox."""


@frozen
class Step:
    """One thing to be fetched, installed or built.

    Attributes:
        kind: ``git``, ``npm``, ``release`` or ``pip``; or ``run``, of what brings no code and runs a command.
        facts: all that decides which code comes and is run; JSON.
        also: what else is known of it, for people; no part of the digest.
        conditions: what the code is built and run in; see `conditions`.
    """

    kind: str
    facts: Mapping[str, Any]
    also: Mapping[str, Any]
    conditions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def code_digest(self) -> str:
        """One word for the kind and the facts."""
        return digest_of({"kind": self.kind, **self.facts})

    @property
    def digest(self) -> str:
        """One word for the kind, the facts and the conditions."""
        if not self.conditions:
            return self.code_digest
        return digest_of({"code": self.code_digest, "conditions": self.conditions})

    def as_json(self) -> Json:
        """The step, with its digest."""
        shown = {"sandbox": self.conditions.get("run" if self.kind == "run" else "build", False)}
        shown |= {key: self.conditions[key] for key in ("node", "manifests") if key in self.conditions}
        return {"kind": self.kind, **self.facts, **self.also, **shown, "digest": self.digest}


def digest_of(value: Any) -> str:
    """The sha256 of a value's canonical JSON."""
    # Not orjson, which refuses half a surrogate: a path may have one.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Consent(Protocol):
    """What was agreed to, asked before anything is fetched, installed or built, and before a command of a file is run.

    Attributes:
        left_out: the entries that are not run because nobody has agreed to them, as they are called.
        remedy: what the user types to see them and to agree to them.
        obstacle: the required entry that is known to keep the board from starting, and why; ``None`` if none is known.
    """

    left_out: tuple[str, ...]
    remedy: str
    obstacle: tuple[str, str] | None

    def resolved(self, source: NodeGitSource) -> Resolved | None:
        """What the source's ref stood for when it was agreed to; ``None`` if it was not asked. Raises `PackageError`: it could not be found out."""

    def release(self, source: NpmSource) -> Release | None:
        """What the source's version or tag stood for then, as `resolved` says it."""

    def require(self, step: Step, plugin: str) -> None:
        """Raise `PackageError` if nobody has agreed to the step; ``plugin`` is what it is for."""

    def require_run(self, entry: Any, source: Source, options: Any) -> None:
        """Raise `PluginLoadError` if an entry has a command or an address that nobody has agreed to; ``options`` are what it is run with."""


LIFECYCLE = (
    "preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare",
    "prebuild", "build", "postbuild",
)  # fmt: skip
"""Scripts of a package that npm may run while it installs or builds."""

_INSTALLED = (
    "dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides", "workspaces",
    "bundleDependencies", "bundledDependencies",
)  # fmt: skip
"""Keys of a ``package.json`` that decide what is installed."""


def asked_of_npm(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What a ``package.json`` has npm run and install."""
    commands = manifest.get("scripts")
    commands = commands if isinstance(commands, dict) else {}
    return {
        "scripts": {name: commands[name] for name in LIFECYCLE if name in commands},
        "packages": {key: manifest[key] for key in _INSTALLED if key in manifest},
    }


def git_step(
    source: NodeGitSource,
    commit: str,
    *,
    install: bool,
    build: bool,
    scripts: bool,
    conditions: Mapping[str, Any] = NOTHING,
) -> Step:
    """A repository is fetched at a commit, and what its manifest there asks for is done under these permissions."""
    facts = {
        "url": without_secrets(source.url),
        "commit": commit.lower(),
        "submodules": source.submodules,
        "may_install": install,
        "may_build": build,
        "install_scripts": scripts,
    }
    return Step("git", facts, {"ref": source.ref}, conditions)


def release_step(
    source: NpmSource,
    version: str,
    integrity: str,
    *,
    scripts: bool,
    conditions: Mapping[str, Any] = NOTHING,
) -> Step:
    """A release of a package is installed from a registry, with what it needs in turn."""
    facts = {
        "package": source.name,
        "version": version,
        "integrity": integrity,
        "install_scripts": scripts,
    }
    return Step("release", facts, {"named": source.spec}, conditions)


def npm_step(
    package: NodePackage,
    manifest: Mapping[str, Any],
    lock: bytes | None,
    plan: Make,
    *,
    scripts: bool,
    folder: str,
    conditions: Mapping[str, Any] = NOTHING,
) -> Step:
    """A package in a folder is copied, and installed and built there.

    Args:
        package: as its manifest says.
        manifest: all of that.
        lock: the lock file's content.
        plan: what is done.
        scripts: packages that are installed may run scripts.
        folder: where the package is.
        conditions: what it is built and run in.
    """
    facts = {
        "folder": folder,
        "install": None if plan.install is None else f"npm {plan.install.value}",
        "build": "npm run build" if plan.build else None,
        "install_scripts": scripts,
        **asked_of_npm(manifest),
        "lock": None if lock is None else hashlib.sha256(lock).hexdigest(),
        "esbuild": plan.build and package.wants_esbuild,
    }
    return Step("npm", facts, {"locked": locked_packages(lock)}, conditions)


MOST_SHOWN = 500
"""Packages of a lock file that a plan lists."""


_MOST_LOCK = 16 * 1024 * 1024
"""Bytes of a lock file that is read to be shown; all of it counts for the digest."""


def locked_packages(lock: bytes | None) -> list[str]:
    """What a lock file pins, as ``name@version integrity``, the first `MOST_SHOWN`; nothing of one that cannot be read."""
    if lock is None or len(lock) > _MOST_LOCK:
        return []
    try:
        found = json.loads(lock).get("packages", {})
        pinned = [
            f"{path.rpartition('node_modules/')[2]}@{each.get('version')} {each.get('integrity', 'without integrity')}"
            for path, each in found.items()
            if path and isinstance(each, dict)
        ]
    except (ValueError, AttributeError, RecursionError):  # npm will say what is wrong with it
        return []
    return sorted(pinned)[:MOST_SHOWN]


def pip_step(
    requirements: Iterable[str],
    constraints: Iterable[str],
    files: Iterable[str],
    *,
    builds: bool,
    folder: str,
    conditions: Mapping[str, Any] = NOTHING,
) -> Step:
    """An environment is made with these requirements; the files are those on this machine that they name, with their digests."""
    facts = {
        "requirements": list(requirements),
        "constraints": list(constraints),
        "files": list(files),
        "builds": builds,
    }
    return Step("pip", facts, {"folder": folder}, conditions)
