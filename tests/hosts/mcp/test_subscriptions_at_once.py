"""A resource that is subscribed to again while its last subscription ends stays subscribed to at its server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard.hosts.mcp.tool import McpToolPlugin

if TYPE_CHECKING:
    from collections.abc import Callable

    from callboard.hosts.protocol.listeners import RequestOwner

URI = "notes://one"


class OvertakenHost:
    """The host of a server that hears of what ``overtakes`` does before it hears that a subscription ends."""

    name = "notes"

    def __init__(self) -> None:
        self.overtakes: Callable[[], object] = lambda: None
        self.subscribed: set[str] = set()

    def send(self, method: str, params: dict[str, Any], owner: RequestOwner) -> str:
        if method == "resources/subscribe":
            self.subscribed.add(params["uri"])
        else:
            self.overtakes()
            self.subscribed.discard(params["uri"])
        owner.on_answer({}, None)
        return "1"

    def abandon(self, request_id: str) -> bool:
        return False


def test_a_subscription_that_overtakes_the_end_of_the_last_one_holds() -> None:
    plugin, host = McpToolPlugin("notes", ("nothing",)), OvertakenHost()
    plugin.host = host  # type: ignore[assignment]  # all that is needed of one here
    host.overtakes = lambda: plugin.subscribe_resource(URI)

    plugin.subscribe_resource(URI).close()

    assert plugin.subscriptions.uris == [URI]
    assert host.subscribed == {URI}


def test_after_the_last_subscription_the_server_has_none() -> None:
    plugin, host = McpToolPlugin("notes", ("nothing",)), OvertakenHost()
    plugin.host = host  # type: ignore[assignment]  # all that is needed of one here

    plugin.subscribe_resource(URI).close()

    assert host.subscribed == set()
