"""Hooks and approval as values: what is asked, what was answered, what follows. Pure."""
