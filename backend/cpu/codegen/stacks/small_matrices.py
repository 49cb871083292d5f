"""Linear algebra of small matrices of known size, generated: many matrices side by side in the lanes of vectors.

    %x, %status = weft.call_loop(%a, %b, %empty) {function = "numpy.linalg._umath_linalg.solve", loop = "dd->d", ...}

becomes a loop over groups of as many matrices as vectors have lanes. Where a result may not be relied on (see
elimination.py), LAPACK computes that group again: what is singular, and what comes of infinities and NaN, is NumPy's
word. The last group of a stack is filled up with the last matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from .....dialect.mlir import Module, Operation, Value, ir
from .....dialect.ops.ufunc_loops import CallLoop
from .....dialect.records import dataclass
from .....dialect.ufunc_loops import signature_of
from .....passes.base import Pass, Statistics
from .....passes.rewriting import defined_functions, operations_in
from ....functions.number import Integer, Number, any_lane, rarely
from ....nests.emit import Emitter, ForLoop, Index, create, load, store
from ..loop_calls import LoopCall
from ..vectors.temporaries import scratch
from ..vectors.width import vector_bytes
from .elimination import cholesky_factor, eliminated
from .entries import Entry, Matrix, as_matrix, as_numbers
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
                    _Groups(operation, Emitter(view.operation)).write()
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
    cores = _cores(op)
    largest = LARGEST_COMPLEX if isinstance(op.operands[0].type.element_type, ir.ComplexType) else LARGEST
    return cores[0][0] > 1 and all(0 < extent <= largest for core in cores for extent in core)


def _cores(op: Operation) -> list[list[int]]:
    """The extents of a matrix, or a number, of every operand and result of a call."""
    signature = signature_of(op.attributes["function"].value)
    shapes = (list(operand.type.shape) for operand in op.operands)
    axes = (*signature.operands, *signature.results)
    return [shape[len(shape) - len(core) :] for shape, core in zip(shapes, axes, strict=True)]


class _Groups:
    """The loop over groups of matrices, and that over groups which are the library's."""

    def __init__(self, operation: Operation, emitter: Emitter) -> None:
        self._emitter = emitter
        self._cores = _cores(operation)
        self._taken = len(operation.operands) - operation.attributes["updated"].value
        self._function = operation.attributes["function"].value
        self._loop = LoopCall(operation, emitter)
        lanes, count = vector_bytes() // 8, self._loop.count
        self._lanes = min(lanes, 1 << (max(count, 1) - 1).bit_length()) if isinstance(count, int) else lanes
        self._groups = emitter.divide(emitter.add(count, self._lanes - 1), self._lanes)

    def write(self) -> None:
        """Write the loops, and store whether matrices were found invalid."""
        emitter = self._emitter
        failed = scratch(emitter, [self._groups], ir.IntegerType.get_signless(8))
        with emitter.loop(self._groups, parallel=True) as group:
            reliable = self._compute(emitter.multiply(group, self._lanes))
            unreliable = any_lane((Integer(reliable) ^ 1).value)
            flag = create("arith.extui", [failed.type.element_type], [unreliable])
            store(flag, failed, [emitter.value(group)])
        self._loop.store_status(self._ask_library(failed))

    def _compute(self, first: Index) -> Value:
        """Compute the group that begins with a matrix; in which lanes the results may be relied on."""
        emitter = self._emitter
        last = emitter.subtract(self._loop.count, 1)
        inside = [emitter.minimum(emitter.add(first, lane), last) for lane in range(self._lanes)]
        stacks = [
            Stack.of(place, math.prod(core), emitter)
            for place, core in zip(self._loop.places, self._cores, strict=True)
        ]
        places = [inside if self._is_stacked(number) else [0] * self._lanes for number in range(len(stacks))]
        taken = [
            as_matrix(
                stacks[number].load(places[number], emitter), core[-1], _is_complex(self._loop.places[number])
            )
            for number, core in enumerate(self._cores[: self._taken])
        ]
        results, reliable = _GENERATED[self._function](*taken)
        for result, stack, each in zip(results, stacks[self._taken :], places[self._taken :], strict=True):
            stack.store(as_numbers(result), each, emitter)
        return reliable

    def _is_stacked(self, number: int) -> bool:
        """Whether there is a core for each iteration, and not one for all."""
        return bool(self._loop.places[number].type.rank > len(self._cores[number]))

    def _ask_library(self, failed: Value) -> Value:
        """Call the loop on the groups that failed; not 0 where it fails, too."""
        emitter, word = self._emitter, ir.IntegerType.get_signless(64)
        loop = ForLoop(emitter, 0, self._groups, 1, [emitter.splat(0, word)])
        with loop.body():
            group, (status,) = loop.position, loop.carried
            no = emitter.splat(0, failed.type.element_type)
            wrong = Integer(load(failed, [group])).compare("!=", Integer(no))
            branch = ir.Operation.create("scf.if", [word], [rarely(wrong)], regions=2)
            with ir.InsertionPoint(branch.regions[0].blocks.append()):
                found = self._call(emitter.multiply(group, self._lanes))
                create("scf.yield", [], [create("arith.ori", [word], [status, found])])
            with ir.InsertionPoint(branch.regions[1].blocks.append()):
                create("scf.yield", [], [status])
            loop.end(list(branch.results))
        return loop.results[0]

    def _call(self, first: Index) -> Value:
        """Call the loop on the group that begins with a matrix."""
        emitter, loop = self._emitter, self._loop
        starts = zip(loop.addresses(), loop.steps, strict=True)
        addresses = [emitter.add(address, emitter.multiply(first, step)) for address, step in starts]
        return loop.call(addresses, emitter.minimum(self._lanes, emitter.subtract(loop.count, first)))


def _is_complex(memory: Value) -> bool:
    return isinstance(memory.type.element_type, ir.ComplexType)


__all__ = ["WriteSmallMatrices"]
