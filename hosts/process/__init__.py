"""One child process: its start, its pipes, its end."""
