"""Modules that are imported when something of them is first asked for.

The SDKs of the providers take seconds to import, and every process that runs tests reads all tests.
"""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import Any


def late(name: str) -> Any:
    """The module of that name, which is run when an attribute of it is first looked at.

    Raises:
        ModuleNotFoundError: there is none; that is found out at once.
    """
    if name in sys.modules:
        return sys.modules[name]
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"there is no module {name!r}", name=name)
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
