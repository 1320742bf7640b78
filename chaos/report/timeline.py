"""The timeline of a run as SVG: a lane for each plugin, with its generations, what was done to it, and its calls. Pure.

In each lane, from above: what was done to the host; its generations, from start to end, with the waits between
them; and the calls that ended, by the colour of how. Whoever rests the pointer on a thing is told of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from html import escape
from typing import TYPE_CHECKING

from ..checker.facts import REFUSED, Answered, Broken
from ..checker.host_stories import stories
from .scale import Scale, shortened, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..checker.facts import Run
    from ..checker.host_stories import GenerationStory, HostStory

WIDTH, LEFT, RIGHT = 1120, 148, 18
TOP, LANE, BAND, BARS = 34, 92, 20, 22
BINS = 160
_ROOM = 22
"""Units in which a number has room."""

GROUPS = ("ok", "own", "lost", "refused")
"""How calls end, for the eye: well, by the tool's own failure, unknown, not sent."""


def group_of(ending: str, outcome: str | None) -> str:
    """The group of an ending."""
    if ending == "success":
        return "ok"
    if ending in {"failure", "tool_raised", REFUSED}:
        return "own"
    return "refused" if outcome == "not_sent" else "lost"


def timeline(run: Run) -> str:
    """The picture."""
    told = {story.host: story for story in stories(run)}
    names = list(run.terms)
    scale = Scale(max(run.ended, 1e-3), LEFT, WIDTH - RIGHT)
    height = TOP + LANE * len(names) + 26
    calls = _bins(run, scale)
    highest = max((counts.total() for bins in calls.values() for counts in bins.values()), default=1)
    lanes = [
        "".join(_lane(name, TOP + LANE * place, told.get(name), run, scale))
        + "".join(_bars(calls[name], TOP + LANE * place + 78, highest))
        for place, name in enumerate(names)
    ]
    return (
        f'<svg class="timeline" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Timeline of hosts, generations, faults and calls">{_PATTERNS}'
        f"{''.join(_axis(scale, height))}{''.join(_healed(run, scale, height))}{''.join(lanes)}</svg>"
    )


def _axis(scale: Scale, height: int) -> Iterator[str]:
    for tick in scale.ticks():
        x = scale(tick)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{height - 22}"/>'
        yield f'<text class="tick" x="{x}" y="{height - 6}">{tick:g} s</text>'


def _healed(run: Run, scale: Scale, height: int) -> Iterator[str]:
    if run.healed is not None:
        x = scale(run.healed)
        yield f'<line class="healed" x1="{x}" x2="{x}" y1="{TOP - 8}" y2="{height - 22}"/>'
        anchor = "end" if x > WIDTH * 0.8 else "start"
        near = x - 6 if anchor == "end" else x + 6
        yield f'<text class="note" x="{near}" y="{TOP - 14}" text-anchor="{anchor}">no more faults from here</text>'


def _lane(name: str, top: int, story: HostStory | None, run: Run, scale: Scale) -> Iterator[str]:
    yield f'<line class="rule" x1="0" x2="{WIDTH}" y1="{top + LANE - 8}" y2="{top + LANE - 8}"/>'
    said = "in this process"
    if story is not None:
        crashes = sum(generation.crashed for generation in story.generations)
        said = f"{_many(len(story.generations), 'generation', 'generations')}, {_many(crashes, 'crash', 'crashes')}"
    yield f'<text class="host" x="4" y="{top + 30}">{escape(shortened(name))}<title>{escape(name)}</title></text>'
    yield f'<text class="note" x="4" y="{top + 47}">{said}</text>'
    if story is None:
        return
    band = top + 16
    for place, generation in enumerate(story.generations):
        after = story.generations[place + 1] if place + 1 < len(story.generations) else None
        yield from _box_of(generation, after, band, run.ended, scale)
    for fact in run.of(name):
        if isinstance(fact, Broken):
            x = scale(fact.at)
            yield (
                f'<path class="blow" d="M{x - 4.5} {band - 12}h9l-4.5 9z">'
                f"<title>{escape(fact.fault)} at {fact.at:.3f} s</title></path>"
            )


