"""What was recorded, and the rules that it is held to."""
