"""`callboard dev`."""
