"""MCP servers that are reached over streamable HTTP: hosts without a process."""
