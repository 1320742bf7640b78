"""Records sessions of ten real servers; `real_mcp_servers.py` installs them. As a program it writes what the tests have.

What a server has said is masked, and neither a time nor a path of this machine is in it: so the same versions give the same record.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mcp_mask import masked, timeless
from mcp_plain import ERAS, Client, Heard, Pipes
from mcp_records import RECORDED, Exchange, Record
from npm_install import node_program
from programs import PROGRAMS
from real_mcp_servers import NODE, OLDER, PLACE, PYTHON, node_server, python_server

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

HERE: Final = "/srv/here"
"""Stands for the folder in which a server works."""

_WHEN: Final = "2000-01-01T00:00:00Z"
_GIT: Final = {f"GIT_{who}_{what}": said for who in ("AUTHOR", "COMMITTER") for what, said in {"NAME": "Ann", "EMAIL": "ann@example.org", "DATE": _WHEN}.items()}  # fmt: skip
_NO_CHANCE: Final = [
    "--import",
    "data:text/javascript,Math.random=()=>0.25;Date.prototype.toLocaleTimeString=()=>'00:00:00'",
]
"""Words for Node, with which a server says the same each time."""
_LISTS: Final = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
}
_SDK_EXAMPLE: Final = (
    "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/mcpServerOutputSchema.js"
)

Asked = tuple[str, Json]


class Server(NamedTuple):
    """A real server.

    Attributes:
        package: what it is of.
        command: the words that start it; ``{here}`` is the folder in which it works.
        asks: what it is asked beside its lists.
        env: variables that it has.
    """

    package: str
    command: list[str]
    asks: list[Asked]
    env: Mapping[str, str] = MappingProxyType({})


def call(name: str, /, **arguments: Any) -> Asked:
    """A call of a tool."""
    return "tools/call", {"name": name, "arguments": arguments}


def prompt(name: str, /, **arguments: str) -> Asked:
    """A prompt with arguments."""
    return "prompts/get", {"name": name, "arguments": arguments}


def resource(uri: str) -> Asked:
    """What a resource holds."""
    return "resources/read", {"uri": uri}


def completion(ref: Json, name: str, value: str) -> Asked:
    """How an argument may go on."""
    return "completion/complete", {"ref": ref, "argument": {"name": name, "value": value}}


def of_prompt(name: str) -> Json:
    """A reference to a prompt."""
    return {"type": "ref/prompt", "name": name}


def servers() -> dict[str, Server]:
    """All of them, by name."""
    return {**_for_node(), **_in_python()}


def _for_node() -> dict[str, Server]:
    def package(name: str) -> str:
        return f"@modelcontextprotocol/{name} {NODE[name]}"

    entity = {"name": "Ann", "entityType": "person", "observations": ["plays — “chess” ♟"]}
    thought = {"thought": "first", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}
    return {
        "everything": Server(
            package("server-everything"),
            [node_program(), *_NO_CHANCE, *node_server("server-everything")[1:]],
            [
                ("logging/setLevel", {"level": "debug"}),
                ("logging/setLevel", {"level": "loud"}),
                call("echo", message="hello, “world” 🛒"),
                call("echo", message=3),
                call("echo"),
                call("no such tool"),
                call("get-sum", a=2**53, b=0.5),
                call("get-tiny-image"),
                call("get-annotated-message", messageType="error", includeImage=True),
                call("get-structured-content", location="New York"),
                call("get-structured-content", location="Nowhere"),
                call("get-resource-links", count=3),
                call("get-resource-reference", resourceType="Blob", resourceId=2),
                call("get-resource-reference", resourceType="Text", resourceId=0),
                call("trigger-long-running-operation", duration=0.3, steps=3),
                prompt("simple-prompt"),
                prompt("args-prompt", city="Berlin", state="Berlin"),
                prompt("args-prompt"),
                prompt("no such prompt"),
                prompt("resource-prompt", resourceType="Text", resourceId="1"),
                completion(of_prompt("completable-prompt"), "department", "E"),
                completion(of_prompt("no such prompt"), "department", "E"),
                completion(
                    {"type": "ref/resource", "uri": "demo://resource/dynamic/text/{resourceId}"},
                    "resourceId",
                    "1",
                ),
                resource("demo://resource/static/document/architecture.md"),
                resource("demo://resource/dynamic/text/1"),
                resource("demo://resource/dynamic/blob/1"),
                resource("demo://resource/dynamic/text/none"),
            ],
        ),
        "filesystem": Server(
            package("server-filesystem"),
            [*node_server("server-filesystem"), "{here}"],
            [
                call("list_directory", path="{here}"),
                call("read_text_file", path="{here}/words.txt"),
                call("read_text_file", path="{here}/words.txt", head=1),
                call("read_media_file", path="{here}/dot.png"),
                call("directory_tree", path="{here}"),
                call("write_file", path="{here}/new.txt", content="é\u2028\n"),
                call("edit_file", path="{here}/new.txt", edits=[{"oldText": "é", "newText": "e"}]),
                call("read_text_file", path="{here}/none.txt"),
                call("read_text_file", path="/etc/passwd"),
                call("read_text_file", path=7),
                call("list_allowed_directories"),
            ],
        ),
        "memory": Server(
            package("server-memory"),
            node_server("server-memory"),
            [
                call("create_entities", entities=[entity]),
                call("read_graph"),
                call("create_entities", entities="none"),
                call("add_observations", observations=[{"entityName": "Bob", "contents": ["x"]}]),
                call("search_nodes", query="chess"),
                resource("memory://knowledge-graph"),
                resource("memory://none"),
            ],
            {"MEMORY_FILE_PATH": "{here}/memory.json"},
        ),
        "sequential-thinking": Server(
            package("server-sequential-thinking"),
            node_server("server-sequential-thinking"),
            [
                call("sequentialthinking", **thought),
                call("sequentialthinking", **{**thought, "thoughtNumber": 2, "nextThoughtNeeded": False}),
                call("sequentialthinking", **{**thought, "thoughtNumber": 0}),
                call("sequentialthinking", thought="alone"),
            ],
        ),
        "typescript": Server(
            package("sdk"),
            [node_program(), *_NO_CHANCE, str(PLACE / _SDK_EXAMPLE)],
            [
                call("get_weather", city="Berlin", country="DE"),
                call("get_weather", city="Berlin"),
                call("get_whether", city="Berlin"),
            ],
        ),
    }


def _in_python() -> dict[str, Server]:
    def package(name: str) -> str:
        return f"{name} {(PYTHON | OLDER)[name]}"

    table = "CREATE TABLE words (id INTEGER, word TEXT)"
    return {
        "time": Server(
            package("mcp-server-time"),
            [*python_server("mcp-server-time"), "--local-timezone", "Asia/Tokyo"],
            [
                call("get_current_time", timezone="Asia/Tokyo"),
                call(
                    "convert_time", source_timezone="Asia/Tokyo", time="12:00", target_timezone="Asia/Seoul"
                ),
                call("get_current_time", timezone="Nowhere"),
                call("get_current_time"),
                call("no_such_tool"),
            ],
        ),
        "git": Server(
            package("mcp-server-git"),
            [*python_server("mcp-server-git"), "--repository", "{here}"],
            [
                call("git_status", repo_path="{here}"),
                call("git_log", repo_path="{here}", max_count=2),
                call("git_diff_unstaged", repo_path="{here}"),
                call("git_show", repo_path="{here}", revision="HEAD"),
                call("git_show", repo_path="{here}", revision="none"),
                call("git_status", repo_path="{here}/none"),
                call("git_log", repo_path="{here}", max_count="many"),
            ],
        ),
        "fetch": Server(
            package("mcp-server-fetch"),
            [*python_server("mcp-server-fetch"), "--ignore-robots-txt"],
            [
                call("fetch", url="http://127.0.0.1:9/"),
                call("fetch", url="http://127.0.0.1:9/", max_length=-1),
                call("fetch"),
                prompt("fetch", url="http://127.0.0.1:9/"),
                prompt("fetch"),
            ],
        ),
        "sqlite": Server(
            package("mcp-server-sqlite"),
            [*python_server("mcp-server-sqlite"), "--db-path", "{here}/words.db"],
            [
                call("create_table", query=table),
                call("write_query", query="INSERT INTO words VALUES (9007199254740993, 'é🛒')"),
                call("read_query", query="SELECT * FROM words"),
                call("read_query", query="SELECT * FROM none"),
                call("read_query"),
                call("list_tables"),
                call("describe_table", table_name="words"),
                call("append_insight", insight="words are few"),
                resource("memo://insights"),
                resource("memo://none"),
                prompt("mcp-demo", topic="words"),
                prompt("mcp-demo"),
            ],
        ),
        "fastmcp": Server(
            package("fastmcp"),
            [*python_server("python"), str(PROGRAMS / "mcp_servers" / "fastmcp_server.py")],
            [
                call("price", name="apple", cents=2**63),
                call("price", name="apple", cents="many"),
                call("prices", names=["a", "b"]),
                call("large"),
                call("picture"),
                call("steps", count=3),
                call("refuse"),
                call("fail"),
                call("echo", text="hi"),
                call("nothing"),
                call("blocks"),
                resource("shop://list"),
                resource("shop://items/apple"),
                resource("shop://none"),
                prompt("order", name="apples", count="2"),
                prompt("order"),
                prompt("none"),
            ],
            {"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_LOG_LEVEL": "ERROR"},
        ),
    }


def recorded(name: str, server: Server, era: str) -> Record | None:
    """Talk with a server in an era; ``None`` if it does not speak that."""
    with tempfile.TemporaryDirectory(prefix="recorded-") as folder:
        here = Path(folder).resolve()
        _prepare(here)

        def told(text: str) -> str:
            return text.replace("{here}", str(here))

        def kept(text: str) -> str:
            return masked(timeless(text.replace(str(here), HERE)))

        exchanges = []

        def keep(method: str, params: Json, heard: Heard) -> None:
            asked = json.loads(json.dumps(params).replace(str(here), HERE))
            before = [kept(each) for each in heard.before if _is_of_a_request(each)]
            exchanges.append(Exchange(method, asked, Heard(before, kept(heard.answer))))

        env = {key: told(each) for key, each in server.env.items()}
        with Pipes([told(word) for word in server.command], env=env, cwd=here) as pipes:
            client = Client(pipes, era)
            method, params, heard = client.begin()
            if "result" not in json.loads(heard.answer):
                return None
            keep(method, params, heard)
            for key, listing in _LISTS.items():
                page: Json = {}
                while True:
                    heard = client.ask(listing, page)
                    keep(listing, page, heard)
                    result = json.loads(heard.answer).get("result", {})
                    assert key in result or result == {}
                    if "nextCursor" not in result:
                        break
                    page = {"cursor": result["nextCursor"]}
            for method, said in server.asks:
                asked = json.loads(told(json.dumps(said)))
                keep(method, asked, client.ask(method, asked))
    return Record(name, era, server.package, exchanges)


def _prepare(here: Path) -> None:
    """A repository with a few files in it."""
    (here / "words.txt").write_text("one\ntwo “2”\nthree\n")
    (here / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    git = ["git", "-C", str(here), "-c", "init.defaultBranch=main"]
    env = {**_GIT, "HOME": str(here), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    for words in (["init", "-q"], ["add", "words.txt"], ["commit", "-qm", "First\n\nWith a body."]):
        subprocess.run([*git, *words], check=True, env=env)
    (here / "words.txt").write_text("one\ntwo\nthree\n")


def _is_of_a_request(text: str) -> bool:
    """What is told of a request; other news come when they come."""
    method = json.loads(text).get("method")
    return method in {"notifications/progress", "notifications/message"}


def record_all(folder: Path) -> list[Path]:
    """Record all servers in all eras that they speak; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    made = (recorded(name, server, era) for name, server in servers().items() for era in ERAS)
    return [record.write(folder) for record in made if record is not None]


if __name__ == "__main__":
    record_all(RECORDED)
