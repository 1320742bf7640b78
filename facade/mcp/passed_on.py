"""Resources and prompts of a board's MCP servers, passed on to clients. Blocks: it is for threads.

They keep their addresses and names. A resource is the first server's that has its address; a prompt whose name another server has too gets its
plugin's name as a prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError
from ..base.foreign import Log
from ..hosts.errors import RemoteError
from ..hosts.mcp.selection import SEPARATOR, prefix_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..callboard import Callboard

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")


class NotThere(CallboardError):
    """No server has it; says what was asked for."""


class PassedOn:
    """See the module.

    Args:
        board: asked for its servers each time; one that is not started has none.
    """

    def __init__(self, board: Callboard) -> None:
        self._board = board

    def resources(self) -> list[Json]:
        """Of all servers that answer."""
        return _first_of_each(self._of_all(self._board.resources), "uri")

    def templates(self) -> list[Json]:
        """Of all servers that answer."""
        return _first_of_each(self._of_all(self._board.resource_templates), "uriTemplate")

    def read(self, uri: str) -> Json:
        """What the first server that knows a resource says of it.

        Raises:
            NotThere: none does; says what each has answered.
        """
        said = []
        for name in self._servers():
            try:
                return self._board.read_resource(name, uri)
            except RemoteError as error:
                said.append(f"{name}: {error.detail}")
            except CallboardError as error:
                said.append(f"{name}: {error}")
        raise NotThere(f"no server has the resource {uri!r:.200} ({'; '.join(said) or 'there is none'})")

    def prompts(self) -> list[Json]:
        """Of all servers that answer, under the names that `prompt` takes."""
        return [{**prompt, "name": name} for name, (_, prompt) in self._named_prompts().items()]

    def prompt(self, name: str, arguments: Mapping[str, str]) -> Json:
        """A prompt with these arguments.

        Raises:
            NotThere: no server has it.
            HostError: its server does not answer, or refuses.
        """
        try:
            server, prompt = self._named_prompts()[name]
        except KeyError:
            raise NotThere(f"no server has the prompt {name!r:.200}") from None
        return self._board.get_prompt(server, prompt["name"], arguments)

    def _named_prompts(self) -> dict[str, tuple[str, Json]]:
        of_all = {
            server: [each for each in prompts if isinstance(each.get("name"), str)]
            for server, prompts in self._of_all(self._board.prompts).items()
        }
        names: dict[str, list[str]] = {}
        for server, prompts in of_all.items():
            for prompt in prompts:
                names.setdefault(prompt["name"], []).append(server)
        found = {}
        for server, prompts in of_all.items():
            for prompt in prompts:
                name = prompt["name"]
                several = len(set(names[name])) > 1
                found[f"{prefix_of(server)}{SEPARATOR}{name}" if several else name] = (server, prompt)
        return found

    def _servers(self) -> list[str]:
        plugins = self._board.status()["plugins"]
        return [name for name, plugin in plugins.items() if plugin.get("kind") == "mcp"]

    def _of_all(self, ask: Callable[[str], list[Json]]) -> dict[str, list[Json]]:
        found = {}
        for name in self._servers():
            try:
                found[name] = ask(name)
            except (CallboardError, KeyError) as error:  # it is down, or gone since: the others answer
                logger.warning("the server %r lists nothing beside its tools: %s", name, error)
        return found


def _first_of_each(of_all: Mapping[str, list[Json]], key: str) -> list[Json]:
    found: dict[str, Json] = {}
    for items in of_all.values():
        for item in items:
            if isinstance(item.get(key), str):
                found.setdefault(item[key], item)
    return list(found.values())
