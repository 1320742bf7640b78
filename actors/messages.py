"""What a board's router may be asked, for those who talk to it as an actor."""

from .routing.messages import Dispatch

__all__ = ["Dispatch"]
