"""A board as an MCP server: its tools for every client of MCP, over pipes and over HTTP. Needs the package ``mcp``."""
