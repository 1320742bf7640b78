"""What an author of plugins is given: a folder to begin with."""
