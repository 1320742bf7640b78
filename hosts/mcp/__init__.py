"""MCP servers as hosts: the session as a dialect of the host protocol, and the plugin that runs one."""
