"""`callboard doctor`."""
