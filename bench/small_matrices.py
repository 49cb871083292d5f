"""Linear algebra of stacks of small matrices against NumPy's, which calls LAPACK for one after the other.

    python bench/small_matrices.py

writes bench/results/small_matrices.md: medians of calls in turns on one pinned core, in time of the processor, so that
other programs do not count.
"""

from __future__ import annotations

import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

from harness import machine, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "small_matrices.md"
COUNT = 1000
ROUNDS = 9
FUNCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "solve": lambda a, b, p: np.linalg.solve(a, b),
    "inv": lambda a, b, p: np.linalg.inv(a),
    "det": lambda a, b, p: np.linalg.det(a),
    "slogdet": lambda a, b, p: np.linalg.slogdet(a),
    "cholesky": lambda a, b, p: np.linalg.cholesky(p),
    "qr": lambda a, b, p: np.linalg.qr(a),
    "eigh": lambda a, b, p: np.linalg.eigh(p),
    "eigvalsh": lambda a, b, p: np.linalg.eigvalsh(p),
    "svd": lambda a, b, p: np.linalg.svd(a),
    "svdvals": lambda a, b, p: np.linalg.svdvals(a),
    "pinv": lambda a, b, p: np.linalg.pinv(a),
}


def arguments(dtype: Any, extent: int) -> tuple[Any, Any, Any]:
    """A stack of matrices, right-hand sides, and positive definite matrices."""
    generator = np.random.default_rng(extent)
    a = generator.normal(size=(COUNT, extent, extent)) + 3 * np.eye(extent)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * generator.normal(size=a.shape)
    b = generator.normal(size=(COUNT, extent, 1))
    return a.astype(dtype), b.astype(dtype), (a @ np.conj(a.mT) + np.eye(extent)).astype(dtype)


def medians(functions: list[Callable[..., Any]], given: tuple[Any, ...], calls: int) -> list[float]:
    """Seconds of the processor that a call of each takes; they take turns."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(ROUNDS):
        for function, found in zip(functions, times, strict=True):
            start = time.process_time()
            for _ in range(calls):
                function(*given)
            found.append((time.process_time() - start) / calls)
    return list(map(statistics.median, times))


def row(dtype: Any, extent: int, stacked: bool) -> str:
    """One row of the table: how many times as fast as NumPy each function is."""
    given = arguments(dtype, extent)
    if not stacked:
        given = (given[0][0], given[1][0], given[2][0])
    cells = []
    for function in FUNCTIONS.values():
        compiled = weft.function(function)
        compiled(*given)
        numpys, ours = medians([function, compiled], given, 1 if stacked else 200)
        cells.append(f"{numpys / ours:.1f} ({ours * 1e6:.3g} us)")
    kind = f"{COUNT} of {extent}x{extent}" if stacked else f"one of {extent}x{extent}"
    return f"| {kind}, {np.dtype(dtype)} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, and write the table."""
    rows = [row(dtype, n, True) for dtype, most in DTYPES.items() for n in (2, 3, 4, 6, 8) if n <= most]
    rows += [row(np.float64, n, False) for n in (2, 4, 8)]
    names = " | ".join(FUNCTIONS)
    RESULTS.write_text(
        "# Small matrices\n\nHow many times as fast as NumPy compiled calls are, "
        "and how much time of the processor they take.\n"
        f"{machine()} Made by `python bench/small_matrices.py`.\n\n"
        f"| | {names} |\n|---|{'---|' * len(FUNCTIONS)}\n" + "\n".join(rows) + "\n"
    )


DTYPES = {np.float64: 8, np.float32: 8, np.complex128: 6}
"""The largest matrices that code is generated for."""

if __name__ == "__main__":
    main()
