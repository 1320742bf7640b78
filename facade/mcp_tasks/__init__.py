"""Calls of a served board that run as tasks: begun at once, and their results asked for later."""
