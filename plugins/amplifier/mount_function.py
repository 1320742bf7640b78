"""What tells a module that is written for Amplifier from a tool: its ``mount`` function. Pure."""

from __future__ import annotations

import inspect
from typing import Any

from ..contract.foreign_signature import read_signature

MOUNT = "mount"


def is_mount(found: Any) -> bool:
    """Whether this is the ``mount(coordinator, config)`` of a module: a function of that name whose parameters say so.

    The first is called ``coordinator``, or the second ``config``: a tool that mounts something has other parameters.
    """
    if not inspect.isfunction(found) or found.__name__ != MOUNT:
        return False
    first, second, *_ = [*read_signature(found).parameters, "", ""]
    return first == "coordinator" or second == "config"


def module_name(module: Any) -> str:
    """Return what to call a module, or the one that a ``mount`` function is of."""
    name = module.__module__ if is_mount(module) else getattr(module, "__name__", None)
    return str(name or type(module).__name__)
