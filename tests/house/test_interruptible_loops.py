"""No loop loses its ``with`` or ``finally`` to a signal handler that raises as it jumps back."""

from __future__ import annotations

import signal

import pytest
from callboard.base.locks import RLock
from house_source import modules
from jumps_back import RAISES_THERE, left_blocks

ALARM = 0.00003
"""Seconds until a signal: within a few rounds of the loop below."""

INTERRUPTS = 200

LEAVES = """
def find(lock, items, wanted):
    with lock:
        for item in items:
            if item is wanted:
                return True
        return False
"""

LOOPS = {
    "with": (LEAVES, {"with"}),
    "finally": (
        """
def call(functions, end):
    try:
        for function in functions:
            if function is not None:
                function()
    finally:
        end()
""",
        {"finally"},
    ),
    "inlined comprehension": (
        """
def known(lock, items):
    with lock:
        return [item for item in items if item.known]
""",
        {"with"},
    ),
    "block within a block": (
        """
def call(lock, functions, end):
    with lock:
        try:
            for function in functions:
                if function is not None:
                    function()
        except BaseException:
            end()
            raise
""",
        {"with", "finally"},
    ),
    "continue": (
        """
def call(lock, functions):
    with lock:
        for function in functions:
            if function is None:
                continue
            function()
""",
        set(),
    ),
    "generator": (
        """
def known(lock, items):
    with lock:
        return tuple(item for item in items if item.known)
""",
        set(),
    ),
    "block within the loop": (
        """
def call(lock, functions):
    for function in functions:
        with lock:
            if function is not None:
                function()
""",
        set(),
    ),
    "except": (
        """
def call(functions):
    try:
        for function in functions:
            if function is not None:
                function()
    except OSError:
        return
""",
        set(),
    ),
}


class Interrupted(Exception):
    """Raised by the handler, as Ctrl-C is."""


@pytest.fixture
def alarms():
    def interrupt(_signum, _frame):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def compiled(source):
    return compile(source, "<example>", "exec", dont_inherit=True)


def leaves_locks_taken(find):
    lock, items = RLock(), list(range(50))
    left = 0
    for _ in range(INTERRUPTS):
        try:
            signal.setitimer(signal.ITIMER_REAL, ALARM)
            while True:
                find(lock, items, None)
        except Interrupted:
            pass
        while lock._is_owned():
            left += 1
            lock.release()
    return bool(left)


def test_an_interrupt_of_a_loop_goes_past_its_block_in_the_versions_that_are_known_for_it(alarms):
    code = compiled(LEAVES)
    names = {}
    exec(code, names)

    assert leaves_locks_taken(names["find"]) == any(left_blocks(code))


@pytest.mark.parametrize(("source", "left"), LOOPS.values(), ids=LOOPS)
def test_a_loop_is_found_that_leaves_its_block(source, left):
    assert {found.kind for found in left_blocks(compiled(source))} == (left if RAISES_THERE else set())


def test_no_loop_leaves_its_block_as_it_jumps_back():
    left = [
        f"{module.path}:{found.line}: {found.function} leaves its {found.kind}"
        for module in modules()
        for found in left_blocks(compile(module.tree, module.path, "exec", dont_inherit=True))
    ]

    assert left == []
