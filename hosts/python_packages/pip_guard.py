"""pip, with a check before it starts any other Python; run as a script, in the environment that it installs into.

Every build of a package is another Python that pip starts. Where builds are not allowed none is started. ``--only-binary``
alone does not do that: pip builds whatever has an address of its own, and a wheel may require such a thing in its turn.

Where they are allowed, a build does not see what pip was told in its environment, such as an index with a login, and
not the login at a proxy either.

It imports nothing of Callboard, which need not be on the path of that Python.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

REFUSED = "a package would have to be built, and 'python_allow_builds' is off"

_RUNNER = "__pip-runner__.py"
_LOGIN = re.compile(r"\A([a-z][a-z0-9+.-]*://)?.*@", re.IGNORECASE | re.DOTALL)


def main(builds: str, runner: str, *words: str) -> None:
    """Become pip.

    Args:
        builds: ``builds`` if they are allowed, or, as JSON, the words that start each of them in a sandbox of its own.
        runner: pip's file that runs it in any Python, or empty: this Python has a pip.
        words: what pip is told.
    """
    nested = json.loads(builds) if builds.startswith("[") else []
    told = {name for name in os.environ if name.startswith("PIP_")}

    class Guarded(subprocess.Popen[Any]):
        def __init__(self, args: Any, *more: Any, **options: Any) -> None:
            argv = [os.fsdecode(each) for each in ([args] if isinstance(args, str | bytes | Path) else args)]
            if os.path.realpath(argv[0]) == os.path.realpath(sys.executable):
                if builds != "builds" and not nested:
                    raise _refusal()
                if Path(*argv[1:2]).name == _RUNNER:  # pip again, for what a build needs, which it may build
                    args = [argv[0], "-P", __file__, builds, *argv[1:]]
                else:
                    seen = os.environ if options.get("env") is None else options["env"]
                    options["env"] = {
                        name: _LOGIN.sub(r"\1", value) if name.lower().endswith("proxy") else value
                        for name, value in seen.items()
                        if name not in told
                    }
                    args = [*nested, *argv]
            super().__init__(args, *more, **options)

    setattr(subprocess, "Popen", Guarded)  # noqa: B010 - the type checker knows no such thing; pip and `subprocess` look it up there
    sys.argv = [runner or "pip", *words]
    if runner:
        runpy.run_path(runner, run_name="__main__")
    else:
        runpy.run_module("pip", run_name="__main__", alter_sys=True)


def _refusal() -> Exception:
    try:
        from pip._internal.exceptions import InstallationError  # noqa: PLC0415 - there is no pip before it runs
    except ImportError:
        return RuntimeError(REFUSED)
    return InstallationError(REFUSED)


if __name__ == "__main__":
    main(*sys.argv[1:])
