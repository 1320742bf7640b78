"""What a tool says is shown and does nothing else: a terminal takes orders from texts."""

from __future__ import annotations

import ast
import gc
import io
import json
import logging
import re
import shutil

import pytest
import rich.text
from callboard.agent.replay.server import ReplayServer
from callboard.cli.app import COMMANDS
from callboard.cli.ui.console import LONGEST_LINE, LineBound, LogFormat, SafeConsole, SafeStream
from callboard.cli.ui.text import clean, clean_lines, escaped
from callboard.hosts.packages.cache import PackageCache
from command_line import callboard, ndjson, on_a_terminal, write_config
from hypothesis import given
from hypothesis import strategies as st
from node_packages import manifest, write
from programs import PROGRAMS, ROOT
from rich.table import Table
from sdks import needs_sdk

WORDS = (
    "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\x08\rover\u2028\u202e\u2066\u200f\u061c\u200b\u200d\u2060\ufeff"
    "\U000e0041\u3164"
)
HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)
SHOWN = re.compile(r"\\(u00|x)1b")
OURS = re.compile(r"\x1b\[(\d{0,2}(;\d{1,2})?m|\d?[AK]|\?25[lh]|[01]?G)|\r")
"""What a command itself says to a terminal: plain colours, and in a live picture up, column 1, erase the line."""

CALLS = [
    {"id": how, "type": "function", "function": {"name": "say", "arguments": json.dumps({"how": how})}}
    for how in ("ok", "object", "fail", "raise", "die")
]
TYPED = (
    "say\nsay how=object\nsay how=fail\nsay how=raise\nsay how=die\n/schema say\n/tools\n/state\n/no" + WORDS
)
RECORDED = {"at": 1.0, "host": WORDS, "generation": 1, "kind": "stderr", "text": WORDS}

CASES = {
    "completion": [(("completion", "bash"), ""), (("completion", WORDS), "")],
    "crash": [(("call", "{hosted}", "say", "how=die"), ""), (("crash",), ""), (("crash", "--json"), ""), (("crash", WORDS), "")],
    "check": [(("check", "{hosted}", "{broken}", "{here}"), ""), (("check", WORDS), "")],
    "schema": [(("schema",), ""), (("schema", "-o", "{folder}/none/" + WORDS), "")],
    "run": [(("run", "-vv", "{hosted}"), ndjson(CALLS)), (("run", "{here}"), ndjson(CALLS[:-1]))],
    "demo": [(("demo", "--calls", "50", "--kills", "0"), "")],
    "chat": [(("chat", "{hosted}"), "go\n/show\n/tools\n/status\n/no" + WORDS)],
    "chaos": [(("chaos", "{hosted}", "--calls", "20", "--kills", "1", "--seed", "1"), ""), (("chaos", "{broken}"), "")],
    "new": [(("new", "python", "{folder}/new" + WORDS.replace("/", "")), ""), (("new", WORDS, "x"), "")],
    "dev": [(("dev", "{hosted}"), TYPED), (("dev", "{broken}"), ""), (("dev", "-vv", "{here}"), TYPED)],
    "inspect": [
        (("inspect", "{hosted}"), TYPED),
        (("inspect", "{recording}"), ""),
        (("inspect", "{hosted}", "--replay", "{replayed}"), ""),
    ],
    "tools": [
        (("tools", "{hosted}"), ""),
        (("tools", "{broken}", "-v"), ""),
        (("tools", "--describe", "{here}"), ""),
        (("tools", "--format", "openai.responses.function", "{here}"), ""),
        (("tools", WORDS), ""),
    ],
    "call": [
        (("call", "-vv", "{hosted}", "say", "how=die"), ""),
        (("call", "{here}", "say", "how=raise"), ""),
        (("call", "{here}", "say", "how=object"), ""),
        (("call", "{here}", f"say{WORDS}", "how=fail"), ""),
        (("call", "{approved}", "say", "how=ok"), ""),
    ],
    "convert": [
        (("convert", "--to", "anthropic"), ndjson([{"type": "function", "function": {"name": WORDS}}, {WORDS: 1}])),
        (("convert", "--to", WORDS), ""),
    ],
    "doctor": [(("doctor", "{hosted}"), ""), (("doctor", "{broken}"), "")],
    "mcp": [
        (("mcp", "--print-config", "vscode", WORDS), ""),
        (("mcp", "{hosted}", "--login", WORDS), ""),
        (("mcp", "--install", "claude", "--file", "{folder}/none" + WORDS.replace("/", "")), ""),
        (("mcp", "--name", WORDS, "--install", "cursor", "{hosted}", "--file", "{folder}/clients.json"), "n\n"),
    ],
    "npm": [(("npm", "--version"), "")],
    "plan": [(("plan", "{built}"), ""), (("plan", WORDS), "")],
    "trust": [(("trust", "{built}"), ""), (("trust", WORDS), "")],
    "cache": [(("cache", "list", "{cached}"), ""), (("cache", "clean", "{cached}"), "")],
}  # fmt: skip
"""Each command, with what is hostile to it: words and stdin."""

