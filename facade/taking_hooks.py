"""The part of the front door that takes hooks, who asks people for them, and modules that bring both tools and hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .config.plugin_options import complete
from .plugins.sources.entry import parse_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from .actors.amplifier.mount import MountedModule
    from .actors.board import Board
    from .actors.hooks.listeners import HookHandle
    from .config.configuration import Configuration
    from .plugins.hooks.approval import Approver


class TakingHooks:
    """See the module. Whoever is one has a ``_board`` while it runs."""

    configuration: Configuration
    _board: Board | None
    _approver: Approver | None = None

    @property
    def _running(self) -> Board:
        raise NotImplementedError

    def mount(self, module: Any, config: dict[str, Any] | None = None, **options: Any) -> MountedModule:
        """Mount a module that is written for Amplifier: its tools become the board's, its handlers hooks.

        Args:
            module: has ``mount(coordinator, config)``, or is that function.
            config: given to it.
            options: of its tools, as for `register`: ``concurrency``, ``deadline``, ``idempotent``, …

        Raises:
            MountError: it cannot be mounted; all of it has been taken off again.
            PluginError: what it mounts is no tool, a name is taken, or an option is unknown or wrong.
            NotStarted: the board does not run.
        """
        name = str(getattr(module, "__name__", None) or type(module).__name__)
        read = complete(parse_options({**options, "config": config}, plugin=name), self.configuration)
        timeout = self.configuration.prepare_deadline
        return self._running.mount(module, config, settings=read.tool, timeout=timeout)

    def hook(self, event: str, hook: Callable[[str, dict[str, Any]], Any], **options: Any) -> HookHandle:
        """Have a callable asked about each call from now on: ``hook(event, data)``, which may be asynchronous.

        Args:
            event: ``tool:pre``, ``tool:post`` or ``tool:error``.
            hook: answers nothing, a mapping with ``action``, or an object that has one.
            options: ``priority`` (0; lower goes first), ``deadline`` (5.0 seconds), ``observes`` (false), ``name``.

        Raises:
            HookRegistrationError: there is no such event, or it cannot be called.
            NotStarted: the board does not run.
        """
        return self._running.hook(event, hook, **options)

    @property
    def approver(self) -> Approver | None:
        """Asks a person about the calls that hooks want approved. Without one a question's default holds."""
        return self._approver

    @approver.setter
    def approver(self, approver: Approver | None) -> None:
        self._approver = approver
        if self._board is not None:
            self._board.approver = approver
