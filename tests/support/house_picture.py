"""The rooms of the house as a picture: a floor a row, a room a box, its folders in it. Run, it writes the picture anew."""

from __future__ import annotations

from html import escape

from house_source import FACE, FLOOR, ROOT, modules, rooms

PLACE = ROOT / "docs" / "design" / "house.svg"

WIDTH, GAP, LINE, TOP = 960, 14, 17, 44
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.name { font-weight: 650; font-size: 15px }
.answers { fill: #57606a; font-size: 12px }
rect { fill: #f6f8fa; stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .answers { fill: #9198a1 } rect { fill: #161b22; stroke: #3d444d }
}
"""

ANSWERS = {
    "facade": "What does a user type?",
    "agent": "What does an agent want of it?",
    "chaos": "How does one test that it recovers?",
    "actors": "Who handles a call?",
    "hosts": "Where does a tool run out of process?",
    "supervision": "Who restarts what, and when to give up?",
    "plugins": "What is a tool?",
    "interop": "What do a schema, a call and a result mean?",
    "base": "What do all rooms stand on?",
}


def folders(room: str) -> list[str]:
    """The folders of a room, in order."""
    paths = [module.path.split("/") for module in modules() if module.room == room]
    return sorted({parts[1] for parts in paths if len(parts) > 2})


def picture() -> str:
    """The picture as SVG: what stands on what, by the table of floors."""
    boxes, y = [], GAP
    for floor in sorted(set(FLOOR.values()), reverse=True):
        here = sorted(room for room in rooms() if FLOOR[room] == floor)
        width = (WIDTH - GAP * (len(here) + 1)) / len(here)
        lines = {room: _lines(folders(room), width) for room in here}
        height = TOP + LINE * max(len(each) for each in lines.values()) + GAP
        for place, room in enumerate(here):
            area = (GAP + place * (width + GAP), y, width, height)
            boxes.append(_box(room, lines[room], area))
        y += int(height) + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img">'
        f"<title>The rooms of Callboard: each stands on those below it</title><style>{STYLE}</style>"
        f"{''.join(boxes)}</svg>\n"
    )


def _lines(names: list[str], width: float) -> list[str]:
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + len(name) + 3 <= (width - 2 * GAP) / 7:
            lines[-1] += f" · {name}"
        else:
            lines.append(name)
    return lines


def _box(room: str, lines: list[str], area: tuple[float, float, float, float]) -> str:
    x, y, width, height = area
    name = "facade (callboard)" if room == FACE else room
    text = "".join(
        f'<text x="{x + GAP:g}" y="{y + TOP + LINE * (n + 1):g}">{escape(line)}</text>'
        for n, line in enumerate(lines)
    )
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"/>'
        f'<text class="name" x="{x + GAP:g}" y="{y + 24:g}">{name}</text>'
        f'<text class="answers" x="{x + GAP:g}" y="{y + 42:g}">{escape(ANSWERS[room])}</text>{text}'
    )


if __name__ == "__main__":
    PLACE.write_text(picture())
