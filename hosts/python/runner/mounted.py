"""A module that is written for Amplifier, as the one plugin of a host: its tools are the plugin's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ....plugins.adapter.adapter import AmplifierTool, as_tool_plugin
from ....plugins.amplifier.coordinator import MountError
from ....plugins.amplifier.module import Module
from ....plugins.amplifier.mount_function import module_name

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]


class MountedPlugin:
    """See the module. Made of a class for each module, by `plugin_class_of`; the module is mounted when the plugin is made.

    Attributes:
        mount: the module's function.
        made: what was made of the class, as soon as its mounting has begun.
    """

    mount: ClassVar[Callable[..., Any]]
    made: ClassVar[list[MountedPlugin]]

    def __init__(self, config: Json) -> None:
        self._tools: dict[str, AmplifierTool] = {}
        name = type(self).__name__
        self._module = Module(name, config, take=self._take, let_go=self._let_go, put_on=self._put_on)
        self.made.append(self)
        try:
            self._module.mount(type(self).mount, None)  # the start of the host has a deadline
        except BaseException:  # the module's code, or an interrupt: raised again
            self.clean_up(None)
            raise

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """The schemas of the tools that it has mounted."""
        return [schema for tool in self._tools.values() for schema in tool.get_tool_schemas()]

    async def execute_tool_async(self, tool_name: str, arguments: Json, state: Json) -> Any:
        """Run one of them, where it wants to run."""
        (tool,) = [tool for tool in self._tools.values() if tool.name == tool_name]
        return await tool.answer(arguments)

    def clean_up(self, within: float | None) -> None:
        """Clean the module up, in so many seconds."""
        self._module.clean_up(within)

    def _take(self, tool: Any, name: str) -> None:
        plugin = as_tool_plugin(self._module.looped(tool))
        if not isinstance(plugin, AmplifierTool):
            raise MountError(
                f"{self._module.name} mounts {name!r}, which has no execute(input); in a host only such tools can be mounted. "
                "Leave out 'isolate', or load that plugin by itself",
                plugin=self._module.name,
            )
        if any(each.name == plugin.name for each in self._tools.values()):
            raise MountError(
                f"{self._module.name} mounts two tools called {plugin.name!r}", plugin=self._module.name
            )
        self._tools[name] = plugin

    def _let_go(self, name: str) -> None:
        self._tools.pop(name, None)

    def _put_on(self, event: str, *_: Any, **__: Any) -> NoReturn:
        raise MountError(
            f"{self._module.name} registers a hook for {event!r}; hooks are the board's, and this module is in a host. "
            "Leave out 'isolate'",
            plugin=self._module.name,
        )


def plugin_class_of(mount: Callable[..., Any]) -> type[MountedPlugin]:
    """Make the class of a module's plugin."""
    return type(module_name(mount), (MountedPlugin,), {"mount": staticmethod(mount), "made": []})
