"""When to start a child again, and when to give up. Pure."""
