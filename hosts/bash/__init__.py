"""Hosts that run Bash scripts."""
