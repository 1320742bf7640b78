"""What all formats of calls share."""
