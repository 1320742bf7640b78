"""A question about a call as a form with one truth value, for a person who is reached by forms alone. Pure."""

from __future__ import annotations

from typing import Final

from ...base.json import dump_json
from .approval import Answer, Question, read_decision
from .forms import ACCEPT, DECLINE, Field, Form, FormAnswer
from .visible_text import json_lines, visible

LONGEST: Final = 16_000
"""Characters of a question that is shown in a form; nobody says yes to more."""

_LATER: Final = 5.0
"""Seconds by which the form outlives the question: what holds without an answer is the question's to say."""

ALLOW: Final = "allow"
"""The name of the field."""


def form_of(question: Question) -> Form | None:
    """The form that asks a question; ``None`` if not all of it can be shown, or none of its options is a yes."""
    if not any((read := read_decision(each, (each,))) and read.allowed for each in question.options):
        return None
    if sum(len(dump_json(each)) for each in (question.tool_input, question.result)) > LONGEST:
        return None
    text = "\n".join(_lines(question))
    if len(text) > LONGEST:
        return None
    field = Field(ALLOW, "boolean", "Allow this call", "Yes lets it run, no denies it.", required=True)
    return Form(
        text,
        question.plugin or "",
        (field,),
        tool_name=question.tool_name,
        tool_call_id=question.tool_call_id,
        timeout=question.timeout + _LATER,
    )


def answer_of(answer: FormAnswer) -> Answer:
    """What was answered to it: only an accepted yes is one."""
    if answer.action == ACCEPT:
        allowed = answer.content is not None and answer.content.get(ALLOW) is True
        return Answer(allowed, reason=None if allowed else "the client's user said no")
    if answer.action == DECLINE:
        return Answer(allowed=False, reason="the client's user declined to answer")
    return Answer(
        allowed=False, reason=answer.reason or "the client's user closed the question without an answer"
    )


def _lines(question: Question) -> list[str]:
    lines = [visible(line) for line in question.prompt.split("\n")]
    if question.reason:
        lines.append(f"because: {visible(question.reason)}")
    name = "none" if question.tool_name is None else dump_json(question.tool_name).decode()
    plugin = "more than one" if question.plugin is None else dump_json(question.plugin).decode()
    lines += [f"tool: {visible(name)}", f"plugin: {visible(plugin)}"]
    lines += [f"changed since it was always allowed: {visible(each)}" for each in question.changed]
    lines += ["input:", *(visible(line) for line in json_lines(question.tool_input))]
    if question.result is not None:
        lines += ["result:", *(visible(line) for line in json_lines(question.result))]
    return lines
