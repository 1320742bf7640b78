"""What a tool is: contract, signature adapters, results, context, sources."""
