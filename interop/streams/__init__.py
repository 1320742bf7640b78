"""Streamed tool calls: the events of a provider in, whole calls in its own wire format out."""