QUIET = {
    "demo": "its tools are ours, and so is all that they say",
    "npm": "npm is in its place, and writes what is written",
}


SCRIPT = [
    {
        "steps": [
            {"text": f"**{WORDS}** {WORDS}"},
            {"calls": [{"name": "say", "arguments": {"how": how}} for how in ("ok", "object", "raise")]},
            {"calls": [{"name": f"no{WORDS}", "arguments": {WORDS: WORDS}}]},
            {"calls": [{"name": "say", "arguments": {"how": "die"}}]},
            {"text": "{result}"},
        ]
    }
]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Configurations and files, by the names that `CASES` has for them."""
    folder = tmp_path_factory.mktemp("hostile")

    def written(name, entry="Hostile", *, isolate=False, **more):
        (folder / name).mkdir()
        shutil.copy(PROGRAMS / "python" / "hostile_text.py", folder / name / "hostile_text.py")
        (folder / name / "agent_plugin.json").write_text(json.dumps({"entries": [f"hostile_text.{entry}"]}))
        plugin = {"plugin": f"path:{folder / name}", "isolate": isolate}
        plugin |= {"name": f"hosted{WORDS}"} if isolate else {}
        return write_config(folder / name, plugin, **more)

    built = write(
        folder / "built",
        {"package.json": manifest(scripts={"build": f"echo {WORDS}"}, dependencies={WORDS: WORDS})},
    )
    cache = folder / f"cache{WORDS}".replace("/", "")
    kept = PackageCache(cache).place("packages", "0123abcd")
    kept.mkdir(parents=True)
    (kept / "record.json").write_text(json.dumps({"name": WORDS, "version": WORDS, "source": WORDS}))
    made = {
        "here": written("here"),
        "broken": written("broken", "Broken"),
        "approved": written("approved", approval={"ask": ["*"]}),
        "built": write_config(built, f"node:{built}"),
        "cached": written("cached", plugin_cache_dir=str(cache)),
    }
    with ReplayServer(SCRIPT) as server:
        agent = {"provider": {"type": "openai_chat", "model": "m", "base_url": server.url}}
        made["hosted"] = written("hosted", isolate=True, agent=agent)
        for name in ("recording", "replayed"):
            made[name] = str(folder / name)
        assert (
            callboard("inspect", "--record", made["replayed"], made["hosted"], text="say\n").returncode == 0
        )
        head = (folder / "replayed").read_text().splitlines()[0]
        (folder / "recording").write_text(head + "\n" + json.dumps(RECORDED) + "\n")
        yield {**made, "folder": str(folder)}


def hidden_in(text):
    return {f"{ord(found):04x}" for found in HIDDEN.findall(text)}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_sdk if name == "mcp" else ()) for name in CASES]
)
def test_no_command_sends_an_order_to_the_terminal_that_is_not_its_own(name, places):
    shown = ""
    for words, typed in CASES[name]:
        ran = callboard(*(word.format(**places) for word in words), text=typed)
        shown += ran.stdout + ran.stderr

    assert hidden_in(shown) == set()
    assert bool(SHOWN.search(shown)) is (name not in QUIET)


@pytest.mark.parametrize(
    "words",
    [
        ("call", "-vv", "{hosted}", "say", "how=die"),
        ("call", "{here}", "say"),
        ("tools", "{hosted}"),
        ("doctor", "{broken}"),
        ("inspect", "{recording}"),
        ("chat", "{hosted}", "--message", "go"),
        ("chaos", "{hosted}", "--calls", "20", "--kills", "1", "--seed", "1"),
    ],
)
def test_nor_does_it_where_it_draws_and_colours(words, places):
    _, shown = on_a_terminal(*(word.format(**places) for word in words))

    assert hidden_in(OURS.sub("", shown)) == set()
    assert SHOWN.search(shown)


def test_every_command_is_fed_hostile_text():
    assert CASES.keys() == COMMANDS.keys()


def test_json_is_exact_and_gives_no_orders(places):
    ran = callboard("call", "--json", places["here"], "say", "how=ok")

    assert hidden_in(ran.stdout) == set()
    assert HIDDEN.search(json.loads(ran.stdout)["result"])
    assert callboard(
        "convert", "--to", "mcp", text=ndjson([{"name": "é日", "inputSchema": {}}])
    ).stdout.count("é日")


# The border itself

TEXTS = st.lists(st.sampled_from([*WORDS, "\ud800", "a", "日", "\n", "\t", "\x1b[31m", "\r\n"])).map("".join)


@given(TEXTS)
def test_what_is_cleaned_hides_nothing_and_is_clean(text):
    assert hidden_in(clean(text)) == set()
    assert clean(clean(text)) == clean(text)
    assert clean_lines("a日\tb\n") == "a日\tb\n"


@given(TEXTS)
def test_escaped_json_is_the_same_json_and_clean(text):
    written = escaped(json.dumps({text: text}, ensure_ascii=False))

    assert hidden_in(written) == set()
    assert json.loads(written) == {text: text}


@given(st.lists(st.text("ab\n", max_size=9).map(lambda text: text.replace("a", "a" * (LONGEST_LINE // 3)))))
def test_a_line_in_pieces_is_cut_where_one_in_one_piece_is(pieces):
    bound = LineBound()

    shown = "".join(bound.feed(piece) for piece in pieces)

    assert shown == LineBound().feed("".join(pieces))
    assert all(len(line) < LONGEST_LINE + 50 for line in shown.split("\n"))


def test_a_console_cleans_what_it_is_given_in_whatever_form_and_keeps_its_own_styles():
    shown = io.StringIO()
    console = SafeConsole(shown, force_terminal=True, width=200, color_system="standard")
    table = Table(title=WORDS)
    table.add_column(rich.text.Text(WORDS, "bold"))
    table.add_row(WORDS)

    for given_ in (
        WORDS,
        rich.text.Text(WORDS, "red"),
        table,
        rich.text.Text("z" * 3 * LONGEST_LINE),
        [WORDS],
    ):
        console.print(given_, soft_wrap=True)
    console.print_json(data={WORDS: WORDS})

    assert hidden_in(OURS.sub("", shown.getvalue())) == set()
    assert "\x1b[31m" in shown.getvalue()
    assert shown.getvalue().count("z") == LONGEST_LINE
    assert "and 20,000 characters more" in shown.getvalue()


def test_a_stream_cleans_text_and_bytes_even_if_a_character_comes_in_pieces():
    under = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    stream = SafeStream(under)

    stream.reconfigure(line_buffering=True)  # as tools do
    print(WORDS, file=stream)
    for byte in "é\u202e\n".encode():
        stream.buffer.write(bytes([byte]))
    stream.flush()

    shown = under.buffer.getvalue().decode("ascii")
    assert hidden_in(shown) == set()
    assert shown.endswith("\n\\xe9\\u202e\n")


@pytest.mark.parametrize("kept", ["stream", "buffer"])
def test_a_stream_that_is_collected_leaves_the_one_below_alone(kept):
    class Under(io.StringIO):
        flushed = 0

        def flush(self):
            self.flushed += 1

    under = Under()
    stream = SafeStream(under)
    stream = stream if kept == "stream" else stream.buffer
    stream.write("a" if kept == "stream" else b"a")

    del stream
    gc.collect()

    assert under.getvalue() == "a"
    assert under.flushed == 0


def test_no_line_of_a_log_record_looks_like_one_of_ours_but_its_first():
    record = logging.LogRecord("x", logging.INFO, "f", 1, "a\ncallboard: all is well", (), None)

    assert LogFormat().format(record).splitlines() == ["callboard: a", "    callboard: all is well"]


@pytest.mark.parametrize("file", sorted((ROOT / "facade" / "cli").rglob("*.py")), ids=lambda file: file.stem)
def test_no_command_writes_past_the_border(file):
    if file.name in BORDER:
        return
    tree = ast.parse(file.read_text())
    made = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in {"rich.console", "rich.text", "rich"}
        for alias in node.names
    }
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}

    assert not made & {"Console", "Text", "print"}
    assert not called & {"print", "click.echo", "click.secho", "sys.stdout.buffer.write"}


BORDER = {"console.py", "text.py"}
