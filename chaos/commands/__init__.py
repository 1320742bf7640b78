"""The commands of ``python -m callboard.chaos``."""
