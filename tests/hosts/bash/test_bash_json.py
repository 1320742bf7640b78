"""JSON in Bash is JSON: whatever Python's reader takes it takes, to the same value, and nothing else."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

from callboard.hosts.bash.tool import BASH_HOST
from programs import BASH

PROGRAM = BASH / "json.sh"

PIECES = [
    *"abu\"\\/{}[]:, \n\t\r\b\f\x01\x1f\x7f&*$`%'0é世\U0001f600\u2028",
    "\\u0041",
    "\\n",
    "\ud800",
    "\udc00",
]
SPOILT = '"\\{}[]:,1a u0.e-'

TEXTS = [
    '"x', '"', '{"a"}', '{"a":}', "{,}", "[1,]", "[,1]", "1 2", "tru", "nul", "truee", "01", "1.", ".5", "-", "+1", "1e", "0x1",
    '"\\q"', '"\\u12g4"', '"\\u00', '"\\"', "[}", "{]", "]", "[[[", '{"a":1,}', "'a'", '"a" "b"', '{"a" "b"}', "[1 2]", "NaN",
    " [ 1 , -0 , 1.50E+3 , 12345678901234567890, 1e400 ] ", '{"":null,"\\u0061\\n":[{}],"a b":{"c":[[]]}}', '""', '"\\\\"', '"\\\\\\""',
    '"\\ud83d\\ude00\\ud83dx\\ude00\\\\ud83d"', '"\\u0000"', '{"success" : true}', "null",
    json.dumps("ü" * 1500 + "\U0001f600" * 1000, ensure_ascii=False), json.dumps("é\U0001f600\\" * 1200), json.dumps('a\\"\n' * 3000),
    json.dumps("\\" * 70_001), json.dumps(list(range(2000))), '"' + "\\u00e" * 900 + '"', "[" * 300 + "]" * 300,
    "[   " * 600 + "]  " * 600, "[" + "7" * 3000 + "]", "[" * 3000, " " * 3000 + "1" + " " * 3000, "," * 3000,
    "[" + '"a",1,' * 900 + "[1]" * 2 + "]", "[" + "1," * 1500 + '"' + "b" * 3000 + '"]',
]  # fmt: skip


def test_every_text_is_read_or_refused_as_python_does():
    draw = random.Random(1)
    texts = TEXTS + [
        _spoilt(json.dumps(_value(draw), ensure_ascii=draw.random() < 0.5), draw) for _ in range(150)
    ]
    texts = [text for text in texts if "\n" not in text and text.strip() and _utf8(text)]

    said = _read(texts)

    wrong = [(text, answer) for text, answer in zip(texts, said, strict=True) if not _agrees(text, answer)]
    assert wrong == []


def test_any_bytes_become_a_string_that_is_utf8():
    draw = random.Random(2)
    rows = [
        bytes(draw.choice(b"a\xc3\xa9\xe4\xb8\x96\xf0\x9f\x98\x80\xed\xa0\xff\xc0") for _ in range(2500))
        for _ in range(2)
    ]

    said = _run(b"".join(b'"' + row + b'"\n' for row in rows)).decode().splitlines()

    for row, answer in zip(rows, said, strict=True):
        assert json.loads(answer).replace("\ufffd", "") == row.decode("utf-8", "ignore")


def _agrees(text, answer):
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return answer == "bad"
    if isinstance(value, str):
        return answer == "nul" if "\0" in value else answer != "bad" and json.loads(answer) == _whole(value)
    if isinstance(value, dict) and any("\0" in key or key != _whole(key) for key in value):
        return answer.startswith("{")  # a key that no text of Bash can hold
    return answer != "bad" and json.loads(answer) == value


def _refuse(name):
    raise ValueError(name)


def _whole(text):
    """Halves of pairs that found no other half are no characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not _utf8(text) else text


def _utf8(text):
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def _value(draw, depth=0):
    kind = draw.random()
    if depth > 4 or kind < 0.4:
        return "".join(draw.choice(PIECES) for _ in range(draw.randrange(14)))
    if kind < 0.5:
        return draw.choice([0, -1, 1.5, 1e300, True, False, None])
    if kind < 0.75:
        return [_value(draw, depth + 1) for _ in range(draw.randrange(5))]
    return {
        "".join(draw.choice(PIECES) for _ in range(draw.randrange(6))): _value(draw, depth + 1)
        for _ in range(4)
    }


def _spoilt(text, draw):
    if draw.random() < 0.5:
        return text
    at = draw.randrange(len(text) + 1)
    return text[:at] + draw.choice(["", draw.choice(SPOILT)]) + text[at + draw.randrange(2) :]


def _read(texts):
    return _run("".join(text + "\n" for text in texts).encode()).decode().split("\n")[:-1]


def _run(data):
    argv = [shutil.which("bash"), str(PROGRAM), str(BASH_HOST.with_name("host_json.sh"))]
    return subprocess.run(argv, input=data, capture_output=True, check=True, timeout=60).stdout
