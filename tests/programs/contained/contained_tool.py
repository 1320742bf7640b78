"""Runs whatever it is told, and ends by whatever signal."""

import os
import signal
import subprocess


def named(name, key):
    parameters = {"type": "object", "properties": {key: {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


class Tool:
    def init(self, config):
        return {}

    def get_tool_schemas(self, state):
        return [named("shell", "line"), named("die", "signal")]

    def execute_tool(self, name, arguments, state):
        if name == "shell":
            line = f"{{ {arguments['line']}\n}} 2>&1"
            ended = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True)
            return {"success": True, "result": ended.stdout.decode()}
        os.kill(os.getpid(), getattr(signal, arguments["signal"]))
        signal.pause()
        return None
