"""A trial: a board under faults, and what came of it."""
