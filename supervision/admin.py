"""What an administrator asks of children: which there are, how many, and what may be done with one now.

The orders of the core (`stop`, `restart`, `revive`, `remove`) do what they can from any state. The verbs here refuse
where another caller is at it, and say so: a tool that manages children must not fight the supervisor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .child import Child, ChildState
from .group import Group
from .verbs import Answer, Verb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def presence(child: Child | None) -> Answer:
    """What is in the way of a new child of this id; OK if nothing is."""
    if child is None:
        return Answer.OK
    return Answer.ALREADY_STARTED if child.generations else Answer.ALREADY_PRESENT


def judge(verb: Verb, child: Child | None) -> Answer:
    """Whether a wish can be fulfilled now: OK, or what is in its way."""
    if child is None:
        return Answer.NOT_FOUND
    if verb is Verb.TERMINATE:
        return Answer.OK
    if child.state is ChildState.BACKOFF or (child.state is ChildState.STOPPING and child.wanted):
        return Answer.RESTARTING
    return Answer.RUNNING if child.generations else Answer.OK


def which(children: Mapping[str, Child]) -> dict[str, str | None]:
    """Each child: ``running``, ``restarting`` while it waits to be started, or ``None``."""
    return {child.id: _presence_of(child) for child in children.values()}


def _presence_of(child: Child) -> str | None:
    if child.generations:
        return Answer.RUNNING.value
    return Answer.RESTARTING.value if child.state is ChildState.BACKOFF else None


def count(group: Group) -> dict[str, int]:
    """How many there are in a group and the groups in it.

    Returns:
        ``specs``: members; ``active``: of these, children that live and groups that run; ``workers``:
        children; ``supervisors``: groups.
    """
    members = list(_all(group.members))
    children = [member for member in members if isinstance(member, Child)]
    groups = [member for member in members if isinstance(member, Group)]
    active = sum(bool(child.generations) for child in children) + sum(
        group.state.value == "running" for group in groups
    )
    return {"specs": len(members), "active": active, "workers": len(children), "supervisors": len(groups)}


def _all(members: Iterable[Child | Group]) -> Iterable[Child | Group]:
    for member in members:
        yield member
        if isinstance(member, Group):
            yield from _all(member.members)
