"""What the numbers were measured on and with."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path

from callboard.hosts.node.find import find_node

_PACKAGES = ("callboard", "pykka", "orjson", "psutil")


def describe() -> dict[str, str]:
    """The date, the machine and the versions, as words to print."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{_cpu()}, {os.cpu_count()} CPUs, {platform.system()} {platform.release()}",
        "load before": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "python": platform.python_version(),
        "node": find_node().version_text,
        "packages": ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    }


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
