"""Calls of a served board that clients have run as tasks: begun at once, and asked for later."""
