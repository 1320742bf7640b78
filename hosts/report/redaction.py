"""Taking secrets out of what is kept of a host: its frames, and its last words. Pure.

A secret is known by its name (the value of ``api_key``, in any spelling and at any depth), by its
value (what the host was given in its environment), or by the text around it (``TOKEN=…``, ``Bearer …``,
``//user:password@``). Frames are read token by token and not parsed
whole, because most are cut: what is half a message has to be as clean as a whole one, and a string
that is cut in the middle of a secret must not end with the half of it.

JSON stays JSON of the same structure. What is not known as a secret, by neither, is not found: a
report is for those who run the tools, and not for everybody.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HIDDEN = "***"
"""What stands for a secret. Shorter than any that is looked for by value, so that looking ends."""

SHORTEST = 4
"""Characters of the shortest value that is looked for: shorter ones are in everything."""

_IN_NAMES = (
    "apikey", "token", "password", "passwd", "passphrase", "passcode", "secret", "authorization", "cookie",
    "privatekey", "accesskey", "credential",
)  # fmt: skip
_NAMES = ("auth", "pass", "pwd", "jwt", "bearer")
_SUSPECT = re.compile("|".join((*_IN_NAMES, *_NAMES)).encode())
_NO_WORDS = bytes(byte for byte in range(128) if not chr(byte).isalnum())


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """Whether a value under this name is a secret: ``apiKey``, ``API-KEY`` and ``x_api_key`` are one name."""
    letters = re.sub(r"[\W_]", "", name.casefold())
    return letters in _NAMES or any(secret in letters for secret in _IN_NAMES)


_ASSIGNED = re.compile(r"(?<![\w.-])([\w.-]{1,200})=")
_ASSIGNED_VALUE = re.compile(
    r"""
    (?P<quote> ["'] (?![,:}\]]) ) (?: \\. | (?!(?P=quote)) [^\\\n] )*  # a quotation mark that ends a string of JSON is none
    | (?: [^\s"'&\\] | \\ (?!["'\\]) )+
    """,
    re.VERBOSE,
)
_BEARER = re.compile(
    r"(\bbearer[ \t]+|\bauthorization\s{0,4}[:=]\s{0,4}basic[ \t]+)[\w.~+/=-]+", re.IGNORECASE
)
_USER = re.compile(r"""//[^/?#\s"'\\:@]*:[^/?#\s"'\\]*@|(?:(?<=http:)|(?<=https:))//[^/?#\s"'\\]*@""")
_USER_CUT = re.compile(r"""//[^/?#\s"'\\:@]*:[^/?#\s"'\\]*\Z""")

_TOKEN = re.compile(
    r"""
    "(?P<string> [^"\\]* (?: \\. [^"\\]* )* ) (?P<end> " | \\?\Z ) (?P<key> \s*: )?
    | (?P<mark> [][{}:,] )
    | (?P<bare> [^][\s"{}:,]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
_CONSTANTS = frozenset({"true", "false", "null"})
_NESTED = 3
"""How deep JSON in strings of JSON is looked into."""


class Redactor:
    """Hides the secrets of one host.

    Args:
        secrets: values to look for. Of one that has several lines each is looked for.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        pieces = {piece for secret in secrets for piece in (secret, *secret.splitlines())}
        self._secrets = sorted((p for p in pieces if len(p) >= SHORTEST), key=len, reverse=True)

    def text(self, text: str, *, cut: bool = False) -> str:
        """Hide values, and secrets that are known by the text around. ``cut``: the text went on, so that its end may be the beginning of one."""
        text = _without_users(_without_assigned(self._values(text, cut=cut)))
        return self._values(_USER_CUT.sub(f"//{HIDDEN}", text) if cut else text)

    def _values(self, text: str, *, cut: bool = False) -> str:
        again = bool(self._secrets)
        while again:
            again = False
            for secret in self._secrets:
                if secret in text:
                    text, again = text.replace(secret, HIDDEN), True
                    break  # the longest first, in what is there now
        if not cut:
            return text
        begun = max((_overlap(text, secret) for secret in self._secrets), default=0)
        return self._values(text[:-begun] + HIDDEN) if begun >= SHORTEST else text

    def frame(self, text: str, *, cut: bool = False) -> str:
        """Hide values, and what stands under secret names, in JSON or the beginning of it."""
        if self.is_clean(text):
            return self.text(text, cut=cut)
        if not text.lstrip().startswith(("{", "[")):  # words, such as a line that a tool printed
            text = self.text(text, cut=cut)
        return self._frame(text, cut=cut, nested=0)

    def is_clean(self, text: str) -> bool:
        """Whether it is plain that nothing whole in a text, or in a part of it, is to be hidden. An escape may spell anything."""
        if (
            "\\" in text
            or ("@" in text and "//" in text)
            or not text.isascii()
            or any(secret in text for secret in self._secrets)
        ):
            return False
        letters = text.encode().lower().translate(None, _NO_WORDS)
        return _SUSPECT.search(letters) is None

    def _frame(self, text: str, *, cut: bool, nested: int) -> str:
        place = _Place()

        def shown(token: re.Match[str]) -> str:
            string, end, key, mark, bare = token.groups()
            if mark is not None:
                place.pass_mark(mark)
                return mark
            if bare is not None:
                return self._bare(bare, place)
            partial = end != '"'
            plain = _decoded(string, partial=partial)
            if key is not None:
                place.name = plain
                clean = self.text(plain)
            elif place.hides:
                clean = HIDDEN
            else:
                clean = self._string(plain, cut=cut and partial, nested=nested)
            return token[0] if clean == plain else _encoded(clean) + end.strip("\\") + (key or "")

        # Of the signs around a secret only those that no quotation mark is among: else this was JSON.
        return self._values(_without_users(_TOKEN.sub(shown, text)), cut=cut)

    def _bare(self, bare: str, place: _Place) -> str:
        if bare in _CONSTANTS:
            return bare
        is_number = _NUMBER.fullmatch(bare) is not None
        if place.hides_numbers if is_number else place.hides:
            return f'"{HIDDEN}"'
        shown = self.text(bare)
        return f'"{HIDDEN}"' if is_number and shown != bare else shown

    def _string(self, string: str, *, cut: bool, nested: int) -> str:
        string = self.text(string, cut=cut)
        if nested < _NESTED and '"' in string and ":" in string:  # arguments of calls are JSON in a string
            return self._frame(string, cut=cut, nested=nested + 1)
        return string


def _without_assigned(text: str) -> str:
    """A text without what stands after ``token=``, and the like: that of a secret within the value of another name too."""
    pieces, end = [], 0
    for found in _ASSIGNED.finditer(text):
        if found.start() < end or not is_secret_name(found[1]):
            continue
        if (value := _ASSIGNED_VALUE.match(text, found.end())) is not None:
            pieces += [text[end : found.end()], value["quote"] or "", HIDDEN]
            end = value.end()
    return "".join([*pieces, text[end:]])


def _without_users(text: str) -> str:
    return _BEARER.sub(rf"\1{HIDDEN}", _USER.sub(f"//{HIDDEN}@", text))


class _Place:
    """Where in a message a token stands: under which name, and inside of what."""

    def __init__(self) -> None:
        self.name = ""
        self._depth = 0
        self._hidden_from: int | None = None

    @property
    def hides(self) -> bool:
        """Whether what stands here is a secret."""
        return self._hidden_from is not None or is_secret_name(self.name)

    @property
    def hides_numbers(self) -> bool:
        """Whether a number that stands here is: under ``max_tokens`` it is a count."""
        return self.hides and not (self._hidden_from is None and self.name.lower().endswith("tokens"))

    def pass_mark(self, mark: str) -> None:
        """Step over one of the marks of JSON."""
        match mark:
            case "{" | "[":
                if self._hidden_from is None and is_secret_name(self.name):
                    self._hidden_from = self._depth
                self._depth += 1
                self.name = ""
            case "}" | "]":
                self._depth -= 1
                if self._hidden_from is not None and self._depth <= self._hidden_from:
                    self._hidden_from = None
                self.name = ""
            case ",":
                self.name = ""


def _overlap(text: str, secret: str) -> int:
    """How many characters at the end of a text are the beginning of a secret."""
    longest = min(len(secret) - 1, len(text))
    return next((n for n in range(longest, 0, -1) if text.endswith(secret[:n])), 0)


def _decoded(inner: str, *, partial: bool) -> str:
    """The string that stands between two quotation marks; of a partial one, what there is of it."""
    if "\\" not in inner:
        return inner
    for end in range(len(inner), max(-1, len(inner) - 7) if partial else len(inner) - 1, -1):
        try:
            return str(json.loads(f'"{inner[:end]}"', strict=False))
        except ValueError:  # an escape that was cut, or no JSON at all
            continue
    return inner


def _encoded(string: str) -> str:
    """A string as JSON, without its last quotation mark."""
    whole = string.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    return json.dumps(whole, ensure_ascii=False)[:-1]
