"""A provider that is not there: a server on this machine that speaks three APIs and answers by a script.

For tests, which also have it misbehave, and for people who want to see an agent at work without an account.
"""
