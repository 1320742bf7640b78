"""`callboard chat`: a conversation with a model that has the board's tools."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ...configured_agent import Agent
from ...demo.journey_stage import Journey
from ..approval.risk import Risks
from ..approval.terminal import tell_nobody
from ..ui.board import open_board
from ..ui.exit_codes import FAILED, WELL
from ..ui.files import ConfigFile
from ..ui.options import common, json_option, quiet, trust_option
from ..ui.prompt import at_a_prompt
from ..ui.streams import Streams
from ..ui.text import Text
from .approver import AtPrompt, Scripted
from .conversation import Conversation
from .events import KINDS, News
from .session_files import Keeping
from .view import ForPeople, ForPrograms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...callboard import Callboard
    from ..ui.prompt import Prompt
    from .events import PendingQuestion


class _Ways(NamedTuple):
    """How the conversation goes, as the command line has it."""

    file: Path | None
    model: str | None
    messages: tuple[str, ...]
    play: bool
    fast: bool
    as_json: bool


@click.command(short_help="A conversation with a model that has the tools of CONFIG.")
@click.argument("config", type=ConfigFile(), required=False)
@click.option(
    "--session", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Keep the conversation in this file; go on with it if there is one.",
)  # fmt: skip
@click.option("--model", metavar="NAME", help="Ask this model, instead of the configured one.")
@click.option(
    "--message", "messages", multiple=True, metavar="TEXT", help="Say this and leave; may be given again."
)
@click.option("--demo", is_flag=True, help="Without CONFIG and account: a scripted model, real tools.")
@click.option("--play", is_flag=True, help="With --demo: the conversation goes by itself.")
@click.option(
    "--fast", is_flag=True, help="With --demo: nobody takes time to think; so it is where nobody watches."
)
@trust_option
@json_option
@common
def chat(  # noqa: PLR0917 - click hands all by name
    config: str | None,
    file: Path | None,
    model: str | None,
    messages: tuple[str, ...],
    demo: bool,
    play: bool,
    fast: bool,
    as_json: bool,
) -> int:
    """Talk to the model of CONFIG, which has the tools of CONFIG.

    CONFIG has a section "agent" with the provider to ask. A line is a message, or a command: /help lists them. What the model
    says is shown as it comes, and so is what its tools are asked and answer, and what becomes of their hosts. Ctrl-C ends a
    turn, a second one leaves.

    Without a terminal each line of stdin is a message. Exit status: 0 every message was answered, 1 one was not.
    """
    _check(config, demo=demo, of_demo=play or fast)
    quiet()
    with Streams(as_json=as_json) as out, ExitStack() as stack:
        ways = _Ways(file, model, messages, play, fast or not out.terminal, as_json)
        journey = stack.enter_context(Journey(fast=ways.fast)) if demo else None
        prompt = None
        if out.terminal and os.isatty(out.stdin) and not (play or messages):
            prompt = stack.enter_context(at_a_prompt(out))
        news = News()

        def ask_here(board: Callboard) -> None:
            if out.people and (play or prompt is not None):
                board.approver = news  # before it starts: servers are told then whether they may ask

        board = stack.enter_context(
            open_board(journey.configuration if journey else str(config), stdin=out.stdin, before=ask_here)
        )
        agent = stack.enter_context(_agent(board, ways))
        return _talk(_Place(out, board, agent, journey, prompt, news), ways)


def _check(config: str | None, *, demo: bool, of_demo: bool) -> None:
    if config is None and not demo:
        raise click.UsageError("give CONFIG, or --demo for a conversation that needs none")
    if config is not None and demo:
        raise click.UsageError("--demo has a configuration of its own; leave out one of them")
    if of_demo and not demo:
        raise click.UsageError("--play and --fast are for --demo")


def _agent(board: Callboard, ways: _Ways) -> Agent:
    """The agent of the configuration, but for what the command line says."""
    configuration = board.configuration
    settings = configuration.agent_settings
    if ways.model is not None:
        settings = replace(settings, options={**settings.options, "model": ways.model})
        configuration = replace(configuration, agent={**configuration.agent, "model": ways.model})
    if ways.file is not None:
        settings = replace(settings, session_dir=None)
    return Agent(board, replace(configuration, agent_settings=settings))


class _Place(NamedTuple):
    """Where the conversation takes place."""

    out: Streams
    board: Callboard
    agent: Agent
    journey: Journey | None
    prompt: Prompt | None
    news: News


def _talk(place: _Place, ways: _Ways) -> int:
    """Carry the conversation out; returns the exit status."""
    out, board, agent, journey, prompt, news = place
    people = scripted = None
    if out.people:
        people = ForPeople(prompt.console if prompt else out.console, Risks(board).of)
    if people is not None and ways.play:
        scripted = Scripted(people, fast=ways.fast)
    decide = _decider(people, prompt, scripted)
    if decide is None:
        board.subscribe(tell_nobody, ["approval_answered"])
    board.subscribe(news.board, KINDS)
    with closing(Keeping(agent, ways.file)) as keeping:
        conversation = Conversation(
            board,
            agent,
            keeping,
            people or ForPrograms(out),
            news,
            decide=decide,
            heard=None if journey is None else journey.mishap(board),
            typed=decide is not None,
        )
        if people is not None and prompt is not None:
            _greet(people, conversation, journey)
            news.woken = lambda: prompt.wake(conversation.show_news)
            prompt.carry_out_all(
                conversation, begin=conversation.show_news, interrupted=lambda: conversation.interrupted
            )
            return WELL
        _carry_out_all(conversation, _lines(out, ways, journey), scripted)
        return FAILED if conversation.failed else WELL


def _carry_out_all(conversation: Conversation, lines: Iterable[str], scripted: Scripted | None) -> None:
    for line in lines:
        if scripted is not None:
            scripted.say(line)
        conversation.carry_out(line)
        if conversation.over:
            return


def _decider(
    people: ForPeople | None, prompt: Prompt | None, scripted: Scripted | None
) -> Callable[[PendingQuestion], None] | None:
    """Who answers questions, if anybody is there who can."""
    if scripted is not None:
        return scripted.decide
    return None if people is None or prompt is None else AtPrompt(prompt, people).decide


def _lines(out: Streams, ways: _Ways, journey: Journey | None) -> Iterator[str]:
    """What is said, where no person is at a prompt."""
    if journey is not None and ways.play:
        yield from journey.lines
    elif ways.messages:
        yield from ways.messages
    else:
        with open(out.stdin, encoding="utf-8", errors="replace", closefd=False) as lines:
            yield from lines


def _greet(people: ForPeople, conversation: Conversation, journey: Journey | None) -> None:
    said: Iterable[str] = ["/help says what can be typed; Ctrl-D leaves"]
    if conversation.session.messages:
        said = [f"{len(conversation.session.messages)} messages so far", *said]
    if journey is not None:
        said = [
            "The model is a script, the tools are real. Try:",
            *(f"  {line}" for line in journey.lines),
            *said,
        ]
    for line in said:
        people.console.print(Text(line, "dim"), soft_wrap=True)
    people.console.print()
