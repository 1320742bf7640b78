"""The clients of MCP that people have: where each keeps its servers, and how a board becomes one of them."""
