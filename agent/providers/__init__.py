"""Providers over HTTP: Chat Completions and what is compatible with it, Responses, Anthropic Messages.

They need the extra ``agent``. Importing them does not: what is missing is told when a request is sent.
"""
