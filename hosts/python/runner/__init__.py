"""The Python tool host: runs one plugin in a process of its own, and speaks version 1 of the tool host protocol."""
