"""The tool host protocol: wire, peer, methods and their parameters. Pure."""
