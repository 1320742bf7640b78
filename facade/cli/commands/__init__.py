"""Commands of one file each."""
