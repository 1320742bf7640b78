"""The demonstration: tools under load while their hosts are killed, and proof of what became of every call.

`plan` says what is asked and what has to come of it, `show` runs it on a real board with real
processes, `record` holds the one against the other. How it is shown is the command line's business.
"""
