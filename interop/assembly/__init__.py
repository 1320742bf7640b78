"""What the streams of all APIs share: bytes become events, and pieces of calls become whole ones."""
