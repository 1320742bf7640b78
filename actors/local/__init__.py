"""Plugins of this process."""
