"""Threads of actors, and threads that may hang."""
