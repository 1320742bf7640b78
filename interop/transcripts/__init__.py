"""Whole transcripts, repaired for their provider."""
