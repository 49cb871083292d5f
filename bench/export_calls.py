"""Exported functions called from C, and how large their objects are.

    python bench/export_calls.py

writes bench/results/export_calls.md: the least time of a call, of 200 batches of calls on one pinned core, for the
processor of this machine and for the level that is exported for if none is named; and the same functions called in
Python.
"""

from __future__ import annotations

import pathlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import Any

from harness import machine, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "export_calls.md"
BATCHES, CALLS = 200, 2000
TARGETS = ("native", "x86-64-v2")
MAIN = """
#include <stdio.h>
#include <time.h>
#include "all.h"
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
#define TIME(name, call) do { \\
    double best = 1e18; \\
    for (int batch = 0; batch < %(batches)d; batch++) { \\
      double start = now(); \\
      for (int k = 0; k < %(calls)d; k++) call; \\
      double took = (now() - start) / %(calls)d; \\
      if (took < best) best = took; \\
    } \\
    printf("%%s %%.1f\\n", name, best); \\
  } while (0)
static float x[64 * 8], w1[8 * 16], b1[16], w2[16 * 4], b2[4], y[64 * 4], s[16 * 32], t[16 * 32];
static double v[4] = {1, 2, 3, 4}, out;
int main(void) {
  for (int i = 0; i < 512; i++) x[i] = s[i] = (float)(i %% 13 - 6) / 8;
  for (int i = 0; i < 128; i++) w1[i] = (float)(i %% 7 - 3) / 8;
  for (int i = 0; i < 64; i++) w2[i] = (float)(i %% 5 - 2) / 8;
  TIME("pick", pick(v, 4, 2, &out, NULL));
  TIME("mlp_1", mlp(x, 1, w1, b1, w2, b2, y, NULL));
  TIME("mlp_64", mlp(x, 64, w1, b1, w2, b2, y, NULL));
  TIME("softmax", softmax(s, 16, 32, t, NULL));
  return 0;
}
"""

Array = np.ndarray[Any, Any]


def pick(x: Array, i: int) -> Any:
    """One element, doubled."""
    return x[i] * 2


def mlp(x: Array, w1: Array, b1: Array, w2: Array, b2: Array) -> Any:
    """Two layers."""
    return np.maximum(x @ w1 + b1, 0) @ w2 + b2


def softmax(x: Array) -> Any:
    """Of rows."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


SPECS = {
    pick: ("f64[?]", "i64"),
    mlp: ("f32[?,8]", "f32[8,16]", "f32[16]", "f32[16,4]", "f32[4]"),
    softmax: ("f32[?,?]",),
}
ROWS = {
    "pick": "`x[i] * 2`",
    "mlp_1": "two layers (8, 16, 4), one row",
    "mlp_64": "two layers, 64 rows",
    "softmax": "softmax of 16 rows of 32",
}


def concretes() -> dict[str, Any]:
    """The functions, compiled."""
    return {
        f.__name__: weft.function(f).get_concrete_function(*map(weft.TensorSpec.from_string, specs))
        for f, specs in SPECS.items()
    }


def times_in_c(target: str) -> dict[str, float]:
    """Nanoseconds of a call by the name of a row."""
    with tempfile.TemporaryDirectory() as folder:
        weft.export(folder, library="all", kind="object", target=target, **concretes())
        main = pathlib.Path(folder, "main.c")
        main.write_text(MAIN % {"batches": BATCHES, "calls": CALLS})
        subprocess.run(["cc", "-O2", "main.c", "all.o", "-lm", "-o", "main"], cwd=folder, check=True)
        printed = subprocess.run([f"{folder}/main"], capture_output=True, text=True, check=True).stdout
    return {name: float(number) for name, number in map(str.split, printed.splitlines())}


def times_in_python() -> dict[str, float]:
    """Nanoseconds of the same calls of the compiled functions in Python."""
    compiled = {f.__name__: weft.function(f) for f in SPECS}
    rng = np.random.default_rng(0)
    layers = [rng.normal(size=s).astype("f4") for s in ((64, 8), (8, 16), (16,), (16, 4), (4,))]
    x, row, s = np.arange(4.0), layers[0][:1], rng.normal(size=(16, 32)).astype("f4")
    calls: dict[str, Callable[[], Any]] = {
        "pick": lambda f=compiled["pick"]: f(x, 2),
        "mlp_1": lambda f=compiled["mlp"]: f(row, *layers[1:]),
        "mlp_64": lambda f=compiled["mlp"]: f(*layers),
        "softmax": lambda f=compiled["softmax"]: f(s),
    }
    found = {}
    for name, call in calls.items():
        best = 1e18
        for _ in range(BATCHES):
            start = time.perf_counter()
            for _ in range(CALLS // 10):
                call()
            best = min(best, 1e9 * (time.perf_counter() - start) / (CALLS // 10))
        found[name] = best
    return found


def sizes(target: str) -> dict[str, int]:
    """The bytes of the object of each function alone."""
    found = {}
    for name, concrete in concretes().items():
        with tempfile.TemporaryDirectory() as folder:
            files = concrete.export(folder, name=name, kind="object", target=target)
            found[name] = pathlib.Path(files["object"]).stat().st_size
    return found


def main() -> None:
    """Measure and write the page."""
    times = {target: times_in_c(target) for target in TARGETS}
    python = times_in_python()
    lines = [
        "# Exported functions called from C",
        "",
        f"Made by `python bench/export_calls.py`. {machine()}",
        f"Nanoseconds of a call, the least of {BATCHES} batches:",
        "",
        f"| | {' | '.join(f'C, {target}' for target in TARGETS)} | in Python |",
        "|---|---:|---:|---:|",
    ]
    for row, words in ROWS.items():
        numbers = [*(f"{times[target][row]:.1f}" for target in TARGETS), f"{python[row]:.0f}"]
        lines.append(f"| {words} | {' | '.join(numbers)} |")
    lines += [
        "",
        "Bytes of the object of each function:",
        "",
        f"| | {' | '.join(TARGETS)} |",
        "|---|---:|---:|",
    ]
    known = {target: sizes(target) for target in TARGETS}
    for name in known[TARGETS[0]]:
        lines.append(f"| `{name}` | {' | '.join(f'{known[target][name]:,}' for target in TARGETS)} |")
    RESULTS.write_text("\n".join(lines) + "\n")
    print(RESULTS.read_text())


if __name__ == "__main__":
    main()
