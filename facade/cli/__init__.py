"""The command line: one file a command, over what the public face offers."""
