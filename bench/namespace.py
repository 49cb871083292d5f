"""Every function of the array namespace against NumPy's, at a thousand, a hundred thousand and ten million elements.

    python bench/namespace.py [--sizes 1000 100000] [--only name ...]

writes bench/results/namespace.md: how many times as fast as NumPy each function is, compiled, the slowest first. With
`--only`, the other rows of the page stay as they are.
Functions are called with usual arguments (`USUAL`), others with the first of a list that NumPy takes; those that it
takes none of are named below.
"""

from __future__ import annotations

import argparse
import pathlib
import platform
import re
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np

import weft
from weft.backend.target import named
from weft.frontend import numpy_api

RESULTS = pathlib.Path(__file__).parent / "results" / "namespace.md"
SECONDS = 0.03
"""So long each function is measured."""


USUAL = {
    **dict.fromkeys(("acosh", "arccosh"), "above"),
    **dict.fromkeys(("array_split", "hsplit", "split"), "x, 10"),
    **dict.fromkeys(
        ("column_stack", "concat", "concatenate", "dstack", "hstack", "stack", "vstack"), "[x, y]"
    ),
    **dict.fromkeys(("convolve", "correlate"), "x, y[:100]"),
    **dict.fromkeys(("eye", "identity", "tri"), "root"),
    **dict.fromkeys(("kron", "outer"), "edge, edge"),
    **dict.fromkeys(("may_share_memory", "shares_memory"), "x[:1] + 1, y"),
    **dict.fromkeys(("place", "putmask"), "x, mask, y"),
    "broadcast_to": "x, (2, size)",
    "copyto": "x, y",
    "cross": "triples, triples",
    "delete": "x, size // 2",
    "diag": "square",
    "diagflat": "edge",
    "dsplit": "cube, 3",
    "empty": "size",
    "fill_diagonal": "square, 0.5",
    "full": "size, 0.5",
    "insert": "x, size // 2, 0.5",
    "interp": "x, places, y",
    "lexsort": "(x, y)",
    "percentile": "x, 30.0",
    "polyval": "x[:5], y",
    "put": "x, i, 0.5",
    "put_along_axis": "x, i, y, 0",
    "quantile": "x, 0.3",
    "ravel_multi_index": "(i, j), (64, 64)",
    "repeat": "x, 3",
    "roll": "x, size // 3",
    "select": "[mask, x < 0.2], [x, y]",
    "take_along_axis": "x, i, 0",
    "tril": "square",
    "triu": "square",
    "unravel_index": "i, (64, 64)",
    "unstack": "table",
    "vander": "x, 4",
    "vsplit": "table, 10",
}
"""Usual arguments of functions that the list has none of, or others first; their names are those of `arrays_of`."""


