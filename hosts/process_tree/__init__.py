"""All that a host has started: process groups, what marks them, and how they are killed."""
