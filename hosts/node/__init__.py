"""Hosts that run Node: finding Node, the runner, the sandbox."""
