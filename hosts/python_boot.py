"""The first lines of a Python host, run as a script: make this interpreter look where the parent looks, then begin.

It imports nothing of the house, since where that is, is among the things that it is told.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import sys

RUNNER = ".python_host.runner"
ORIGIN = ".python_origin"


def main(told: str) -> None:
    """Become the host that ``told`` describes.

    Args:
        told: JSON: ``path`` (the parent's `sys.path`), ``room`` (the package that this file is in), ``name`` and
            ``origin`` (the plugin's).
    """
    faulthandler.enable(all_threads=False)  # so that the last words of a crash in native code name a line
    facts = json.loads(told)
    sys.path[:] = [*facts["path"], *(folder for folder in sys.path if folder not in facts["path"])]
    sys.argv[1:] = []
    runner = importlib.import_module(RUNNER, facts["room"])
    origin = importlib.import_module(ORIGIN, facts["room"]).PythonOrigin(**facts["origin"])
    runner.run(origin, facts["name"])


if __name__ == "__main__":
    main(sys.argv[1])
