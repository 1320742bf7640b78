"""The configuration of a provider: what is taken, what is refused, and that no key can stand in it."""

from __future__ import annotations

import pytest
from callboard.agent.errors import ProviderError
from callboard.agent.providers.anthropic_messages import AnthropicProvider
from callboard.agent.wires.options import _READERS, CONFIG_SCHEMA, Timeouts, read_options
from jsonschema import Draft202012Validator

HOME = "https://api.example.com/v1"


def read(**config):
    return read_options({"model": "m", **config}, provider="p", home=HOME, api_key_env="HOME_KEY")


def test_what_is_not_said_has_its_default_and_what_is_everybodys_is_left_alone():
    options = read(tags=["x"], provider="p", timeout=None)

    assert (options.model, options.base_url, options.at_home, options.api_key_env) == (
        "m",
        HOME,
        True,
        "HOME_KEY",
    )
    assert (options.max_retries, options.timeout) == (2, Timeouts(10.0, 120.0, 900.0))


@pytest.mark.parametrize(
    ("config", "variable"),
    [
        ({}, "HOME_KEY"),
        ({"base_url": HOME + "/"}, "HOME_KEY"),
        ({"base_url": "http://127.0.0.1:8000/v1"}, None),
        ({"base_url": "https://other.example/v1", "api_key_env": "OTHER_KEY"}, "OTHER_KEY"),
        ({"api_key_env": None}, None),
    ],
)
def test_the_key_of_the_providers_own_address_is_for_that_address_alone(config, variable):
    assert read(**config).api_key_env == variable


GOOD = {
    "base_url": ["http://localhost:1/v1", "https://x.example"],
    "api_key_env": ["A_KEY"],
    "headers": [{"x-team": "blue"}, {}],
    "timeout": [3, 0.5, {"idle": 2}, {"connect": 1, "total": 4.5}, {}],
    "max_retries": [0, 5],
    "max_response_bytes": [1024],
    "max_output_tokens": [1],
    "temperature": [0, 0.7],
    "custom_tools": [True],
    "result_images": ["beside", "within"],
    "spelling": ["mistral"],
    "extra": [{"seed": 1, "stream_options": None}],
}
BAD = {
    "model": ["", " ", 3],
    "base_url": [
        "api.example.com",
        "ftp://x.example",
        "http://",
        "https://user:secret@x.example",
        "https://x.example/?key=secret",
        "https://x.example/#secret",
        "https://x.example:99999999",
        "https://x .example",
        "http://[x",
        7,
    ],
    "api_key_env": ["sk-secret", "", "A KEY", 1],
    "headers": [
        {"authorization": "secret"},
        {"x-api-key": "secret"},
        {"x y": "secret"},
        {"x": 1},
        {"x": "a\nb"},
        [],
    ],
    "timeout": [0, -1, float("inf"), True, "3", {"idle": 0}, {"read": 3}],
    "max_retries": [-1, 1.5, True],
    "max_response_bytes": [10],
    "max_output_tokens": [0],
    "temperature": ["hot", float("nan"), True],
    "custom_tools": [1, "yes"],
    "result_images": ["inside", 1],
    "spelling": [""],
    "extra": [[], {1: 2}],
}


@pytest.mark.parametrize("key", GOOD)
def test_what_fits_is_taken_and_the_schema_says_the_same(key):
    validator = Draft202012Validator(CONFIG_SCHEMA)

    for value in GOOD[key]:
        assert read(**{key: value})
        assert validator.is_valid({key: value}), value


@pytest.mark.parametrize("key", BAD)
def test_what_does_not_fit_is_refused_by_name_and_not_repeated_where_it_may_be_a_secret(key):
    for value in BAD[key]:
        with pytest.raises(ProviderError, match=f"'{key}' of provider 'p'.* has to be") as caught:
            read(**{key: value})
        assert caught.value.code == "bad_config"
        assert "secret" not in str(caught.value)


def test_the_schema_has_every_key_that_is_looked_at():
    assert list(CONFIG_SCHEMA["properties"]) == list(_READERS)


def test_a_model_has_to_be_named():
    with pytest.raises(ProviderError, match="names no 'model' for provider 'p'"):
        read(model=None)


def test_anthropics_api_takes_no_temperature_any_more_and_says_so():
    with pytest.raises(ProviderError, match=r"'temperature'.* say it in 'extra'"):
        AnthropicProvider().init({"model": "m", "temperature": 0})


def test_a_total_time_is_the_longest_of_all_waits():
    assert read(timeout=5).timeout == Timeouts(5.0, 5.0, 5.0)
