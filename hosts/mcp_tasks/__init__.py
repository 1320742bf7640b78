"""Tasks of MCP, as the client of a server sees them."""
