"""`callboard chat`."""
