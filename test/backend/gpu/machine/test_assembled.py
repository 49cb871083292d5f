"""What the code of device kernels needs: no memory of threads, nothing spilled, and few enough registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import DeviceCode, device_code
from weft.backend.gpu.machine.assembler import find_assembler

_F32 = np.float32


def _softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def _layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + _F32(1e-5)) * scale + shift


def _escape(x: Any, n: Any) -> Any:
    steps = np.zeros(x.shape, np.int64)
    for i in range(x.shape[0]):
        value, count = x[i], 0
        while value < 100 and count < n:
            value, count = value * value + 1, count + 1
        steps[i] = count
    return steps


def _add_at(x: Any, k: Any, v: Any) -> Any:
    np.add.at(x, k, v)


def _steps(u: Any, n: Any) -> Any:
    both = np.zeros((2, u.shape[0]))
    both[0] = u
    for _ in range(n):
        for i in range(1, u.shape[0] - 1):
            both[1, i] = both[0, i] + 0.25 * (both[0, i - 1] - 2 * both[0, i] + both[0, i + 1])
        for i in range(1, u.shape[0] - 1):
            both[0, i] = both[1, i]
    return both


def _dense(x: Any, w: Any) -> Any:
    return np.tanh(x @ w + w[0])


def _attention(q: Any, k: Any, v: Any) -> Any:
    weights = q @ k.T / 8
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def _gradients(q: Any, k: Any, v: Any) -> Any:
    return weft.grad(lambda *given: np.sum(_attention(*given) ** 2), argnums=(0, 1, 2))(q, k, v)


def _of_vector(q: Any, k: Any, v: Any) -> Any:
    weights = np.exp(k @ q / 8 - (k @ q / 8).max())
    return weights / weights.sum() @ v


def _convolution(image: Any, kernel: Any) -> Any:
    height, width = image.shape[1] - 2, image.shape[2] - 2
    result = np.zeros((1, height, width, kernel.shape[3]), _F32)
    for i in range(3):
        for j in range(3):
            result += image[:, i : i + height, j : j + width] @ kernel[i, j]
    return result


def _adam(p: Any, m: Any, v: Any, g: Any) -> Any:
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.01 * m / (np.sqrt(v) + 1e-8), m, v


def _with_moment(a: Any, b: Any, m: Any) -> Any:
    gradient = a @ b
    m = 0.9 * m + 0.1 * gradient
    return m, m * gradient


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str, int, int]] = {
    # The function, its arguments, the schedule of its last kernel, registers, and reads of 16 bytes at least.
    "points": (lambda x, y: np.exp(x) * y, (np.ones((64, 256), _F32),) * 2, "points", 64, 1),
    "siblings": (_adam, tuple(np.full((64, 256), n, _F32) for n in range(4)), "points", 64, 4),
    "whole": (lambda x: x.sum(), (np.ones(100000, _F32),), "whole", 32, 1),
    "moments": (lambda x: (x.mean(), (x * x).sum()), (np.ones(100000, _F32),), "whole", 40, 1),
    "moments of columns": (
        lambda x: (x.mean(0), (x * x).sum(0)),
        (np.ones((512, 512), _F32),),
        "columns",
        64,
        1,
    ),
    "what has several results": (_with_moment, (np.ones((2048, 2048), _F32),) * 3, "products", 128, 2),
    "rows": (_softmax, (np.ones((64, 1024), _F32),), "rows", 80, 8),
    "rows and what all have in common": (
        _layer_norm,
        (np.ones((64, 1024), _F32), *(np.ones(1024, _F32),) * 2),
        "rows",
        80,
        8,
    ),
    "rows too long for registers": (
        _layer_norm,
        (np.ones((64, 32768), _F32), *(np.ones(32768, _F32),) * 2),
        "rows",
        64,
        5,
    ),
    "columns": (lambda x: x.max(0), (np.ones((512, 512), _F32),), "columns", 64, 4),
    "products": (lambda a, b: a @ b, (np.ones((2048, 2048), _F32),) * 2, "products", 128, 2),
    "oblong products": (lambda a, b: a @ b, (np.ones((1024, 1024), _F32),) * 2, "products", 80, 3),
    "doubles": (lambda a, b: a @ b, (np.ones((2048, 2048)),) * 2, "tensor cores f64: each term", 208, 0),
    "doubles of odd extents": (
        lambda a, b: a @ b,
        (np.ones((2047, 2045)), np.ones((2045, 2043))),
        "tensor cores f64: each term",
        208,
        0,
    ),
    "convolution": (
        _convolution,
        (np.ones((1, 200, 200, 100), _F32), np.ones((3, 3, 100, 100), _F32)),
        "products",
        128,
        2,
    ),
    "tensor cores": (lambda a, b: a @ b, (np.ones((2041, 2041), np.float16),) * 2, "tensor cores", 128, 0),
    "bfloat16": (lambda a, b: a @ b, (np.ones((508, 508), weft.bfloat16),) * 2, "tensor cores", 64, 0),
    "warpgroups": (lambda a, b: a @ b, (np.ones((4096, 4096), weft.bfloat16),) * 2, "warpgroups", 168, 0),
    "what follows": (_dense, (np.ones((1480, 1480), np.float16),) * 2, "warpgroups", 168, 0),
    "attention": (
        _attention,
        (np.ones((99, 64), _F32), *(np.ones((500, 64), _F32),) * 2),
        "attention",
        128,
        2,
    ),
    "gradients of attention": (
        _gradients,
        (np.ones((200, 64), _F32), *(np.ones((500, 64), _F32),) * 2),
        "computed tiles",
        160,
        4,
    ),
    "attention of few rows": (
        _attention,
        (np.ones((24, 64), _F32), *(np.ones((5000, 64), _F32),) * 2),
        "attention",
        128,
        0,
    ),
    "attention of one row": (
        _attention,
        (np.ones((1, 64), _F32), *(np.ones((5000, 64), _F32),) * 2),
        "attention",
        128,
        0,
    ),
    "attention of a vector": (
        _of_vector,
        (np.ones(64, _F32), *(np.ones((5000, 64), _F32),) * 2),
        "attention",
        128,
        0,
    ),
    "attention of halves": (
        _attention,
        tuple(np.ones((n, 128), weft.bfloat16) for n in (200, 500, 500)),
        "half attention",
        248,
        0,
    ),
    "attention of many columns": (
        _attention,
        tuple(np.ones((n, 256), np.float16) for n in (200, 500, 500)),
        "half attention",
        255,
        0,
    ),
    "scans": (lambda x: np.cumsum(x), (np.ones(100000, _F32),), "scans", 40, 0),
    "sorts": (lambda x: np.argsort(x, kind="stable"), (np.ones(5000, _F32),), "sorts", 48, 0),
    "compactions": (lambda x: np.nonzero(x > 0)[0], (np.ones(9000, _F32),), "compactions", 40, 0),
    "scatters": (_add_at, (np.ones(99, _F32), np.ones(500, np.int64), np.ones(500, _F32)), "scatters", 64, 0),
    "one block": (_steps, (np.ones(1000), np.int64(50)), "one block", 32, 0),
    "iterations": (_escape, (np.ones(1000), np.int64(50)), "iterations", 32, 0),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def compiled(request: pytest.FixtureRequest) -> tuple[str, DeviceCode]:
    """A program, and its code."""
    function, arguments, *_ = PROGRAMS[request.param]
    return request.param, device_code(function, *arguments)


@pytest.mark.sampled(4)
def test_memory_of_the_device_is_all_that_kernels_use(compiled: tuple[str, DeviceCode]) -> None:
    name, code = compiled
    _, _, schedule, _, vectors = PROGRAMS[name]
    assert any(text.startswith(schedule) for text in code.schedules.values()), code.schedules
    text = "\n".join(kernel.ptx for kernel in code.kernels)
    assert ".local" not in text
    assert ".extern .func" not in text
    assert text.count("ld.global.v4") + text.count("ld.global.nc.v4") >= vectors


@pytest.mark.parametrize(
    ("name", "kernels"),
    [
        ("siblings", 1),
        ("moments", 2),
        ("moments of columns", 2),
        ("what has several results", 1),
        ("whole", 2),
    ],
)
def test_siblings_are_one_kernel(name: str, kernels: int) -> None:
    """What several results are made of is read once, and what follows a sum or product is made with it."""
    function, arguments, *_ = PROGRAMS[name]
    assert len(device_code(function, *arguments).kernels) == kernels


LONGEST = {
    "products": 1000,
    "oblong products": 1000,
    "doubles": 600,
    "convolution": 1200,
    "tensor cores": 900,
    "rows": 750,
}
"""Instructions of PTX at most: of the largest tiles, which take the longest to compile."""


def test_code_is_short(compiled: tuple[str, DeviceCode]) -> None:
    name, code = compiled
    if name in LONGEST:
        assert max(kernel.ptx.count(";") for kernel in code.kernels) <= LONGEST[name]


SPILLED = {"gradients of attention": 8}
"""Bytes at most of a thread, where the assembler keeps two blocks on a multiprocessor that way."""


@pytest.mark.sampled(4)
@pytest.mark.skipif(find_assembler() is None, reason="there is no ptxas: pip install nvidia-cuda-nvcc")
def test_registers_are_enough(compiled: tuple[str, DeviceCode]) -> None:
    name, code = compiled
    for kernel, found in code.assembled().items():
        assert max(found.spilled, found.stack) <= SPILLED.get(name, 0), kernel
        assert found.registers <= PROGRAMS[name][3], kernel


def test_older_cards_get_what_they_have() -> None:
    halves = (weft.TensorSpec((4096, 4096), "bfloat16"),) * 2
    ampere, volta = (device_code(lambda a, b: a @ b, *halves, target=name) for name in ("sm_80", "sm_70"))
    for code, schedule, has_tensor_cores in ((ampere, "tensor cores", True), (volta, "products", False)):
        (text,) = code.schedules.values()
        assert text.startswith(schedule)
        assert ("mma.sync" in code.kernels[0].ptx) == has_tensor_cores
        assert "wgmma" not in code.kernels[0].ptx
    for kernel, found in ampere.assembled().items() if find_assembler() else ():
        assert (found.spilled, found.stack) == (0, 0), kernel
        assert found.registers <= 128, "two blocks fit"


@pytest.mark.skipif(find_assembler() is None, reason="there is no ptxas: pip install nvidia-cuda-nvcc")
@pytest.mark.parametrize("extents", [(2048, 2048), (None, None)])
def test_older_cards_multiply_doubles(extents: tuple[int | None, ...]) -> None:
    specs = (weft.TensorSpec(extents, np.float64),) * 2
    code = device_code(lambda a, b: a @ b, *specs, target="sm_80")
    assert any("mma.sync.aligned.m8n8k4" in kernel.ptx for kernel in code.kernels)
    for kernel, found in code.assembled().items():
        assert (found.spilled, found.stack) == (0, 0), kernel
        assert found.registers <= 255, kernel
