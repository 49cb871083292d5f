"""Random loops that read and write at indices near both ends of arrays, compared with NumPy, in a process of its own.

    python -m support.random_indices first-seed count

Arrays lie in the middle of larger ones, whose other elements must stay what they are and must not be read.
"""

from __future__ import annotations

import importlib.util
import pathlib
import random
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

import weft

Array = np.ndarray[Any, Any]
MARGIN = 64

_INDICES = (
    *(
        "i",
        "i - 1",
        "i + 1",
        "-i",
        "-i - 1",
        "n - i",
        "n - 1 - i",
        "2 * i",
        "i // 2",
        "i % 3 - 1",
        "i - len(x)",
    ),
    *(
        "s + i",
        "i - s",
        "len(x) - i",
        "i * s",
        "(i + s) % len(x)",
        "(np.int64(i) * np.int64(100)).astype(np.int8)",
        "np.int64(i).astype(np.uint8) - np.uint8(1)",
    ),
    *(
        "np.int64(i) * np.int64(2**62) + i",
        "i & 7",
        "i >> 1",
        "min(i, n - 1)",
        "max(i - 2, 0)",
        "p[i]",
        "p[i % len(p)] + i",
    ),
)
_LOOPS = (
    "for i in range(n):",
    "for i in range(1, n - 1):",
    "for i in range(s, n):",
    "for i in range(n - 1, -1, -1):",
    "for i in range(n, 0, -2):",
    "for i in range(0, n, 3):",
    "for i in range(len(x)):",
    "for i in range(len(x) - s):",
    "i = s\n    while i < n:\n        i += 1",
    "i = n\n    while i > s:\n        i -= 1",
    "i = 0\n    while i < len(x) and x[i] < 90:\n        i += 1",
    "i = s\n    while True:\n        i += 1\n        if i >= n: break",
    "m = n\n    i = 0\n    while i < m and i < 40:\n        i += 1\n        m -= s",
)
_BODIES = (
    "total += x[{a}]",
    "y[{a}] = x[{b}]",
    "y[{a}] = x[{b}] + x[{c}]",
    "if x[{a}] > 3: y[{b}] = i\n        else: total += 1",
    "y[{a}] += x[{b}]",
    "t[{a}, {b}] = x[{c}]",
    "for j in range(i, n):\n            y[j] = x[{a}] + t[i, {b}]",
    "total += t[{a}, -1] + t[0, {b}]",
)


def source(seed: int) -> str:
    """A random function of arrays x, y, t and p and numbers n and s."""
    chosen = random.Random(seed)
    body = "\n        ".join(
        chosen.choice(_BODIES).format(
            a=chosen.choice(_INDICES), b=chosen.choice(_INDICES), c=chosen.choice(_INDICES)
        )
        for _ in range(chosen.randrange(1, 3))
    )
    loop = chosen.choice(_LOOPS)
    return (
        "import numpy as np\n\n"
        f"def f(x, y, t, p, n, s):\n    total = 0.0\n    {loop}\n        {body}\n    return total, i\n"
    )


def arguments(seed: int) -> tuple[list[Array], list[Any]]:
    """The large arrays, and the arguments: views of them, and numbers."""
    chosen = random.Random(seed)
    size = chosen.choice([1, 2, 5, 16])
    large: list[Array] = []
    small: list[Any] = []
    for shape, dtype in (((size,), "f8"), ((size,), "f8"), ((size, 3), "f8"), ((max(size // 2, 1),), "i8")):
        extent = int(np.prod(shape))
        memory = np.full(extent + 2 * MARGIN, 1e300 if dtype == "f8" else 2**40, dtype)
        inner = memory[MARGIN : MARGIN + extent].reshape(shape)
        inner[...] = (np.arange(extent).reshape(shape) * 7 + seed) % (size + 1)
        large.append(memory)
        small.append(inner)
    n = size + chosen.choice([-1, 0, 0, 0, 1, 2, 130])
    return large, [*small, np.int64(n), np.int64(chosen.choice([0, 1, -1, 2, size]))]


def outcome(function: Callable[..., Any], seed: int, boxed: bool) -> tuple[Any, list[Array]]:
    """What a call returns or raises, and the memory around and in the arrays afterwards; numbers may be arrays."""
    large, values = arguments(seed)
    if boxed:
        values[4:] = map(np.asarray, values[4:])
    try:
        with np.errstate(all="ignore"):
            total, last = function(*values)
        return (float(total), int(last)), large
    except (IndexError, UnboundLocalError, OverflowError) as error:
        return (type(error), str(error)), large


def check(seed: int, folder: pathlib.Path) -> str:
    """Compare the eager function with the compiled one on a few arguments; what went wrong, if anything did."""
    path = folder / f"indices_{seed}.py"
    path.write_text(source(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        return f"{path} cannot be imported"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    dynamic = weft.function(
        module.f,
        input_signature=[
            *(weft.TensorSpec([None], "float64"),) * 2,
            weft.TensorSpec([None, 3], "float64"),
            weft.TensorSpec([None], "int64"),
            *(weft.TensorSpec([], "int64"),) * 2,
        ],
    )
    for number in range(3):
        for function, boxed in ((weft.function(module.f), False), (dynamic, True)):
            if boxed and len(arguments(seed + number)[1][0]) == 1:
                continue  # an extent of 1 is another signature
            expected = outcome(module.f, seed + number, boxed)
            try:
                got = outcome(function, seed + number, boxed)
            except weft.UnsupportedError:
                continue
            kinds = [what[0] for what, _ in (got, expected)]
            if all(isinstance(kind, type) for kind in kinds) and issubclass(kinds[0], weft.WeftError):
                continue  # seen while tracing, before anything was done
            same = all(np.array_equal(a, b) for a, b in zip(got[1], expected[1], strict=True))
            if got[0] != expected[0] or not same:
                return f"seed {seed}: {got[0]} for {expected[0]}, memory equal: {same}\n{source(seed)}"
    return ""


def main() -> None:
    """Check some seeds; the first difference ends the process."""
    first, count = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            wrong = check(seed, pathlib.Path(folder))
            if wrong:
                raise SystemExit(wrong)
    print("checked", count)


if __name__ == "__main__":
    main()
