"""The fixtures of the pytest plugin."""
