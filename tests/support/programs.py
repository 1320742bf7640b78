"""Where the programs lie that tests run: tools, hosts that behave badly, packages."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs"
NODE = PROGRAMS / "node"
EVIL_NODE = PROGRAMS / "evil_node"
EVIL_PYTHON = PROGRAMS / "evil_python"
BASH = PROGRAMS / "bash"
