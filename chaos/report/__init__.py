"""A run to be looked at: its figures, as JSON, and as one page of HTML that needs nothing else."""
