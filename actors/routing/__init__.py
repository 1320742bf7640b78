"""Which plugin takes a call."""
