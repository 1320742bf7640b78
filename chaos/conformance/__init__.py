"""Is this a tool host? Rules for anybody's host program, in any language, as tests.

``pytest --pyargs callboard.chaos.conformance --host-cmd="…"`` runs them. They know the host by its
pipes alone. Rules marked ``must`` are what Callboard stands on; those marked ``should`` are what users
of a host will thank its author for, and ``-m must`` leaves them out.
"""
