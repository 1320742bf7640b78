"""The conversation of `callboard chat --demo`: what a person says, and what a model that is a script answers. Pure.

The tools are real, and one of their hosts really dies; the script only knows that it will.
"""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

LINES: Final = (
    "I have to be in Bergen tomorrow. How far is that from Oslo, and will it rain?",
    "Which trains are there?",
    "What does the one at 08:25 cost?",
    "Book it, by the window.",
)

PRICES: Final = "prices"
"""The plugin whose host is killed, the first time it is asked."""

_FAR: Final = """\
Bergen is **463 km** from Oslo, and it **will rain**. So:

- take a train: the road over the mountains may be closed,
- take an umbrella (`傘` in Japanese, if you need the word there),
- look up when you get off: the fjord is on the left.
"""

_TRAINS: Final = """\
There are **three**. The one at 08:25 is the fastest, and you see the mountains by daylight.
"""

SCRIPT: Final[list[Json]] = [
    {
        "when": r"how far|\brain\b",
        "steps": [
            {
                "reasoning": "Two things that have nothing to do with each other: I ask both at once.",
                "text": "I look up both at once.",
                "calls": [
                    {"name": "distance", "arguments": {"start": "Oslo", "end": "Bergen"}},
                    {"name": "weather", "arguments": {"city": "Bergen", "day": "tomorrow"}},
                ],
            },
            {"text": _FAR},
        ],
    },
    {
        "when": r"\btrains?\b",
        "steps": [
            {"calls": [{"name": "find_trains", "arguments": {"start": "Oslo", "end": "Bergen"}}]},
            {"text": _TRAINS},
        ],
    },
    {
        "when": "cost|price",
        "steps": [
            {
                "text": "I ask those who sell it.",
                "calls": [{"name": "ask_prices", "arguments": {"train": 601}}],
            },
            {
                "text": "The tool's host died before it had an answer. Asking for a price twice does no harm, so once more.",
                "calls": [{"name": "ask_prices", "arguments": {"train": 601}}],
            },
            {"text": "Now I have it. The best offer is **349 kr**, a seat in the quiet car."},
        ],
    },
    {
        "when": "book",
        "steps": [
            {"calls": [{"name": "book_seat", "arguments": {"train": 601, "seat": "14F", "price": 349}}]},
            {"text": "What came of it: {result}"},
        ],
    },
    {
        "steps": [
            {
                "text": "I am a script, and know of a journey to Bergen only: how far it is, the trains, what they cost, and how to book."
            }
        ]
    },
]
