"""How faults reach hosts: signals, a hand on the line, hosts that go wrong on schedule."""
