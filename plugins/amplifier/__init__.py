"""Modules that are written for Amplifier, wherever they are mounted."""
