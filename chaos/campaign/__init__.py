"""The campaign: random configurations under a random load, and tools whose own ledgers are held against every answer."""
