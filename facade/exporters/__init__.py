"""A board's numbers for those who watch many programs: see `prometheus` and `otel`. Imported by nobody unasked."""
