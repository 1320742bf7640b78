"""What a Python package needs: its requirements as they are written, read, and where it runs for them. Pure, but for the reading of files."""
