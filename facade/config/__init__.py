"""Configurations: what is read, what is refused."""
