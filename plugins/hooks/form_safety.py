"""What a person has to know before a form of a server is filled in or its page opened. Pure.

A server chooses every character of an address, and readers of addresses differ: what one takes for a user's name another takes for
the host. So an address that could be read in two ways is refused, and of any other the host is known as the browser looks it up.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_SCHEMES: Final = ("https://", "http://")
_HOST: Final = re.compile(r"(?=.{1,253}\.?$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")

_SECRET: Final = re.compile(
    r"\b(pass ?words?|pass ?phrases?|pass ?codes?|passwd|pwd|secrets?|tokens?|credentials?|(api|access|private|secret|recovery) ?keys?"
    r"|seed ?phrases?|mnemonic|pins?|otp|totp|one time (code|password)s?|(2fa|mfa|security|verification|card) ?codes?|cvv2?|cvc2?"
    r"|(credit ?|debit ?)?card ?numbers?|iban|ssn|social security( number)?"
    r"|passwort|kennwort|mot de passe|contraseña|senha|пароль|密码|密碼|パスワード|비밀번호)(?!\w)",
)
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def host_of(url: str) -> str:
    """Return the host of a page's address in ASCII, as ``xn--…`` where it has other characters.

    Raises:
        ValueError: it is no address of the web, or could be read in two ways: with a user's name, a backslash, a space, or
            characters that are not seen.
    """
    if not url.startswith(_SCHEMES):
        raise ValueError("it does not begin with 'https://' or 'http://'")
    if "\\" in url or " " in url or not url.isprintable():
        raise ValueError("it has a backslash, a space, or characters that are not seen")
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError("it has a user's name before its host")
    host, _ = parts.hostname or "", parts.port  # the port is looked at for what it raises
    if parts.netloc.startswith("["):
        return f"[{host}]"
    try:
        host = host.encode("idna").decode("ascii")
    except UnicodeError:
        raise ValueError("its host is no name") from None
    if not _HOST.fullmatch(host):
        raise ValueError("its host is no name")
    return host


def names_a_secret(text: str) -> bool:
    """Whether a name or a text names a password, a key or the like. By the protocol a server may not ask for such in a form."""
    words = re.sub(r"[_\W]+", " ", _HUMP.sub(" ", text)).lower()
    return _SECRET.search(words) is not None
