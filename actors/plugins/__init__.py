"""How plugins come onto a board and leave it."""
