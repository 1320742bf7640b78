"""Conversion of many values in order: what is refused is told with its place, and never lost in the crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ..errors import HostedError, LossRefusedError, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..conversion import Converted

    Refused = Callable[[int, CallboardError], None]


def convert_batch(
    convert: Callable[[int, Any], Sequence[Converted]],
    values: Iterable[Any],
    *,
    refuse_losses: bool,
    refused: Refused | None,
) -> list[Any]:
    """Return what ``convert`` makes of each value, which may be several values, or none if it is another provider's.

    Raises:
        CallboardError: what ``convert`` raised, or `LossRefusedError`, with a note of the place; unless
            ``refused`` is given, which is then told instead, and the value is left out.
    """
    done: list[Any] = []
    for index, value in enumerate(values):
        try:
            converted = convert(index, value)
            losses = tuple(loss for one in converted for loss in one.losses)
            if refuse_losses and losses:
                raise LossRefusedError(f"converting {describe(value)} would lose", losses)
        except HostedError as hosted:
            error = LossRefusedError(f"converting {describe(value)} would lose", hosted.losses)
            if refused is not None:
                refused(index, error if refuse_losses else hosted)
            elif refuse_losses:
                error.add_note(f"while converting number {index} of the batch, {describe(value)}")
                raise error from hosted
        except CallboardError as error:
            if refused is None:
                error.add_note(f"while converting number {index} of the batch, {describe(value)}")
                raise
            refused(index, error)
        else:
            done.extend(one.value for one in converted)
    return done
