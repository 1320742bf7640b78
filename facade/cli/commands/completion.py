"""`callboard completion`: what a shell has to be told to complete this command line."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ..ui.exit_codes import WELL
from ..ui.options import common
from ..ui.streams import Streams

SHELLS = ("bash", "zsh", "fish")


@click.command(short_help="A script with which your shell completes this command line.")
@click.argument("shell", type=click.Choice(SHELLS))
@common
def completion(shell: str) -> int:
    """Write a script with which SHELL completes commands, options and files. Nothing is started to complete a word.

    \b
    bash  callboard completion bash > ~/.local/share/bash-completion/completions/callboard
    zsh   callboard completion zsh > "${fpath[1]}/_callboard"
    fish  callboard completion fish > ~/.config/fish/completions/callboard.fish
    """  # noqa: D301 - the mark by which click keeps lines apart
    made = get_completion_class(shell)
    assert made is not None
    whole = click.get_current_context().find_root().command
    with Streams(as_json=False) as out:
        script = made(whole, {}, "callboard", "_CALLBOARD_COMPLETE").source()
        out.console.print(script, markup=False, highlight=False, soft_wrap=True)
    return WELL
