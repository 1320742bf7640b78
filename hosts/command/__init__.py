"""Hosts that are any program."""
