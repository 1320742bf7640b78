"""Another version of a host's program, and whether it may take over."""
