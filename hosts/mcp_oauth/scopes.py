"""Scopes that a server asks for beyond those of a token. Pure; see RFC 6750, 3.1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST: Final = 64
"""Scopes that are asked for."""

WANTED: Final = "wanted_scopes"
"""Where they are kept, beside the token, until the next login."""

_PARAMETER: Final = re.compile(r"""\b(error|scope)\s*=\s*(?:"([^"\\]{0,4096})"|([^\s,"]{1,4096}))""")
_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,256}")


def insufficient(challenge: str | None) -> tuple[str, ...] | None:
    """The scopes that a request needs which was refused by this ``WWW-Authenticate``; ``None`` unless it lacks scopes."""
    found = {name: quoted or plain for name, quoted, plain in _PARAMETER.findall((challenge or "")[:16384])}
    if found.get("error") != "insufficient_scope":
        return None
    return valid(found.get("scope", "").split())


def valid(scopes: Iterable[Any]) -> tuple[str, ...]:
    """Those that are scopes, each once."""
    return tuple(dict.fromkeys(each for each in scopes if isinstance(each, str) and _SCOPE.fullmatch(each)))[
        :MOST
    ]


def widened(kept: dict[str, Any] | None) -> tuple[str, ...]:
    """What the next login asks for, by what is kept: what was granted, and what was wanted beyond; nothing if nothing was."""
    wanted = (kept or {}).get(WANTED)
    if not isinstance(wanted, list) or not (asked := valid(wanted)):
        return ()
    granted = (kept or {})["tokens"].get("scope")
    return valid([*(granted.split() if isinstance(granted, str) else []), *asked])
