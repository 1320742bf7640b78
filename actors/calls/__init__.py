"""The handle of one call, its parts and its events."""
