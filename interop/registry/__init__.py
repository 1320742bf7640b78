"""Who reads and who writes which format."""
