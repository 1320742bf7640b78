"""Asking the plugins of a board what they are: all at the same time, each on a thread that can be lost.

What is asked about is what a request wants to know: tags, enablement, other declarations. One that raises or
hangs is an answer too, and costs the others nothing.

A host that is being started again cannot be asked. Then its last answer to the same question holds: tools that
come and go with every restart would have the model's provider read the conversation anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from ...base.errors import PluginAway, PluginError
from ...base.foreign import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from ...plugins.adapter.adapter import PluginAdapter
    from ..endpoint.plugin import PluginHandle
    from ..threads.hook_pool import HookPool, Pending

logger: Log = Log("callboard.actors")

Answer = TypeVar("Answer")


class ScatterGather:
    """See the module. Any thread.

    Args:
        threads: where the plugins' hooks run.
    """

    def __init__(self, threads: HookPool) -> None:
        self._threads = threads
        self._known: WeakKeyDictionary[PluginHandle, dict[str, tuple[Hashable, Any]]] = WeakKeyDictionary()

    def ask(
        self,
        handles: Iterable[PluginHandle],
        question: str,
        hook: Callable[[PluginHandle, PluginAdapter], Answer],
        *,
        about: Hashable = None,
        needs: Iterable[str] = (),
        timeout: float = 5.0,
    ) -> dict[str, Answer | PluginError]:
        """What each of them answers, by name, or why it has no answer.

        Args:
            handles: who is asked.
            question: what; the last answer to each question is remembered.
            hook: asks one. It is called with the handle and its plugin.
            about: what else the answer depends on; one about something else does not stand in for it.
            needs: hooks that ``hook`` asks. A plugin that offers none of them is asked in this thread, since
                nothing of it runs.
            timeout: seconds that each may take.
        """
        asked, needs = list(handles), tuple(needs)
        under_way: dict[str, Pending[Answer | PluginError]] = {}
        for handle in asked:
            adapter = handle.endpoint.adapter
            if not needs or any(map(adapter.offers, needs)):
                job = _job(hook, handle, adapter)
                under_way[handle.name] = self._threads.begin(handle.name, job, timeout)
        answers: dict[str, Answer | PluginError] = {}
        for handle in asked:
            waiting = under_way.get(handle.name)
            if waiting is None:
                answers[handle.name] = hook(handle, handle.endpoint.adapter)
                continue
            try:
                answer = waiting.wait()
            except PluginError as error:
                answer = error
            answers[handle.name] = self._settled(handle, question, about, answer)
        return answers

    def _settled(
        self, handle: PluginHandle, question: str, about: Hashable, answer: Answer | PluginError
    ) -> Answer | PluginError:
        known = self._known.setdefault(handle, {})
        if not isinstance(answer, PluginError):
            known[question] = (about, answer)
            return answer
        if isinstance(answer.__cause__, PluginAway):
            before = known.get(question)
            if before is not None and before[0] == about:
                last: Answer = before[1]
                return last
        logger.warning("asking plugin %r for its %s failed: %s", handle.name, question, answer)
        return answer


def _job(
    hook: Callable[[PluginHandle, PluginAdapter], Answer], handle: PluginHandle, adapter: PluginAdapter
) -> Callable[[], Answer | PluginError]:
    def job() -> Answer | PluginError:
        try:
            return hook(handle, adapter)
        except PluginError as error:
            return error

    return job
