"""Logins and tokens for MCP servers over HTTP."""
