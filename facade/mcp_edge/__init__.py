"""What is between a served board and its clients: how large an answer is, and which names it has."""
