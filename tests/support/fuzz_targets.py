"""What reads bytes that are not ours, each as a function of bytes that holds what it promises about any.

A target returns if the promise was kept, whatever the bytes are, and fails otherwise. `tests/fuzz/test_targets.py` gives each
what was found before and what hypothesis thinks of; ``tests/fuzz/explore.py`` has a fuzzer look that sees which lines are reached.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callboard.agent.sessions.lines import read_lines
from callboard.authoring.recording_format import NoRecording, read_recording
from callboard.base.errors import CallboardError, JsonValueError
from callboard.base.files.versions import NewerVersion
from callboard.base.json import dump_json, load_json
from callboard.cli.run.requests import NoCall, requests_in
from callboard.config.configuration import read_configuration
from callboard.config.errors import ConfigurationError
from callboard.hosts.process.process import ProcessExit
from callboard.hosts.protocol.peer import Peer
from callboard.hosts.protocol.peer_events import Answered, Breach
from callboard.hosts.python.runner.messages import read_request
from callboard.hosts.report.crash_report import last_words, probable_cause
from callboard.hosts.report.redaction import Redactor
from callboard.interop.assembly.event_bytes import EventReader, EventStreamError
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import InteropError, UncheckableSchemaError
from callboard.interop.schemas.argument_check import ArgumentCheck
from callboard.interop.streams.calls import ASSEMBLERS, assembler
from callboard.plugins.requirements.python_requirements import read_python_needs
from callboard.plugins.requirements.requirement_lines import hashes, requirement_lines
from callboard.plugins.sources.git_url import (
    address_problem,
    ref_problem,
    repository_name,
    without_secrets,
)
from callboard.plugins.sources.node_manifest import read_node_package
from callboard.plugins.sources.python import read_python_package
from callboard.sources.entry import parse_entry

# pip's own reader of requirements, as a judge: no name of it is public, and these three are as old as the format.
from pip._internal.req.req_file import break_args_options, preprocess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = "s3cr3t-of-the-user"


def wire(data: bytes) -> None:
    """One host generation: however its bytes are cut, the same answers come of them; each request has one at most."""
    whole, pieces = _heard([data]), _heard([data[:7], *([each] for each in data[7:200]), data[200:]])

    assert whole == pieces
    assert len(set(whole)) == len(whole)


def _heard(pieces: list[Any]) -> list[str]:
    peer: Peer[str] = Peer(max_line=10_000, max_stray=50)
    for number in range(4):
        peer.open(f"1-{number}", f"1-{number}")
    events = [event for piece in pieces for event in peer.receive(bytes(piece))]
    ended = [each.owner for each in events if isinstance(each, Answered | Breach) and each.owner is not None]
    assert set(ended).isdisjoint(peer.lost()[0])
    return ended


def python_host(data: bytes) -> None:
    """What the host of Python tools reads: it raises nothing."""
    for line in data.split(b"\n"):
        read_request(line)


def json_values(data: bytes) -> None:
    """JSON is read as the standard library reads it, or refused; what was read can be written and read again."""
    try:
        value = load_json(data)
    except JsonValueError:
        return
    assert value == json.loads(data, parse_int=lambda digits: _number(int(digits)))
    assert load_json(dump_json(value)) == value


def _number(integer: int) -> float:
    """One beyond 64 bits is read as a float, as JavaScript reads it."""
    return integer if -(1 << 63) <= integer < 1 << 64 else float(integer)


def event_streams(data: bytes) -> None:
    """A provider's stream: however it is cut, the same events; an assembler makes calls of them or says what is wrong."""
    whole, pieces = _events([data]), _events([data[:9], *(bytes([each]) for each in data[9:200]), data[200:]])
    assert whole == pieces
    for format_id in ASSEMBLERS:
        calls = assembler(format_id)
        try:
            for event in whole[0]:
                dump_json(list(calls.feed(event)))
            dump_json(list(calls.finish()))
        except StreamError:
            continue


def _events(pieces: list[bytes]) -> tuple[list[Any], bool]:
    reader, found = EventReader(), []
    try:
        for piece in pieces:
            found += reader.feed(piece)
        found += reader.finish()
    except EventStreamError:
        return found, False
    return found, True


