"""The model of a configuration, lent to the servers of its board."""
