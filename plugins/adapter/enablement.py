"""Whether a plugin is enabled: pure decisions, each with its reason.

Tags are plain words, such as ``supports_tools``, that the application, the provider and the plugins put in
force. A plugin's own word (`is_enabled`) beats them in both directions; where it has none, they decide.

The tags of all plugins are in force, also of those that turn out not to be enabled: else it would depend on
the order in which they are looked at who is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

NO = "its is_enabled said no"


def tags_in_force(given: Iterable[str], *added: Iterable[str]) -> tuple[str, ...]:
    """Return the tags of a request, each once: those it was given first, then what plugins add, in order."""
    return tuple(dict.fromkeys([*given, *(tag for tags in added for tag in tags)]))


def tags_refuse(tags: Collection[str], *, required: Iterable[str], forbidden: Iterable[str]) -> str | None:
    """Say why the tags rule a plugin out, as a sentence without its subject; ``None`` if they do not."""
    in_force = frozenset(tags)
    lacking = [tag for tag in dict.fromkeys(required) if tag not in in_force]
    if lacking:
        return f"it requires {_named(lacking)}, which {_is(lacking)} not in force"
    banned = [tag for tag in dict.fromkeys(forbidden) if tag in in_force]
    if banned:
        return f"it forbids {_named(banned)}, which {_is(banned)} in force"
    return None


def _named(tags: Collection[str]) -> str:
    return f"the tag{'s' if len(tags) > 1 else ''} {', '.join(map(repr, tags))}"


def _is(tags: Collection[str]) -> str:
    return "are" if len(tags) > 1 else "is"
