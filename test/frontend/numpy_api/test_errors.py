"""Mistakes end in NumPy's exceptions with NumPy's words; what is not supported says what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.staged import run_staged

GRID = np.arange(12.0).reshape(3, 4)
WHOLE = np.arange(12).reshape(3, 4)
EMPTY = np.zeros((0, 3))

MISTAKES: list[tuple[Callable[..., Any], list[Any]]] = [
    (lambda x, y: x + y, [GRID, np.zeros(3)]),
    (lambda x, y: np.where(x > 0, x, y), [GRID, GRID.T]),
    (lambda x, y: x @ y, [GRID, GRID]),
    (lambda x, y: x @ y, [GRID, np.zeros(3)]),
    (lambda x, y: np.dot(x, y), [GRID, GRID]),
    (lambda x, y: np.inner(x, y), [GRID, GRID.T]),
    (lambda x, y: np.tensordot(x, y, 1), [GRID, GRID]),
    (lambda x: np.matmul(x, 2.0), [GRID]),
    (lambda x: np.sum(x, axis=2), [GRID]),
    (lambda x: np.sum(x, axis=(0, 0)), [GRID]),
    (lambda x: np.sort(x, axis=5), [GRID]),
    (lambda x: np.max(x), [EMPTY]),
    (lambda x: np.max(x, axis=0), [EMPTY]),
    (lambda x: np.argmax(x), [EMPTY]),
    (lambda x: np.argmin(x, axis=0), [EMPTY]),
    (lambda x: np.max(x, where=x > 0), [GRID]),
    (lambda x: x.reshape(5, -1), [GRID]),
    (lambda x: x.reshape(5, 2), [GRID]),
    (lambda x: x.reshape(-1, -1), [GRID]),
    (lambda x: x.transpose(0, 0), [GRID]),
    (lambda x: x.transpose(0), [GRID]),
    (lambda x: x.squeeze(0), [GRID]),
    (lambda x: np.broadcast_to(x, (2, 2)), [GRID]),
    (lambda x: np.expand_dims(x, 4), [GRID]),
    (lambda x: np.swapaxes(x, 0, 2), [GRID]),
    (lambda x, y: np.concatenate([x, y]), [GRID, np.zeros((2, 3))]),
    (lambda x, y: np.concatenate([x, y]), [GRID, np.zeros(3)]),
    (lambda x, y: np.stack([x, y]), [GRID, np.zeros(3)]),
    (lambda x: np.diag(x[None]), [GRID]),
    (lambda x: np.repeat(x, -1), [GRID]),
    (lambda x: np.take(x, 9, axis=0), [GRID]),
    (lambda x: np.take(x, np.array([1.5])), [GRID]),
    (lambda x: np.take(x, [0], mode="bounce"), [GRID]),
    (lambda x: np.take_along_axis(x, np.zeros(3, int), 0), [GRID]),
    (lambda x: x**-1, [WHOLE]),
    (lambda x, y: x**y, [WHOLE, -WHOLE]),
    (lambda x: x + 300, [WHOLE.astype(np.uint8)]),
    (lambda x: x * -1, [WHOLE.astype(np.uint8)]),
    (lambda x: x - x, [GRID > 3]),
    (lambda x: -x, [GRID > 3]),
    (lambda x: ~x, [GRID]),
    (lambda x, y: x & y, [GRID, WHOLE]),
    (lambda x: np.add(x, 1, dtype="i4"), [GRID]),
    (lambda x: x.astype("f4", casting="safe"), [GRID]),
    (lambda x: np.trace(x[0]), [GRID]),
    (lambda x: np.einsum("ij->k", x), [GRID]),
    (lambda x: np.quantile(x, 1.5), [GRID]),
    (lambda x: np.linalg.cross(x, x), [GRID]),
    (lambda x: np.linalg.norm(x, axis=(0, 1, 2)), [np.zeros((1, 1, 1))]),
    (lambda x: np.linalg.matrix_power(x, 2), [GRID]),
    (lambda x: np.diff(x, n=-1), [GRID]),
    (lambda x: np.clip(x, 300, None), [WHOLE.astype(np.uint8)]),
    # shapes
    (lambda x: x.reshape(), [GRID]),
    (lambda x: np.reshape(x, 3, order="K"), [GRID[0]]),
    (lambda x: np.roll(x, [[1]], axis=0), [GRID]),
    (lambda x: np.concatenate([x, x]), [np.float64(2.0)]),
    (lambda x: np.unstack(x), [np.float64(2.0)]),
    (lambda x: np.diag(x), [GRID[None]]),
    (lambda x: np.ix_(x), [GRID]),
    (lambda x: np.fill_diagonal(x, 1.0), [GRID[0]]),
    (lambda x: np.pad(x, -1), [GRID]),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, -1), [GRID[0]]),
    (lambda x: np.require(x, requirements=["C", "F"]), [GRID]),
    # indices
    (lambda x: x[..., ...], [GRID]),
    (lambda x: x.__setitem__(x > 0, np.ones((2, 2))), [GRID]),
    (lambda x: x.__delitem__(0), [GRID]),
    (lambda x: np.take_along_axis(x, np.zeros((2, 2), int), axis=None), [GRID]),
    (lambda x: np.select([x > 0], [x, x]), [GRID]),
    (lambda x: np.select([x], [x]), [GRID]),
    (lambda x: np.isin(x, x, kind="hash"), [WHOLE]),
    (lambda x: np.trim_zeros(x, trim="q"), [GRID[0]]),
    (lambda x: np.add(x, x, out=np.zeros((3, 4), int)), [GRID]),
    (lambda x: np.meshgrid(x, x, indexing="ab"), [GRID[0]]),
    (lambda x: np.insert(x, 9, 1.0), [GRID[0]]),
    (lambda x: np.insert(x, -5, 1.0), [GRID[0]]),
    (lambda x, y: np.searchsorted(x, 1.0, sorter=y), [GRID[0], WHOLE[0, :2]]),
    (lambda x, y: np.lexsort((x, y)), [GRID[0], GRID[0, :2]]),
    (lambda x, y: np.lexsort((x, y)), [GRID, GRID[0]]),
    # statistics
    (lambda x: np.var(x, ddof=1, correction=1), [GRID]),
    (lambda x: np.histogram(x, bins=[2, 1]), [GRID]),
    (lambda x: np.gradient(x, 1.0, 2.0, 3.0), [GRID]),
    (lambda x: np.interp(x, x, x), [np.ones(3, complex)]),
    (lambda x: np.packbits(x), [GRID]),
    # linear algebra
    (lambda x: np.tensordot(x, x, axes=([0], [1])), [GRID]),
    (lambda x: np.einsum("ij->ii", x), [GRID]),
    (lambda x: np.einsum("ii->i", x), [GRID]),
    (lambda x: np.einsum("i1->i", x), [GRID]),
    (lambda x: np.linalg.outer(x, x), [GRID]),
    (lambda x: np.linalg.multi_dot([x]), [GRID]),
    (lambda x: np.linalg.matrix_power(x, 0), [GRID]),
    (lambda x: np.linalg.matrix_power(x, 1), [GRID]),
    (lambda x: np.linalg.inv(x), [GRID[0]]),
    (lambda x: np.linalg.inv(x.astype(np.float16)), [GRID[:3, :3]]),
    (lambda x: np.linalg.lstsq(x, x[:1]), [GRID]),
    (lambda x: np.linalg.lstsq(x[0], x), [GRID]),
    (lambda x: np.linalg.tensorinv(x, ind=0), [GRID]),
    (lambda x: np.linalg.pinv(x, rcond=1.0, rtol=1.0), [GRID]),
    (lambda x: np.linalg.qr(x, mode="thin"), [GRID]),
    (lambda x: np.linalg.matrix_rank(x, tol=1.0, rtol=1.0), [GRID]),
    (lambda x: np.linalg.eigh(x, UPLO="Z"), [GRID[:3, :3]]),
    (lambda x: np.linalg.norm(x, ord=2, axis=(0, 1, 2)), [GRID[None]]),
    (lambda x: np.linalg.norm(x, ord=3), [GRID]),
    (lambda x: np.linalg.norm(x, ord="nuclear"), [GRID[0]]),
    (lambda x: np.fft.fft2(x, s=(2,), axes=(0, 1)), [GRID]),
]

SAID_DIFFERENTLY = ("?", "operands could not be broadcast", "subscript", "cannot select an axis")


def error_of(function: Callable[..., Any], *arguments: Any) -> Exception:
    try:
        result = function(*arguments)
    except Exception as error:
        return error
    raise AssertionError(f"no error, but {result}")


@pytest.mark.parametrize(("mistake", "arrays"), MISTAKES)
@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
def test_mistakes(mistake: Callable[..., Any], arrays: list[Any], dynamic: bool) -> None:
    expected = error_of(mistake, *arrays)
    got = error_of(lambda: run_staged(mistake, *arrays, dynamic=dynamic))
    builtin = next(base for base in type(expected).__mro__ if base.__module__ == "builtins")
    assert isinstance(got, builtin), got
    if not any(part in str(got) for part in SAID_DIFFERENTLY):
        assert str(got) == str(expected)


UNSUPPORTED: list[tuple[Callable[..., Any], str]] = [
    (
        lambda x: np.apply_along_axis(np.sum, 0, x),
        "apply_along_axis is not supported in compiled code; dir.weft. lists",
    ),
    (lambda x: np.add.reduceat(x, [0, 1]), "add.reduceat is not supported.*ufunc.accumulate"),
    (np.subtract.reduce, "subtract.reduce is not supported.*add.reduce"),
    (lambda x: np.quantile(x, x[x > 0]), "how many quantiles are asked for must be known while tracing"),
    (lambda x: np.histogram(x, "auto"), "needs its bins while tracing, or their number"),
    (lambda x: np.pad(x, 1, mode="mean"), "mode 'mean' of pad is not supported"),
]


@pytest.mark.parametrize(("call", "message"), UNSUPPORTED)
def test_unsupported_calls_say_what_to_write(call: Callable[..., Any], message: str) -> None:
    with weft.settings.scope(fallback=False), pytest.raises(weft.UnsupportedError, match=message):
        run_staged(call, GRID)


def test_a_negative_exponent_at_run_time() -> None:
    with pytest.raises(ValueError, match=r"Integers to negative integer powers are not allowed\."):
        weft.function(lambda x, y: x**y)(WHOLE, -WHOLE)
