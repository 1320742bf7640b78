"""Reloading what changed on disk."""
