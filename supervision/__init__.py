"""Who restarts what, and when to give up: decisions, backoff, supervisor actor, events."""
