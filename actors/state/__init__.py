"""The state of tools, and where it is kept."""
