"""Whether its tags enable a plugin: one pure decision, taken where `is_enabled` has no opinion.

Tags are plain words, such as ``supports_tools``, that the application, the provider and the plugins put in force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def tags_allow(tags: Collection[str], *, required: Collection[str], forbidden: Collection[str]) -> bool:
    """Say whether all ``required`` tags are among those in force, and none that is ``forbidden``."""
    in_force = frozenset(tags)
    return in_force.issuperset(required) and in_force.isdisjoint(forbidden)
