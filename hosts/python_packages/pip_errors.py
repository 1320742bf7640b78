"""What pip says when it fails, and what to do about it. Pure."""

from __future__ import annotations

import re

_UNREACHED = (
    r"NewConnectionError|Failed to establish a new connection|Name or service not known|Temporary failure in name"
    r"|ReadTimeoutError|ConnectTimeoutError|Max retries exceeded|Connection (?:refused|reset|aborted)|ProxyError"
)

_REMEDIES = (
    (_UNREACHED, "try again when the index can be reached; what is in the cache then needs no network"),
    (r"ResolutionImpossible|conflicting dependencies", "make the versions of its dependencies agree"),
    (r"requires a different Python|Requires-Python", "name a version of it for this Python, or use another Python"),
    (r"THESE PACKAGES DO NOT MATCH THE HASHES", "the hashes and the index disagree on what a package is; write them anew"),
    (r"is not a supported wheel on this platform", "name a wheel for this system and this Python"),
    (r"401 Error|403 Error|Credentials not correct", "log in to the index, or correct what pip's configuration says of it"),
    (r"No space left on device", "make room on the disk"),
    (
        r"No module named (?:pip|venv|ensurepip)|ensurepip is not available|ensurepip.*returned non-zero",
        "install venv and pip for this Python; a system may have them as packages of their own, such as python3-venv",
    ),
    (r"(?:No such file or directory|does not exist)", "correct the path of what it does not find"),
)  # fmt: skip

_ABSENT = r"No matching distribution found|Could not find a version that satisfies"


def pip_remedy(said: str, *, builds: bool) -> str:
    """What to do when an environment cannot be made.

    Args:
        said: the last words of venv or pip.
        builds: whether packages without a wheel may be built.
    """
    for pattern, remedy in _REMEDIES:
        if re.search(pattern, said):
            return remedy
    if re.search(_ABSENT, said):
        correct = "correct the name or the version of what the index does not have"
        return correct if builds else f"{correct}; what has no wheel is only built with 'python_allow_builds'"
    return "run the same in a virtual environment, and correct what it complains of"
