"""Asking a person about a call: what is shown, and when a yes is one."""
