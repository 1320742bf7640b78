"""The hooks of a board, and the way of calls past them, which is made with the first.

Most boards have no hooks, and with that way comes all that asks hooks and people. Once there has been a hook all
calls go by it, see `Listeners.ever`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from ...base.locks import Lock
from ...base.threads import import_apart
from ...base.validation import require
from .listeners import Listeners

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.mcp.sampling import Sampling
    from ...plugins.contract.option_types import Hook, HookEvent, HookOptions
    from ...plugins.hooks.approval import Approver
    from ...plugins.hooks.forms import Form, FormAnswer
    from ..calls.call import Call
    from ..catalog.catalog import Catalog
    from ..routing.claims import ClaimCollector
    from ..routing.decision import Claims
    from ..routing.table import RoutingTable
    from ..services import AnswersByModel, AsksCallers, Services
    from .handles import HookedCall
    from .interceptor import Interceptor
    from .listeners import HookHandle


class Hooks:
    """See the module. Thread-safe. The arguments are those of `Interceptor` and of `HookServices`.

    Attributes:
        listeners: the hooks.
        sampler: asks a model for servers that want that; ``None`` for none.
        callers: has those asked who made a call, before the approver and the model; ``None`` where they cannot be.
    """

    def __init__(
        self,
        routing_table: RoutingTable,
        claiming: ClaimCollector,
        catalog: Catalog,
        route: Callable[[Call, Claims | None], None],
        services: Services,
    ) -> None:
        self.listeners: Listeners = Listeners()
        self.sampler: AnswersByModel | None = None
        self.callers: AsksCallers | None = None
        self._routing_table = routing_table
        self._claiming = claiming
        self._catalog = catalog
        self._route = route
        self._services = services
        self._lock = Lock()
        self._way: Interceptor | None = None
        self._closed = False

    def add(self, event: HookEvent, hook: Hook, **options: Unpack[HookOptions]) -> HookHandle:
        """Have a callable asked about each call from now on: ``hook(event, data)``, which may be asynchronous.

        Args:
            event: ``tool:pre``, ``tool:post`` or ``tool:error``.
            hook: answers nothing, a mapping with ``action``, or an object that has one.
            options: ``priority`` (0): lower goes first. ``deadline`` (5.0): seconds that it has for each answer; a gate
                that takes longer, raises, or answers with what is no answer, refuses the call. ``observes`` (false): it
                decides nothing, and what goes wrong in it harms nothing; those of ``tool:error`` all do. ``name``: for
                results and events; its own if ``None``.

        Raises:
            HookRegistrationError: there is no such event, or it cannot be called.
        """
        self._made()  # first: calls go by it as soon as there is a hook
        return self.listeners.add(event, hook, **options)

    @property
    def approver(self) -> Approver | None:
        """Asks a person about the calls that hooks want approved. Without one a question's default holds."""
        return None if self._way is None else self._way.people.approver

    @approver.setter
    def approver(self, approver: Approver | None) -> None:
        if approver is not None:
            can_ask = callable(getattr(approver, "ask", None))
            require(can_ask, "the approver", approver, "something that has ask(question)")
        if approver is not None or self._way is not None:
            self._made().people.approver = approver

    @property
    def takes_forms(self) -> bool:
        """Whether people can be asked to fill in forms."""
        return callable(getattr(self.approver, "ask_form", None))

    def ask_form(self, form: Form, call: str, done: Callable[[FormAnswer], None]) -> Callable[[], None]:
        """Have ``done`` called with the answer, at once or from another thread; returns what withdraws it."""
        people = self._made().people
        return partial(people.withdraw, people.ask_form(form, call, done))

    @property
    def has_model(self) -> bool:
        """Whether there is a model that can be asked."""
        return self.sampler is not None and self.sampler.ready

    def ask_model(
        self, asked: Sampling, call: str, done: Callable[[dict[str, Any] | None, str], None]
    ) -> Callable[[], None]:
        """As `ask_form`, of a model, if people allow it; ``None`` and why, if there is no answer."""
        from .model_inquiry import ModelInquiry  # noqa: PLC0415 - few servers ask for one

        if self.sampler is None:  # taken away since
            done(None, "there is no model to ask")
            return lambda: None
        inquiry = ModelInquiry(
            asked, call, done, model=self.sampler, people=self._made().people, services=self._services
        )
        inquiry.begin()
        return inquiry.withdraw

    def handle(self, call: Call) -> HookedCall:
        """The caller's handle of a call that passes the hooks once it is begun; for a board that has had one."""
        return (self._way or self._made()).handle(call)

    def begin(self, call: HookedCall, deadline: float | None) -> None:
        """Have a call pass the hooks."""
        self._made().begin(call, deadline)

    def forget(self, plugin: str) -> None:
        """A plugin has left the board, and with it what a person has allowed it for good."""
        if self._way is not None:
            self._way.people.forget(plugin)

    def close(self) -> None:
        """Refuse further calls, and end what is with the hooks."""
        with self._lock:
            self._closed = True
        if self._way is not None:
            self._way.close()

    def finish(self) -> None:
        """End the calls that are left, when all plugins have ended."""
        if self._way is not None:
            self._way.finish()

    def _made(self) -> Interceptor:
        with self._lock:  # across the import: two first calls make one pipeline
            if self._way is None:
                self._way = self._make()
                if self._closed:
                    self._way.close()
            return self._way

    def _make(self) -> Interceptor:
        import_apart(".interceptor", __package__)
        from .interceptor import Interceptor  # noqa: PLC0415 - with it comes all that asks hooks and people
        from .runner import HookServices  # noqa: PLC0415 - as below

        return Interceptor(
            HookServices(self._services, lambda: self._catalog.offers),
            self.listeners,
            routing_table=self._routing_table,
            claiming=self._claiming,
            registry=lambda: self._catalog.registry,
            route=self._route,
        )
