"""The tool loop: one turn, from the request to the last answer."""
