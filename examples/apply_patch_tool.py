"""A tool that takes raw text, on one board with a tool that takes arguments.

The patch tool is declared as a Responses custom tool, so the model writes a patch and no JSON. It claims
raw text in `can_handle_tool_call`; calls with arguments go to the other tool, by its name. All is worked
out before anything is written, so a patch that does not fit changes nothing.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from callboard import Callboard, ToolPlugin

PATCH = """\
*** Update greeting.txt
 Dear reader,
-this is all.
+this is all there is.
*** Add notes/today.txt
+Patched once.
*** Delete old.txt
"""


class PatchError(Exception):
    """The patch cannot be applied; the message tells the model why."""


def apply_patch(patch: str, files: dict[str, str]) -> dict[str, str | None]:
    """Return what each file that a patch names is to hold; ``None`` for one that is to go.

    Args:
        patch: sections that begin with ``*** Add NAME``, ``*** Update NAME`` or ``*** Delete NAME``, followed
            by lines that begin with a blank (as it was), ``-`` (out) or ``+`` (in).
        files: what the files hold now, by name.
    """
    changed: dict[str, str | None] = {}
    for section in ("\n" + patch.strip("\n")).split("\n*** ")[1:]:
        heading, *lines = section.split("\n")
        verb, _, name = heading.partition(" ")
        if (
            verb not in {"Add", "Update", "Delete"}
            or not name
            or any(line[:1] not in " -+" for line in lines)
        ):
            raise PatchError(f"cannot read the section '*** {heading}'")
        if name in changed:
            raise PatchError(f"{name} has two sections; say all of it in one")
        if (name in files) is (verb == "Add"):
            raise PatchError(f"{name} exists already" if verb == "Add" else f"there is no {name}")
        before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        if verb == "Update":
            held = f"\n{files[name]}"  # so that whole lines are found, and no ends of lines
            if not before or held.count(f"\n{before}") != 1:
                raise PatchError(f"the lines to change are not in {name}, or not only once")
            after = held.replace(f"\n{before}", f"\n{after}")[1:]
        changed[name] = None if verb == "Delete" else after
    if not changed:
        raise PatchError("there is no section in the patch")
    return changed


def inside(folder: Path, name: str) -> Path:
    """Return the path of a file below a folder, links resolved; a patch may name no other."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        raise PatchError(f"{name} is outside of the folder")
    return path


class ApplyPatchTool(ToolPlugin):
    """Changes files below one folder, by patches."""

    name = "apply_patch"
    version = "0.1.0"

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"folder": config["folder"], "patches": 0}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {
                "type": "custom",
                "name": "apply_patch",
                "description": "Add, update and delete files by a patch.",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: /(.|\\n)+/"},
            }
        ]

    def can_handle_tool_call(
        self, tool_name: str | None, payload: Any, state: dict[str, Any], *, payload_kind: str | None = None
    ) -> bool | None:
        if tool_name not in {None, "apply_patch"}:
            return False
        return payload_kind == "text" and isinstance(payload, str)

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        folder = Path(state["folder"]).resolve()
        files = {
            str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()
        }
        try:
            changed = apply_patch(payload, files)
            paths = {name: inside(folder, name) for name in changed}
        except PatchError as error:
            return {"success": False, "error": str(error)}
        for name, text in changed.items():
            if text is None:
                paths[name].unlink()
            else:
                paths[name].parent.mkdir(parents=True, exist_ok=True)
                paths[name].write_text(text)
        state["patches"] += 1
        return {"success": True, "result": sorted(changed), "patches": state["patches"]}

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> str:
        return f"Changed {', '.join(result['result'])}" if result["success"] else f"Error: {result['error']}"


class ReadTool(ToolPlugin):
    """An ordinary function tool."""

    name = "read_file"

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"folder": config["folder"]}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        properties = {"file": {"type": "string"}}
        parameters = {"type": "object", "properties": properties, "required": ["file"]}
        return [{"type": "function", "function": {"name": "read_file", "parameters": parameters}}]

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        folder = Path(state["folder"]).resolve()
        path = (folder / payload["file"]).resolve()
        if not path.is_relative_to(folder) or not path.is_file():
            return {"success": False, "error": f"there is no {payload['file']}"}
        return {"success": True, "result": path.read_text()}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Callboard() as board:
        Path(folder, "greeting.txt").write_text("Dear reader,\nthis is all.\n")
        Path(folder, "old.txt").write_text("long ago\n")
        board.register(ApplyPatchTool, config={"folder": folder})
        board.register(ReadTool, config={"folder": folder})

        print("raw text goes to the patch tool:")
        print(
            "  ",
            board.execute(
                {"type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": PATCH}
            ),
        )
        print("arguments go to the function tool:")
        read = {
            "type": "function_call",
            "call_id": "2",
            "name": "read_file",
            "arguments": '{"file": "greeting.txt"}',
        }
        print("  ", board.execute(read))
        print("a patch that does not fit changes nothing:")
        print(
            "  ",
            board.execute(
                {"type": "custom_tool_call", "call_id": "3", "name": "apply_patch", "input": PATCH}
            ),
        )


if __name__ == "__main__":
    main()
