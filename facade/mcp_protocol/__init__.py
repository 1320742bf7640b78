"""What handlers of MCP know of clients, and the shapes of what is said. Pure, and without the SDK."""
