"""Limits of a host's processes, and how they are measured."""