def requirements(data: bytes) -> None:
    """What is given to pip of a ``requirements.txt`` holds no option and no variable, as pip itself reads it."""
    given = [line for line in requirement_lines(data.decode("utf-8", "replace")) if isinstance(line, str)]
    with _environment():
        read = [line for _, line in preprocess("\n".join(given) + "\n")]

    assert SECRET not in "".join(read)
    for line in read:
        plain, _ = hashes(line)
        arguments, options = break_args_options(plain)
        assert (options, plain.startswith("-")) == ("", False), line
        assert arguments.strip()


@contextmanager
def _environment() -> Iterator[None]:
    os.environ["SECRET"] = SECRET
    try:
        yield
    finally:
        del os.environ["SECRET"]


def git_addresses(data: bytes) -> None:
    """An address that is handed to git is no option and runs no program; what is shown of it holds no password."""
    url, _, ref = data.decode("utf-8", "replace").partition("\n")
    if address_problem(url) is None:
        assert not url.startswith("-")
        assert not re.match(r"[A-Za-z0-9+.-]*::", url), "what stands before it is a program that git runs"
        name = repository_name(url)
        assert name
        assert "/" not in name
        assert name not in {".", ".."}
    shown = without_secrets(f"https://user:{SECRET}@{url}")
    assert SECRET not in shown or SECRET in url
    if ref_problem(ref) is None:
        assert not ref.startswith("-")


def node_packages(data: bytes) -> None:
    """A ``package.json`` is read or refused."""
    _in_folder({"package.json": data}, read_node_package)


def python_packages(data: bytes) -> None:
    """The manifest and the needs of a Python package are read or refused."""
    _in_folder({"agent_plugin.json": data}, read_python_package)
    manifest = b'{"entries": ["a:b"]}'
    for name in ("pyproject.toml", "requirements.txt"):
        _in_folder(
            {"agent_plugin.json": manifest, name: data},
            lambda folder: read_python_needs(read_python_package(folder)),
        )


def configurations(data: bytes) -> None:
    """A configuration and each entry of it is read, or refused with the place."""
    read = _in_folder({"c.json": data}, lambda folder: read_configuration(folder / "c.json"))
    if isinstance(read, CallboardError):
        assert isinstance(read, ConfigurationError)
        assert read.path.startswith("$")
        return
    for entry in read.plugins:
        try:
            parse_entry(entry, Path("/nowhere"))
        except CallboardError:
            continue


def calls_and_schemas(data: bytes) -> None:
    """Any JSON is inspected and converted as a call, a schema and a result, or refused; arguments are held to any schema."""
    try:
        value = load_json(data)
    except JsonValueError:
        return
    for inspect in (REGISTRY.inspect_call, REGISTRY.inspect_schema, REGISTRY.inspect_result):
        try:
            inspect(value)
        except InteropError:
            continue
    schema, arguments = (
        (value.get("schema"), value.get("arguments")) if isinstance(value, dict) else (None, None)
    )
    if isinstance(schema, dict) and isinstance(arguments, dict):
        try:
            check = ArgumentCheck(schema)
        except (UncheckableSchemaError, InteropError, JsonValueError):
            return
        check.misfit(arguments)


def last_output(data: bytes) -> None:
    """The last words of a host become a cause and a text without its secrets, whatever they are."""
    stderr = data.decode("utf-8", "replace")
    redactor = Redactor([SECRET])
    for code, signal in ((1, None), (None, 9), (None, 11), (0, None)):
        exit_ = ProcessExit(code, signal, 1.0, None)
        assert SECRET not in redactor.text(probable_cause(exit_, stderr, in_flight=1, unfinished=data[:300]))
    assert SECRET not in last_words(f"{stderr} {SECRET} {stderr}", data[:300], redactor)


def files_of_ours(data: bytes) -> None:
    """Sessions, recordings and lines of calls that another program may have written are read or refused."""
    with suppress(NewerVersion):
        read_lines(data)
    with suppress(NoRecording):
        read_recording(data.split(b"\n"))
    for line in data.split(b"\n"):
        try:
            requests_in(line, REGISTRY)
        except NoCall:
            continue


