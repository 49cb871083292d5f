"""Derivatives of factorisations of stacks of matrices, in terms of the ops themselves.

Formulas: M. B. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008); for complex matrices transposes become conjugate transposes. Where an op reads one triangle of its operand, the
other one has cotangents of zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .emitter import Emitter, Tensor

Tensors: TypeAlias = "Sequence[Tensor]"
Moves: TypeAlias = "Sequence[Tensor | None]"
Found: TypeAlias = "list[Tensor | None]"


def adjoint(b: Emitter, x: Tensor) -> Tensor:
    """The conjugate transposes."""
    turned: Tensor = b.transpose(b.conj(x), permutation=(*range(x.rank - 2), x.rank - 1, x.rank - 2))
    return turned


def hermitian(b: Emitter, x: Tensor, upper: bool) -> Tensor:
    """The Hermitian matrices that one triangle stands for."""
    strict: Tensor = b.triu(x, k=1) if upper else b.tril(x, k=-1)
    return strict + adjoint(b, strict) + _real_diagonal(b, x)


def in_triangle(b: Emitter, g: Tensor, upper: bool) -> Tensor:
    """The cotangent of the triangle that Hermitian matrices are made of."""
    both = g + adjoint(b, g)
    strict: Tensor = b.triu(both, k=1) if upper else b.tril(both, k=-1)
    return strict + _real_diagonal(b, g)


def _real_diagonal(b: Emitter, x: Tensor) -> Tensor:
    diagonal: Tensor = b.tril(b.triu(x, k=0), k=0)
    return (diagonal + b.conj(diagonal)) * 0.5 if x.is_complex else diagonal


def _is_diagonal(b: Emitter, x: Tensor) -> Tensor:
    return b.positions(x, x.rank - 1).equals(b.positions(x, x.rank - 2))


def on_diagonal(b: Emitter, values: Tensor, like: Tensor) -> Tensor:
    """Square matrices with some numbers on the diagonal, zeros elsewhere."""
    rows = b.expand_dims(b.converted(values, like.dtype), axes=(values.rank,))
    found: Tensor = b.select(_is_diagonal(b, like), rows, 0)
    return found


def solve_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """By b: a⁻ᴴ g; by a: minus that times xᴴ."""
    (a, right), (x, _) = operands, results
    if given[0] is None:
        return [None, None]
    solved, _ = b.solve(adjoint(b, a), given[0])
    return [b.unbroadcast(-b.matmul(solved, adjoint(b, x)), a), b.unbroadcast(solved, right)]


def solve_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """a⁻¹ (db - da x)."""
    (a, _), (x, _) = operands, results
    moved_a, moved_b = given
    moved = moved_b
    if moved_a is not None:
        change = b.matmul(moved_a, x)
        moved = -change if moved_b is None else moved_b - change
    return [None, None] if moved is None else [b.refined(b.solve(a, moved)[0], x.type), None]


def inverse_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """-yᴴ g yᴴ."""
    if given[0] is None:
        return [None]
    turned = adjoint(b, results[0])
    return [-b.matmul(b.matmul(turned, given[0]), turned)]


def inverse_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """-y dx y."""
    if given[0] is None:
        return [None, None]
    return [-b.matmul(b.matmul(results[0], given[0]), results[0]), None]


def _of_matrices(b: Emitter, values: Tensor) -> Tensor:
    """One number for each matrix, in the shape to multiply matrices by."""
    found: Tensor = b.expand_dims(values, axes=(values.rank, values.rank + 1))
    return found


def _relative_change(b: Emitter, x: Tensor, moved: Tensor) -> Tensor:
    """The traces of x⁻¹ dx."""
    inverse, _ = b.inv(x)
    turned = b.transpose(inverse, permutation=(*range(x.rank - 2), x.rank - 1, x.rank - 2))
    found: Tensor = b.sum(turned * moved, axes=(x.rank - 2, x.rank - 1), keepdims=False)
    return found


def determinant_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """g conj(y) x⁻ᴴ."""
    if given[0] is None:
        return [None]
    inverse, _ = b.inv(operands[0])
    return [_of_matrices(b, given[0] * b.conj(results[0])) * adjoint(b, inverse)]


def determinant_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """The determinant times the trace of x⁻¹ dx."""
    return [None if given[0] is None else results[0] * _relative_change(b, operands[0], given[0])]


def log_determinant_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """The real part of the trace of x⁻¹ dx moves the logarithm, the imaginary part the sign."""
    (x,), (sign, _) = operands, results
    by_sign, by_logarithm = given
    factor = None if by_logarithm is None else b.converted(by_logarithm, x.dtype)
    if by_sign is not None and x.is_complex:
        turn = -b.imag(b.conj(by_sign) * sign)
        part = b.complex(b.zeros_like(turn), turn)
        factor = part if factor is None else factor + part
    if factor is None:
        return [None]
    inverse, _ = b.inv(x)
    return [_of_matrices(b, factor) * adjoint(b, inverse)]


def log_determinant_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """The real part of the trace of x⁻¹ dx, and the sign turned by its imaginary part."""
    if given[0] is None:
        return [None, None]
    change = _relative_change(b, operands[0], given[0])
    if not change.is_complex:
        return [None, change]
    turn = b.imag(change)
    return [results[0] * b.complex(b.zeros_like(turn), turn), b.real(change)]


def _half(b: Emitter, x: Tensor) -> Tensor:
    """The lower triangles with half of the diagonals."""
    strict, whole = b.one("tril", x, k=-1), b.one("tril", x, k=0)
    return (strict + whole) * 0.5


def cholesky_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors, upper: bool) -> Found:
    """l⁻ᴴ half(lᴴ g) l⁻¹, in one triangle."""
    if given[0] is None:
        return [None]
    factor = adjoint(b, results[0]) if upper else results[0]
    g = adjoint(b, given[0]) if upper else given[0]
    turned = adjoint(b, factor)
    inner, _ = b.solve(turned, _half(b, b.matmul(turned, g)))
    whole, _ = b.solve(turned, adjoint(b, inner))  # (l⁻ᴴ half l⁻¹)ᴴ
    return [in_triangle(b, adjoint(b, whole), upper)]


def cholesky_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors, upper: bool) -> Found:
    """l half(l⁻¹ dx l⁻ᴴ)."""
    if given[0] is None:
        return [None, None]
    factor = adjoint(b, results[0]) if upper else results[0]
    inner, _ = b.solve(factor, hermitian(b, given[0], upper))
    whole, _ = b.solve(factor, adjoint(b, inner))
    moved = b.matmul(factor, _half(b, whole))
    return [adjoint(b, moved) if upper else moved, None]


def _gaps(b: Emitter, values: Tensor, vectors: Tensor) -> Tensor:
    """1 over the differences of eigenvalues, of the column less the row; 0 on the diagonal."""
    rank = vectors.rank
    difference = b.expand_dims(values, axes=(rank - 2,)) - b.expand_dims(values, axes=(rank - 1,))
    is_diagonal = _is_diagonal(b, vectors)
    found = b.select(is_diagonal, 0, 1 / b.select(is_diagonal, 1, difference))
    return b.converted(found, vectors.dtype)


def eigh_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors, upper: bool) -> Found:
    """v (diag(gw) + gaps * vᴴ gv) vᴴ, in one triangle."""
    values, vectors, _ = results
    by_values, by_vectors = given[0], given[1]
    turned = adjoint(b, vectors)
    inner = None if by_values is None else on_diagonal(b, by_values, vectors)
    if by_vectors is not None:
        part = _gaps(b, values, vectors) * b.matmul(turned, by_vectors)
        inner = part if inner is None else inner + part
    if inner is None:
        return [None]
    return [in_triangle(b, b.matmul(b.matmul(vectors, inner), turned), upper)]


def eigh_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors, upper: bool) -> Found:
    """The diagonal of vᴴ dx v, and v times the gaps times it."""
    if given[0] is None:
        return [None, None, None]
    values, vectors, _ = results
    moved = b.matmul(b.matmul(adjoint(b, vectors), hermitian(b, given[0], upper)), vectors)
    diagonal = b.diagonal(moved, offset=0)
    real = b.real(diagonal) if diagonal.is_complex else diagonal
    return [real, b.matmul(vectors, _gaps(b, values, vectors) * moved), None]


def eigvalsh_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors, upper: bool) -> Found:
    """As of the eigenvalues of `eigh`."""
    if given[0] is None:
        return [None]
    return eigh_pullback(b, [given[0], None, None], operands, b.eigh(operands[0], upper=upper), upper)


def eigvalsh_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors, upper: bool) -> Found:
    """As of the eigenvalues of `eigh`."""
    if given[0] is None:
        return [None, None]
    return [eigh_pushforward(b, given, operands, b.eigh(operands[0], upper=upper), upper)[0], None]


def singular_values_pullback(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """u diag(g) vᴴ."""
    if given[0] is None:
        return [None]
    u, _, vh, _ = b.svd(operands[0], full=False)
    row = b.expand_dims(b.converted(given[0], u.dtype), axes=(u.rank - 2,))
    return [b.matmul(u * row, vh)]


def singular_values_pushforward(b: Emitter, given: Moves, operands: Tensors, results: Tensors) -> Found:
    """The real diagonal of uᴴ dx v."""
    if given[0] is None:
        return [None, None]
    u, _, vh, _ = b.svd(operands[0], full=False)
    moved = b.diagonal(b.matmul(b.matmul(adjoint(b, u), given[0]), adjoint(b, vh)), offset=0)
    return [b.real(moved) if moved.is_complex else moved, None]
