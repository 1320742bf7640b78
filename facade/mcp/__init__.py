"""A board as an MCP server: its tools for every client of MCP, whatever carries the requests."""
