"""How a loaded plugin comes on a board: in two steps, so that many can be prepared and started at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..actors.plugins.config_schema import ConfigMisfit

if TYPE_CHECKING:
    from ..actors.board import Board
    from ..actors.catalog.catalog import ToolDescriptor
    from .loaded import Loaded


def begin(board: Board, one: Loaded) -> None:
    """Begin to run it, here or in a host. Raises as `Board.begin` and `Board.begin_hosted`."""
    options = one.options
    if one.hosted is None:
        board.begin(one.adapter, config=options.config, settings=options.tool)
    else:
        board.begin_hosted(
            one.adapter,
            one.hosted,
            host=options.host,
            policy=options.policy,
            settings=options.tool,
            share=one.share,
        )


def settle(board: Board, one: Loaded) -> tuple[ToolDescriptor, ...]:
    """Wait until it runs, or will not; return its tools.

    Raises:
        PluginError: it is required and does not come up, its configuration does not fit, or a tool's name is taken.
            It has been taken off the board. Or that was done by another thread meanwhile.
    """
    adapter, required = one.adapter, one.options.required
    if one.hosted is None:
        return board.settle(adapter.name, required=required, adapter=adapter)
    tools = board.settle_hosted(adapter.name, required=required, adapter=adapter)
    if tools:
        try:
            board.check_config(adapter.name)
        except ConfigMisfit:
            board.discard(adapter.name, adapter)
            raise
        except KeyError:  # taken off since then: there is nothing to be held to anything
            pass
    return tools
