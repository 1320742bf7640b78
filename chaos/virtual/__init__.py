"""Virtual time: a clock, threads one at a time, events and a trace."""
