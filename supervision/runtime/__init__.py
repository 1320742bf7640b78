"""What actors run on: the clock, the event stream, dead letters."""
