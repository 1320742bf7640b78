"""What a configuration would have fetched, built and run, and what its user has agreed to."""
