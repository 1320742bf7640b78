"""Make the files of one version in this folder, by a checkout of that version. The tests read them.

    python tests/programs/kept_files/make_files.py COMMIT FOLDER

Run it, in the project's environment, with each new version of a format: at the commit that brings it, with a folder of its own
name. The folders here were made by

    make_files.py 5da1e4c0 0.1.0              a checkout of 0.1.0: each format has version 1
    make_files.py 71745d36 0.2.0-unversioned  schedules say "generation" and not "life", and version 1 all the same
    make_files.py HEAD     0.2.0              states and schedules have version 2: at the commit before the files
    make_files.py HEAD     0.2.0-sources      states have version 3, which says their sources: at the commit before the files
    make_files.py HEAD     0.2.0-conditions   the trust file has version 2, which says conditions: at the commit before the files

A folder that is there is never made anew: what an old version wrote does not change any more.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def main(commit: str, name: str) -> None:
    """Install the checkout beside this one, and have it write."""
    folder = HERE / name
    if folder.exists():
        raise SystemExit(f"{folder} is there already")
    with tempfile.TemporaryDirectory() as scratch:
        checkout, library = Path(scratch, "checkout"), Path(scratch, "library")
        run("git", "-C", str(ROOT), "worktree", "add", "--detach", str(checkout), commit)
        try:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
            run(*pip, "--target", str(library), str(checkout))
        finally:
            run("git", "-C", str(ROOT), "worktree", "remove", "--force", str(checkout))
        path = os.pathsep.join([str(library), str(HERE)])
        environment = {**os.environ, "PYTHONPATH": path, "HOME": scratch, "XDG_STATE_HOME": scratch}
        written = Path(scratch, "written")
        written.mkdir(mode=0o700)
        run(sys.executable, str(HERE / "write_files.py"), str(written), environment=environment)
        shutil.copytree(written, folder)


def run(*command: str, environment: dict[str, str] | None = None) -> None:
    """Run a command; raises if it fails."""
    subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
