"""Calls for a board under faults."""