@cache
def arrays_of(size: int) -> dict[str, Any]:
    """What arguments are made of: arrays of so many elements, some with two or three axes, and one along an axis.

    Functions that write to their arguments are among those with usual ones, which get copies.
    """
    random = np.random.default_rng(0)
    x, y = random.uniform(0.1, 0.9, size), random.uniform(0.1, 0.9, size)
    i, j = random.integers(1, 60, size), random.integers(1, 60, size)
    root = int(size**0.5)
    shapes = {"table": (10, -1), "cube": (1, 10, -1), "triples": (-1, 3)}
    shaped = {name: x[: size // 30 * 30].reshape(shape) for name, shape in shapes.items()}
    square = x[: root * root].reshape(root, root)
    ordered = {"mask": x > 0.5, "places": np.sort(x), "above": x + 1}
    return dict(x=x, y=y, i=i, j=j, edge=x[:root], square=square, **ordered, **shaped)


def candidates(size: int) -> Iterator[tuple[Any, ...]]:
    """Arguments to try, the most usual first."""
    arrays = arrays_of(size)
    x, y, i, j, square = (arrays[name] for name in ("x", "y", "i", "j", "square"))
    root = len(square)
    yield from [(x,), (x, y), (i,), (i, j), (square,), (square, square), (x > 0.5,), (x > 0.5, x, y)]
    yield from [(x, i), (x, 0), (x, (size // 10, 10)), ([x, y],), (size,), (0.0, 1.0, size), (i, x), (x, 0.5)]
    yield from [(x, x > 0.5), (x > 0.5, x), ((root, root),), (x, 0.2, 0.8), (square, 0, 1), ("i,i->i", x, y)]


def usual_call(name: str, size: int, namespace: Any) -> tuple[Callable[..., Any], list[Any]]:
    """A program that calls a function with its usual arguments, and the arrays that it takes."""
    arrays = {key: value for key, value in arrays_of(size).items() if re.search(rf"\b{key}\b", USUAL[name])}
    known = {"function": getattr(namespace, name), "size": size, "root": int(size**0.5)}
    given = arrays or {"x": np.zeros(1)}
    program = eval(f"lambda {', '.join(given)}: function({USUAL[name]})", known)
    return program, [array.copy() for array in given.values()]


def taken(function: Callable[..., Any], size: int) -> tuple[Any, ...] | None:
    """The first arguments that NumPy's function takes."""
    small = list(candidates(100))
    for place, arguments in enumerate(candidates(size)):
        try:
            function(*small[place])
        except Exception:
            continue
        return arguments
    return None


def seconds(call: Callable[[], Any]) -> float:
    """The shortest time of a call."""
    best, end = float("inf"), time.perf_counter() + SECONDS
    while True:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return best


def call_of(name: str, size: int, namespace: Any) -> tuple[Callable[..., Any], list[Any]] | None:
    """A program that calls a function of NumPy's or ours, and the arrays that it takes; None where there is none."""
    if not hasattr(namespace, name):
        return None
    if name in USUAL:
        return usual_call(name, size, namespace)
    function = getattr(namespace, name)
    arguments = taken(getattr(np, name), size)
    if arguments is None:
        return None
    places = [isinstance(a, np.ndarray) for a in arguments]

    def program(*arrays: Any) -> Any:
        left = iter(arrays)
        return function(*(next(left) if there else a for there, a in zip(places, arguments, strict=True)))

    return program, [a for a in arguments if isinstance(a, np.ndarray)]


def ratio(name: str, size: int) -> float | str | None:
    """How many times as fast as NumPy a function is; why it is not compiled; None where no arguments are for it."""
    call = call_of(name, size, np)
    if call is None:
        return None
    program, data = call
    try:
        program(*data)
    except MemoryError:
        return "too large"
    compiled = compiled_call(name, size, data)
    if isinstance(compiled, str):
        return compiled
    return seconds(lambda: program(*data)) / seconds(lambda: compiled(*data))


def compiled_call(name: str, size: int, data: list[Any]) -> Callable[..., Any] | str:
    """A compiled function that has been called, or why there is none.

    NumPy's function is called as it is, without conversion, and ours where NumPy does not dispatch it: NumPy's own
    `np.zeros(size)` would be a constant, of which each call copies the elements.
    """
    failure = ""
    for namespace in (np, weft) if any(array.size > 1 for array in data) else (weft, np):
        if (call := call_of(name, size, namespace)) is None:
            continue
        compiled = weft.function(call[0], autograph=False)
        try:
            for _ in range(3):
                compiled(*data)
        except Exception as error:
            failure = failure or type(error).__name__
        else:
            return compiled
    return failure


def measured_before() -> dict[str, list[float | str | None]]:
    """The rows of the page, and the functions below them that are not measured."""
    text = RESULTS.read_text()
    rows = re.findall(r"\| `(\w+)` \| (.*) \|", text)
    without = text.rpartition(": ")[2].strip().rstrip(".").split(", ")
    found: dict[str, list[float | str | None]] = {name: [None] for name in without}
    for name, cells in rows:
        found[name] = [float(cell) if cell[0].isdigit() else cell for cell in cells.split(" | ")]
    return found


def page(found: dict[str, list[float | str | None]], sizes: list[int]) -> str:
    """The page of what was found for some sizes."""
    without = [name for name, ratios in found.items() if ratios[0] is None]
    measured = [(name, ratios) for name, ratios in found.items() if ratios[0] is not None]
    rows = sorted(
        (min((r for r in of if isinstance(r, float)), default=0.0), name, of) for name, of in measured
    )
    lines = [
        "# The array namespace against NumPy",
        "",
        "Generated by `bench/namespace.py`: how many times as fast as NumPy, by the number of elements.",
        f"Measured on one core of {_processor()}, "
        f"with Python {platform.python_version()}, NumPy {np.__version__} and llvmlite {metadata.version('llvmlite')}.",
        "",
        "| function | " + " | ".join(f"{size:,}" for size in sizes) + " |",
        "|---|" + "---|" * len(sizes),
    ]
    for _, name, ratios in rows:
        cells = [f"{r:.2f}" if isinstance(r, float) else str(r) for r in ratios]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", f"Not measured, as they take other arguments: {', '.join(without)}.", ""])


def _processor() -> str:
    """What the processor is called."""
    cores = pathlib.Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", cores.read_text()) if cores.exists() else []
    return (
        f"{names[0]} ({named('native').processor.family})"
        if names
        else platform.processor() or platform.machine()
    )


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 100_000, 10_000_000])
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    known = [n for n in sorted(numpy_api.names()) if callable(getattr(np, n, None)) and not n.startswith("_")]
    known = [n for n in known if not isinstance(getattr(np, n), type)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: dict[str, list[float | str | None]] = {name: [] for name in options.only or known}
        others = measured_before() if options.only else {}
        for number, size in enumerate(options.sizes, 1):
            for name, ratios in found.items():
                ratios.append(ratio(name, size))
                print(name, size, ratios[-1], flush=True)
            arrays_of.cache_clear()
            if not others:
                RESULTS.write_text(page(found, options.sizes[:number]))
        if others:
            RESULTS.write_text(page(others | found, options.sizes))


if __name__ == "__main__":
    main()
