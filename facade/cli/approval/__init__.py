"""Asking a person about a call, or what a server wants to know for one: what is shown, and when a yes is one."""
