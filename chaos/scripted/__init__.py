"""Hosts that are made of Python functions and a schedule."""
