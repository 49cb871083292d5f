"""Factorisations of stacks of matrices, by the loops over LAPACK that NumPy has: matrices are the last two axes.

They are defined for float64 and complex128, in which NumPy computes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from .. import matrix_rules as rules
from ..errors import WeftValueError
from ..op import Attributes, Bool, Case, Operand, TensorType
from .ufunc_loops import LoopOp

_LOOPS = "numpy.linalg._umath_linalg."
_SQUARE = (Case(((3, 3),)), Case(((2, 4, 4),)), Case(((0, 2, 2),)), Case(((1, 1),)))
_RECTANGULAR = (Case(((3, 2),)), Case(((2, 3, 4),)), Case(((0, 2, 3),)), Case(((2, 2),)))
_FINITE = (-4.0, 4.0)
"""Bounds of samples of matrices with which LAPACK writes to where it must not if an element is not finite."""
_DTYPES = (np.dtype(np.float64), np.dtype(np.complex128))


class Factorization(LoopOp, family="linear_algebra"):
    """Base of the ops on stacks of matrices."""

    defined_for = _DTYPES


class Solve(Factorization, name="solve"):
    """Solve the linear systems `a @ x = b`, every column of b on its own; and whether a matrix is singular."""

    a: Operand
    b: Operand
    function = _LOOPS + "solve"
    results = 2
    cases = (
        Case(((3, 3), (3, 2))),
        Case(((2, 2, 2), (2, 2, 1))),
        Case(((2, 2), (3, 2, 4))),
        Case(((0, 0), (0, 3))),
    )
    pullback = staticmethod(rules.solve_pullback)
    pushforward = staticmethod(rules.solve_pushforward)


class Inv(Factorization, name="inv"):
    """Invert matrices; and whether one is singular."""

    x: Operand
    function = _LOOPS + "inv"
    results = 2
    cases = _SQUARE
    pullback = staticmethod(rules.inverse_pullback)
    pushforward = staticmethod(rules.inverse_pushforward)


class Det(Factorization, name="det"):
    """The determinants of matrices."""

    x: Operand
    function = _LOOPS + "det"
    fails = False
    cases = _SQUARE
    pullback = staticmethod(rules.determinant_pullback)
    pushforward = staticmethod(rules.determinant_pushforward)


class Slogdet(Factorization, name="slogdet"):
    """The signs of determinants, and the logarithms of their absolute values."""

    x: Operand
    function = _LOOPS + "slogdet"
    fails = False
    results = 2
    cases = _SQUARE
    pullback = staticmethod(rules.log_determinant_pullback)
    pushforward = staticmethod(rules.log_determinant_pushforward)


class Triangle(Factorization):
    """Base of the ops that read one triangle of matrices, which are taken to be symmetric or Hermitian."""

    x: Operand
    upper: Bool
    cases: ClassVar[tuple[Case, ...]] = tuple(
        Case(case.shapes, {"upper": upper}) for case in _SQUARE for upper in (False, True)
    )

    @classmethod
    def function_of(cls, attributes: Attributes) -> str:
        """That of the triangle."""
        return cls.function + ("_up" if attributes["upper"] else "_lo")


class Cholesky(Triangle, name="cholesky"):
    """The triangular factors of positive definite matrices; and whether one is not."""

    function = _LOOPS + "cholesky"
    results = 2
    pullback = staticmethod(rules.cholesky_pullback)
    pushforward = staticmethod(rules.cholesky_pushforward)


class Eigh(Triangle, name="eigh"):
    """The eigenvalues in ascending order and eigenvectors of Hermitian matrices; and whether they did not converge."""

    function = _LOOPS + "eigh"
    results = 3
    pullback = staticmethod(rules.eigh_pullback)
    pushforward = staticmethod(rules.eigh_pushforward)


class Eigvalsh(Triangle, name="eigvalsh"):
    """The eigenvalues of Hermitian matrices in ascending order; and whether they did not converge."""

    function = _LOOPS + "eigvalsh"
    results = 2
    pullback = staticmethod(rules.eigvalsh_pullback)
    pushforward = staticmethod(rules.eigvalsh_pushforward)


class General(Factorization):
    """Base of the ops that may not end where an element is not finite: what guards them stays in front."""

    x: Operand
    cases = tuple(Case(case.shapes, {}, *_FINITE) for case in _SQUARE)

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Never."""
        return False


