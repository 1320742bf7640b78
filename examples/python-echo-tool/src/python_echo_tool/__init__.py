"""A package with one tool plugin."""
