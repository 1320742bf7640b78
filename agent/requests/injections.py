"""What hooks want said to the model, put where it reads it: behind the results of the calls that it is about. Pure.

The words stand in the metadata of the tool messages, and a history is kept as it is. They are put in for each request, so
that what is to be said for good is there in all later ones, at the same place, and what is said once is in the
one that follows its call and in no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugins.hooks.injections import read_injections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...plugins.hooks.injections import Injection

Json = dict[str, Any]


def with_injections(messages: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Return the messages as the model is to read them; those that are given are not changed.

    The law of calls and results holds in what is returned if it held before: nothing comes between them.
    """
    answered = max((n for n, each in enumerate(messages) if each.get("role") == "assistant"), default=-1)
    told: list[Json] = []
    results: list[Json] = []
    for number, message in enumerate(messages):
        if message.get("role") == "tool":
            results.append(dict(message))
            continue
        told += _behind(results, heard=number <= answered)
        told.append(dict(message))
        results = []
    return told + _behind(results, heard=False)


def _behind(results: list[Json], *, heard: bool) -> list[Json]:
    """The results of one answer's calls, and what is said about them; ``heard`` if the model has had them before."""
    said: list[Json] = []
    for hook, event, injection in [each for message in results for each in _wanted(message)]:
        if injection.ephemeral and heard:
            continue
        longer = _with_more(results[-1], injection.content) if injection.appended else None
        if longer is not None:
            results = [*results[:-1], longer]
            continue
        metadata = {"source": "hook", "hook_name": hook, "event": event}
        said.append({"role": injection.role, "content": injection.content, "metadata": metadata})
    return [*results, *said]


def _wanted(message: Json) -> Iterator[tuple[Any, Any, Injection]]:
    for note in _notes(message):
        try:
            injections = read_injections(note)
        except ValueError:  # not read before: it is of another program, or of a file that was edited
            continue
        yield from ((note.get("hook"), note.get("event"), each) for each in injections if each.fits)


def _notes(message: Json) -> Iterable[Json]:
    metadata = message.get("metadata")
    notes = metadata.get("hooks") if isinstance(metadata, dict) else None
    return [note for note in notes if isinstance(note, dict)] if isinstance(notes, list) else []


def _with_more(message: Json, words: str) -> Json | None:
    """The tool message with more to read in it; ``None`` if its result is in a provider's own form."""
    said, result = message.get("content"), message.get("toolResult")
    if not isinstance(said, str) or not isinstance(result, dict) or result.get("type") != "tool_result":
        return None
    text = f"{said}\n\n{words}"
    return {**message, "content": text, "toolResult": {**result, "text": text}}
