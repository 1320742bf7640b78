"""Hosts that run Python."""
