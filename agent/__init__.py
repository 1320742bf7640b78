"""What an agent wants of it: tool messages and the core that makes them."""
