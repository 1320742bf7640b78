"""What a conversion is given, and what it gives back: the value, and an honest list of losses.

No conversion here drops anything in silence. What the target format cannot carry is declared as a
``Loss``; the caller may read the list, prefer a format without losses, or refuse any.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from ..base.frozen import frozen
from .custom_wrapper import CustomToolWrapper

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .aliases import Aliases
    from .hub import Extras, InspectedSchema

HUB: Final = "callboard.hub"
"""The ``source`` of an adapter that writes its target from an inspected value, whatever it was read from."""


class LossCode(StrEnum):
    """Why a converted value says less than its source. An adapter may declare codes of its own."""

    TEXT_WRAPPED = "text_wrapped"  # raw input became the one string of an object
    GRAMMAR = "grammar"  # the grammar of the raw input is no longer enforced
    STRICT = "strict"  # whether the schema is enforced was left to the server, and is now said or unsaid
    OUTPUT_SCHEMA = "output_schema"
    NAMESPACE = "namespace"
    ROOT_COMBINATORS = "root_combinators"  # alternatives at the root of a schema became one wider object
    KEYWORDS = "keywords"  # a schema says less, for the target knows fewer keywords
    DESCRIPTION = "description"  # an empty description, where the target refuses one
    EXTRAS = "extras"  # keys that only the source format knows
    ITEM = "item"  # facts about the wire item: its own id, status, caller
    SIGNATURE = "signature"  # a thought signature, without which its own provider refuses the replay
    CALL_ID = "call_id"  # an id was made up, or dropped
    ERROR_FLAG = "error_flag"  # failure is only told in the text
    STRUCTURE = "structure"  # JSON became its text
    MEDIA = "media"  # images, recordings, files
    UNREAD = "unread"  # content that is not understood
    HOSTED = "hosted"  # only one provider has such a tool, and runs it or knows what it takes
    BOUNDARIES = "boundaries"  # several parts became one, or stand in another order


@frozen
class Loss:
    """One thing a conversion could not carry over; ``detail`` names it."""

    code: str
    detail: str


@frozen
class Converted:
    """A value in its new format, with what was lost on the way."""

    value: Any
    losses: tuple[Loss, ...] = ()


@frozen
class ToolInteropTarget:
    """What a conversion is for.

    Attributes:
        family: the provider's wire, such as ``openai.chat_completions``; it stands for all formats
            whose ids begin with it. The id of a single format does as well.
        model: the model, for adapters that have to fit a schema to it.
    """

    family: str
    model: str | None = None


@frozen
class ConversionContext:
    """What an adapter may know beside the value.

    Attributes:
        target: what the conversion is for.
        wrapper: how freeform tools are said where there are only function tools.
        may_wrap: whether raw input may be wrapped; if not, an adapter that would have to must refuse.
        names: what to say for the name of a tool, in a request whose provider refuses some. The built-in
            formats are seen to; only an adapter of another format has to ask.
        ids: the same for the id of a call.
    """

    target: ToolInteropTarget
    wrapper: CustomToolWrapper = field(default_factory=CustomToolWrapper)
    may_wrap: bool = True
    names: Aliases | None = None
    ids: Aliases | None = None


def lost_extras(extras: Extras) -> tuple[Loss, ...]:
    """Declare keys that the target does not know, if there are any."""
    names = [name for keys in extras.values() for name in keys]
    return (Loss(LossCode.EXTRAS, ", ".join(names)),) if names else ()


def wrapping_losses(schema: InspectedSchema) -> tuple[Loss, ...]:
    """Declare what a freeform tool loses when it is said as a function tool."""
    losses = [Loss(LossCode.TEXT_WRAPPED, "raw input becomes the one string of an object")]
    if schema.text_format is not None and schema.text_format.definition is not None:
        losses.append(Loss(LossCode.GRAMMAR, f"the {schema.text_format.syntax} grammar is not enforced"))
    return tuple(losses)


def merged(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Return the losses without repetition, in order."""
    return tuple(dict.fromkeys(losses))
