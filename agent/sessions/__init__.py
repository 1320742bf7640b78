"""Conversations: as values and on disk."""
