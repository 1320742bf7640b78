"""The modules that are written for Amplifier, of one board. What mounts them is imported with the first."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...base.locks import Lock

if TYPE_CHECKING:
    from ..endpoint.endpoint import ToolSettings
    from .mount import MountedModule, Takes

Json = dict[str, Any]


class Mounts:
    """The modules of one board. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._modules: list[MountedModule] = []
        self._closed = False

    def mount(
        self, board: Takes, module: Any, config: Json, *, settings: ToolSettings | None, timeout: float | None
    ) -> MountedModule:
        from ...plugins.amplifier.coordinator import MountError  # noqa: PLC0415 - most boards mount no module
        from ...plugins.amplifier.mount_function import module_name  # noqa: PLC0415 - as above
        from .mount import MountedModule  # noqa: PLC0415 - as above

        function, name = getattr(module, "mount", module), module_name(module)
        if not callable(function):
            raise MountError(f"{name} has no mount(coordinator, config)", plugin=name)
        mounted: MountedModule

        def forget() -> None:
            with self._lock, suppress(ValueError):
                self._modules.remove(mounted)

        with self._lock:
            if self._closed:
                raise MountError(f"cannot mount {name}: the board has been stopped", plugin=name)
            mounted = MountedModule(name, board, config, settings, forget)
            self._modules.append(mounted)
        try:
            mounted.begin(function, timeout)
        except BaseException:  # an interrupt too may leave nothing mounted
            mounted.close()
            raise
        return mounted

    def removed(self, plugin: str) -> None:
        """A plugin was taken off the board. Whoever did that calls `clean_up_idle` then, which may wait."""
        with self._lock:
            modules = list(self._modules)
        for module in modules:
            module.has_lost(plugin)

    def clean_up_idle(self) -> None:
        """Clean up the modules whose last plugin was taken off; those of a call that was interrupted, too."""
        with self._lock:
            modules = list(self._modules)
        for module in modules:
            if module.idle:
                module.clean_up()

    def close(self) -> None:
        """Clean all of them up, now that their calls have ended; the last first."""
        with self._lock:
            self._closed = True
            modules = list(self._modules)
        for module in reversed(modules):
            module.clean_up()
