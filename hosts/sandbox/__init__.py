"""The sandbox of the system's: bubblewrap, on Linux."""
