"""What a call of a small compiled function costs that reads Python's state, or gets and changes lists.

    python bench/guards.py

prints the table and writes bench/results/guards.md: medians of calls in turns on one pinned core, in time of the
processor, so that other programs do not count.
"""

from __future__ import annotations

import pathlib
import statistics
import sys
import time
import types
from collections.abc import Callable
from typing import Any

from harness import machine, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy must see the pinning)

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "guards.md"
ROUNDS = 15
CALLS = 100

ARRAYS = [np.full(3, float(i)) for i in range(200)]
ROWS = [[float(i), i + 1.0] for i in range(200)]
PAIRS = [(float(i), i + 1.0) for i in range(200)]
NAMED = {f"key{i}": np.full(3, float(i)) for i in range(60)}
NUMBERS = {f"key{i}": (i, -float(i)) for i in range(60)}
LIMITS = {np.dtype(code): (0, index) for index, code in enumerate("bBhHiIlLfd")}
NESTED = {f"group{i}": {f"key{j}": float(i * j) for j in range(10)} for i in range(10)}
ALLOWED = {"linear", "nearest", "cubic"}
TWO = 2.0
MATRIX = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)
DEEP: Any = types.SimpleNamespace(value=2.0)
for _ in range(19):
    DEEP = types.SimpleNamespace(inner=DEEP)


def nothing(x: Any) -> Any:
    return x + 1


def constant(x: Any) -> Any:
    return x * TWO


def row_of_arrays(x: Any) -> Any:
    return x + ARRAYS[3]


def row_of_lists(x: Any) -> Any:
    return x * ROWS[3][0]


def row_of_pairs(x: Any) -> Any:
    return x * PAIRS[3][0]


def named_array(x: Any) -> Any:
    return x + NAMED["key3"]


def named_numbers(x: Any) -> Any:
    return x * NUMBERS["key3"][0]


def by_dtype(x: Any) -> Any:
    return x * LIMITS[x.dtype][1]


def nested(x: Any) -> Any:
    return x * NESTED["group3"]["key4"]


def in_set(x: Any) -> Any:
    return x * 2 if "linear" in ALLOWED else x


def deep(x: Any) -> Any:
    found = DEEP
    for _ in range(19):
        found = found.inner
    return x * found.value


def colours(image: Any) -> Any:
    low, high = LIMITS[image.dtype]
    scaled = np.clip(image / high, low, 1)
    mask = scaled > 0.04045
    linear = np.where(mask, ((scaled + 0.055) / 1.055) ** 2.4, scaled / 12.92)
    return linear @ MATRIX.T


def first(numbers: Any) -> Any:
    return numbers[0] + numbers[-1]


def corner(rows: Any) -> Any:
    return rows[0][0] + rows[-1][-1]


def walked(pairs: Any) -> Any:
    total = 0
    for one, other in pairs:
        total += one * other
    return total


def changed(numbers: Any) -> Any:
    numbers[0], numbers[-1] = numbers[-1], numbers[0]
    return numbers[1]


def insertion(numbers: Any) -> Any:
    for i in range(1, len(numbers)):
        for j in range(i, 0, -1):
            if numbers[j] < numbers[j - 1]:
                numbers[j], numbers[j - 1] = numbers[j - 1], numbers[j]
    return numbers


def neighbours(pairs: Any) -> Any:
    found: list[list[Any]] = [[] for _ in range(300)]
    for one, other in pairs:
        found[one].append(other)
        found[other].append(one)
    return found


Case = tuple[str, Callable[..., Any], Callable[[int], Any]]


def cases() -> list[Case]:
    """Titles, functions, and arguments; those of the first calls are others, so that numbers become data."""
    x = np.ones(3)
    image = np.random.default_rng(0).random((16, 16, 3))

    def array(_call: int) -> Any:
        return x

    return [
        ("nothing is read: `x + 1`", nothing, array),
        ("a number of the module", constant, array),
        ("an array of a list of 200", row_of_arrays, array),
        ("a number of a list of 200 lists", row_of_lists, array),
        ("a number of a list of 200 tuples", row_of_pairs, array),
        ("an array of a dict of 60", named_array, array),
        ("a number of a dict of 60 tuples", named_numbers, array),
        ("a dict by dtype", by_dtype, array),
        ("a number of a dict of 10 dicts", nested, array),
        ("a set of strings", in_set, array),
        ("an attribute 20 objects deep", deep, array),
        ("colours of 16 x 16 pixels, a dict by dtype and a matrix", colours, lambda call: image),
        ("a list argument of 200 ints is read", first, lambda call: [i + call for i in range(200)]),
        ("a list argument of 1000 floats is read", first, lambda call: [0.5 * i + call for i in range(1000)]),
        (
            "a list argument of 30 lists of 100 floats is read",
            corner,
            lambda call: [[0.5 * i + j + call for i in range(100)] for j in range(30)],
        ),
        (
            "a list argument of 800 tuples of two ints is walked",
            walked,
            lambda call: [(i % 20, (7 * i + call) % 20) for i in range(800)],
        ),
        ("a list argument of 200 ints is changed", changed, lambda call: [i + call for i in range(200)]),
        (
            "insertion sort of a list of 20 ints",
            insertion,
            lambda call: [(7 * i + call) % 20 for i in range(20)],
        ),
        (
            "neighbours of 300 places, as lists, of 1500 tuples of two ints",
            neighbours,
            lambda call: [((7 * i + call) % 300, (11 * i * i + call) % 300) for i in range(1500)],
        ),
    ]


def medians(functions: list[Callable[..., Any]], argument: Callable[[int], Any]) -> list[float]:
    """Seconds of the processor that a call of each takes; they take turns."""
    times: list[list[float]] = [[] for _ in functions]
    is_list = isinstance(argument(0), list)
    for number in range(ROUNDS):
        for function, found in zip(functions, times, strict=True):
            given = [list(argument(number)) if is_list else argument(number) for _ in range(CALLS)]
            start = time.process_time()
            for each in given:
                function(each)
            found.append((time.process_time() - start) / CALLS)
    return list(map(statistics.median, times))


def main() -> None:
    """Measure, print and write."""
    lines = ["| what is read | eager | weft |", "|---|---|---|"]
    chosen = sys.argv[1:]
    for title, function, argument in cases():
        if chosen and function.__name__ not in chosen:
            continue
        compiled = weft.function(function)
        for call in range(4):
            compiled(argument(call))
        eager, own = medians([function, compiled], argument)
        lines.append(f"| {title} | {eager * 1e6:.2f} us | {own * 1e6:.2f} us |")
        print(lines[-1], flush=True)
    if not chosen:
        RESULTS.write_text(
            f"# Python's state and lists at each call\n\n{machine()}\n\n" + "\n".join(lines) + "\n"
        )


if __name__ == "__main__":
    main()
