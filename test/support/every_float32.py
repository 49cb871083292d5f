"""Compare compiled elementary functions with NumPy's in float64, on all float32 numbers or on some of them.

`python -m support.every_float32 NAME [STRIDE]` prints the worst result of a function, without a name all names.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.elementary import REFERENCES, TWO_OPERANDS, compiled

Array = np.ndarray[Any, Any]
Kernel = Callable[[Array, Array], None]

BLOCK = 2**14
"""How many numbers are compared at once."""


@dataclass
class Worst:
    """The largest distance from the exact result in units of the last place, and where."""

    ulps: float = 0.0
    argument: float = math.nan
    result: float = math.nan
    exact: float = math.nan


def blocks(stride: int) -> Iterator[Array]:
    """Every `stride`-th float32 by its bits, in arrays of `BLOCK`; the last ones start again."""
    total = -(-(2**32) // stride)
    for start in range(0, total, BLOCK):
        numbers = np.arange(start, start + BLOCK, dtype=np.uint64) * np.uint64(stride)
        yield numbers.astype(np.uint32).view(np.float32)


def worst_error(kernel: Kernel, reference: Callable[[Array], Array], stride: int) -> Worst:
    """The worst result of a kernel that takes and writes `BLOCK` float32 numbers."""
    worst, result = Worst(), np.empty(BLOCK, np.float32)
    with np.errstate(all="ignore"):
        for x in blocks(stride):
            kernel(x, result)
            exact = reference(x.astype(np.float64))
            distance = float32_ulps(result, exact)
            at = int(np.argmax(distance))
            if distance[at] > worst.ulps:
                worst = Worst(float(distance[at]), float(x[at]), float(result[at]), float(exact[at]))
    return worst


def float32_ulps(result: Array, exact: Array) -> Array:
    """The distance in units of the last place, 0 of what is rounded to nearest.

    It is infinite where NaN, infinities or signs of zeros differ.
    """
    rounded = exact.astype(np.float32)
    # The power of two below the number, times 2**-23, is the distance to the next one, also of denormal numbers.
    power = np.maximum(rounded.view(np.int32) & 0x7F800000, 0x00800000).view(np.float32)
    distance = np.abs(result - exact) * 2.0**23 / power
    same = result.view(np.int32) == rounded.view(np.int32)
    same |= (result != result) & (rounded != rounded)
    distance[same] = 0.0
    special = ~np.isfinite(result) | ~np.isfinite(rounded) | (result == rounded)
    at = np.flatnonzero(special & ~same)
    # A zero may have either sign where the exact result is not zero.
    distance[at] = np.where((result[at] == 0) & (rounded[at] == 0) & (exact[at] != 0), 0.0, np.inf)
    # The largest number is as good as infinity where the exact result is about half way between them.
    between = at[(np.abs(exact[at]) < 2.0**128) & (np.abs(result[at]) > 2.0**127)]
    distance[between] = 1.0
    return distance


def _elementwise(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda x: np.array([function(value) for value in x.tolist()])


FUNCTIONS = {name: exact for name, exact in REFERENCES.items() if name not in TWO_OPERANDS} | {
    "erf": _elementwise(math.erf),
    "erfc": _elementwise(math.erfc),
}


def main(arguments: list[str]) -> int:
    """Check a function; the exit status is 1 if it is not right to 2 ulp."""
    if not arguments:
        print(*FUNCTIONS, sep="\n")
        return 0
    name, stride = arguments[0], int(arguments[1]) if len(arguments) > 1 else 1
    worst = worst_error(compiled(name, "float32", BLOCK), FUNCTIONS[name], stride)
    print(f"{name} of every {stride}. float32: {worst}", flush=True)
    return 0 if worst.ulps <= 2 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