def _told(generation: GenerationStory) -> str:
    """A generation in a sentence."""
    told = f"generation {generation.number}: "
    if generation.ready == generation.began:
        told += "was there at the beginning"
    else:
        told += f"started at {generation.began:.3f} s"
        told += (
            "" if generation.ready is None else f", ready after {span(generation.ready - generation.began)}"
        )
    if generation.ended is not None:
        told += f", ended at {generation.ended:.3f} s"
    if generation.crashed:
        told += f" ({generation.cause if generation.cause.startswith(generation.exit) else f'{generation.exit}; {generation.cause}'})"
    return told


def _box_of(
    generation: GenerationStory, after: GenerationStory | None, y: int, end: float, scale: Scale
) -> Iterator[str]:
    ended = end if generation.ended is None else generation.ended
    began, over = scale(generation.began), scale(ended)
    ready = over if generation.ready is None else scale(generation.ready)
    title = f"<title>{escape(_told(generation))}</title>"
    shade = "even" if generation.number % 2 == 0 else "odd"
    if ready > began:
        yield _box("starting", began, ready, y, title)
    if generation.ready is not None:
        yield _box(f"ready {shade}", ready, over, y, title)
        if over - ready > _ROOM:
            yield f'<text class="generation" x="{(ready + over) / 2:.1f}" y="{y + 14}">{generation.number}</text>'
    if generation.ended is not None and (
        generation.parked or (after is not None and after.began > generation.ended)
    ):
        until = end if after is None else after.began
        waited = f"{'parked' if generation.parked else 'waited'} for {span(until - generation.ended)}"
        yield _box(
            "parked" if generation.parked else "wait", over, scale(until), y, f"<title>{waited}</title>"
        )
    if generation.crashed:
        yield (
            f'<g class="crash" transform="translate({over} {y + BAND / 2})">'
            f'<path d="M-3.5-3.5l7 7m0-7l-7 7"/>{title}</g>'
        )


def _box(style: str, left: float, right: float, y: int, title: str) -> str:
    width = max(0.8, right - left)
    return (
        f'<rect class="{style}" x="{left}" y="{y}" width="{width:.2f}" height="{BAND}" rx="3">{title}</rect>'
    )


def _bins(run: Run, scale: Scale) -> dict[str, dict[int, Counter[str]]]:
    """How many calls of each plugin ended how, in each piece of the time."""
    found: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for fact in run.facts:
        if isinstance(fact, Answered):
            place = min(BINS - 1, int(fact.at / scale.most * BINS))
            found[fact.plugin][place][group_of(fact.ending, fact.outcome)] += 1
    return found


def _bars(bins: dict[int, Counter[str]], base: int, highest: int) -> Iterator[str]:
    width = (WIDTH - LEFT - RIGHT) / BINS
    for place, counts in sorted(bins.items()):
        y, x = float(base), LEFT + place * width
        said = ", ".join(f"{counts[group]} {_SAID[group]}" for group in GROUPS if counts[group])
        yield f"<g><title>{said}</title>"
        for group in GROUPS:
            if counts[group]:
                # The square root: one call that was lost has to be seen beside a hundred that went well.
                tall = max(1.5, BARS * (counts[group] / highest) ** 0.5)
                y -= tall
                yield (
                    f'<rect class="{group}" x="{x:.2f}" y="{y:.2f}" width="{width * 0.78:.2f}" '
                    f'height="{tall:.2f}"/>'
                )
        yield "</g>"


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


_SAID = {
    "ok": "succeeded",
    "own": "failed by the tool's own word",
    "lost": "outcome unknown",
    "refused": "not sent",
}

_PATTERNS = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/>'
    '<line class="hatch-line" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>'
)
