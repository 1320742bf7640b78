"""Where the files lie that a plugin source is made of, so that they can be watched for changes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from ..plugins.sources.program import BashSource, CommandSource
from ..plugins.sources.source import NodeFileSource, NodePackageSource, PythonObject, PythonPackageSource

if TYPE_CHECKING:
    from ..plugins.sources.source import PluginSource


def folder_of(source: PluginSource) -> Path | None:
    """The folder of a source; ``None`` of what has none to work in, such as a repository."""
    match source:
        case NodePackageSource(directory) | PythonPackageSource(directory):
            return directory
        case NodeFileSource(file):
            return file.parent
        case BashSource(path):
            return path if path.is_dir() else path.parent
        case CommandSource():
            return source.directory
        case PythonObject(path):
            # Of the outermost package alone: to find one within, Python would import what is around it.
            return _folder_of_module(path.partition(".")[0])
    return None


def _folder_of_module(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # such as of a program that is run from its text
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin).parent