class Eig(General, name="eig"):
    """The complex eigenvalues and eigenvectors of matrices; and whether they did not converge."""

    function = _LOOPS + "eig"
    underived = "write it with eigh where matrices are Hermitian"
    results = 3


class Eigvals(General, name="eigvals"):
    """The complex eigenvalues of matrices; and whether they did not converge."""

    function = _LOOPS + "eigvals"
    underived = "write it with eigvalsh where matrices are Hermitian"
    results = 2


class Smaller(Factorization):
    """Base of the ops whose results have the smaller extent of matrices as an extent."""

    @classmethod
    def new_sizes(cls, math: Any, sizes: dict[str, Any], attributes: Attributes) -> dict[str, Any]:
        """The smaller extent."""
        return {"p": math.minimum(sizes["m"], sizes["n"])}


class Svd(Smaller, name="svd"):
    """Singular value decompositions `u, s, vh`, of full size or reduced; and whether they did not converge."""

    x: Operand
    full: Bool
    function = _LOOPS + "svd"
    underived = "that of singular values alone, np.linalg.svdvals, is known, and that of eigh"
    results = 4
    cases = tuple(
        Case(case.shapes, {"full": full}, *_FINITE) for case in _RECTANGULAR for full in (False, True)
    )

    @classmethod
    def function_of(cls, attributes: Attributes) -> str:
        """That of the size."""
        return cls.function + ("_f" if attributes["full"] else "_s")

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Never: it may not end where an element is infinite, and what guards it stays in front."""
        return False


class Svdvals(Smaller, name="svdvals"):
    """The singular values of matrices in descending order; and whether they did not converge."""

    x: Operand
    function = _LOOPS + "svd"
    results = 2
    cases = _RECTANGULAR
    pullback = staticmethod(rules.singular_values_pullback)
    pushforward = staticmethod(rules.singular_values_pushforward)


class QrFactors(Smaller, name="qr_factors"):
    """Householder's factors: R in the upper triangle, reflections below, and their scales; and whether it failed."""

    x: Operand
    function = _LOOPS + "qr_r_raw"
    overwrites = 1
    underived = "write it with np.linalg.cholesky: r is the upper factor of x.T @ x up to signs"
    results = 3
    cases = _RECTANGULAR


class QrBasis(Factorization, name="qr_basis"):
    """The orthonormal columns, as many as rows or as scales, of Householder's factors; and whether it failed."""

    factors: Operand
    scales: Operand
    full: Bool
    function = _LOOPS + "qr"
    underived = "write it with np.linalg.cholesky: r is the upper factor of x.T @ x up to signs"
    results = 2
    cases = (
        Case(((3, 2), (2,)), {"full": True}),
        Case(((3, 2), (2,)), {"full": False}),
        Case(((2, 2, 3), (2, 2)), {"full": False}),
    )

    @classmethod
    def function_of(cls, attributes: Attributes) -> str:
        """That of the size."""
        return cls.function + ("_complete" if attributes["full"] else "_reduced")

    @classmethod
    def require_sizes(cls, sizes: dict[str, Any]) -> None:
        """There is a scale for each of Householder's vectors."""
        rows, columns, scales = sizes["m"], sizes["n"], sizes.get("k", sizes["n"])
        if None not in (rows, columns, scales) and scales != min(rows, columns):
            raise WeftValueError(f"weft.qr_basis: {scales} scales for factors of shape ({rows}, {columns})")


class Lstsq(Smaller, name="lstsq"):
    """Least squares `x, residuals, rank, s`, where `s < rcond * max(s)` count as zero; and whether it failed."""

    a: Operand
    b: Operand
    rcond: Operand
    operand_pattern = (None, None, _DTYPES[0])
    function = _LOOPS + "lstsq"
    underived = "write it with np.linalg.solve(a.T @ a, a.T @ b)"
    results = 5
    cases = (Case(((4, 2), (4, 3), ())), Case(((2, 3), (2, 1), ())))
