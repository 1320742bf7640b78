"""What a plugin says of itself beside its tools: asked where it runs, and told as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .actors.board import Board
    from .plugins.adapter.adapter import PluginAdapter

Json = dict[str, Any]


def describe(board: Board, name: str, config: Json, models: list[Json], timeout: float) -> Json:
    """See `Callboard.describe`."""

    def ask(adapter: PluginAdapter, state: Json) -> Json:
        del state
        return {
            "plugin": adapter.name,
            "version": adapter.version,
            "config_schema": adapter.get_config_schema(),
            "ui_elements": adapter.get_ui_elements(),
            "tags": adapter.get_tags(config, models),
            "required_tags": adapter.required_tags(),
            "forbidden_tags": adapter.forbidden_tags(),
        }

    return board.run_hook(name, ask, timeout)
