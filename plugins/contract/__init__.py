"""What a plugin is: its hooks, their signatures, and the context they are given."""
