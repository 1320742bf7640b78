"""Crash reports: the flight recorder, the cause, what is taken out of them."""
