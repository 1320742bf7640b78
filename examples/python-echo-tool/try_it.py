"""Load this folder as an application does, and call its tool once."""

from pathlib import Path

from callboard import Callboard

HERE = Path(__file__).parent


def main() -> None:
    with Callboard({"plugins": [{"plugin": f"path:{HERE}", "required": True}]}) as board:
        for tool in board.tools():
            print(f"{tool.plugin_name} offers {tool.tool_name}")
        result = board.execute(
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "echo", "arguments": {"value": "hello"}},
            }
        )
    print(result)


if __name__ == "__main__":
    main()
