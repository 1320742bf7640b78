"""From an entry of a configuration to a plugin on a board."""
