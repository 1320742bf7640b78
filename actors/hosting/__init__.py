"""Hosts and their generations."""
