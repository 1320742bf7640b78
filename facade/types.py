"""The plugin contract, under the name that plugins import it by."""

from .plugins.contract.contract import BasePlugin, ToolPlugin

__all__ = ["BasePlugin", "ToolPlugin"]
