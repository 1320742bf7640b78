"""Plugins in hosts."""
