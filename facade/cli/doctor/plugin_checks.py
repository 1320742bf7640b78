"""Whether the plugins of a configuration load and start, and what their hosts print."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...config.plugin_options import asked_of
from ...hosts.report.telling_line import telling_line
from ...loading.loader import loader_of
from ...sources.entry import parse_entry
from .finding import Finding, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...callboard import Callboard
    from ...config.configuration import Configuration


def check_plugins(board: Callboard) -> Iterator[Finding]:
    """Each plugin of a configuration: whether it loads and starts, and what its host prints."""
    configuration = board.configuration
    board.configuration = replace(configuration, plugins=tuple(map(_not_required, configuration.plugins)))
    with board:
        status = board.status()
    left_out = configuration.consent.left_out if configuration.consent is not None else ()
    for failed in status["failed"]:
        if failed["plugin"] is None:  # the others are judged by what the board knows of them
            what = f"{failed['source']}: {failed['error']}"
            told = failed["source"] in left_out
            remedy = "look at what it runs, and trust it" if told else "correct its entry in 'plugins'"
            yield Finding("FAIL", "plugin", what, remedy)
    for provider in status["providers"]:
        yield Finding(
            "ok", f"plugin {provider['name']}", f"a {provider['kind'].replace('_', ' ')}, for an agent"
        )
    for rule in status["idle_rules"]:
        yield Finding(
            "warn", "approval", f"the rule {rule} fits no tool", "correct its name, or leave it out"
        )
    for name, plugin in status["plugins"].items():
        home = plugin["host"]["name"] if "host" in plugin else None
        yield from judge(name, plugin, others=len(status["hosts"].get(home, {}).get("plugins", ())) - 1)


def _not_required(entry: Any) -> Any:
    """One that is required and fails would end the start, and hide how the others are."""
    return {**entry, "required": False} if isinstance(entry, dict) else entry


def judge(name: str, plugin: Mapping[str, Any], *, others: int = 0) -> Iterator[Finding]:
    """What the board's status of one plugin means; ``others`` live in its host too. Pure."""
    what, tools, host = f"plugin {name}", ", ".join(plugin["tools"]) or "no tools", plugin.get("host")
    if host is None:
        yield Finding("ok", what, f"{tools}; in this process")
        return
    if problem := plugin.get("problem"):
        remedy = "mend the tool" if others > 0 and not plugin["tools"] else "correct the tool's schemas"
        yield Finding("FAIL", what, problem, remedy)
        return
    if differing := plugin.get("differing"):
        said = "; ".join(f"{name}: {changes[0]:.200}" for name, changes in differing.items())
        yield Finding(
            "warn",
            what,
            f"not declared as it was kept: {said:.1000}",
            "if the change is right, accept it with 'callboard trust CONFIG'",
        )
    for rule in plugin.get("idle_rules", ()):
        said = f"the rule {rule} of 'tools' fits none of the server's tools"
        yield Finding("warn", what, said, "correct its name, or leave it out")
    its = _HOSTS.get(plugin.get("kind", ""), "its host")
    if others > 0:
        its = f"{its} {host['name']!r}, shared with {counted(others, 'other')},"
    if host["state"] != "ready":
        said = f"{its} is {host['state']}" + (f": {host['why']}" if host["why"] else "")
        crash = host["last_crash"]  # none when it never started: then the sentence says what to do
        words = telling_line(crash.get("stderr", "")) if crash else ""
        if words not in said:
            said += f"; its last words: {words}"
        yield Finding(
            "FAIL", what, said, _REMEDIES.get(plugin.get("kind", ""), "mend the tool") if crash else ""
        )
        return
    strays = host.get("counts", {}).get("stray", 0)
    if host["crashes"]:
        yield Finding("warn", what, f"{tools}; {its} is ready, at start {host['generation']}", "-v logs why")
    elif strays:
        said = f"{tools}; {its} printed {counted(strays, 'line')} to stdout, where messages belong"
        yield Finding("warn", what, said, "print to stderr; -v logs the lines")
    else:
        yield Finding("ok", what, f"{tools}; {its} is ready, and prints nothing but messages to stdout")


_REMEDIES = {"mcp": "correct its entry, or the server"}
_HOSTS = {"node": "its Node host", "python": "its Python host"}


def count_hosts(configuration: Configuration) -> Counter[str]:
    """How many of a configuration's plugins run in hosts, by kind of host; a package may have more than one."""
    kinds = (_kind_of_host(entry, configuration) for entry in configuration.plugins)
    return Counter(kind for kind in kinds if kind is not None)


def _kind_of_host(entry: Any, configuration: Configuration) -> str | None:
    try:
        read = parse_entry(entry, configuration.base)
        isolate = asked_of(read, configuration).isolate
        return loader_of(read.source).host(read.source, isolate, configuration)
    except PluginLoadError:
        return None  # told by the check of the plugins
