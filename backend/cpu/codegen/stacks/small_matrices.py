"""Linear algebra of small matrices of known size, generated: many matrices side by side in the lanes of vectors.

    %x, %status = weft.call_loop(%a, %b, %empty) {function = "numpy.linalg._umath_linalg.solve", loop = "dd->d", ...}

becomes a loop over groups of as many matrices as vectors have lanes. Where a result may not be relied on (see
elimination.py, reflections.py and scales.py), LAPACK computes that group again (groups.py): what is singular where that
matters, and what comes of infinities and NaN, is NumPy's word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from .....dialect.mlir import Module, Operation, Value, ir
from .....dialect.ops.ufunc_loops import CallLoop
from .....dialect.records import dataclass
from .....dialect.ufunc_loops import signature_of
from .....passes.base import Pass, Statistics
from .....passes.notes import note
from .....passes.rewriting import defined_functions, operations_in
from ....functions.number import Integer, Number, any_lane
from ....nests.emit import Emitter, Index, create
from ..vectors.width import vector_bytes
from .eigenvalues import eigenvalues
from .elimination import cholesky_factor, eliminated
from .entries import Entry, Matrix, adjoint, as_matrix, as_numbers, sum_of
from .groups import Groups, cores_of
from .lanes import Stack
from .least_squares import least_squares
from .reflections import Reflections, reflected
from .singular_values import decomposition, singular_values

LARGEST, LARGEST_COMPLEX = 8, 6
"""Rows and columns of matrices that code is generated for: it grows as their third power, to half a second of LLVM."""

_LIBRARY = "numpy.linalg._umath_linalg."

Found: TypeAlias = "tuple[list[Matrix], Value]"
"""The results of an op, and in which lanes they may be relied on."""


@dataclass(frozen=True)
class WriteSmallMatrices(Pass):
    """Write linear algebra of small matrices as vector code, many matrices at a time."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            found = [op for op in operations_in(view.regions[0].blocks[0]) if _is_small(op)]
            for operation in found:
                with ir.InsertionPoint(operation), operation.location:
                    note(
                        "algorithm",
                        operation.location,
                        "works on small matrices, several side by side in vectors",
                    )
                    _Matrices(operation, Emitter(view.operation)).write()
                operation.erase()
                statistics["calls generated"] += 1


def _solve(a: Matrix, b: Matrix) -> Found:
    elimination = eliminated(a, b)
    return [elimination.solutions()], elimination.reliable


def _inv(a: Matrix) -> Found:
    extent = range(len(a))
    unit = [[a[0][0].constant(float(row == column)) for column in extent] for row in extent]
    return _solve(a, unit)


def _det(a: Matrix) -> Found:
    elimination = eliminated(a, [[]] * len(a))
    return [[[elimination.determinant()]]], elimination.reliable


def _slogdet(a: Matrix) -> Found:
    elimination = eliminated(a, [[]] * len(a))
    determinant = elimination.determinant()
    size = determinant.absolute()
    logarithm = Number(create("math.log", [size.type], [size.value]))
    return [[[determinant.direction()]], [[Entry(logarithm)]]], elimination.reliable


def _cholesky(a: Matrix) -> Found:
    factor, reliable = cholesky_factor(a)
    return [factor], reliable


def _upper_cholesky(a: Matrix) -> Found:
    factor, reliable = cholesky_factor(adjoint(a))
    return [adjoint(factor)], reliable


def _qr_factors(a: Matrix) -> Found:
    reflections = reflected(a)
    return [reflections.factors, [reflections.scales]], reflections.reliable


def _qr_basis(factors: Matrix, scales: Matrix, full: bool) -> Found:
    (taken,) = scales
    numbers = [entry for row in factors for entry in row] + taken
    finite = sum_of([entry.size() for entry in numbers]).compare("<", 2.0**1000)
    reflections = Reflections(factors, taken, finite)
    return [reflections.basis(len(factors) if full else len(taken))], reflections.reliable


def _eigh(emitter: Emitter, a: Matrix, upper: bool, vectors: bool = True) -> Found:
    found = eigenvalues(emitter, a if upper else adjoint(a), vectors)
    values = list(map(Entry, found.values))
    if not vectors:
        return [[values]], found.reliable
    return [[values], found.vectors], found.reliable


def _svd(emitter: Emitter, a: Matrix, full: bool) -> Found:
    found = decomposition(emitter, a, full)
    return [found.left, [list(map(Entry, found.values))], found.right], found.reliable


def _svdvals(emitter: Emitter, a: Matrix) -> Found:
    values, reliable = singular_values(emitter, a)
    return [[list(map(Entry, values))]], reliable


