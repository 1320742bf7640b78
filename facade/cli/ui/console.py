"""The border to the terminal: whatever a command writes for people goes through here, and is cleaned on its way.

There are two kinds of it. A `SafeConsole` writes text with styles, which become escape sequences behind the border; a
`SafeStream` stands for `sys.stdout` and `sys.stderr`, where nothing of ours has a style, and so has each sequence its
origin elsewhere: in an error, a log record, or a tool in this process that prints.

What a plugin in this process writes to the descriptors themselves, and what programs write that it starts, comes past
here. A host's output does not: it is read from a pipe.
"""

from __future__ import annotations

import codecs
import io
import logging
import sys
from contextlib import contextmanager
from json import dumps
from typing import TYPE_CHECKING, Any, TextIO, cast

import rich.text
from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.segment import Segment

from ...plugins.hooks.visible_text import is_plain
from .text import Text, clean, clean_lines, escaped, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import ConsoleOptions, RenderableType

LONGEST_LINE = 10_000
"""Characters of a line on a terminal, and on stderr. Of a longer one the end says how much is left out."""


class SafeConsole(Console):
    """A console whose own styles are all that gives the terminal orders.

    No markup is read from what tools say, and nothing in it coloured by guess.

    Args:
        file: where to.
        more: as of rich's own.
    """

    def __init__(self, file: Any, **more: Any) -> None:
        super().__init__(file=file, markup=False, highlight=False, emoji=False, **more)

    def render_str(self, text: str, **how: Any) -> rich.text.Text:
        """As rich's own, of a text that is clean before it is measured."""
        return super().render_str(clean(text), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As rich's own; everything that is printed passes here, whatever it was made of."""
        if self.is_terminal and isinstance(renderable, rich.text.Text) and len(renderable) > LONGEST_LINE:
            renderable = _bounded(renderable)
        for segment in super().render(renderable, options):
            if segment.control or is_plain(segment.text):
                yield segment
            else:
                yield Segment(named(segment.text), segment.style)

    def print_json(self, json: str | None = None, *, data: Any = None, **_: Any) -> None:
        """Print a value as JSON over several lines, which is that value when it is read."""
        text = dumps(data, indent=2, ensure_ascii=False) if json is None else json
        self.print(JSONHighlighter()(Text(escaped(text))), soft_wrap=True)


def _bounded(text: rich.text.Text) -> rich.text.Text:
    """A text none of whose lines is longer than a line may be."""
    lines = text.split("\n", allow_blank=True)
    for line in lines:
        left_out = len(line) - LONGEST_LINE
        if left_out > 0:
            line.right_crop(left_out)
            line.append(_more(left_out))
    return text.blank_copy("\n").join(lines)


def _more(left_out: int) -> str:
    return f"… and {left_out:,} characters more"


class LineBound:
    """Cuts lines that come in pieces: text in, text out."""

    def __init__(self) -> None:
        self._length = 0

    def feed(self, text: str) -> str:
        """Take a piece; return what of it is shown."""
        if self._length + len(text) <= LONGEST_LINE and "\n" not in text:  # most of what comes
            self._length += len(text)
            return text
        first, *others = text.split("\n")
        shown = self._add(first)
        for line in others:
            shown += (_more(self._length - LONGEST_LINE) if self._length > LONGEST_LINE else "") + "\n"
            self._length = 0
            shown += self._add(line)
        return shown

    def _add(self, piece: str) -> str:
        room = max(0, LONGEST_LINE - self._length)
        self._length += len(piece)
        return piece[:room]


class SafeStream(io.TextIOBase):
    """Stands for a standard stream; what is written to it, or to its ``buffer``, is cleaned.

    Args:
        stream: the one that there was; it is neither closed nor detached.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bound = LineBound()  # two threads that write one line at once may have it cut a little early
        self.buffer: _Bytes = _Bytes(self)

    def __del__(self) -> None:
        """Leave the stream alone: `io` would flush it, after its owner may have closed it."""

    def __getattr__(self, name: str) -> Any:
        # What else a tool asks of a standard stream, `reconfigure` say, it finds as it was.
        return getattr(self._stream, name)

    @property
    def encoding(self) -> str:  # type: ignore[override]  # an attribute there, which cannot be set either
        """The stream's."""
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]  # as the one before
        """The stream's."""
        return self._stream.errors

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, text: str) -> int:
        """Write a text, cleaned."""
        self._stream.write(self._bound.feed(clean_lines(text)))
        return len(text)

    def flush(self) -> None:
        """Have it written out."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The stream's."""
        return self._stream.fileno()


class _Bytes(io.RawIOBase):
    """The bytes of a `SafeStream`: UTF-8, cleaned like its text."""

    def __init__(self, stream: SafeStream) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def __del__(self) -> None:
        """As the `SafeStream`'s."""

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """Write what can be read of them by now."""
        self._stream.write(self._decoder.decode(bytes(data)))
        return len(data)

    def flush(self) -> None:
        """Have it written out."""
        self._stream.flush()


@contextmanager
def safe_streams() -> Iterator[None]:
    """Have `sys.stdout` and `sys.stderr` cleaned, whatever code writes to them."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream and cast("TextIO", SafeStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def one_sentence(sentence: str) -> str:
    """A sentence of ours for stderr. Foreign text in it may have lines; none of them looks as if it were ours."""
    return f"callboard: {sentence}".replace("\n", "\n    ")


class LogFormat(logging.Formatter):
    """A log record as a sentence of ours."""

    def format(self, record: logging.LogRecord) -> str:
        """Format it, with its traceback if it has one."""
        return one_sentence(super().format(record))