def _in_folder(files: dict[str, bytes], read: Callable[[Path], Any]) -> Any:
    """What is read in a folder with these files, or the refusal."""
    folder = Path(tempfile.mkdtemp(dir=_MEMORY))
    try:
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return read(folder)
    except CallboardError as error:
        return error
    finally:
        shutil.rmtree(folder)


_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None

TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each
    for each in (
        wire, python_host, json_values, event_streams, requirements, git_addresses, node_packages, python_packages,
        configurations, calls_and_schemas, last_output, files_of_ours,
    )
}  # fmt: skip

BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "wire": (
        b'{"v":1,"id":"1-0","ok":true,"result":{"value":1,"state":{}}}\n',
        b'{"v":1,"id":"1-1","event":{"type":"part","payload":"x"}}\n{"v":1,"id":"1-1","ok":false,"error":{"type":"E","detail":"d"}}\n',
        b'print\n{"id":"1-2","ok":true}\n{"v":2}\n\n',
    ),
    "python_host": (b'{"v":1,"id":"1","method":"execute","params":{"tool":"t"}}\n',),
    "json_values": (b'{"a":[1,2.5,"\\ud83d\\ude00",null,true,-0.0,1e400,"\\ud800"]}', b"[[[]]]"),
    "event_streams": (
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}\n\ndata: [DONE]\n\n',
        b'event: content_block_start\r\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}\r\n\r\n',
        b'{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}}\n',
        b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]}\n\n',
        b'data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}\n\n',
    ),
    "requirements": (
        b"pip --hash=sha256:00\n# c \\\n--index-url x\n",
        b"a==1 \\\n  --no-bin :all:\n${SECRET}\n-r more.txt\n-e .\n",
        b"a @ https://x/y ; python_version < '3'\x0b--pre\n",
    ),
    "git_addresses": (
        b"https://u:p@example.org/a/b.git\nmain",
        b"git@example.org:a.git\nv1^{}",
        b"ext::sh -c x\n--upload-pack=x",
        b"[::1]:x\n",
    ),
    "node_packages": (
        b'{"name":"a","agent":{"tools":[{"id":"t","entry":"./t.mjs","export":"x"}]},"dependencies":{"b":"file:../c"},"scripts":{"build":"esbuild"}}',
    ),
    "python_packages": (
        b'{"entries":["a.b:c"],"subdirectory":"src"}',
        b'[project]\nname="a"\ndependencies=["b>=1"]\nrequires-python=">=3.11"\ndynamic=["dependencies"]\n',
        b"a>=1 ; extra == 'x'\n-r b.txt\n",
    ),
    "configurations": (
        b'{"plugins":["a.b:c",{"node_tool":{"file":"t.mjs","id":"t"},"supervision":{"intensity":3}}],"calls":{"deadline":3},"state":{"store":"sqlite"}}',
        b'{"plugins":[{"git":{"url":"https://x/y","ref":"main"}}],"approval":{"ask":["*"]},"hooks":["a:b"],"supervision":{"groups":{"g":{}}}}',
    ),
    "calls_and_schemas": (
        b'{"schema":{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"enum":[1,"x"]}}},"arguments":{"a":2}}',
        b'{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}',
        b'{"type":"tool_use","id":"t","name":"f","input":{}}',
    ),
    "last_output": (
        b'Traceback (most recent call last):\n  File "a", line 1\nValueError: x\n',
        b"file:///a.mjs:3\n    throw new Error('x')\n\nError: x\n    at a (b:1:2)\n\nNode.js v24\n",
        b'{"token":"s3cr3t-of-the-user","a":"{\\"password\\":\\"x\\"}"}',
    ),
    "files_of_ours": (
        b'{"callboard_session":1,"id":"s"}\n{"role":"user","content":"x"}\n',
        b'{"recording":1}\n{"kind":"sent","host":"h","generation":1,"at":0.0,"message":{}}\n',
        b'{"role":"assistant","tool_calls":[{"id":"a"}]}\n',
    ),
}  # fmt: skip
"""What a target would be given on a good day: from there to what nobody would send it is not far."""
