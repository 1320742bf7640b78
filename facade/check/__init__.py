"""What is wrong with a configuration: all of it, and where; nothing is started for that."""
