"""Placeholders of other clients' files are filled as those clients fill them, or it is said which cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from callboard.plugins.placeholders import Unfilled, fill, fill_all
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


SECRETS = {("callboard", "key"): "k3y"}


def filled_all(value):
    return fill_all(value, ENVIRONMENT, lambda service, name: SECRETS.get((service, name)))


def test_all_texts_of_a_value_are_filled_and_nothing_else():
    value = {
        "${env:TOKEN}": ["a ${env:TOKEN}", 3, None, {"b": "${keyring:callboard/key}"}],
        "plain": "${TOKEN} ${input:x} $HOME ${workspaceFolder} ${env:NONE:-else}",
    }

    filled, hidden = filled_all(value)

    assert filled == {
        "${env:TOKEN}": ["a t0ken", 3, None, {"b": "k3y"}],
        "plain": "${TOKEN} ${input:x} $HOME ${workspaceFolder} else",
    }
    assert hidden == ["t0ken", "k3y", "else"]


@pytest.mark.parametrize(
    ("text", "name"),
    [("${env:NONE}", "NONE"), ("${keyring:callboard/none}", "callboard/none"), ("${keyring:key}", "key")],
)
def test_what_is_not_there_is_named_with_its_place(text, name):
    with pytest.raises(Unfilled) as caught:
        filled_all({"a": ["x", {"b": text}]})

    assert (caught.value.name, caught.value.path) == (name, ".a[1].b")
