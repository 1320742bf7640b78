"""Modules that are written for Amplifier."""
