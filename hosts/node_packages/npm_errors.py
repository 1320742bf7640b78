"""What npm says when it fails, and what to do about it. Pure."""

from __future__ import annotations

import re

_REMEDIES = (
    (r"\bE404\b", "correct the name of the package that the registry does not have"),
    (r"\bETARGET\b|\bENOVERSIONS\b", "correct the version of the package that the registry does not have"),
    (
        r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b",
        "try again when the registry can be reached; what is in the cache then needs no network",
    ),
    (r"\bE40[13]\b|\bENEEDAUTH\b", "log in to the registry with npm, or correct the token in .npmrc"),
    (
        r"can only install packages when your package\.json and .*are in sync|\bEUSAGE\b",
        "run npm install in the package, and keep the lock file that it writes",
    ),
    (r"\bERESOLVE\b", "make the versions of its dependencies agree"),
    (r"\bEJSONPARSE\b", "correct the JSON of package.json or of the lock file"),
    (
        r"\bEINTEGRITY\b",
        "the lock file and the registry disagree on what a package is; write the lock file anew",
    ),
    (r"\bENOSPC\b", "make room on the disk"),
    (r"\bEBADENGINE\b", "use a version of Node that its packages run on"),
    (r"\bEACCES\b|\bEPERM\b", "make npm's own cache writable"),
)

_NO_PROGRAM = re.compile(
    r"^(?:sh: (?:line )?(?:\d+: )?(\S+): (?:command )?not found|.*?'(\S+)' is not recognized)", re.MULTILINE
)


def install_remedy(said: str) -> str:
    """What to do when an installation fails that says so."""
    for pattern, remedy in _REMEDIES:
        if re.search(pattern, said):
            return remedy
    return "run the same in the package, and correct what it complains of"


def build_remedy(said: str) -> str:
    """What to do when a build fails that says so."""
    program = _NO_PROGRAM.search(said)
    if program is not None:
        return f"add the package that has the program {(program[1] or program[2])!r} to its devDependencies"
    if re.search(r"Cannot find (?:package|module)|ERR_MODULE_NOT_FOUND|Could not resolve|TS2307", said):
        return (
            "add what it cannot find to its dependencies; if that is made by an install script, such scripts run only "
            "with 'node_allow_install_scripts'"
        )
    return "correct what it complains of, or build the package yourself"
