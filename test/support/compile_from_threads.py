"""A program of its own: threads compile, run and look at functions at the same time; prints "done" at its end."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import weft

THREADS = 8
ROUNDS = int(os.environ.get("WEFT_STRESS", "1"))


def family(number: int) -> Callable[[Any, Any], Any]:
    """A function with arithmetic, a loop and a branch of its own."""

    def function(x: Any, n: Any) -> Any:
        for i in range(n):
            if x[0] > number:
                x = x - np.tanh(x) * i
            else:
                x = x * 1.5 + number
        return x @ np.ones((len(x), 2 + number % 3)), x

    return function


def together(work: Callable[[int], None]) -> None:
    """Run work in all threads, which begin at the same time; errors end the program."""
    barrier = threading.Barrier(THREADS)
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def check(function: Any, eager: Callable[[Any, Any], Any], size: int) -> None:
    """One call against Python."""
    x, n = np.linspace(-1, 9, size), np.int64(5)
    for got, expected in zip(function(x, n), eager(x, n), strict=True):
        np.testing.assert_allclose(got, expected)


def different_functions(number: int) -> None:
    """Every thread compiles its own function for sizes of its own, looks at it, and forgets it."""
    for size in (3, 10):
        function = weft.function(family(number))
        check(function, family(number), size)
        text = function.get_concrete_function(np.ones(size), np.int64(1)).as_text(
            "asm" if number % 2 else "linalg"
        )
        assert text
    del function
    gc.collect()


def one_function() -> None:
    """All threads call one function with the same signatures: each is compiled once."""
    eager = family(1)
    shared = weft.function(eager)
    sizes = [3, 4, 5]
    together(lambda number: [check(shared, eager, sizes[(number + i) % 3]) for i in range(3)] and None)
    assert shared.trace_count == len(sizes), shared.trace_count


def calls_go_on() -> None:
    """While one thread compiles, others run what is compiled."""
    quick = weft.function(lambda x: x + 1)
    x = np.ones(3)
    quick(x)
    compiling, calls = threading.Event(), [0]
    compiling.set()

    def run() -> None:
        while compiling.is_set():
            assert quick(x)[0] == 2
            calls[0] += 1

    def long_chain(x: Any) -> Any:
        for i in weft.unroll(range(400)):
            x = x * 0.5 + i
        return x

    runner = threading.Thread(target=run)
    runner.start()
    before = calls[0]
    weft.function(long_chain)(x)
    during = calls[0] - before
    compiling.clear()
    runner.join()
    assert during > 0


def main() -> None:
    """All of it; the threads meet differently each time."""
    sys.setswitchinterval(1e-4)
    for _ in range(ROUNDS):
        together(different_functions)
        one_function()
    calls_go_on()
    print("done")


if __name__ == "__main__":
    main()
