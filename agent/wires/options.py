"""What may be configured about a provider, checked key by key. Pure.

A configuration holds the *name* of the environment variable that has the key, and never the key. What else
may hold one is refused: an address with a password or a query in it, and headers that are known to carry secrets.

Keys that are not known here are left alone, for the configuration of a request is everybody's.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ...base.frozen import frozen
from ...base.option_values import flag, mapping, seconds, whole
from ...hosts.report.redaction import is_secret_name
from ..errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Json = dict[str, Any]

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


@frozen
class Timeouts:
    """How long to wait, in seconds.

    Attributes:
        connect: for a connection.
        idle: for the next piece of an answer, and for its beginning.
        total: for a whole answer, once it is sent; noticed when the next piece comes, or ``idle`` is over.
    """

    connect: float = 10.0
    idle: float = 120.0
    total: float = 900.0


@frozen(kw_only=True)
class Options:
    """The configuration of one provider.

    Attributes:
        provider: its name, for errors.
        model: which model to ask.
        base_url: where, without the path of the API's call; nothing stands behind it.
        at_home: this is the provider's own address, and no server that speaks the same language.
        api_key_env: the environment variable that has the key; ``None`` for a server that wants none.
        headers: further headers.
        timeout: how long to wait.
        max_retries: how often to ask again.
        max_response_bytes: how long an answer may be.
        max_output_tokens: how much the model may say; the provider's default if ``None``.
        temperature: the provider's default if ``None``.
        custom_tools: the server takes freeform tools, which compatible servers do not.
        result_images: ``beside``: images of results go into a user message behind them, as OpenAI wants it;
            ``within``: they stay in the result, which some compatible servers take.
        send_back: what the server alone has words for, its reasoning and what its own tools did, goes back to it.
        spelling: whose names and ids the server takes, such as ``mistral``; the API's own if ``None``.
        extra: put into the payload as it is; ``None`` takes a key out.
    """

    provider: str
    model: str
    base_url: str
    at_home: bool
    api_key_env: str | None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    timeout: Timeouts = field(default_factory=Timeouts)
    max_retries: int = 2
    max_response_bytes: int = 64 * 2**20
    max_output_tokens: int | None = None
    temperature: float | None = None
    custom_tools: bool = False
    result_images: str = "beside"
    send_back: bool = True
    spelling: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def server(self) -> str:
        """The host of the address, by which a server is known again; its port may be another the next time."""
        return urlsplit(self.base_url).hostname or ""


def read_options(config: Mapping[str, Any], *, provider: str, home: str, api_key_env: str) -> Options:
    """Read a provider's options out of a configuration; ``None`` stands for the default of most.

    Args:
        config: the registration's and the request's, together.
        provider: its name.
        home: the provider's own address.
        api_key_env: the variable of its key. It is for the provider's own address: another gets no key
            unless the configuration says which.

    Raises:
        ProviderError: with the code ``bad_config``; names the key, and says what it has to be.
    """
    read: Json = {}
    for key, reader in _READERS.items():
        value = config.get(key)
        if value is None:
            continue
        try:
            read[key] = reader(value)
        except ValueError as error:
            shown = "" if key in {"base_url", "headers", "api_key_env"} else f" is {value!r:.80}; it"
            raise _bad(provider, f"{key!r} of provider {provider!r}{shown} has to be {error}") from None
    if "model" not in read:
        raise _bad(provider, f"the configuration names no 'model' for provider {provider!r}")
    base_url = read.pop("base_url", home)
    named = "api_key_env" in config
    at_home = base_url == home
    return Options(
        provider=provider,
        base_url=base_url,
        at_home=at_home,
        api_key_env=read.pop("api_key_env", None) if named or not at_home else api_key_env,
        **read,
    )


def _bad(provider: str, problem: str) -> ProviderError:
    return ProviderError(problem, provider=provider, code="bad_config")


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that is not empty")
    return value


def _address(value: Any) -> str:
    wanted = "an http or https address such as https://api.example.com/v1"
    if not isinstance(value, str) or re.search(r"[\s\x00-\x1f]", value):
        raise ValueError(wanted)
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        raise ValueError(wanted) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(wanted)
    if parts.username is not None or parts.password is not None or "?" in value or "#" in value:
        raise ValueError(f"{wanted}, without a user, a password, a query or a fragment")
    return value.rstrip("/")


def _variable(value: Any) -> str:
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value):
        raise ValueError(
            "the name of an environment variable, such as OPENAI_API_KEY, and not the key itself"
        )
    return value


def _headers(value: Any) -> Mapping[str, str]:
    wanted = "a mapping of header names to texts"
    for name, text in mapping(value).items():
        if not _HEADER.fullmatch(name) or not isinstance(text, str) or not text.isprintable():
            raise ValueError(wanted)
        if is_secret_name(name):
            raise ValueError(f"{wanted}; the key of {name!r} comes from the variable named by 'api_key_env'")
    return MappingProxyType(dict(value))


def _timeouts(value: Any) -> Timeouts:
    known = Timeouts()
    try:
        if not isinstance(value, dict):
            total = seconds(value)
            return Timeouts(min(known.connect, total), min(known.idle, total), total)
        return Timeouts(**{key: seconds(each) for key, each in value.items()})
    except (ValueError, TypeError):
        raise ValueError(
            "a number of seconds above 0, or a mapping of 'connect', 'idle' and 'total' to such"
        ) from None


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("a number")
    return value


def _images(value: Any) -> str:
    if value not in ("beside", "within"):
        raise ValueError("'beside' or 'within'")
    return str(value)


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "model": _text,
    "base_url": _address,
    "api_key_env": _variable,
    "headers": _headers,
    "timeout": _timeouts,
    "max_retries": whole(0),
    "max_response_bytes": whole(1024),
    "max_output_tokens": whole(1),
    "temperature": _number,
    "custom_tools": flag,
    "result_images": _images,
    "send_back": flag,
    "spelling": _text,
    "extra": lambda value: MappingProxyType(mapping(value)),
}

_SECONDS: Final = {"type": "number", "exclusiveMinimum": 0}
CONFIG_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {
        "model": {"type": "string", "minLength": 1},
        "base_url": {"type": "string", "pattern": "^https?://[^?#@]+$"},
        "api_key_env": {"type": ["string", "null"], "pattern": f"^{_VARIABLE.pattern}$"},
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "timeout": {
            "anyOf": [
                _SECONDS,
                {
                    "type": "object",
                    "properties": {"connect": _SECONDS, "idle": _SECONDS, "total": _SECONDS},
                    "additionalProperties": False,
                },
            ]
        },
        "max_retries": {"type": "integer", "minimum": 0},
        "max_response_bytes": {"type": "integer", "minimum": 1024},
        "max_output_tokens": {"type": "integer", "minimum": 1},
        "temperature": {"type": "number"},
        "custom_tools": {"type": "boolean"},
        "result_images": {"enum": ["beside", "within"]},
        "send_back": {"type": "boolean"},
        "spelling": {"type": "string", "minLength": 1},
        "extra": {"type": "object"},
    },
}
"""What `read_options` takes, as a JSON Schema."""
