"""Files that we keep from one program to the next: the versions of their formats."""
