"""`AgentCore`: sessions, model requests, tool calls."""
