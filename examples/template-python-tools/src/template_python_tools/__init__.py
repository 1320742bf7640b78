"""Two tools for an agent."""
