"""Placeholders of other clients' files are filled as those clients fill them, or it is said which cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from callboard.plugins.sources.mcp import Unfilled, fill
from hypothesis import given
from hypothesis import strategies as st

FOLDER, HOME = Path("/srv/project"), Path("/home/me")
ENVIRONMENT = {"TOKEN": "t0ken", "EMPTY": "", "ODD": "${env:TOKEN}"}


def filled(text):
    return fill(text, ENVIRONMENT, FOLDER, HOME, os.sep)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("plain $HOME $(x) {y} ${}", "plain $HOME $(x) {y} ${}"),
        ("a${env:TOKEN}b${TOKEN}", "at0kenbt0ken"),
        ("${env:EMPTY}|${NONE:-else}|${TOKEN:-else}|${NONE:-}", "|else|t0ken|"),
        ("${workspaceFolder}/data", "/srv/project/data"),
        ("${workspaceFolderBasename}", "project"),
        ("${userHome}${/}x${pathSeparator}", f"/home/me{os.sep}x{os.sep}"),
        ("${ODD}", "${env:TOKEN}"),
    ],
)
def test_a_placeholder_is_filled_once(text, meant):
    assert filled(text) == meant


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("${env:NONE}", "NONE"),
        ("${NONE}", "NONE"),
        ("x ${input:api-key}", "api-key"),
        ("${env:workspaceFolder}", "workspaceFolder"),
    ],
)
def test_what_cannot_be_filled_is_named(text, name):
    with pytest.raises(Unfilled) as caught:
        filled(text)

    assert caught.value.name == name


@given(st.text(alphabet="${}:-/abTOKEN", max_size=40))
def test_any_text_is_filled_or_refused_by_name(text):
    try:
        missing = not isinstance(filled(text), str)
    except Unfilled as error:
        missing = error.name not in text

    assert not missing
