"""Products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..namespace import weft
from ..table import Refused, rule
from .elementwise import scalar


def _like(found: Any, operand: Any) -> Any:
    """A product in the dtype of its operands: those of bfloat16 are float32 in the namespace."""
    return found if found.dtype == operand.dtype else weft.astype(found, operand.dtype)


@rule("Gemm")
def gemm(
    a: Any, b: Any, c: Any = None, *, alpha: float, beta: float, transA: int, transB: int, broadcast: int = 1
) -> Any:
    """alpha * a @ b + beta * c, each matrix transposed as the attributes say."""
    found = _like(weft.matmul(a.T if transA else a, b.T if transB else b), a)
    if alpha != 1:
        found = found * scalar(alpha, a)
    if c is None:
        return found
    return found + (c if beta == 1 else c * scalar(beta, a))


@rule("Einsum")
def einsum(*operands: Any, equation: str) -> Any:
    """`weft.einsum`."""
    return _like(weft.asarray(weft.einsum(equation.replace(" ", ""), *operands)), operands[0])


@rule("MatMulInteger")
def mat_mul_integer(a: Any, b: Any, a_zero_point: Any = None, b_zero_point: Any = None) -> Any:
    """The product of integers in int32, less their zero points: one, or one for each row of a and column of b."""
    left, right = weft.astype(a, np.int32), weft.astype(b, np.int32)
    if a_zero_point is not None:
        left = left - _by_row(weft.astype(weft.asarray(a_zero_point), np.int32))
    if b_zero_point is not None:
        right = right - weft.astype(weft.asarray(b_zero_point), np.int32)
    return weft.matmul(left, right)


def _by_row(point: Any) -> Any:
    return weft.expand_dims(point, axis=-1) if point.ndim == 1 else point


@rule("Hardmax", since=13)
def hardmax(x: Any, *, axis: int) -> Any:
    """1 at the first of the largest elements along an axis, else 0."""
    places = weft.expand_dims(weft.argmax(x, axis=axis), axis=axis)
    line = weft.arange(x.shape[axis])
    shape = [1] * x.ndim
    shape[axis] = -1
    return weft.astype(weft.equal(weft.reshape(line, tuple(shape)), places), x.dtype)


def _as_matrix(of: Any) -> Any:
    """What was before version 13: the axes from one on are taken for one."""

    def old(x: Any, *, axis: int) -> Any:
        from .shapes import flatten

        if isinstance(x.shape, tuple) and x.ndim == 0:
            raise Refused("takes an array with axes")
        return weft.reshape(of(flatten(x, axis=axis), axis=-1), x.shape)

    old.__doc__ = f"As from version 13 on, of all axes from one on together. {of.__doc__ or ''}"
    return old


@rule("Softmax", since=13)
def softmax(x: Any, *, axis: int) -> Any:
    """Exponentials divided by their sum along an axis."""
    power = weft.exp(x - weft.max(x, axis=axis, keepdims=True))
    return power / weft.sum(power, axis=axis, keepdims=True)


@rule("LogSoftmax", since=13)
def log_softmax(x: Any, *, axis: int) -> Any:
    """The logarithm of `Softmax`."""
    less = x - weft.max(x, axis=axis, keepdims=True)
    return less - weft.log(weft.sum(weft.exp(less), axis=axis, keepdims=True))


rule("Softmax")(_as_matrix(softmax))
rule("LogSoftmax")(_as_matrix(log_softmax))
rule("Hardmax")(_as_matrix(hardmax))


rule("MatMul", says="`weft.matmul`.")(lambda a, b: _like(weft.matmul(a, b), a))
rule("Det", says="`weft.linalg.det`.")(lambda x: weft.astype(weft.asarray(weft.linalg.det(x)), x.dtype))
