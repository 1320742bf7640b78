"""A board as an MCP server over pipes, without the SDK: a session that is pure, and what reads and writes."""
