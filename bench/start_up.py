"""Import and first compiled call in fresh processes, beyond NumPy's import."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness import in_fresh_process

_PROGRAM = """
import time, numpy as np
x = np.linspace(-1, 1, 1000, dtype=np.float32)
start = time.perf_counter()
{0}
print(time.perf_counter() - start)
"""

_BODIES = {
    "weft": """
import weft
@weft.function
def f(x):
    return np.tanh(x * 2 + 1) * x - x / 3
f(x)
""",
    "numba": """
import numba
@numba.njit
def f(x):
    return np.tanh(x * 2 + 1) * x - x / 3
f(x)
""",
    "jax": """
import jax, jax.numpy as jnp
@jax.jit
def f(x):
    return jnp.tanh(x * 2 + 1) * x - x / 3
f(x).block_until_ready()
""",
    "torch": """
import torch
@torch.compile
def f(x):
    return torch.tanh(x * 2 + 1) * x - x / 3
f(torch.from_numpy(x))
""",
    "tensorflow": """
import tensorflow as tf
@tf.function(jit_compile=True)
def f(x):
    return tf.tanh(x * 2 + 1) * x - x / 3
f(x)
""",
}


@dataclass(frozen=True)
class StartUp:
    """How long one candidate takes from nothing to its first result."""

    candidate: str
    seconds: float


def start_up(names: list[str]) -> list[StartUp]:
    """The median seconds of every candidate that compiles; weft without and with what it keeps on disk."""
    rows = []
    for name in names:
        if name not in _BODIES:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script, tempfile.TemporaryDirectory() as cache:
            script.write(_PROGRAM.format(_BODIES[name]))
            script.flush()
            cold = in_fresh_process(
                script.name, 3 if name in ("torch", "tensorflow") else 9, os.environ | {"WEFT_CACHE": "0"}
            )
            rows.append(StartUp(name if name != "weft" else "weft, nothing on disk", cold))
            if name == "weft":
                kept = os.environ | {"WEFT_CACHE_DIR": cache, "WEFT_CACHE": "1"}
                rows.append(StartUp("weft, found on disk", in_fresh_process(script.name, 9, kept)))
    return rows


_COUNTED = """
import sys, time, numpy as np
x = np.linspace(-1, 1, 1000, dtype=np.float32)
before, start = set(sys.modules), time.process_time()
{0}
seconds = time.process_time() - start
loaded = [name for name in set(sys.modules) - before if vars(sys.modules[name]).get("__spec__")]
print(seconds, len(loaded), len([name for name in loaded if name.startswith("weft")]))
"""

_LOOP = """
import weft
@weft.function
def f(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.25:
            total += x[i]
        else:
            total -= 1.0
    return total
f(x)
"""

_PROCESSES = 15


def first_call_table() -> Iterator[str]:
    """The lines of a table: processor time of weft's first call, and what it loads."""
    yield "\n## A fresh process: import and first call, beyond NumPy's import\n"
    yield "| program | weft | milliseconds of processor time: least | median | modules loaded | weft's own |"
    yield "|---|---|---|---|---|---|"
    for program, body in (("an elementwise chain", _BODIES["weft"]), ("a loop with a branch", _LOOP)):
        yield from _first_calls(program, body)


def _first_calls(program: str, body: str) -> Iterator[str]:
    """The rows of a program."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script, tempfile.TemporaryDirectory() as cache:
        script.write(_COUNTED.format(body))
        script.flush()
        for name, enabled in (("nothing on disk", "0"), ("found on disk", "1")):
            found = _counted(script.name, os.environ | {"WEFT_CACHE": enabled, "WEFT_CACHE_DIR": cache})
            times = [1e3 * seconds for seconds, _, _ in found]
            _, modules, own = found[-1]
            yield (
                f"| {program} | {name} | {min(times):.0f} | {statistics.median(times):.0f} "
                f"| {modules:.0f} | {own:.0f} |"
            )


def _counted(script: str, environment: Mapping[str, str]) -> list[tuple[float, ...]]:
    """What a script prints in fresh processes, after one that leaves byte code and machine code on disk."""
    kept = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [
        subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=kept).stdout
        for _ in range(_PROCESSES + 1)
    ]
    return [tuple(map(float, run.split())) for run in runs[1:]]
