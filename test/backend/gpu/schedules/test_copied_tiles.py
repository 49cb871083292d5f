"""Products of halves whose tiles are copied some steps ahead, as PTX in the emulator, with mistakes planted in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import run
from weft.backend.planning.plan import DeviceKernel
from weft_emulator.faults import Fault

_F16, _BFLOAT16 = np.float16, weft.bfloat16
Shape = tuple[int, ...]

CASES: dict[str, tuple[Callable[..., Any], Shape, Shape, Any, int]] = {
    # The product, the shapes of the factors, their dtype, and into how many blocks the result is cut.
    "rows and columns": (lambda a, b: a @ b, (64, 72), (72, 64), _F16, 4),
    "rows and rows": (lambda a, b: a @ b.T, (64, 136), (64, 136), _F16, 4),
    "columns and columns": (lambda a, b: a.T @ b, (64, 64), (64, 72), _F16, 6),
    "edges": (lambda a, b: a @ b, (37, 200), (200, 40), _F16, 4),
    "few steps": (lambda a, b: a @ b, (32, 16), (16, 32), _F16, 1),
    "bfloat16": (lambda a, b: a @ b.T, (32, 72), (32, 72), _BFLOAT16, 1),
}


def _kernel(function: Callable[..., Any], *specs: Any, target: str = "sm_80") -> DeviceKernel:
    code = device_code(function, *specs, target=target)
    assert next(iter(code.schedules.values())).startswith("tensor cores")
    (kernel,) = code.kernels
    assert "cp.async.cg" in kernel.ptx
    assert "ldmatrix" in kernel.ptx
    return kernel


def _whole_numbers(shape: Shape, dtype: Any) -> Any:
    """Numbers whose sums of products are exact in halves."""
    return np.random.default_rng(sum(shape)).integers(-1, 2, shape).astype(dtype)


def _product(name: str, change: Callable[[str], str] = lambda text: text) -> tuple[Any, Any]:
    """What the kernel of a case gives, and what it should."""
    function, *shapes, dtype, blocks = CASES[name]
    factors = [_whole_numbers(shape, dtype) for shape in shapes]
    kernel = _kernel(function, *factors)
    expected = function(*(factor.astype(np.float32) for factor in factors))
    result = np.zeros(expected.shape, _F16 if dtype == _F16 else np.float32)  # as NumPy has it
    arrays = [*factors, result]
    found = run(change(kernel.ptx), arrays, grid=blocks, block=256, shared=kernel.shared_bytes)
    return found[2].astype(np.float32), expected


@pytest.mark.parametrize("name", CASES)
def test_sums_are_exact(name: str) -> None:
    np.testing.assert_array_equal(*_product(name))


@pytest.mark.parametrize(("target", "stages"), [("sm_80", 3), ("sm_86", 2)])
def test_the_largest_tiles(target: str, stages: int) -> None:
    """Two blocks share a multiprocessor, where memory has room for two tiles of each factor, or for three."""
    a, b = _whole_numbers((108, 128, 72), _F16), _whole_numbers((108, 72, 128), _F16)
    kernel = _kernel(lambda a, b: a @ b, a, b, target=target)
    assert kernel.shared_bytes == stages * 2 * (128 * 40 + 32 * 136)
    *_, found = run(
        kernel.ptx, [a, b, np.zeros((108, 128, 128), _F16)], grid=2, block=256, shared=kernel.shared_bytes
    )
    np.testing.assert_array_equal(found[:2].astype(np.float32), a[:2].astype(np.float32) @ b[:2])


MIDDLE: dict[str, tuple[Callable[..., Any], Shape, Shape, Any]] = {
    # Products of which 108 blocks of 64 by 64 are some; the first two matrices of a batch are looked at.
    "one step": (lambda a, b: a @ b, (27, 128, 8), (27, 8, 128), _F16),
    "fewer steps than stages": (lambda a, b: a @ b, (27, 128, 48), (27, 48, 128), _F16),
    "a part of a step": (lambda a, b: a @ b, (27, 128, 200), (27, 200, 128), _F16),
    "rows and rows": (lambda a, b: a @ b.swapaxes(1, 2), (27, 128, 104), (27, 128, 104), _BFLOAT16),
    "columns and columns": (lambda a, b: a.swapaxes(1, 2) @ b, (27, 72, 120), (27, 72, 112), _F16),
    "edges": (lambda a, b: a @ b, (27, 101, 136), (27, 136, 120), _F16),
    "one matrix for all": (lambda a, b: a @ b, (27, 128, 72), (72, 128), _F16),
}


def _middle(name: str, change: Callable[[str], str] = lambda text: text) -> tuple[Any, Any]:
    """What the first two products of a case are, and what they should be."""
    function, *shapes, dtype = MIDDLE[name]
    factors = [_whole_numbers(shape, dtype) for shape in shapes]
    kernel = _kernel(function, *factors)
    expected = function(*(factor.astype(np.float32) for factor in factors))
    result = np.zeros(expected.shape, _F16 if dtype == _F16 else np.float32)
    code = device_code(function, *factors, target="sm_80")
    assert "64 by 64" in next(iter(code.schedules.values()))
    arrays = [*factors, result]
    *_, found = run(change(kernel.ptx), arrays, grid=8, block=256, shared=kernel.shared_bytes)
    return found[:2].astype(np.float32), expected[:2]


@pytest.mark.parametrize("name", MIDDLE)
def test_the_middle_tiles(name: str) -> None:
    np.testing.assert_array_equal(*_middle(name))


def test_the_middle_tiles_need_their_barrier_and_wait() -> None:
    with pytest.raises(Fault, match=r"race with a (read|write) of another warp"):
        _middle("a part of a step", lambda ptx: _without(ptx, "bar.sync \t0;"))
    with pytest.raises(Fault, match="shared memory that an asynchronous copy still writes"):
        _middle("a part of a step", lambda ptx: ptx.replace("cp.async.wait_group \t1;", ""))


def test_factors_that_begin_anywhere() -> None:
    """Elements are loaded and stored where no copy may be."""
    x = _whole_numbers((1 + 40 * 40,), _F16)
    with weft.settings.scope(cuda="emulator"):
        row = weft.device_put(x)
        there = np.asarray(weft.function(lambda a: a @ a)(row[1:].reshape(40, 40)))
    here = x[1:].reshape(40, 40).astype(np.float32)
    np.testing.assert_array_equal(there.astype(np.float32), here @ here)


def _without(text: str, what: str, which: int = 0) -> str:
    """A kernel that lacks an instruction."""
    parts = text.split(what)
    assert len(parts) > which + 1
    return what.join(parts[: which + 1]) + what.join(parts[which + 1 :])


def test_a_wait_that_is_missing() -> None:
    message = r"ldmatrix.*shared memory that an asynchronous copy still writes"
    for new in ("", "cp.async.wait_group \t2;"):
        with pytest.raises(Fault, match=message):
            _product("rows and columns", lambda ptx, new=new: ptx.replace("cp.async.wait_group \t1;", new))


def test_a_barrier_that_is_missing() -> None:
    with pytest.raises(Fault, match=r"race with a (read|write) of another warp"):
        _product("rows and columns", lambda ptx: _without(ptx, "bar.sync \t0;"))


_ANY = weft.TensorSpec((None, None), "float16")


@cache
def _of_unknown_extents(target: str) -> dict[str, DeviceKernel]:
    code = device_code(lambda a, b: a @ b, _ANY, _ANY, target=target)
    return {kernel.name: kernel for kernel in code.kernels}


@pytest.mark.parametrize("shape", [(64, 72, 136), (101, 8, 40), (130, 264, 8)])
def test_rows_of_unknown_length_are_copied_where_the_host_has_looked(shape: Shape) -> None:
    rows, depth, columns = shape
    a, b = _whole_numbers((rows, depth), _F16), _whole_numbers((depth, columns), _F16)
    kernel = _of_unknown_extents("sm_80")["kernel_0"]
    assert "cp.async.cg" in kernel.ptx
    blocks = -(-rows // 128) * -(-columns // 128)
    given = [a, b, rows, columns, np.zeros((rows, columns), _F16), rows, depth, columns]
    launch = {"grid": blocks, "block": 256, "shared": kernel.shared_bytes}
    *_, found = run(kernel.ptx, given, **launch, name=kernel.name)
    np.testing.assert_array_equal(found.astype(np.float32), a.astype(np.float32) @ b)


def test_the_host_looks_at_extents() -> None:
    """Several boxes of several steps, too few rows, rows that begin anywhere, and extents that are zero."""
    assert "wgmma.mma_async" in _of_unknown_extents("sm_90a")["kernel_0"].ptx
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(lambda a, b: a @ b, input_signature=[_ANY, _ANY], device="cuda")
        for rows, depth, columns in (
            *((130, 72, 136), (64, 64, 64), (63, 64, 72), (65, 67, 64), (7, 9, 5)),
            *((0, 64, 64), (64, 0, 64), (64, 64, 0)),
        ):
            a, b = _whole_numbers((rows, depth), _F16), _whole_numbers((depth, columns), _F16)
            found = np.asarray(compiled(a, b)).astype(np.float32)
            np.testing.assert_array_equal(found, a.astype(np.float32) @ b)
