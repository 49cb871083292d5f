"""Functions of files: how soon the first call of a fresh process is done, and calls beside those of their source.

    python bench/loaded_files.py

writes bench/results/loaded_files.md. Start-up is that of fresh processes beyond NumPy's import, in processor time and
wall time. Calls are interleaved with those of the functions that were saved, in one process on one pinned core. Those
whose machine code is in the file have an `input_signature` for all sizes, from which weft makes code for one row apart.
"""

from __future__ import annotations

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from harness import machine, median_times, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "loaded_files.md"
PROCESSES = 15
Array = np.ndarray[Any, Any]


def small(x: Array, y: Array) -> Any:
    """A small call."""
    return x + y


def mlp(x: Array, w1: Array, b1: Array, w2: Array, b2: Array) -> Any:
    """Two layers."""
    return np.tanh(x @ w1 + b1) @ w2 + b2


def softmax(x: Array) -> Any:
    """Of rows."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Model:
    """A function with state, of which a call writes an array and a number."""

    def __init__(self) -> None:
        self.w = np.zeros(8)
        self.steps = 0

    @weft.function
    def fit(self, x: Array, y: Array) -> Any:
        """One step of a regression."""
        error = x @ self.w - y
        self.w -= 0.01 * x.T @ error / len(y)
        self.steps += 1
        return (error**2).mean()


LAYERS = [np.linspace(-1, 1, n).reshape(shape).astype("f4") for n, shape in (
    (128, (8, 16)), (16, (16,)), (64, (16, 4)), (4, (4,)))]  # fmt: skip
X = np.linspace(-1, 1, 64 * 32).reshape(64, 32).astype("f4")
SPECS = {
    "small": (weft.TensorSpec([None]), weft.TensorSpec([None])),
    "mlp": (weft.TensorSpec([None, 8], "float32"), *(weft.TensorSpec(a.shape, a.dtype) for a in LAYERS)),
    "softmax": (weft.TensorSpec([None, None], "float32"),),
}
ARGUMENTS: dict[str, tuple[Array, ...]] = {
    "small": (np.ones(3), np.ones(3)),
    "mlp": (np.ones((1, 8), "f4"), *LAYERS),
    "softmax": (X,),
    "fit": (np.linspace(-1, 1, 128).reshape(16, 8), np.ones(16)),
}
WORDS = {
    "small": "`x + y` of three elements",
    "mlp": "two layers (8, 16, 4), one row",
    "softmax": "softmax of 64 rows of 32",
    "fit": "a step that writes an array and a number of the state",
}

_PROGRAM = """
import sys, time
import numpy as np
x = np.ones((1, 8), "f4")
layers = [np.ones(shape, "f4") for shape in ((8, 16), (16,), (16, 4), (4,))]
wall, start = time.perf_counter(), time.process_time()
import weft
{0}
f(x, *layers)
used, wall = time.process_time() - start, time.perf_counter() - wall
print(1e3 * used, 1e3 * wall, any(name.startswith("torch_mlir") for name in sys.modules))
"""
_SOURCE = """
@weft.function
def f(x, w1, b1, w2, b2):
    return np.tanh(x @ w1 + b1) @ w2 + b2
"""
_LOADED = "f = weft.load({path!r}, trust_code={trusted}).mlp"


def start_up(path: str) -> Iterator[str]:
    """The rows of fresh processes, of which all that are not told to find nothing on disk find what there can be."""
    cases = (
        ("its source", _SOURCE, False),
        ("its source, found on disk", _SOURCE, True),
        ("a file", _LOADED.format(path=path, trusted=False), False),
        ("a file, found on disk", _LOADED.format(path=path, trusted=False), True),
        ("a file with machine code", _LOADED.format(path=path, trusted=True), True),
    )
    for words, body, is_kept in cases:
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "program.py"
            script.write_text(_PROGRAM.format(body))
            runs = [_run(script, folder, is_kept) for _ in range(PROCESSES + 1)][1:]
        used, wall, has_mlir = zip(*runs, strict=True)
        loads = "yes" if "True" in has_mlir else "no"
        times = [list(map(float, column)) for column in (used, wall)]
        shown = " | ".join(f"{min(column):.0f} | {statistics.median(column):.0f}" for column in times)
        yield f"| {words} | {shown} | {loads} |"


def _run(script: pathlib.Path, folder: str, is_kept: bool) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"WEFT_CACHE": "1" if is_kept else "0", "WEFT_CACHE_DIR": f"{folder}/cache"}
    command = [sys.executable, str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.split()


def calls(paths: Sequence[str], source: dict[str, Any], of_all_sizes: dict[str, Any]) -> Iterator[str]:
    """The rows of calls: of the source and the loaded function, then of all sizes and of machine code from the file."""
    loaded = [weft.load(path, trust_code=True).functions for path in paths]
    for name, arguments in ARGUMENTS.items():
        functions = [source[name], loaded[0][name], of_all_sizes.get(name, source[name]), loaded[1][name]]
        for _ in range(4):  # until native code knows them
            for function in functions:
                function(*arguments)
        candidates = [partial(function, *arguments) for function in functions]
        times = median_times(candidates, rounds=101, seconds_a_round=0.002)
        shown = [f"{1e9 * seconds:.0f}" for seconds in times]
        shown[2:2], shown[4:] = [f"{times[0] / times[1]:.2f}"], [shown[3], f"{times[2] / times[3]:.2f}"]
        yield f"| {WORDS[name]} | {' | '.join(shown)} |"


def main() -> None:
    """Measure, and write the page."""
    source: dict[str, Any] = {f.__name__: weft.function(f) for f in (small, mlp, softmax)}
    source["fit"] = Model().fit
    for _ in range(2):
        source["fit"](*ARGUMENTS["fit"])
    of_all_sizes = {
        f.__name__: weft.function(f, input_signature=SPECS[f.__name__]) for f in (small, mlp, softmax)
    }
    for name, function in of_all_sizes.items():
        function(*ARGUMENTS[name])
    concretes = {name: source[name].get_concrete_function(*specs) for name, specs in SPECS.items()}
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}.weft" for name in ("graphs", "code", "mlp")]
        weft.save(paths[0], **concretes, fit=source["fit"])
        weft.save(paths[1], **of_all_sizes, fit=source["fit"], code="native")
        weft.save(paths[2], mlp=concretes["mlp"], code="native")
        lines = [
            "# Functions of files\n",
            f"Made by `python bench/loaded_files.py`. {machine()}",
            "Other programs ran on the machine, which doubles wall times: judge by processor time and ratios.\n",
            "## A fresh process: import, load and first call of an MLP, beyond NumPy's import\n",
            f"{PROCESSES} processes each, milliseconds:\n",
            "| the function comes from | processor time: least | median | wall time: least | median | loads MLIR |",
            "|---|---:|---:|---:|---:|---|",
            *start_up(paths[2]),
            "\n## Calls, interleaved with those of the source\n\nNanoseconds of a call, medians of 101 rounds:\n",
            "| | source | loaded | speed | source for all sizes | machine code in the file | speed |",
            "|---|---:|---:|---:|---:|---:|---:|",
            *calls(paths[:2], source, of_all_sizes),
        ]
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
