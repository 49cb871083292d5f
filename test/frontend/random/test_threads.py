"""Generators that several threads use, or that a GPU needs: no number is drawn twice."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import weft

pytestmark = pytest.mark.compiled("threads run machine code at the same time")


def test_threads_draw_different_numbers() -> None:
    count, size = 20, 20_000  # long enough for calls to run without the interpreter
    compiled = weft.function(lambda rng: rng.random(size))
    shared, found = np.random.default_rng(0), []

    def draw(function: Any) -> None:
        for _ in range(count):
            found.append(function(shared))

    compiled(np.random.default_rng(1))
    functions = [compiled, compiled, lambda rng: rng.random(size)]
    threads = [threading.Thread(target=draw, args=[function]) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.random.default_rng(0).random((len(found), size))
    assert len(found) == count * len(functions)
    assert {row.tobytes() for row in found} == {row.tobytes() for row in expected}


def test_the_lock_is_free_after_an_exception() -> None:
    def failing(rng: Any, x: Any) -> Any:
        numbers = rng.random(3)
        return numbers[x]

    rng = np.random.default_rng(0)
    try:
        weft.function(failing)(rng, np.int64(5))
    except IndexError:
        taken = []
        thread = threading.Thread(target=lambda: taken.append(rng.random()))
        thread.start()
        thread.join()
        assert taken == [np.random.default_rng(0).random(4)[3]]
    else:
        raise AssertionError("5 is out of bounds")


def test_numbers_do_not_depend_on_the_number_of_threads() -> None:
    compiled = weft.function(lambda rng: np.sqrt(rng.random(300_000)))
    drawn = []
    for threads in (1, 2):
        weft.set_num_threads(threads)
        drawn.append(compiled(np.random.default_rng(0)))
    weft.set_num_threads(None)
    assert np.array_equal(*drawn)


def test_on_a_gpu_numbers_are_drawn_on_the_host() -> None:
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(device="cuda")(lambda rng, x: x * 2 + rng.random(x.shape))
        rng, expected = np.random.default_rng(0), np.random.default_rng(0)
        for _ in range(2):
            assert np.array_equal(np.asarray(compiled(rng, np.ones(4))), 2 + expected.random(4))
    assert str(rng.bit_generator.state) == str(expected.bit_generator.state)
