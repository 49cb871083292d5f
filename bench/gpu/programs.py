"""What `pack.py` compiles and the check on a GPU runs: small programs to compare, large ones to measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import weft


class GpuProgram(NamedTuple):
    """A program with its arguments, which a seed makes again on any machine."""

    name: str
    function: Callable[..., Any]
    small: tuple[tuple[Any, ...], ...]
    """The shapes and dtypes of the arguments of the run that is compared; of integers also below what they are."""
    large: tuple[tuple[Any, ...], ...] = ()
    """Those of the run that is measured; none where nothing is."""
    tolerance: float = 0.0
    """How far results may be from those of the processor, relative to the largest; 0 where bits are equal."""
    flops: float = 0.0
    """Arithmetic of a large call, where that is the limit; else its bytes are."""
    features: str = ""
    """What is added to the names of targets."""


def _chain(x: Any, a: Any, b: Any) -> Any:
    return np.tanh(x * a + b) * np.exp(-x * x) + np.where(x > 0, x, x * 0.1)


def _functions(x: Any) -> Any:
    y = np.abs(x)
    curves = np.exp(x), np.log(y), np.sin(x), np.cos(x), np.log1p(y), np.expm1(x), np.arctan(x), np.cbrt(x)
    return (*curves, np.sqrt(y), x % 0.7, x // 0.7)


def _softmax(x: Any) -> Any:
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _layernorm(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift


def _relu_product(a: Any, b: Any, bias: Any) -> Any:
    return np.maximum(a @ b + bias, 0)


def _attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) * 0.125
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def _half_attention(q: Any, k: Any, v: Any) -> Any:
    """Of bfloat16, of which NumPy's rules make float32 by a number of Python's."""
    scores = (q @ np.swapaxes(k, -1, -2)) * q.dtype.type(0.125)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(q.dtype) @ v


def _causal_attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.T * 0.125
    scores = np.where(np.tril(np.ones(scores.shape, bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def _convolution(images: Any, filters: Any) -> Any:
    return weft.conv(images, filters, padding="same")


def _mean_squared_error(a: Any, b: Any) -> Any:
    return ((a - b) ** 2).mean()


def _mandelbrot(real: Any, imaginary: Any) -> Any:
    counts = np.zeros(real.shape, np.int64)
    for i in range(real.shape[0]):
        x = 0.0
        y = 0.0
        count = 0
        while count < 200 and x * x + y * y <= 4.0:
            x, y = x * x - y * y + real[i], 2.0 * x * y + imaginary[i]
            count += 1
        counts[i] = count
    return counts


def _collatz(starts: Any) -> Any:
    counts = np.zeros(starts.shape, np.int64)
    for i in range(starts.shape[0]):
        n = starts[i] + i + 1
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        counts[i] = steps
    return counts


def _newton(x: Any) -> Any:
    y = np.maximum(np.abs(x), 1)
    while np.abs(y * y - np.abs(x)).max() > 1e-9:
        y = 0.5 * (y + np.abs(x) / y)
    return y


def _gather(table: Any, places: Any) -> Any:
    return table[places] * 2


def _masked(x: Any) -> Any:
    x[x > 0] = 0
    return x[x < -1], np.cumsum(x, axis=0)


PROGRAMS: tuple[GpuProgram, ...] = (
    GpuProgram(
        "chain",
        _chain,
        (((1000,), "f4"), ((), "f4"), ((), "f4")),
        (((1 << 26,), "f4"), ((), "f4"), ((), "f4")),
    ),
    GpuProgram("functions_f32", _functions, (((3, 341), "f4"),)),
    GpuProgram("functions_f64", _functions, (((3, 341), "f8"),)),
    GpuProgram("add_f16", lambda x, y: x + y, (((1003,), "f2"), ((1003,), "f2")), (((1 << 26,), "f2"),) * 2),
    GpuProgram(
        "integers", lambda x, y: (x // (y + 1), x % (y + 1), x << y, x * y), (((515,), "i4"), ((515,), "i4"))
    ),
    GpuProgram(
        "complex", lambda x, y: (x * y, x / y, np.abs(x)), (((64,), "c16"), ((64,), "c16")), tolerance=1e-15
    ),
    GpuProgram("softmax", _softmax, (((64, 1024), "f4"),), (((16384, 1024), "f4"),), 1e-6),
    GpuProgram("softmax_long", _softmax, (((4, 20000), "f4"),), (((2048, 32768), "f4"),), 1e-6),
    GpuProgram(
        "layernorm",
        _layernorm,
        (((32, 1024), "f4"), ((1024,), "f4"), ((1024,), "f4")),
        (((16384, 1024), "f4"), ((1024,), "f4"), ((1024,), "f4")),
        1e-5,
    ),
    GpuProgram("column_sum", lambda x: x.sum(axis=0), (((200, 96), "f4"),), (((16384, 2048), "f4"),), 1e-6),
    GpuProgram("row_max", lambda x: x.max(axis=1), (((96, 200), "f4"),), (((16384, 2048), "f4"),)),
    GpuProgram("sum", lambda x: x.sum(), (((10007,), "f4"),), (((1 << 26,), "f4"),), 1e-6),
    GpuProgram(
        "mean_squared_error", _mean_squared_error, (((10007,), "f4"),) * 2, (((1 << 25,), "f4"),) * 2, 1e-6
    ),
    GpuProgram("transpose", lambda x: x.T.copy(), (((70, 130), "f4"),), (((8192, 8192), "f4"),)),
    GpuProgram("gather", _gather, (((8, 33), "f4"), ((100,), "i8")), (((8, 1024), "f4"), ((65536,), "i8"))),
    GpuProgram(
        "product_f32",
        lambda a, b: a @ b,
        (((70, 90), "f4"), ((90, 130), "f4")),
        (((4096, 4096), "f4"),) * 2,
        1e-5,
        2 * 4096.0**3,
    ),
    *(
        GpuProgram(
            f"product_{kind}",
            lambda a, b: a @ b,
            (((70, 90), "f4"), ((90, 130), "f4")),
            (((4096, 4096), "f4"),) * 2,
            tolerance,
            2 * 4096.0**3,
            f"+{kind.removeprefix('f32_')}",
        )
        for kind, tolerance in (("tf32", 2e-3), ("f32_bf16", 1e-2))
    ),
    GpuProgram(
        "product_f16",
        lambda a, b: a @ b,
        (((72, 136), "f2"), ((136, 80), "f2")),
        (((8192, 8192), "f2"),) * 2,
        2e-3,
        2 * 8192.0**3,
    ),
    GpuProgram(
        "product_f16_4096",
        lambda a, b: a @ b,
        (((128, 64), "f2"), ((64, 128), "f2")),
        (((4096, 4096), "f2"),) * 2,
        2e-3,
        2 * 4096.0**3,
    ),
    GpuProgram(
        "product_f16_transposed",
        lambda a, b: a @ b.T,
        (((72, 136), "f2"), ((80, 136), "f2")),
        (((4096, 4096), "f2"),) * 2,
        2e-3,
        2 * 4096.0**3,
    ),
    GpuProgram(
        "product_bf16",
        lambda a, b: a @ b,
        (((72, 136), "bfloat16"), ((136, 80), "bfloat16")),
        (((8192, 8192), "bfloat16"),) * 2,
        2e-2,
        2 * 8192.0**3,
    ),
    GpuProgram(
        "product_int8",
        lambda a, b: np.matmul(a, b, dtype=np.int32),
        (((72, 144), "int8", 100), ((144, 80), "int8", 100)),
        (((8192, 8192), "int8", 100),) * 2,
        0.0,
        2 * 8192.0**3,
    ),
    GpuProgram(
        "product_long",
        lambda a, b: a @ b,
        (((16, 2048), "f4"), ((2048, 8), "f4")),
        (((256, 16384), "f4"), ((16384, 256), "f4")),
        1e-5,
        2 * 16384 * 256.0**2,
    ),
    GpuProgram(
        "product_token",
        lambda x, w: x @ w,
        (((1, 256), "f2"), ((256, 192), "f2")),
        (((1, 8192), "f2"), ((8192, 8192), "f2")),
        2e-3,
    ),
    GpuProgram(
        "convolution",
        _convolution,
        (((1, 9, 10, 8), "f2"), ((3, 3, 8, 16), "f2")),
        (((32, 56, 56, 128), "f2"), ((3, 3, 128, 128), "f2")),
        4e-3,
        2 * 32 * 56 * 56 * 9 * 128 * 128.0,
    ),
    GpuProgram(
        "attention_f32",
        _attention,
        (((2, 3, 70, 64), "f4"),) * 3,
        (((4, 16, 2048, 64), "f4"),) * 3,
        1e-5,
        4 * 64 * 64 * 2048.0**2,
    ),
    GpuProgram(
        "attention_f16",
        _attention,
        (((2, 3, 70, 64), "f2"),) * 3,
        (((4, 16, 4096, 128), "f2"),) * 3,
        2e-3,
        4 * 64 * 128 * 4096.0**2,
    ),
    GpuProgram(
        "attention_bf16",
        _half_attention,
        (((2, 3, 70, 64), "bfloat16"),) * 3,
        (((4, 16, 4096, 128), "bfloat16"),) * 3,
        2e-2,
        4 * 64 * 128 * 4096.0**2,
    ),
    GpuProgram(
        "causal_attention",
        _causal_attention,
        (((70, 64), "f4"),) * 3,
        (((8192, 64), "f4"),) * 3,
        1e-5,
        2 * 64 * 8192.0**2,
    ),
    GpuProgram("product_f64", lambda a, b: a @ b, (((70, 90), "f8"), ((90, 130), "f8")), tolerance=1e-14),
    GpuProgram(
        "relu_product",
        _relu_product,
        (((128, 64), "f4"), ((64, 128), "f4"), ((128,), "f4")),
        (((4096, 1024), "f4"), ((1024, 1024), "f4"), ((1024,), "f4")),
        1e-5,
        2 * 4096 * 1024.0**2,
    ),
    GpuProgram("mandelbrot", _mandelbrot, (((500,), "f8"), ((500,), "f8")), (((1 << 20,), "f8"),) * 2),
    GpuProgram("collatz", _collatz, (((300,), "i8"),), (((1 << 20,), "i8"),)),
    GpuProgram("sort", lambda x: np.sort(x), (((3000,), "f4"),), (((1 << 24,), "f4"),)),
    GpuProgram("running_sum", lambda x: np.cumsum(x), (((5000,), "f4"),), (((1 << 26,), "f4"),), 1e-5),
    GpuProgram(
        "bincount",
        lambda i: np.bincount(i, minlength=256),
        (((3000,), "i8", 256),),
        (((1 << 24,), "i8", 256),),
    ),
    GpuProgram("newton", _newton, (((200,), "f8"),)),
    GpuProgram("masked", _masked, (((40, 30), "f8"),), tolerance=1e-14),
)
"""All programs; `pack.py` compiles a small and, where there is one, a large form of each."""

__all__ = ["PROGRAMS", "GpuProgram"]
