"""What is sent to a model and what comes back, in the words of each API. It opens no connection."""
