"""The same programs in libraries that are there: PyTorch (also compiled), Triton, JAX, CuPy, Numba."""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import torch_programs
from .measured import Measured
from .packed import make_arguments
from .speed import LEAD_BYTES, RUNS, WARM_UP, is_enough

Program = Callable[[Any, Any], Any]
"""A program on a library and its arrays."""

_JAX: dict[str, Program] = {
    "chain": lambda np, a: (
        np.tanh(a[0] * a[1] + a[2]) * np.exp(-a[0] * a[0]) + np.where(a[0] > 0, a[0], a[0] * 0.1)
    ),
    "softmax": lambda np, a: _softmax(np, a[0]),
    "softmax_long": lambda np, a: _softmax(np, a[0]),
    "layernorm": lambda np, a: _layernorm(np, *a),
    "column_sum": lambda np, a: a[0].sum(0),
    "row_max": lambda np, a: a[0].max(1),
    "sum": lambda np, a: a[0].sum(),
    "mean_squared_error": lambda np, a: ((a[0] - a[1]) ** 2).mean(),
    "gather": lambda np, a: a[0][a[1]] * 2,
    "sort": lambda np, a: np.sort(a[0]),
    "running_sum": lambda np, a: np.cumsum(a[0]),
    "product_f32": lambda np, a: np.matmul(a[0], a[1], precision="highest"),
    "product_f16": lambda np, a: a[0] @ a[1],
    "product_f16_4096": lambda np, a: a[0] @ a[1],
    "product_bf16": lambda np, a: a[0] @ a[1],
    "product_token": lambda np, a: a[0] @ a[1],
    "relu_product": lambda np, a: np.maximum(np.matmul(a[0], a[1], precision="highest") + a[2], 0),
    "bincount": lambda np, a: np.bincount(a[0], length=256),
}
_CUPY: dict[str, Program] = {
    "column_sum": lambda np, a: a[0].sum(0),
    "row_max": lambda np, a: a[0].max(1),
    "sum": lambda np, a: a[0].sum(),
    "transpose": lambda np, a: np.ascontiguousarray(a[0].T),
    "gather": lambda np, a: a[0][a[1]] * 2,
    "sort": lambda np, a: np.sort(a[0]),
    "running_sum": lambda np, a: np.cumsum(a[0]),
    "bincount": lambda np, a: np.bincount(a[0], minlength=256),
    "product_f32": lambda np, a: a[0] @ a[1],
}


