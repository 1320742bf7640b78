"""A server on this machine that answers as three providers do, by a script; for tests, and without an account."""

from ..agent.replay.faults import Fault, Reply
from ..agent.replay.script import Script
from ..agent.replay.server import ReplayServer

__all__ = ["Fault", "ReplayServer", "Reply", "Script"]
