"""An engine of containers, as its command line is seen from outside: what it runs is no child of it, and goes on when it is killed.

`run … --name NAME … IMAGE` runs `mcp_server.py`, which outlives the end of its input; `kill NAME` ends that. What runs stands in the folder of
the variable CONTAINERS, as files of that name.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

FOLDER = Path(os.environ["CONTAINERS"])
SERVER = Path(__file__).with_name("mcp_server.py")


def run(words):
    file = FOLDER / words[words.index("--name") + 1]
    if os.fork() == 0:
        os.setsid()
        kept = {key: os.environ[key] for key in ("CALLBOARD_TEST_RUN",)}
        server = subprocess.Popen([sys.executable, str(SERVER), "lingers"], env=kept)
        file.with_suffix(".new").write_text(f"{server.pid} {' '.join(words)}")
        file.with_suffix(".new").rename(file)
        os._exit(0)
    os.wait()
    pid = int(file.read_text().split()[0])
    with suppress(ProcessLookupError):
        while True:
            os.kill(pid, 0)
            time.sleep(0.02)


def kill(name):
    try:
        pid = (FOLDER / name).read_text().split()[0]
        os.kill(int(pid), 9)
    except OSError:
        sys.exit("no such container")


if sys.argv[1] == "run":
    run(sys.argv[2:])
else:
    kill(sys.argv[2])
