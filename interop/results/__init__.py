"""What all formats of results share."""
