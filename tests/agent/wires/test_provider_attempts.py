"""What a failed request comes to: by status, by the words of the error, by the header that says when."""

from __future__ import annotations

import pytest
from callboard.agent.wires.attempts import (
    Again,
    Failure,
    after_failure,
    error_of,
    of_error,
    of_status,
    retry_after,
)

NOON = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:10 GMT"}, 0.0),
        ({"retry-after": "Tue, 99 Nov 2023 22:13:10 GMT"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "?", "retry-after": "9"}, 9.0),
    ],
)
def test_the_provider_says_in_seconds_or_by_a_date_when_it_wants_to_be_asked_again(headers, seconds):
    assert retry_after(headers, NOON) == seconds


@pytest.mark.parametrize(
    ("status", "body", "headers", "code", "retryable"),
    [
        (400, {"error": {"message": "no", "type": "invalid_request_error"}}, {}, "refused", False),
        (401, "", {}, "unauthorized", False),
        (403, {"error": "no"}, {}, "unauthorized", False),
        (404, {"detail": "Not Found"}, {}, "refused", False),
        (408, "", {}, "timed_out", True),
        (409, "", {}, "refused", True),
        (413, {"error": {"type": "request_too_large"}}, {}, "refused", False),
        (429, {"error": {"code": "rate_limit_exceeded"}}, {}, "rate_limited", True),
        (429, {"error": {"code": "insufficient_quota", "type": "requests"}}, {}, "rate_limited", False),
        (500, "<html>", {}, "server_error", True),
        (500, "", {"x-should-retry": "false"}, "server_error", False),
        (400, "", {"x-should-retry": "true"}, "refused", True),
        (502, [], {}, "server_error", True),
        (503, None, {}, "overloaded", True),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, {}, "overloaded", True),
        (302, "", {"location": "https://x.example/y"}, "refused", False),
        (302, "", {"location": "http://[x"}, "refused", False),
        (204, "", {}, "refused", False),
    ],
)
def test_a_status_says_whose_fault_it_is_and_whether_asking_again_may_help(
    status, body, headers, code, retryable
):
    failure = of_status(status, headers, body, NOON)

    assert (failure.code, failure.retryable, failure.status) == (code, retryable, status)
    assert str(status) in failure.said


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded", True),
        ({"code": "server_error", "message": "x"}, "server_error", True),
        ({"code": "rate_limit_exceeded"}, "rate_limited", True),
        ({"type": "invalid_request_error"}, "refused", False),
        ({"code": "something", "message": "x"}, "server_error", True),
        ({"code": 500}, "server_error", True),
        ("plain words", "server_error", True),
        (None, "server_error", True),
    ],
)
def test_an_error_in_the_midst_of_a_stream_is_known_by_its_own_name(error, code, retryable):
    failure = of_error(error)

    assert (failure.code, failure.retryable, failure.status) == (code, retryable, 200)


def test_what_an_error_says_is_one_line_of_bounded_length():
    assert error_of({"error": {"message": "a\n  b", "type": "t"}}) == ("t", "a b")
    assert error_of({"error": {"message": "x" * 9999}})[1] == "x" * 500 + "…"
    assert error_of({"message": "top", "code": "overloaded_error", "type": "t"}) == (
        "overloaded_error",
        "top",
    )
    assert error_of([1]) == (None, "")


@pytest.mark.parametrize(
    ("failure", "attempt", "handed_on", "decision"),
    [
        (Failure("overloaded", "", retryable=True), 1, False, Again(0.5)),
        (Failure("overloaded", "", retryable=True), 2, False, Again(1.0)),
        (Failure("overloaded", "", retryable=True), 3, False, Again(2.0)),
        (Failure("overloaded", "", retryable=True), 9, False, Again(30.0)),
        (Failure("overloaded", "", retryable=True), 10, False, None),
        (Failure("overloaded", "", retryable=True), 1, True, None),
        (Failure("refused", "", retryable=False), 1, False, None),
        (Failure("rate_limited", "", retryable=True, retry_after=0.0), 1, False, Again(0.0)),
        (Failure("rate_limited", "", retryable=True, retry_after=60.0), 1, False, Again(60.0)),
        (Failure("rate_limited", "", retryable=True, retry_after=60.1), 1, False, None),
    ],
)
def test_it_is_asked_again_if_that_may_help_and_nothing_was_handed_on(failure, attempt, handed_on, decision):
    again = after_failure(failure, attempt, max_retries=9, handed_on=handed_on, random=lambda: 0.0)

    assert again == decision


def test_waits_that_nobody_asked_for_are_spread_by_a_quarter():
    failure = Failure("overloaded", "", retryable=True)

    again = after_failure(failure, 2, max_retries=9, handed_on=False, random=lambda: 1.0)

    assert again == Again(1.25)