def _softmax(np: Any, x: Any) -> Any:
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _layernorm(np: Any, x: Any, scale: Any, shift: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift


def _mandelbrot(cuda: Any) -> Any:
    def count(real: Any, imaginary: Any, counts: Any) -> None:
        i = cuda.grid(1)
        if i < real.shape[0]:
            x = y = 0.0
            steps = 0
            while steps < 200 and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real[i], 2.0 * x * y + imaginary[i]
                steps += 1
            counts[i] = steps

    return cuda.jit(count)


def _collatz(cuda: Any) -> Any:
    def count(starts: Any, counts: Any) -> None:
        i = cuda.grid(1)
        if i < starts.shape[0]:
            n = starts[i] + i + 1
            steps = 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            counts[i] = steps

    return cuda.jit(count)


_CUPY_BACKENDS = {"product_f32": "cuBLAS", "sort": "Thrust", "running_sum": "CUB", "sum": "CUB"}
_NUMBA: dict[str, Callable[[Any], Any]] = {"mandelbrot": _mandelbrot, "collatz": _collatz}


# How each library runs a program, and tells the time


def _with_jax(name: str, arrays: Sequence[Any]) -> Measured:
    """By the clock of the host, of ten calls behind each other: there are no events."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    numpy = importlib.import_module("jax.numpy")
    placed = [jax.device_put(array) for array in arrays]
    compiled = jax.jit(lambda *a: _JAX[name](numpy, a))
    jax.block_until_ready(compiled(*placed))
    times: list[float] = []
    for _ in range(RUNS // 5):
        start = time.perf_counter()
        results = [compiled(*placed) for _ in range(10)]
        jax.block_until_ready(results)
        times.append((time.perf_counter() - start) / 10)
        del results
        if is_enough(times):
            break
    return Measured({"jax.jit": statistics.median(times)}, {"jax.jit": "XLA"})


def _with_cupy(name: str, arrays: Sequence[Any]) -> Measured:
    cupy = importlib.import_module("cupy")
    placed = [cupy.asarray(array) for array in arrays]
    one, other = (cupy.empty(LEAD_BYTES, np.int8) for _ in range(2))
    times: list[float] = []
    for number in range(WARM_UP + RUNS):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        cupy.copyto(one, other)
        start.record()
        _CUPY[name](cupy, placed)
        end.record()
        end.synchronize()
        if number >= WARM_UP:
            times.append(1e-3 * cupy.cuda.get_elapsed_time(start, end))
        if is_enough(times):
            break
    return Measured(
        {"cupy": statistics.median(times)}, {"cupy": _CUPY_BACKENDS.get(name, "a kernel of its own")}
    )


def _with_numba(name: str, arrays: Sequence[Any]) -> Measured:
    cuda = importlib.import_module("numba.cuda")
    placed = [cuda.to_device(array) for array in arrays]
    count = arrays[0].shape[0]
    counts = cuda.device_array(count, np.int64)
    kernel = _NUMBA[name](cuda)
    times: list[float] = []
    for number in range(WARM_UP + RUNS):
        start, end = cuda.event(), cuda.event()
        start.record()
        kernel[(count + 127) // 128, 128](*placed, counts)
        end.record()
        end.synchronize()
        if number >= WARM_UP:
            times.append(1e-3 * start.elapsed_time(end))
        if is_enough(times):
            break
    return Measured({"numba.cuda": statistics.median(times)}, {"numba.cuda": "a kernel of Python"})


class Peer(NamedTuple):
    """What runs programs in a library, those that are written in it, and the packages that it needs."""

    run: Callable[[str, Sequence[Any]], Measured]
    programs: Sequence[str]
    packages: tuple[str, ...]


PEERS: Mapping[str, Peer] = {
    "torch": Peer(torch_programs.measure, torch_programs.NAMES, ("torch",)),
    "triton": Peer(torch_programs.measure_triton, torch_programs.IN_TRITON, ("triton", "torch")),
    "torch.compile": Peer(torch_programs.measure_compiled, torch_programs.COMPILED, ("torch", "triton")),
    "cupy": Peer(_with_cupy, list(_CUPY), ("cupy",)),
    "jax": Peer(_with_jax, list(_JAX), ("jax",)),
    "numba": Peer(_with_numba, list(_NUMBA), ("numba",)),
}
"""Those come first of which most is to be learnt."""


def programs_of(peer: str) -> list[str]:
    """The programs that are written in a library."""
    return list(PEERS[peer].programs)


def installed() -> list[str]:
    """The packages of peers that are installed."""
    names = dict.fromkeys(name for peer in PEERS.values() for name in peer.packages)
    return [name for name in names if importlib.util.find_spec(name) is not None]


def why_absent(names: Iterable[str]) -> dict[str, str]:
    """The peers that cannot run, each with its reason."""
    here = installed()
    reasons = {}
    for name in names:
        missing = [package for package in PEERS[name].packages if package not in here]
        if missing:
            reasons[name] = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
    return reasons


def measure(peer: str, packed: Mapping[str, Any]) -> dict[str, Any]:
    """The median times of a program in a library, in each way that it runs there, and by what."""
    found = PEERS[peer].run(packed["name"], make_arguments(packed["specs"]))
    line: dict[str, Any] = {
        "ok": True,
        "microseconds_of": {way: 1e6 * value for way, value in found.seconds.items()},
        "backend_of": found.backends,
    }
    if found.others:
        line["others"] = {
            way: value if isinstance(value, str) else 1e6 * value for way, value in found.others.items()
        }
    return line


__all__ = ["PEERS", "installed", "measure", "programs_of", "why_absent"]
