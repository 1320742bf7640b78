"""Node packages: what they need, npm, TypeScript."""
