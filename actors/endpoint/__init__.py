"""What a plugin's calls go through: mailbox, admission, circuit breaker, blame."""
