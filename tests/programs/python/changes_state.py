"""A tool that does to its state as it is told: ``{"steps": [[what, key, value], ...]}``."""

import json


class ChangesState:
    def init(self, config):
        return config["state"]

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "change", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, arguments, state):
        seen = json.dumps(state)
        for what, key, value in arguments.get("steps", []):
            match what:
                case "set":
                    state[key] = value
                case "push" if isinstance(state.get(key), list):
                    state[key].append(value)
                case "remove" | "leave_out":
                    state.pop(key, None)
        if arguments.get("fail"):
            raise ValueError("told to fail")
        return {"success": True, "result": json.loads(seen)}
