"""The same programs in libraries that are there: PyTorch (with cuBLAS, and compiled), JAX, CuPy, Numba."""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .packed import make_arguments
from .speed import LEAD_BYTES, RUNS, WARM_UP

Program = Callable[[Any, Any], Any]
"""A program on a library and its arrays."""


def _torch_attention(torch: Any, a: Any) -> Any:
    return torch.nn.functional.scaled_dot_product_attention(*a, scale=0.125)


def _torch_causal(torch: Any, a: Any) -> Any:
    return torch.nn.functional.scaled_dot_product_attention(*a, scale=0.125, is_causal=True)


_TORCH: dict[str, Program] = {
    "chain": lambda torch, a: (
        torch.tanh(a[0] * a[1] + a[2]) * torch.exp(-a[0] * a[0]) + torch.where(a[0] > 0, a[0], a[0] * 0.1)
    ),
    "add_f16": lambda torch, a: a[0] + a[1],
    "softmax": lambda torch, a: torch.softmax(a[0], -1),
    "softmax_long": lambda torch, a: torch.softmax(a[0], -1),
    "layernorm": lambda torch, a: torch.nn.functional.layer_norm(a[0], a[1].shape, a[1], a[2]),
    "column_sum": lambda torch, a: a[0].sum(0),
    "row_max": lambda torch, a: a[0].amax(1),
    "sum": lambda torch, a: a[0].sum(),
    "mean_squared_error": lambda torch, a: ((a[0] - a[1]) ** 2).mean(),
    "transpose": lambda torch, a: a[0].T.contiguous(),
    "gather": lambda torch, a: a[0][a[1]] * 2,
    "sort": lambda torch, a: torch.sort(a[0], stable=True)[0],
    "running_sum": lambda torch, a: torch.cumsum(a[0], 0),
    "product_f32": lambda torch, a: a[0] @ a[1],
    "product_f16": lambda torch, a: a[0] @ a[1],
    "product_f16_4096": lambda torch, a: a[0] @ a[1],
    "product_f16_transposed": lambda torch, a: a[0] @ a[1].T,
    "relu_product": lambda torch, a: torch.relu(a[0] @ a[1] + a[2]),
    "attention_f32": _torch_attention,
    "attention_f16": _torch_attention,
    "causal_attention": _torch_causal,
}
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
    "relu_product": lambda np, a: np.maximum(np.matmul(a[0], a[1], precision="highest") + a[2], 0),
}
_CUPY: dict[str, Program] = {
    "column_sum": lambda np, a: a[0].sum(0),
    "row_max": lambda np, a: a[0].max(1),
    "sum": lambda np, a: a[0].sum(),
    "transpose": lambda np, a: np.ascontiguousarray(a[0].T),
    "gather": lambda np, a: a[0][a[1]] * 2,
    "sort": lambda np, a: np.sort(a[0]),
    "running_sum": lambda np, a: np.cumsum(a[0]),
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


_NUMBA: dict[str, Callable[[Any], Any]] = {"mandelbrot": _mandelbrot, "collatz": _collatz}


# How each library runs a program, and tells the time


def _with_torch(name: str, arrays: Sequence[Any]) -> dict[str, float]:
    torch = importlib.import_module("torch")
    placed = [torch.from_numpy(np.array(array)).cuda() for array in arrays]
    one, other = (torch.empty(LEAD_BYTES, dtype=torch.int8, device="cuda") for _ in range(2))

    def seconds(call: Callable[..., Any]) -> float:
        times = []
        for number in range(WARM_UP + RUNS):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            one.copy_(other)
            start.record()
            call(*placed)
            end.record()
            end.synchronize()
            if number >= WARM_UP:
                times.append(1e-3 * start.elapsed_time(end))
        return float(statistics.median(times))

    program = _TORCH[name]

    def eager(*a: Any) -> Any:
        return program(torch, a)

    return {"torch": seconds(eager), "torch.compile": seconds(torch.compile(eager))}


def _with_jax(name: str, arrays: Sequence[Any]) -> dict[str, float]:
    """By the clock of the host, of ten calls behind each other: there are no events."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    numpy = importlib.import_module("jax.numpy")
    placed = [jax.device_put(array) for array in arrays]
    compiled = jax.jit(lambda *a: _JAX[name](numpy, a))
    jax.block_until_ready(compiled(*placed))
    times = []
    for _ in range(RUNS // 5):
        start = time.perf_counter()
        results = [compiled(*placed) for _ in range(10)]
        jax.block_until_ready(results)
        times.append((time.perf_counter() - start) / 10)
        del results
    return {"jax.jit": statistics.median(times)}


def _with_cupy(name: str, arrays: Sequence[Any]) -> dict[str, float]:
    cupy = importlib.import_module("cupy")
    placed = [cupy.asarray(array) for array in arrays]
    one, other = (cupy.empty(LEAD_BYTES, np.int8) for _ in range(2))
    times = []
    for number in range(WARM_UP + RUNS):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        cupy.copyto(one, other)
        start.record()
        _CUPY[name](cupy, placed)
        end.record()
        end.synchronize()
        if number >= WARM_UP:
            times.append(1e-3 * cupy.cuda.get_elapsed_time(start, end))
    return {"cupy": statistics.median(times)}


def _with_numba(name: str, arrays: Sequence[Any]) -> dict[str, float]:
    cuda = importlib.import_module("numba.cuda")
    placed = [cuda.to_device(array) for array in arrays]
    count = arrays[0].shape[0]
    counts = cuda.device_array(count, np.int64)
    kernel = _NUMBA[name](cuda)
    times = []
    for number in range(WARM_UP + RUNS):
        start, end = cuda.event(), cuda.event()
        start.record()
        kernel[(count + 127) // 128, 128](*placed, counts)
        end.record()
        end.synchronize()
        if number >= WARM_UP:
            times.append(1e-3 * start.elapsed_time(end))
    return {"numba.cuda": statistics.median(times)}


PEERS: dict[str, tuple[Callable[[str, Sequence[Any]], dict[str, float]], Mapping[str, Any]]] = {
    "torch": (_with_torch, _TORCH),
    "numba": (_with_numba, _NUMBA),
    "jax": (_with_jax, _JAX),
    "cupy": (_with_cupy, _CUPY),
}
"""What runs programs in a library, and those that are written in it."""


def programs_of(peer: str) -> list[str]:
    """The programs that are written in a library; none where it is not installed."""
    return sorted(PEERS[peer][1]) if importlib.util.find_spec(peer) is not None else []


def measure(peer: str, packed: Mapping[str, Any]) -> dict[str, Any]:
    """The median times of a program in a library, in each way that it runs there."""
    run, _ = PEERS[peer]
    seconds = run(packed["name"], make_arguments(packed["specs"]))
    return {"ok": True, "microseconds_of": {way: 1e6 * value for way, value in seconds.items()}}


__all__ = ["PEERS", "measure", "programs_of"]
