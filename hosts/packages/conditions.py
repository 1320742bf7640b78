"""What a step is built and run in, and whether that is as strong as what was agreed to.

Conditions are JSON, so that they can be shown, kept, and be a part of a step's digest:

| key | says | if it is absent |
|---|---|---|
| `build` | the sandbox in which packages are installed and built | none |
| `run` | the sandbox of the tool | none |
| `node` | the Node that the configuration names | the one that is found |
| `manifests` | what the manifests of folders in the package ask for | there is none to ask |

Only sandboxes can be stronger than what was agreed to. The others have to be the same.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..sandbox.bwrap import KIND, OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..node.sandbox import Sandbox
    from ..sandbox.bwrap import SystemSandbox

Conditions = dict[str, Any]

SANDBOXES: Final = ("build", "run")
_SAME: Final = ("node", "manifests")
_KINDS: Final = ("node", KIND)
"""The weaker one first."""

_SWITCHES: Final = ("network", "without_seccomp", "child_processes", "workers", "addons", "wasi")
"""What withholds less if it is on."""

_WEAKNESS: Final = {False: 0, None: 1, OUTSIDE: 2, True: 3}
"""``None`` withholds something only where Node can; ``outside`` is said of the network alone."""


def conditions_of(
    system: SystemSandbox | None, permission_model: Sandbox | None = None, node: str | None = None
) -> Conditions:
    """Return the conditions of a plugin's steps, with the real paths of what its sandbox shows.

    Args:
        system: its sandbox of the system's, in which its package is installed and built too.
        permission_model: its sandbox in Node, in which its package is not built.
        node: the Node that the configuration names.
    """
    found: Conditions = {}
    if system is not None:
        build = {"kind": KIND, "network": system.network}
        build |= {} if system.seccomp else {"without_seccomp": True}
        found |= {"build": build, "run": build | _paths(system)}
    elif permission_model is not None:
        switches = {name: getattr(permission_model, name) for name in _SWITCHES if name != "without_seccomp"}
        found["run"] = {"kind": "node", **switches, **_paths(permission_model)}
    if node is not None:  # a name without a folder is looked up on PATH, which is the user's own
        found["node"] = os.path.abspath(node) if os.path.dirname(node) else node  # noqa: PTH100, PTH120 - a text
    return found


def _paths(sandbox: Sandbox | SystemSandbox) -> dict[str, list[str]]:
    """The real paths: a link among them shows what it leads to, and may lead elsewhere next time."""
    return {name: sorted(map(os.path.realpath, getattr(sandbox, name))) for name in ("read", "write")}


def is_as_strong(asked: Mapping[str, Any], agreed: Mapping[str, Any]) -> bool:
    """Return whether conditions are what was agreed to, in the same sandboxes or in stronger ones."""
    return all(_is_sandbox_as_strong(asked.get(key), agreed.get(key)) for key in SANDBOXES) and all(
        asked.get(key) == agreed.get(key) for key in _SAME
    )


def _is_sandbox_as_strong(asked: Mapping[str, Any] | None, agreed: Mapping[str, Any] | None) -> bool:
    if agreed is None:
        return True
    if asked is None or _KINDS.index(asked["kind"]) < _KINDS.index(agreed["kind"]):
        return False
    write = agreed.get("write", ())
    read = [*agreed.get("read", ()), *(write if agreed["kind"] == KIND else ())]
    return (
        all(_WEAKNESS[asked.get(name, False)] <= _WEAKNESS[agreed.get(name, False)] for name in _SWITCHES)
        and _lie_in(asked.get("read", ()), read)
        and _lie_in(asked.get("write", ()), write)
    )


def _lie_in(paths: Iterable[str], folders: Iterable[str]) -> bool:
    return all(any(Path(path).is_relative_to(folder) for folder in folders) for path in paths)


def are_conditions(value: Any) -> bool:
    """Return whether a value that was kept can be compared by `is_as_strong`."""
    return isinstance(value, dict) and all(
        value.get(key) is None or _is_sandbox(value[key]) for key in SANDBOXES
    )


def _is_sandbox(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("kind") in _KINDS
        and all(
            value.get(name) is None
            or isinstance(value[name], bool)
            or (name == "network" and value[name] == OUTSIDE)
            for name in _SWITCHES
        )
        and all(
            isinstance(paths := value.get(name, []), list) and all(isinstance(path, str) for path in paths)
            for name in ("read", "write")
        )
    )
