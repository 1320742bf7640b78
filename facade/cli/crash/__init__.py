"""`callboard crash`, and how a crash report is shown."""
