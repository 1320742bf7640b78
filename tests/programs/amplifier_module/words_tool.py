"""A tool of a board, for Amplifier's own checks."""


class Words:
    name = "words"

    def get_tool_schemas(self, state):
        described = {
            "name": "words",
            "description": "Counts words.",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
            },
        }
        return [{"type": "function", "function": described}]

    def execute_tool(self, tool_name, arguments, state):
        return {"success": True, "result": len(arguments["text"].split())}
