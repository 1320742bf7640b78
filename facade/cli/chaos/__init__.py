"""`callboard chaos`."""
