"""`callboard mcp`."""