def _lstsq(emitter: Emitter, a: Matrix, b: Matrix, rcond: Matrix) -> Found:
    found = least_squares(emitter, a, b, rcond[0][0].real)
    numbers = ([*map(Entry, each)] for each in (found.residuals, [found.rank], found.values))
    return [found.solutions, *([row] for row in numbers)], found.reliable


_DIRECT: Mapping[str, Callable[..., Found]] = MappingProxyType(
    {
        _LIBRARY + "solve": _solve,
        _LIBRARY + "inv": _inv,
        _LIBRARY + "det": _det,
        _LIBRARY + "slogdet": _slogdet,
        _LIBRARY + "cholesky_lo": _cholesky,
        _LIBRARY + "cholesky_up": _upper_cholesky,
        _LIBRARY + "qr_r_raw": _qr_factors,
        _LIBRARY + "qr_reduced": partial(_qr_basis, full=False),
        _LIBRARY + "qr_complete": partial(_qr_basis, full=True),
    }
)

_ITERATIVE: Mapping[str, Callable[..., Found]] = MappingProxyType(
    {
        _LIBRARY + "eigh_lo": partial(_eigh, upper=False),
        _LIBRARY + "eigh_up": partial(_eigh, upper=True),
        _LIBRARY + "eigvalsh_lo": partial(_eigh, upper=False, vectors=False),
        _LIBRARY + "eigvalsh_up": partial(_eigh, upper=True, vectors=False),
        _LIBRARY + "svd": _svdvals,
        _LIBRARY + "svd_s": partial(_svd, full=False),
        _LIBRARY + "svd_f": partial(_svd, full=True),
        _LIBRARY + "lstsq": _lstsq,
    }
)
"""What has loops of its own, and takes what writes them."""


def _is_small(op: Operation) -> bool:
    """Whether an op is a call on matrices of a known size for which there is code."""
    if op.name != CallLoop.mlir_name() or op.attributes["function"].value not in {*_DIRECT, *_ITERATIVE}:
        return False
    cores = cores_of(op)
    largest = LARGEST_COMPLEX if isinstance(op.operands[0].type.element_type, ir.ComplexType) else LARGEST
    return max(cores[0]) > 1 and all(0 < extent <= largest for core in cores for extent in core)


class _Matrices:
    """The matrices that a call takes and gives, in groups."""

    def __init__(self, operation: Operation, emitter: Emitter) -> None:
        self._emitter = emitter
        self._cores = cores_of(operation)
        self._function = operation.attributes["function"].value
        self._taken = len(signature_of(self._function).operands)
        self._first_result = len(operation.operands) - operation.attributes["updated"].value
        self._groups = Groups(operation, emitter, vector_bytes() // 8)

    def write(self) -> None:
        """Write the loop over groups."""
        self._groups.write(self._compute)

    def _compute(self, inside: Sequence[Index]) -> Value:
        """Compute the matrices at some places; in which lanes the results may be relied on."""
        emitter, loop = self._emitter, self._groups.loop
        stacks = [
            Stack.of(place, math.prod(core), emitter)
            for place, core in zip(loop.places, self._cores, strict=True)
        ]
        places = [inside if self._is_stacked(number) else [0] * len(inside) for number in range(len(stacks))]
        taken = [
            as_matrix(
                stacks[number].load(places[number], emitter),
                core[-1] if core else 1,
                _is_complex(loop.places[number]),
            )
            for number, core in enumerate(self._cores[: self._taken])
        ]
        results, reliable = self._computed(taken)
        for number, result in enumerate(results, self._first_result):
            given = as_numbers(result)
            if number < self._taken:  # in the place of what the library is asked again about
                given = self._kept(given, as_numbers(taken[number]), reliable)
            stacks[number].store(given, places[number], emitter)
        return reliable

    def _computed(self, taken: Sequence[Matrix]) -> Found:
        direct = _DIRECT.get(self._function)
        return direct(*taken) if direct else _ITERATIVE[self._function](self._emitter, *taken)

    def _kept(self, given: Sequence[Number], taken: Sequence[Number], reliable: Value) -> list[Number]:
        """Results, or what was there before where one of the lanes cannot be relied on."""
        again = any_lane((Integer(reliable) ^ 1).value)
        return [old.where(again, new) for old, new in zip(taken, given, strict=True)]

    def _is_stacked(self, number: int) -> bool:
        """Whether there is a core for each iteration, and not one for all."""
        return bool(self._groups.loop.places[number].type.rank > len(self._cores[number]))


def _is_complex(memory: Value) -> bool:
    return isinstance(memory.type.element_type, ir.ComplexType)
