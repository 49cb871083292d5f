"""Fourier transforms of powers of two, which are generated code, against NumPy's, and against calls of its pocketfft.

    python bench/fourier.py

writes bench/results/fourier.md: medians of calls in turns on one pinned core.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

from harness import keep_freed_memory, machine, median_times, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy must see the pinning)

import weft  # noqa: E402
from weft.backend.cpu.codegen.fourier import transforms  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "fourier.md"
LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096)
COUNT = 1000
DTYPES = ("complex128", "complex64")
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "fft": lambda x: np.fft.fft(x),
    "rfft": lambda x: np.fft.rfft(x),
    "irfft": lambda x: np.fft.irfft(x),
}


def argument(name: str, dtype: str, length: int, stacked: bool) -> Any:
    """What a function makes a transform of so many numbers of."""
    count = length // 2 + 1 if name == "irfft" else length
    shape = (COUNT, count) if stacked else (count,)
    parts = np.random.default_rng(length).normal(size=(2, *shape))
    numbers = (parts[0] + 1j * parts[1]).astype(dtype)
    return numbers.real.copy() if name == "rfft" else numbers


def compiled(function: Callable[[Any], Any], given: Any) -> Callable[[Any], Any]:
    """The function, compiled anew for what it is given."""
    with weft.settings.scope(cache=False):
        found = weft.function(function)
        found(given)
    return found


def cell(name: str, dtype: str, length: int, stacked: bool) -> str:
    """How many times as fast as NumPy, and as a call of pocketfft, a function is, and how long it takes."""
    function, given = FUNCTIONS[name], argument(name, dtype, length, stacked)
    generated = compiled(function, given)
    with patch.object(transforms, "LONGEST", 0):
        called = compiled(function, given)
    candidates = [partial(each, given) for each in (function, called, generated)]
    numpys, calls, ours = median_times(candidates, rounds=31, seconds_a_round=0.001)
    return f"{numpys / ours:.1f}, {calls / ours:.1f} ({ours * 1e6:.3g} us)"


def row(dtype: str, length: int, stacked: bool) -> str:
    """One row of the table."""
    kind = f"{COUNT} x {length}" if stacked else f"{length}"
    cells = (cell(name, dtype, length, stacked) for name in FUNCTIONS)
    return f"| {kind}, {dtype} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, and write the table."""
    keep_freed_memory()
    rows = [row(dtype, n, stacked) for stacked in (True, False) for dtype in DTYPES for n in LENGTHS]
    names = " | ".join(FUNCTIONS)
    RESULTS.write_text(
        "# Fourier transforms\n\nHow many times as fast as NumPy, and as native calls of its pocketfft, generated"
        " code is, and how long it takes.\nThe dtype is that of the complex numbers; of single precision, NumPy"
        f" computes `fft` and `rfft` in double.\n{machine()} Made by `python bench/fourier.py`.\n\n"
        f"| | {names} |\n|---|{'---|' * len(FUNCTIONS)}\n" + "\n".join(rows) + "\n"
    )


if __name__ == "__main__":
    main()
