"""Linear algebra of small matrices of known size, generated: many matrices side by side in the lanes of vectors.

    %x, %status = weft.call_loop(%a, %b, %empty) {function = "numpy.linalg._umath_linalg.solve", loop = "dd->d", ...}

becomes a loop over groups of as many matrices as vectors have lanes. Where a result may not be relied on (see
elimination.py), LAPACK computes that group again (groups.py): what is singular, and what comes of infinities and NaN,
is NumPy's word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from .....dialect.mlir import Module, Operation, Value, ir
from .....dialect.ops.ufunc_loops import CallLoop
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.rewriting import defined_functions, operations_in
from ....functions.number import Number
from ....nests.emit import Emitter, Index, create
from ..vectors.width import vector_bytes
from .elimination import cholesky_factor, eliminated
from .entries import Entry, Matrix, as_matrix, as_numbers
from .groups import Groups, cores_of
from .lanes import Stack

LARGEST, LARGEST_COMPLEX = 8, 6
"""Rows and columns of matrices that code is generated for: it grows as their third power, to half a second of LLVM."""

_LIBRARY = "numpy.linalg._umath_linalg."

Found: TypeAlias = "tuple[list[Matrix], Value]"
"""The results of an op, and in which lanes they may be relied on."""


@dataclass(frozen=True)
class WriteSmallMatrices(Pass):
    """Replace library calls on small matrices by generated code."""

    name: ClassVar[str] = "write-small-matrices"
    summary: ClassVar[str] = "write linear algebra of small matrices as vector code, many matrices at a time"

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            found = [op for op in operations_in(view.regions[0].blocks[0]) if _is_small(op)]
            for operation in found:
                with ir.InsertionPoint(operation), operation.location:
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
    factor, reliable = cholesky_factor(_adjoint(a))
    return [_adjoint(factor)], reliable


def _adjoint(matrix: Matrix) -> Matrix:
    return [[entry.conjugate() for entry in column] for column in zip(*matrix, strict=True)]


_GENERATED: Mapping[str, Callable[..., Found]] = MappingProxyType(
    {
        _LIBRARY + "solve": _solve,
        _LIBRARY + "inv": _inv,
        _LIBRARY + "det": _det,
        _LIBRARY + "slogdet": _slogdet,
        _LIBRARY + "cholesky_lo": _cholesky,
        _LIBRARY + "cholesky_up": _upper_cholesky,
    }
)


def _is_small(op: Operation) -> bool:
    """Whether an op is a call on matrices of a known size for which there is code."""
    if op.name != CallLoop.mlir_name() or op.attributes["function"].value not in _GENERATED:
        return False
    cores = cores_of(op)
    largest = LARGEST_COMPLEX if isinstance(op.operands[0].type.element_type, ir.ComplexType) else LARGEST
    return cores[0][0] > 1 and all(0 < extent <= largest for core in cores for extent in core)


class _Matrices:
    """The matrices that a call takes and gives, in groups."""

    def __init__(self, operation: Operation, emitter: Emitter) -> None:
        self._emitter = emitter
        self._cores = cores_of(operation)
        self._taken = len(operation.operands) - operation.attributes["updated"].value
        self._function = operation.attributes["function"].value
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
                stacks[number].load(places[number], emitter), core[-1], _is_complex(loop.places[number])
            )
            for number, core in enumerate(self._cores[: self._taken])
        ]
        results, reliable = _GENERATED[self._function](*taken)
        for result, stack, each in zip(results, stacks[self._taken :], places[self._taken :], strict=True):
            stack.store(as_numbers(result), each, emitter)
        return reliable

    def _is_stacked(self, number: int) -> bool:
        """Whether there is a core for each iteration, and not one for all."""
        return bool(self._groups.loop.places[number].type.rank > len(self._cores[number]))


def _is_complex(memory: Value) -> bool:
    return isinstance(memory.type.element_type, ir.ComplexType)


__all__ = ["WriteSmallMatrices"]
