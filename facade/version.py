"""The version of Callboard."""

from .base.version import __version__

__all__ = ["__version__"]
