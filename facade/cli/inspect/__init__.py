"""`callboard inspect`."""
