"""A board's numbers for those who watch many programs: see `prometheus` and `otel`. Not imported unless asked for."""
