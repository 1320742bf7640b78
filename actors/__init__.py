"""Who handles a call: mailbox, call handle, host actor, tool actor, router actor."""
