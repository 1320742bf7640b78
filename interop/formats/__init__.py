"""The wire formats, one file each; what is built in is gathered in ``built_in``."""
