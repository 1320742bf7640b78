"""How many calls, how long, and how hosts fared."""
