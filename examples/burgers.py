"""Find what a flow began with from what is seen of it at its end: an inverse problem through a stencil.

Burgers' equation is stepped in place, `u[1:-1] += ...`, as one writes it with NumPy; the gradient goes back through all
steps. From the velocities at the end, with noise, gradient descent with momentum finds those at the beginning; search
and simulation are one compiled function. Run it with `make demo`; a path on the command line says where the picture
goes (build/burgers.png by default): what the flow began with, what was found, and the end; the error by rounds.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from pictures import curves, write_png

import weft

CELLS, STEPS = 200, 150
VISCOSITY, TIME_STEP, WIDTH = 0.01, 0.001, 1 / CELLS


def simulated(start: Any) -> Any:
    """The velocities after all time steps; they stay zero at both ends."""
    u = start.copy()
    for _ in range(STEPS):
        slope = (u[2:] - u[:-2]) / (2 * WIDTH)
        bend = (u[2:] - 2 * u[1:-1] + u[:-2]) / WIDTH**2
        u[1:-1] += TIME_STEP * (VISCOSITY * bend - u[1:-1] * slope)
    return u


def error(start: Any, seen: Any) -> Any:
    """How far the end is from what was seen; rough beginnings are unlikely."""
    return np.mean((simulated(start) - seen) ** 2) + 1e-4 * np.mean(np.diff(start) ** 2)


def find(seen: Any, rounds: Any) -> Any:
    """Search the beginning of what was seen; it, and the error in each round."""
    start, speed = np.zeros(CELLS), np.zeros(CELLS)
    errors = np.zeros(rounds)
    for number in range(rounds):
        errors[number], gradient = weft.value_and_grad(error)(start, seen)
        speed = 0.9 * speed - 20.0 * gradient
        start = start + speed
        start[0] = start[-1] = 0.0
    return start, errors


def main() -> None:
    """Simulate, forget the beginning, find it again, and draw."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "build/burgers.png")
    x = np.linspace(0, 1, CELLS)
    began = np.sin(np.pi * x) * (1 + 0.5 * np.sin(6 * np.pi * x))
    began[0] = began[-1] = 0.0
    random = np.random.default_rng(0)
    seen = simulated(began) + random.normal(0, 0.01, CELLS)

    direction = random.normal(size=CELLS)
    _, gradient = weft.value_and_grad(error)(seen, seen)
    difference = (error(seen + 1e-6 * direction, seen) - error(seen - 1e-6 * direction, seen)) / 2e-6
    if not np.isclose(gradient @ direction, difference, rtol=1e-5):
        raise SystemExit("the gradient disagrees with differences of NumPy's results")
    compiled = weft.function(find)
    start = time.perf_counter()
    compiled(seen, np.int64(1))
    first_call = time.perf_counter() - start
    start = time.perf_counter()
    found, errors = compiled(seen, np.int64(1000))
    search = time.perf_counter() - start
    start = time.perf_counter()
    simulated(began)
    eager = time.perf_counter() - start

    print(f"--- the beginning of a flow: 1000 gradients through {STEPS} steps of a stencil ---")
    print(f"error                {errors[0]:.4f} -> {errors[-1]:.6f}, noise 0.0001")
    print(f"off the beginning    {np.sqrt(np.mean((found - began) ** 2)):.3f} of {np.abs(began).max():.3f}")
    print(f"first call           {first_call * 1e3:8.1f} ms (tracing and compiling included)")
    print(f"NumPy, simulation    {eager * 1e3:8.2f} ms")
    print(f"weft, with gradient  {search:8.2f} ms")
    write_png(np.concatenate([curves([began, found, seen]), curves([np.log(errors)])], axis=1), path)
    print(f"written to {path}")


if __name__ == "__main__":
    main()
