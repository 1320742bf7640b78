"""The clients of MCP that others have written and `make test-mcp-clients` runs: which, and how to have them.

As a program it installs them, once, below `.venv`.
"""

from __future__ import annotations

from npm_install import Pinned, node_program, npm_install
from programs import PROGRAMS, ROOT

PLACE = ROOT / ".venv" / "mcp-clients"
SDK, ITS_SUCCESSOR = "@modelcontextprotocol/sdk", "@modelcontextprotocol/client"
INSPECTOR, CONFORMANCE = "@modelcontextprotocol/inspector", "@modelcontextprotocol/conformance"
PACKAGES = {
    SDK: Pinned(
        "1.32.2",
        "sha512-SWsVtH/0vULSQStoZ6xxH2K09Li8fXYTMC64ZeogCdpZ3XSi1eCPOByV1OpuJxuI3OcmHhosDWYyii07tpPsLw==",
    ),
    ITS_SUCCESSOR: Pinned(
        "2.4.0",
        "sha512-LgrD2OphHuG12vfKFKz6SOnq7bKHQmhGJIAYdD+MZBn2npHEyry6uD8zvktodtl5CQM85MO0anUyD9JwmUmxww==",
    ),
    INSPECTOR: Pinned(
        "2.12.0",
        "sha512-ppfN5+HnVWo6dY7jz5RMFUFTfEYPnFUjN3XN2w6PI6nmB/AFFXPGPfLBRvCeSx+qIH6kpi7Nsz5HYRp49loHpA==",
    ),
    CONFORMANCE: Pinned(
        "0.1.16",
        "sha512-GI7qiN0r39/MH2srVUR3AXaEN0YLCro20lIBbnvc1frBhszenxvUifBuTzxeVQVagILfBzCIcnungUOma8OrgA==",
    ),
}


def talk(package: str, era: str, *server: str) -> list[str]:
    """The words that have an SDK for TypeScript talk to a server: an address, or a program and its words."""
    script = PROGRAMS / "mcp_clients" / "talk.mjs"
    return [node_program(), str(script), str(PLACE), package, era, *server]


def inspector(*words: str) -> list[str]:
    """The words that run the Inspector's command line."""
    return [
        node_program(),
        str(PLACE / "node_modules" / INSPECTOR / "clients" / "launcher" / "build" / "index.js"),
        "--cli",
        *words,
    ]


def conformance(*words: str) -> list[str]:
    """The words that run the protocol's conformance suite."""
    return [node_program(), str(PLACE / "node_modules" / CONFORMANCE / "dist" / "index.js"), *words]


def main() -> None:
    """Install what is not there yet."""
    stamp = PLACE / "installed"
    if not stamp.is_file() or stamp.read_text() != str(PACKAGES):
        npm_install(PLACE, PACKAGES)
        stamp.write_text(str(PACKAGES))


if __name__ == "__main__":
    main()
