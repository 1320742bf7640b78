"""What the supervisor may be told and asked, all frozen. What its generations tell it is in `generation`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from .generation import ChildSpec
    from .restart.spec import GroupSpec
    from .verbs import Verb
    from .watch import Down


@frozen
class AddChild:
    """Take a child in and start it."""

    spec: ChildSpec


@frozen
class Order:
    """An order by hand: ``stop``, ``park``, ``restart``, ``replace``, ``revive``, ``probe``, ``forgive`` or ``remove``."""

    verb: str
    child: str
    reason: str = "by hand"


@frozen
class GetStatus:
    """Ask for the state of all children, as JSON."""


@frozen
class AddGroup:
    """Take a group in, empty; its parent has to be there."""

    spec: GroupSpec


@frozen
class GetGroups:
    """Ask for the state of all groups but the root, as JSON, by name."""


@frozen
class Administer:
    """Wish something for a child. The answer is a `verbs.Answer`: done, or what is in the way."""

    verb: Verb
    child: str
    reason: str = "by hand"


@frozen
class GetWhich:
    """Ask which children there are: see `admin.which`."""


@frozen
class GetCount:
    """Ask how many there are in a group, all when it has no name: see `admin.count`."""

    group: str = ""


@frozen
class WatchChild:
    """Be told, once, when a child has ended for good. The answer is a `Watch`.

    Attributes:
        child: its id; one that is not there is reported at once.
        deliver: called with the `Down`, in the supervisor's thread; must not block. An actor's `tell`
            will do. The same one has one watch on a child, however often it asks.
    """

    child: str
    deliver: Callable[[Down], object]


@frozen
class ShutDown:
    """End all children, the last one first; nothing starts any more.

    The answer is a pykka future, at once. It is given the ids of children with generations that did not end in
    time: none, if all is well.

    Attributes:
        reason: for the generations.
        within: after so many seconds nobody is waited for any longer.
    """

    reason: str
    within: float


@frozen
class Due:
    """A scheduled time has come."""

    child: str
    token: int
    group: bool = False
