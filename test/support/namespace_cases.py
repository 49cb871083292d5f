"""Calls of the array namespace, as expressions of `xp` (NumPy or weft) and arrays: what the tests run every way."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

_random = np.random.default_rng(7)
_x = _random.normal(size=(3, 4))

ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "x": _x,
    "y": _random.normal(size=(3, 4)),
    "n": np.where(_x > 0.9, np.nan, _x),
    "f": _random.normal(size=(3, 4)).astype(np.float32),
    "h": _random.normal(size=(3, 4)).astype(np.float16),
    "i": _random.integers(-9, 9, (3, 4)),
    "b": _random.integers(0, 200, (3, 4)).astype(np.uint8),
    "j": _random.integers(-99, 99, (3, 4)).astype(np.int8),
    "p": _x > 0,
    "c": _x + 1j * _random.normal(size=(3, 4)),
    "d": (_x - 2j).astype(np.complex64),
    "v": _random.normal(size=4),
    "w": _random.normal(size=(4, 5)),
    "s": _random.normal(size=(4, 4)),
    "t": _random.normal(size=(2, 3, 4)),
    "e": np.zeros((0, 3)),
    "o": np.array(3.5),
}
"""The arrays that the expressions name."""

ELEMENTWISE = """
xp.add(x, y) | xp.subtract(x, v) | xp.multiply(x, f) | xp.divide(i, j) | xp.floor_divide(i, 4)
xp.remainder(x, 0.7) | xp.divmod(i, 5) | xp.fmod(x, y) | xp.power(xp.abs(i), 3) | xp.float_power(f, 2)
xp.negative(b) | xp.positive(j) | xp.abs(c) | xp.absolute(i) | xp.sign(n) | xp.signbit(x) | xp.square(d)
xp.reciprocal(x) | xp.sqrt(x) | xp.cbrt(f) | xp.hypot(x, y) | xp.conj(c) | xp.maximum(n, 0) | xp.minimum(c, 1)
xp.fmax(n, 0) | xp.fmin(n, 0) | xp.floor(x) | xp.ceil(f) | xp.trunc(x) | xp.rint(c) | xp.modf(x) | xp.frexp(f)
xp.ldexp(x, j % 5) | xp.copysign(x, y) | xp.nextafter(x, y) | xp.spacing(f) | xp.heaviside(x, 0.5) | xp.exp(x)
xp.exp2(f) | xp.expm1(c) | xp.log(c) | xp.log2(xp.abs(x)) | xp.log10(xp.abs(f)) | xp.log1p(xp.abs(x))
xp.logaddexp(x, y) | xp.logaddexp2(x, f) | xp.sin(x) | xp.cos(h) | xp.tan(f) | xp.asin(xp.tanh(x))
xp.acos(xp.tanh(x)) | xp.atan(x) | xp.atan2(x, y) | xp.sinh(c) | xp.cosh(x) | xp.tanh(d) | xp.asinh(x)
xp.acosh(1 + xp.abs(x)) | xp.atanh(xp.tanh(x) / 2) | xp.deg2rad(x) | xp.degrees(f) | xp.equal(i, j)
xp.not_equal(x, n) | xp.less(b, 300) | xp.greater(-1, b) | xp.less_equal(i, 2.5) | xp.greater_equal(x, f)
xp.isnan(n) | xp.isinf(x) | xp.isfinite(n) | xp.logical_and(p, i) | xp.logical_or(p, x) | xp.logical_xor(p, i)
xp.logical_not(i) | xp.bitwise_and(i, j) | xp.bitwise_or(b, 3) | xp.bitwise_xor(p, p) | xp.invert(b)
xp.bitwise_left_shift(i, 3) | xp.bitwise_right_shift(j, 2) | xp.bitwise_count(b) | xp.gcd(i, 6) | xp.lcm(i, j)
xp.add(i, 1, dtype="f4") | xp.add(b, 1) | xp.multiply(f, 2.5) | xp.multiply(f, xp.float64(2)) | xp.add(p, p)
xp.clip(x, -0.5, 0.5) | xp.clip(b, -1, 300) | xp.clip(i, 2.5, None) | xp.clip(i, None, v) | xp.round(x, 1)
xp.round(c, 2) | xp.round(i, -1) | xp.round(p) | xp.fix(x) | xp.nan_to_num(n) | xp.nan_to_num(n, nan=5.0)
xp.real(c) | xp.imag(c) | xp.imag(x) | xp.angle(c) | xp.angle(x) | xp.isreal(c) | xp.iscomplex(c)
xp.isposinf(x) | xp.isneginf(x) | xp.sinc(x) | xp.isclose(x, x + 1e-9) | xp.isclose(n, n, equal_nan=True)
xp.isclose(i, j) | xp.allclose(x, y) | xp.array_equal(x, x) | xp.unwrap(x * 5) | xp.where(x > 0, x, 0)
xp.where(p, i, 2.5) | xp.where(i, f, 1) | xp.where(p, x, i) | x + 1 | 1 - i | f * 2 | i / 2 | b // 7 | 7 % j
-x | abs(d) | i ** 2 | ~p | p & (i > 0) | x @ w
"""

REDUCTIONS = """
xp.sum(x) | xp.sum(i, axis=0) | xp.sum(b, axis=-1) | xp.sum(p) | xp.sum(h, axis=1)
xp.sum(x, axis=(0, 1), keepdims=True) | xp.sum(j, dtype="i2") | xp.sum(c) | xp.sum(x, where=x > 0)
xp.sum(x, initial=5) | xp.prod(x, axis=0) | xp.prod(b) | xp.mean(x) | xp.mean(i, axis=0) | xp.mean(h)
xp.mean(p) | xp.mean(f, axis=1) | xp.mean(c) | xp.mean(x, axis=0, where=x > -1) | xp.mean(i, dtype="f4")
xp.var(x) | xp.var(c) | xp.var(i, axis=1, ddof=1) | xp.var(x, correction=1) | xp.var(h)
xp.var(x, ddof=1, where=x > -5) | xp.std(f, axis=0) | xp.std(x, keepdims=True) | xp.max(x) | xp.max(i, axis=0)
xp.max(n, axis=1) | xp.max(p) | xp.max(x, where=x > 0, initial=-1) | xp.max(x, axis=1, initial=0.5)
xp.min(b) | xp.min(c, axis=0) | xp.amax(x, axis=-1) | xp.amin(x) | xp.ptp(x, axis=0) | xp.ptp(j)
xp.argmax(x) | xp.argmax(n, axis=0) | xp.argmin(x, axis=1, keepdims=True) | xp.argmin(i) | xp.any(p)
xp.any(x > 1, axis=0) | xp.all(i, axis=1) | xp.all(x > 0, where=x > -1) | xp.count_nonzero(i)
xp.count_nonzero(p, axis=0) | xp.average(x) | xp.average(x, axis=1, weights=v)
xp.average(i, weights=xp.abs(y)) | xp.nansum(n, axis=0) | xp.nanmean(n, axis=1) | xp.nanmax(n, axis=0)
xp.nanmin(n) | xp.nanvar(n, axis=0) | xp.nanstd(n) | xp.nanprod(n) | xp.nansum(i) | xp.nanmax(i, axis=0)
xp.sum(e) | xp.sum(e, axis=1) | xp.mean(e, axis=1) | xp.prod(e, axis=0) | xp.any(e) | xp.all(e, axis=0)
xp.max(e, axis=1) | xp.sum(o) | xp.max(o) | xp.argmax(o) | xp.mean(o, axis=()) | xp.cumsum(x)
xp.cumsum(j, axis=1) | xp.cumsum(p) | xp.cumprod(x, axis=0) | xp.cumprod(b, axis=-1) | xp.nancumsum(n)
xp.cumulative_sum(x, axis=1, include_initial=True) | xp.cumulative_prod(v) | xp.cumsum(e, axis=0)
xp.cumsum(o) | xp.diff(x) | xp.diff(x, n=2, axis=0) | xp.diff(p) | xp.diff(j, prepend=0, append=x[:, :1])
xp.ediff1d(x, 9.0, 1.0) | xp.trapezoid(x) | xp.trapezoid(x, v) | xp.trapezoid(x, dx=2, axis=0)
xp.gradient(x) | xp.gradient(f, 2.0, axis=1) | x.sum() | x.mean(0) | x.std() | x.max(1) | i.argmin() | p.any()
x.cumsum() | x.var(0, ddof=1) | x.prod() | x.trace()
"""

SHAPES = """
x.T | t.T | t.mT | x.reshape(2, 6) | x.reshape((2, -1)) | x.reshape(-1) | t.transpose(1, 0, 2)
t.transpose((2, 0, 1)) | xp.reshape(x.T, (4, 3), order="F") | xp.ravel(x.T) | x.flatten()
xp.squeeze(x[None]) | xp.squeeze(x[None], axis=0) | xp.expand_dims(x, (0, 2)) | xp.permute_dims(t, (2, 0, 1))
xp.matrix_transpose(t) | xp.swapaxes(t, 0, -1) | xp.moveaxis(t, 0, -1) | xp.moveaxis(t, (0, 1), (2, 0))
xp.rollaxis(t, 2) | xp.broadcast_to(v, (3, 4)) | xp.broadcast_to(x, (2, 3, 4)) | xp.broadcast_arrays(x, v, 1)
xp.flip(x) | xp.flip(t, (0, 2)) | xp.fliplr(x) | xp.flipud(x) | xp.rot90(x) | xp.rot90(x, 2)
xp.rot90(t, 3, (1, 2)) | xp.roll(x, 1) | xp.roll(x, (1, -2), (0, 1)) | xp.roll(x, 5, axis=1) | xp.tril(x)
xp.triu(t, 1) | xp.tril(v) | xp.diag(v) | xp.diag(x, 1) | xp.diagonal(x) | xp.diagonal(t, 1, 0, 2)
xp.diagflat(x) | xp.atleast_1d(o) | xp.atleast_2d(v) | xp.atleast_3d(x, v) | xp.pad(x, 1)
xp.pad(x, ((1, 2), (0, 1)), mode="edge") | xp.pad(x, 2, mode="reflect") | xp.pad(i, (1, 2), mode="wrap")
xp.pad(x, ((1, 2), (0, 1)), constant_values=((1, 2), (3, 4))) | xp.pad(x, {0: 1}, mode="symmetric")
xp.concatenate([x, i]) | xp.concatenate([x, y, x], axis=1) | xp.concatenate([x, v], axis=None)
xp.concat([f, f], axis=-1) | xp.stack([x, y]) | xp.stack([x, i], axis=-1) | xp.hstack([v, v])
xp.vstack([x, v]) | xp.dstack([x, y]) | xp.column_stack([v, w]) | xp.block([[x, x], [y, y]])
xp.append(x, [1.0, 2.0]) | xp.append(x, x, axis=0) | xp.insert(x, 1, 5.0, axis=1) | xp.unstack(x)
xp.split(x, [1, 3], axis=1) | xp.array_split(x, [2]) | xp.concatenate([e, e]) | e.reshape(3, 0)
xp.stack([o, o]) | x.astype("f4") | x.astype(int) | i.astype(bool) | f.astype(complex) | x.round(1)
x.clip(0) | x.copy() | x.real | c.imag | x.swapaxes(0, 1) | x.squeeze() | x.ravel() | x.diagonal()
x.view(xp.int64) | xp.astype(x, xp.float32)
"""

FIXED_SHAPES = """
xp.tile(x, 2) | xp.tile(x, (2, 1, 1)) | xp.repeat(x, 2) | xp.repeat(x, 3, axis=0)
xp.repeat(x, [1, 0, 2], axis=0) | x.repeat(2, 1) | xp.split(x, 2, axis=1) | xp.array_split(x, 3, axis=1)
xp.hsplit(x, 2) | xp.vsplit(x, 3) | xp.delete(x, 1, axis=0) | xp.delete(x, [0, 2], axis=1) | xp.median(x)
xp.median(b, axis=0) | xp.median(n, axis=1) | xp.quantile(x, [0.1, 0.9], axis=1)
xp.percentile(f, 30, axis=0, keepdims=True) | xp.vander(v) | xp.polyval(v, x) | xp.convolve(x[0], x[1])
xp.convolve(v, x[0], "same") | xp.correlate(x[0], v, "full") | xp.cov(x) | xp.cov(v) | xp.corrcoef(x)
"""

INDEXING = """
xp.take(x, [2, 0], axis=0) | xp.take(x, [0, 5]) | xp.take(x, [[7, -9]], axis=1, mode="wrap")
xp.take(x, [-5, 99], mode="clip") | xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1)
xp.take_along_axis(x, i[:1] % 3, axis=0) | xp.searchsorted(xp.sort(v), x) | xp.choose(i % 2, [x, y])
xp.searchsorted(xp.sort(v), 0.0, side="right") | xp.digitize(x, [-1.0, 0.0, 1.0])
xp.digitize(x, [1.0, 0.0], right=True) | xp.interp(x, [-1.0, 0.0, 1.0], [3.0, 4.0, 9.0])
xp.interp(x, xp.sort(v), v, left=0) | xp.isin(i, [1, 2, 3]) | xp.isin(i, j, invert=True)
xp.select([x > 1, x > 0], [x, 2 * x], -1) | xp.sort(x) | xp.sort(n, axis=0) | xp.sort(x, axis=None)
xp.argsort(i, axis=0, kind="stable") | xp.sort(c) | xp.sort(b, axis=0) | xp.lexsort((i[0], i[1]))
xp.histogram(x, 5, (-2, 2)) | xp.histogram(x, [-2.0, 0.0, 3.0]) | x.take([1]) | xp.argsort(n)
"""

PRODUCTS = """
xp.matmul(x, w) | xp.matmul(t, w) | xp.matmul(v, w) | xp.matmul(x, v) | xp.matmul(v, v) | xp.matmul(i, i.T)
xp.matmul(p, p.T) | xp.matmul(f, f.T) | xp.matmul(c, c.T) | xp.matmul(t, xp.matrix_transpose(t))
xp.dot(x, w) | xp.dot(t, w) | xp.dot(v, v) | xp.dot(t, v) | xp.dot(x, 2) | xp.inner(x, y) | xp.inner(v, v)
xp.outer(v, x[0]) | xp.vdot(c, c) | xp.vdot(x, y) | xp.vecdot(t, x) | xp.vecdot(c, c, axis=0)
xp.matvec(x, v) | xp.vecmat(v, w) | xp.tensordot(t, w, 1) | xp.tensordot(t, x, ((1, 2), (0, 1)))
xp.tensordot(v, v, 0) | xp.kron(x, s) | xp.cross(x[:, :3], y[:, :3]) | xp.trace(x) | xp.trace(t, 1, 1, 2)
xp.einsum("ij->ji", x) | xp.einsum("ij->", x) | xp.einsum("ij,kj", x, y) | xp.einsum("bij,jk->bik", t, w)
xp.einsum("ij,ij,jk->k", x, y, w) | xp.einsum("ii", s) | xp.einsum("ii->i", s)
xp.einsum("...j,...j->...", t, x) | xp.einsum("i,j", v, v) | xp.einsum(x, [0, 1], v, [1], [0])
xp.einsum("ij,j->ij", i, i[0]) | xp.linalg.norm(x) | xp.linalg.norm(c) | xp.linalg.norm(x, axis=1)
xp.linalg.norm(x, 1) | xp.linalg.norm(x, -1) | xp.linalg.norm(x, xp.inf) | xp.linalg.norm(x, 3, axis=0)
xp.linalg.norm(i, 0, axis=0) | xp.linalg.norm(x, xp.inf, axis=0) | xp.linalg.norm(t, "fro", axis=(0, 2))
xp.linalg.norm(x, keepdims=True) | xp.linalg.vector_norm(t, axis=(0, 2)) | xp.linalg.matrix_norm(t)
xp.linalg.matrix_power(s, 5) | xp.linalg.matrix_power(s, 0) | xp.linalg.multi_dot([x, s, w])
xp.linalg.trace(t) | xp.linalg.diagonal(t) | xp.linalg.outer(v, v) | xp.linalg.cross(x[:, :3], y[:, :3])
xp.linalg.matmul(x, w) | xp.linalg.vecdot(x, y) | xp.linalg.tensordot(t, w, axes=1)
"""

CREATION = """
xp.zeros_like(x) | xp.ones_like(x, dtype=int) | xp.full_like(i, 3.7) | xp.full_like(x, x[0]) | x + xp.zeros(4)
i + xp.ones((3, 1), dtype="i4") | xp.full((2, 3), x[0, 0]) | x + xp.arange(4) | x + xp.arange(1, 9, 2)
x + xp.arange(0.0, 1.0, 0.25) | x @ xp.eye(4) | x @ xp.eye(4, 6, k=1) | x @ xp.identity(4) | x + xp.tri(3, 4)
x + xp.linspace(0, 1, 4) | xp.linspace(x[0], x[1], 5) | xp.linspace(x[0, 0], 3, 7)
xp.linspace(x[0], 1, 3, endpoint=False, axis=1) | xp.logspace(x[0, 0], 1, 4) | xp.meshgrid(v, x[0])
xp.meshgrid(v, x[0], indexing="ij", sparse=True) | xp.asarray([x[0, 0], 2.0, x[1, 1]])
xp.array([v, v], ndmin=3) | xp.copy(x)
"""

PROTOCOLS = """
xp.add.reduce(x) | xp.add.reduce(b, axis=1) | xp.add.reduce(x, axis=None, keepdims=True)
xp.multiply.reduce(i, axis=(0, 1)) | xp.maximum.reduce(x, axis=1)
xp.minimum.reduce(x, axis=None, initial=-9, where=x > 0) | xp.logical_and.reduce(p)
xp.logical_or.reduce(p, axis=1) | xp.bitwise_or.reduce(p) | xp.fmax.reduce(n, axis=None)
xp.logaddexp.reduce(x) | xp.add.accumulate(j) | xp.multiply.accumulate(x, axis=1)
xp.maximum.accumulate(n, axis=1) | xp.subtract.outer(v, v) | xp.add.outer(x, v)
"""


def expressions(table: str) -> list[str]:
    """The expressions of a table."""
    return [entry.strip() for line in table.strip().splitlines() for entry in line.split(" | ")]


def call_of(expression: str) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """A function of a namespace and arrays that evaluates the expression, and its arrays."""
    names = [name for name in ARRAYS if name in compile(expression, expression, "eval").co_names]
    function = eval(f"lambda {', '.join(['xp', *names])}: {expression}")
    return function, [ARRAYS[name].copy() for name in names]


# A slice of a run-time extent has a run-time extent, which does not broadcast, also where it turns out to be 1.
NEEDS_KNOWN_EXTENTS = {
    "xp.diff(j, prepend=0, append=x[:, :1])",
    "xp.cross(x[:, :3], y[:, :3])",
    "xp.linalg.cross(x[:, :3], y[:, :3])",
    "xp.take_along_axis(x, i[:1] % 3, axis=0)",
    "xp.unstack(x)",
    "x + xp.arange(0.0, 1.0, 0.25)",
}


def everything() -> list[str]:
    """All expressions but those of the protocols."""
    tables = (ELEMENTWISE, REDUCTIONS, SHAPES, FIXED_SHAPES, INDEXING, PRODUCTS, CREATION)
    return [expression for table in tables for expression in expressions(table)]


def with_run_time_extents() -> list[str]:
    """The expressions that need to know no extent while tracing."""
    fixed = {*expressions(FIXED_SHAPES), *NEEDS_KNOWN_EXTENTS}
    empty = re.compile(r"\be\b")
    return [
        expression for expression in everything() if expression not in fixed and not empty.search(expression)
    ]


def others() -> list[str]:
    """The expressions for known extents only, and those of the protocols."""
    known = [expression for expression in everything() if expression not in set(with_run_time_extents())]
    return [*known, *expressions(PROTOCOLS)]


TOLERANCES = {"float16": 1e-3, "float32": 1e-5, "complex64": 1e-5}


def leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def assert_like_numpy(got: Any, expected: Any) -> None:
    for mine, theirs in itertools.zip_longest(leaves(got), leaves(expected)):
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        assert mine.dtype == theirs.dtype, (mine.dtype, theirs.dtype)
        assert mine.shape == theirs.shape, (mine.shape, theirs.shape)
        tolerance = TOLERANCES.get(mine.dtype.name, 1e-11)
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)
