"""A call's way past the hooks of a board."""
