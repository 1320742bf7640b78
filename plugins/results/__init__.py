"""What a call comes to: result codes, failures, results in one shape."""
