"""What a Node tool in a sandbox may do, in the words of Node's permission model. Pure.

It is a seat belt, and Node's own documentation calls it that: it stops a tool from doing by mistake, or by way of a
careless dependency, what it was not meant to do. It is no prison. Symbolic links are followed out of the folders that
are allowed, descriptors that are open stay so, a child process that is allowed is not in the sandbox, and on a Node
that does not know about the network, that is open. Code that means harm needs a boundary of the system's.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

NETWORK = (25, 0)
"""From this Node on the permission model covers the network."""

STREAMS = tuple(map(Path, ("/dev/null", "/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2")))
"""What the host opens to keep the protocol's streams out of the tool's reach."""

_PATHS = ("read", "write")
_SPECIAL = frozenset("*,")


@frozen
class Sandbox:
    """What a tool may do beside running and reading its own folder.

    Attributes:
        read: files, and folders with all that is in them.
        write: the same; what may be written may not be read by that alone.
        child_processes: it may start programs. Those are not in the sandbox.
        workers: it may start worker threads.
        addons: it may load native code. That is not in the sandbox.
        wasi: it may run WebAssembly with access to the system.
        network: it may use the network; ``None``: not where Node can keep it from that.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    child_processes: bool = False
    workers: bool = False
    addons: bool = False
    wasi: bool = False
    network: bool | None = None


NAMES = ("kind", *(each.name for each in fields(Sandbox)))
"""The keys of the option."""


def read_sandbox(given: Mapping[str, Any] | bool, base: Path) -> Sandbox | None:
    """Read the option ``sandbox``: ``True`` for the strictest, ``False`` for none. Unknown keys are not looked for.

    Args:
        given: the option.
        base: what relative paths are relative to.

    Raises:
        ValueError: says what is wrong with which key.
    """
    if isinstance(given, bool):
        return Sandbox() if given else None
    read: dict[str, Any] = {}
    for key, value in given.items():
        if key == "kind":
            if value != "node":
                raise ValueError(f"'kind' is {value!r:.100}; it has to be 'node' or 'bwrap'")
        elif key in _PATHS:
            read[key] = tuple(_path(key, each, base) for each in _list(key, value))
        elif not isinstance(value, bool):
            raise ValueError(f"{key!r} is {value!r:.100}; it has to be true or false")
        else:
            read[key] = value
    return Sandbox(**read)


def _list(key: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{key!r} is {value!r:.100}; it has to be a list of paths")  # noqa: TRY004 - see above
    return list(value)


def _path(key: str, value: Any, base: Path) -> Path:
    if not isinstance(value, str) or not value or _SPECIAL.intersection(value):
        raise ValueError(
            f"{key!r} has {value!r:.100}; it has to be a path, without '*' and ',', which mean something to Node"
        )
    return base / Path(value).expanduser()


def permission_options(
    sandbox: Sandbox, version: tuple[int, ...] | None, own: Iterable[Path]
) -> tuple[str, ...]:
    """Node's options for a sandbox.

    Args:
        sandbox: what is allowed.
        version: Node's.
        own: what the tool and its host are made of, and may read in any case.

    Raises:
        ValueError: this Node cannot do what was asked for, or a path of it cannot be said to Node.
    """
    known = version or (0,)
    if sandbox.network is False and known < NETWORK:
        raise ValueError(
            f"'network' is false, and Node {'.'.join(map(str, known))} cannot keep a tool from the network; "
            f"take Node {NETWORK[0]} or newer, or leave the key out"
        )
    return tuple(_options(sandbox, known, own))


def _options(sandbox: Sandbox, version: tuple[int, ...], own: Iterable[Path]) -> Iterator[str]:
    yield "--permission"
    for path in (*own, *STREAMS, *sandbox.read):
        yield f"--allow-fs-read={_said(path)}"
    for path in (*STREAMS, *sandbox.write):
        yield f"--allow-fs-write={_said(path)}"
    if sandbox.child_processes:
        yield "--allow-child-process"
    if sandbox.workers:
        yield "--allow-worker"
    if sandbox.addons:
        yield "--allow-addons"
    if sandbox.wasi:
        yield "--allow-wasi"
    if sandbox.network and version >= NETWORK:
        yield "--allow-net"


def _said(path: Path) -> str:
    text = str(path)
    if _SPECIAL.intersection(text):
        raise ValueError(f"{text} has '*' or ',' in it, which mean something to Node; move it elsewhere")
    return text
