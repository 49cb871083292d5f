"""Calls of several threads that change one object: what one adds is never lost, from the first call on."""

from __future__ import annotations

import collections
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.dispatch import turns
from weft.backend.cpu.native_python.layout import Turn

THREADS, CALLS = 4, 60


class Counter:
    """What the programs change."""

    def __init__(self) -> None:
        self.n = 0
        self.seen: list[Any] = []
        self.counts: dict[str, int] = {"calls": 0}
        self.bag: collections.Counter[str] = collections.Counter()
        self.places = np.zeros(3)


@pytest.fixture(autouse=True)
def _switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def attribute(state: Counter, x: Any) -> Any:
    state.n += 1
    return x


def items(state: Counter, x: Any) -> Any:
    state.seen.append(x)
    state.counts["calls"] += 1
    state.bag["calls"] += 1
    return x


def in_branch(state: Counter, x: Any) -> Any:
    if x > 0:
        state.n += 1
    return x


def array(state: Counter, x: Any) -> Any:
    state.places[1] += x
    state.n = state.n + 1
    return x


def without_the_lock(state: Counter, x: Any) -> Any:
    """Its loop gives the interpreter's lock away."""
    k = 0
    while k < 2000 * x:
        k = k + 1
    state.n += 1
    return x + k


def total(state: Counter) -> list[float]:
    found = [state.n, len(state.seen), state.counts["calls"], state.bag["calls"], state.places[1]]
    return [float(number) for number in found]


def by_threads(*calls: Callable[[], Any]) -> list[str]:
    """Make calls in turn, in each of several threads that begin together; what was raised."""
    barrier, failures = threading.Barrier(THREADS), list[str]()

    def work() -> None:
        barrier.wait()
        try:
            for number in range(CALLS):
                calls[number % len(calls)]()
        except Exception as error:  # a thread would keep it for itself
            failures.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


@pytest.mark.parametrize("program", [attribute, items, in_branch, array, without_the_lock])
def test_nothing_is_lost(program: Callable[[Counter, Any], Any]) -> None:
    """Of an argument and of a variable outside; those that compile first are in one another's way most."""
    state, alone, one = Counter(), Counter(), np.float64(1.0)
    passed = weft.function(program)
    captured = weft.function(lambda x: program(state, x))
    assert by_threads(lambda: passed(state, one), lambda: captured(one)) == []
    for _ in range(THREADS * CALLS):
        program(alone, one)
    assert total(state) == total(alone)
    assert list(turns.words) == [0, 0]


def test_variables_that_functions_share() -> None:
    count = 0

    def once(x: Any) -> Any:
        nonlocal count
        count += 1
        return x

    def twice(x: Any) -> Any:
        nonlocal count
        count += 2
        return x

    first, second = weft.function(once), weft.function(twice)
    assert by_threads(lambda: first(1.0), lambda: second(1.0)) == []
    assert count == THREADS * CALLS * 3 // 2


def test_what_is_raised_gives_the_turn_back() -> None:
    state = Counter()

    @weft.function
    def checked(x: Any) -> Any:
        state.n += 1
        if x < 0:
            raise ValueError("negative")
        return x

    for x in (1.0, -1.0) * 4:
        if x < 0:
            with pytest.raises(ValueError, match="negative"):
                checked(np.float64(x))
        else:
            checked(np.float64(x))
    assert list(turns.words) == [0, 0]


def test_python_that_is_called_may_wait_for_other_calls() -> None:
    """A call that calls Python takes no turn: what it waits for may be a call that needs one."""
    state, one = Counter(), np.float64(1.0)
    function = weft.function(lambda x: attribute(state, x))
    for _ in range(3):
        function(one)

    def elsewhere(x: Any) -> Any:
        thread = threading.Thread(target=lambda: function(x[()]))
        thread.start()
        thread.join()
        return x

    @weft.function
    def waits(x: Any) -> Any:
        y = weft.py_call(elsewhere, x, result=weft.TensorSpec((), "float64"))
        state.counts["calls"] += 1
        return y

    for _ in range(4):
        assert waits(one) == 1.0
    assert (state.n, state.counts["calls"]) == (7, 4)


def test_a_call_inside_of_its_own_turn() -> None:
    state, one = Counter(), np.float64(1.0)
    inner = weft.function(lambda x: attribute(state, x))
    for _ in range(4):
        with turns.turn():
            inner(one)  # native code leaves it to Python, which has the turn
    assert state.n == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_child_has_no_turns_of_threads_that_it_lacks() -> None:
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        with turns.turn():
            inside.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(60)
    assert turns.words[Turn.GIVEN] == 1
    child = os.fork()
    if child == 0:
        with turns.turn():
            os._exit(turns.words[Turn.GIVEN] - 1)
    status = os.waitpid(child, 0)[1]
    done.set()
    thread.join()
    assert status == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts are sent by a timer")
def test_interrupts_leave_no_turn_taken() -> None:
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    hits, end = 0, time.monotonic() + 1
    try:
        while time.monotonic() < end:
            try:
                # Once more half a second later: Python forgets one that comes while it looks at what else is pending.
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + 1e-7 * (hits % 1000), 0.5)
                while True:
                    with turns.turn():
                        pass
            except KeyboardInterrupt:
                hits += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert hits > 100
    assert list(turns.words) == [0, 0]
    begin = time.monotonic()
    other = threading.Thread(target=_take_turn)
    other.start()
    other.join()
    assert time.monotonic() - begin < 5


def _take_turn() -> None:
    with turns.turn():
        pass
