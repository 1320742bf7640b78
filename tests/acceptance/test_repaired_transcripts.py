"""Law 4 for whole histories: a repaired transcript is one that the provider's own models take."""

from __future__ import annotations

import pytest
from callboard.interop.transcripts.repair import repair_transcript
from hypothesis import given, settings
from sdks import needs_sdk, sdks
from thorough import times
from transcript_writers import TURNS, WRITERS, written

pytestmark = needs_sdk


@pytest.mark.parametrize("provider", WRITERS)
@settings(max_examples=times(15, 100))
@given(turns=TURNS)
def test_law_4_a_repaired_transcript_is_accepted_message_by_message(provider, turns):
    repaired, _ = repair_transcript(written(turns, provider), provider)

    assert [found for message in repaired for found in sdks().message_refusals(provider, message)] == []
