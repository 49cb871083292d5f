"""Transforms, factorizations and normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.emitter import Tensor
from ....dialect.mlir import Operation
from ..context import stablehlo
from .table import Builder, Refused, flag, ints, number, rule


@rule("fft")
def fft(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.fft`, `rfft` and `irfft`, along one axis after the other."""
    form = str(stablehlo().FftTypeAttr(op.attributes["fft_type"]).value)
    lengths = ints(op, "fft_length")
    if None in x.shape[x.rank - len(lengths) :]:
        raise Refused("transforms axes of sizes that are not known")
    real = np.dtype(np.float64) if x.dtype.itemsize == (16 if x.is_complex else 8) else np.dtype(np.float32)
    last = x.rank - 1
    others = list(range(x.rank - len(lengths), last))
    if form == "IRFFT":
        for axis in others:
            x = _along(b, x, axis, True, lengths[axis - x.rank], real)
        scale = b.number(1 / lengths[-1] if lengths[-1] else 1, real)
        half = b.along(x, last, 0, lengths[-1] // 2 + 1)
        return b.one("irfft", half, scale, odd=lengths[-1] % 2 == 1)
    if form == "RFFT":
        x = b.rfft(x, b.number(1, real), odd=lengths[-1] % 2 == 1)
    else:
        others.append(last)
    for axis in reversed(others):
        x = _along(b, x, axis, form == "IFFT", lengths[axis - x.rank], real)
    return x


def _along(b: Builder, x: Tensor, axis: int, inverse: bool, length: int, real: np.dtype[Any]) -> Tensor:
    """The transform along one axis."""
    order = [*range(x.rank)]
    order[axis], order[-1] = order[-1], order[axis]
    scale = b.number(1 / length if inverse and length else 1, real)
    return b.moved(b.fft(b.moved(x, order), scale, inverse=inverse), order)


def _in_double(b: Builder, x: Tensor) -> Tensor:
    """Numbers in the precision that factorizations have."""
    return b.converted(x, np.dtype(np.complex128 if x.is_complex else np.float64))


@rule("cholesky")
def cholesky(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.cholesky`, in double precision; NaNs where a matrix is not positive definite."""
    lower = flag(op, "lower")
    factor, _ = b.cholesky(_in_double(b, x), upper=not lower)
    return b.converted(factor, x.dtype)


@rule("triangular_solve")
def triangular_solve(b: Builder, op: Operation, a: Tensor, y: Tensor) -> Tensor:
    """`weft.solve` of one triangle, in double precision."""
    wide, right = _in_double(b, a), _in_double(b, y)
    lower = flag(op, "lower")
    matrix = b.tril(wide, k=0) if lower else b.triu(wide, k=0)
    if flag(op, "unit_diagonal"):
        size = a.shape[-1]
        if size is None:
            raise Refused("has matrices of a size that is not known")
        matrix = b.tril(wide, k=-1) if lower else b.triu(wide, k=1)
        matrix = matrix + b.constant(value=np.eye(size, dtype=matrix.dtype))
    swap = (*range(a.rank - 2), a.rank - 1, a.rank - 2)
    how = str(stablehlo().TransposeAttr(op.attributes["transpose_a"]).value)
    if how in ("TRANSPOSE", "ADJOINT"):
        matrix = b.transpose(matrix, permutation=swap)
        matrix = b.conj(matrix) if how == "ADJOINT" else matrix
    if flag(op, "left_side"):
        found, _ = b.solve(matrix, right)
    else:
        turned, _ = b.solve(b.transpose(matrix, permutation=swap), b.transpose(right, permutation=swap))
        found = b.transpose(turned, permutation=swap)
    return b.converted(found, y.dtype)


# Normalisation


def _by_feature(b: Builder, value: Tensor, x: Tensor, axis: int) -> Tensor:
    """A number for each feature, at every element."""
    return b.inserted(value, [a for a in range(x.rank) if a != axis])


def _moments(b: Builder, x: Tensor, axis: int) -> tuple[Tensor, Tensor, list[int]]:
    """The mean and variance of each feature."""
    axes = [a for a in range(x.rank) if a != axis]
    count = b.as_number(b.count(x, axes), x.dtype)
    mean = b.sum(x, axes=tuple(axes), keepdims=False) / count
    centred = x - _by_feature(b, mean, x, axis)
    return mean, b.sum(centred * centred, axes=tuple(axes), keepdims=False) / count, axes


def _normalised(
    b: Builder, op: Operation, x: Tensor, mean: Tensor, variance: Tensor, axis: int
) -> tuple[Tensor, Tensor]:
    """What is left of elements without mean, by the deviation; and the deviation."""
    epsilon = b.number(float(op.attributes["epsilon"].value), x.dtype)
    deviation = b.sqrt(variance + epsilon)
    centred = x - _by_feature(b, mean, x, axis)
    return centred / _by_feature(b, deviation, x, axis), deviation


@rule("batch_norm_inference")
def batch_norm_inference(
    b: Builder, op: Operation, x: Tensor, scale: Tensor, offset: Tensor, mean: Tensor, variance: Tensor
) -> Tensor:
    """Elements normalised by a mean and a variance for each feature."""
    axis = number(op, "feature_index")
    normal, _ = _normalised(b, op, x, mean, variance, axis)
    return normal * _by_feature(b, scale, x, axis) + _by_feature(b, offset, x, axis)


@rule("batch_norm_training")
def batch_norm_training(
    b: Builder, op: Operation, x: Tensor, scale: Tensor, offset: Tensor
) -> Sequence[Tensor]:
    """Elements normalised by their own mean and variance, with these."""
    axis = number(op, "feature_index")
    mean, variance, _ = _moments(b, x, axis)
    normal, _ = _normalised(b, op, x, mean, variance, axis)
    return [normal * _by_feature(b, scale, x, axis) + _by_feature(b, offset, x, axis), mean, variance]


@rule("batch_norm_grad")
def batch_norm_grad(
    b: Builder, op: Operation, x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor, g: Tensor
) -> Sequence[Tensor]:
    """The cotangents of `batch_norm_training`."""
    axis = number(op, "feature_index")
    axes = tuple(a for a in range(x.rank) if a != axis)
    normal, deviation = _normalised(b, op, x, mean, variance, axis)
    count = b.as_number(b.count(x, axes), x.dtype)
    of_scale = b.sum(g * normal, axes=axes, keepdims=False)
    of_offset = b.sum(g, axes=axes, keepdims=False)
    inner = g - _by_feature(b, of_offset / count, x, axis)
    inner = inner - normal * _by_feature(b, of_scale / count, x, axis)
    return [inner * _by_feature(b, scale / deviation, x, axis), of_scale, of_offset]
