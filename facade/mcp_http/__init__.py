"""A board as an MCP server over streamable HTTP, through the official SDK. Needs the package `mcp`."""
