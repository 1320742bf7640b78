"""The tools of a board as those of other frameworks: one module for each, which needs that framework and nothing else here.

Frameworks without a module take MCP servers: see ``callboard mcp``.
"""
