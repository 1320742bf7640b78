"""Which variables of this program a host may have died for want of. Pure; a guess, for people.

A host gets a short list of variables and what its entry gives. What it says at its end often names another one that is set here, or
tells by its complaint which one that is: a proxy, a file of certificates, the socket of an agent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_PROXIES: Final = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
_CERTIFICATES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")

_UNREACHED: Final = (
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|could not resolve|name or service not known"
    r"|name resolution|dns error|connection refused|network is unreachable|timed out"
)
_UNTRUSTED: Final = (
    r"SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY)|CERTIFICATE_VERIFY_FAILED|certificate verify failed"
    r"|self[- ]signed certificate|unknown authority|invalid peer certificate|UnknownIssuer"
)

_COMPLAINTS: Final = (
    (_UNREACHED, _PROXIES),
    (_UNTRUSTED, _CERTIFICATES),
    (r"permission denied \(publickey|authentication agent|ssh-agent|ssh-add", ("SSH_AUTH_SOCK",)),
    (r"docker daemon|docker\.sock", ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG")),
    (r"kubeconfig|current-context|localhost:8080", ("KUBECONFIG",)),
    (r"terminfo|setupterm|terminal is (?:unknown|not)|unknown terminal", ("TERM",)),
)
"""What complaints look like, and the variables that would have helped."""

_MISSED: Final = re.compile(
    r"not (?:set|defined|found|provided|configured)|missing|require|undefined|unset|must be|need|expected|empty|KeyError|NameError|no such variable",
    re.IGNORECASE,
)
"""What a line says in which a variable is missed. A name alone may stand in any line."""

_NAMED: Final = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9_]{2,}(?![A-Za-z0-9_])")
_LAST: Final = 16 * 1024
_LINE: Final = 1000
_MOST: Final = 5


def wanted_variables(stderr: str, given: Collection[str], here: Collection[str]) -> tuple[str, ...]:
    """Find the variables that are set here, were not given, and are missed by what was said.

    Args:
        stderr: what the host wrote last.
        given: names that it has.
        here: names that this program has.
    """
    last = stderr[-_LAST:]
    found = [
        name
        for complaint, names in _COMPLAINTS
        if re.search(complaint, last, re.IGNORECASE) is not None
        for name in names
    ]
    return tuple(
        dict.fromkeys(name for name in (*_missed(last), *found) if name in here and name not in given)
    )[:_MOST]


def _missed(text: str) -> Iterable[str]:
    """Yield what looks like a name of a variable in lines that miss something."""
    for line in text.splitlines():
        if _MISSED.search(line[:_LINE]):
            yield from (name for name in _NAMED.findall(line[:_LINE]) if name == name.upper())


def remedy(names: Collection[str]) -> str:
    """Say what to write; a clause."""
    listed = ", ".join(names)
    written = ", ".join(f'"{name}"' for name in names)
    return f'{listed}: set here and not given to it; if it needs that, write "inherit": [{written}] into its entry'
