"""MCP servers that are reached over HTTP: hosts without a process."""
