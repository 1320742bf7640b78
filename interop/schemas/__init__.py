"""JSON Schemas of tools: read, checked, bounded."""
