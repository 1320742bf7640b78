"""Where a tool runs out of process: wire protocol, process, Node host."""
