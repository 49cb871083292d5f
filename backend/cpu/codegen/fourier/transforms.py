"""Fourier transforms of powers of two, generated: the calls of pocketfft that this is faster than.

    %x, %status = weft.call_loop(%a, %scale, %empty) {function = "numpy.fft._pocketfft_umath.fft", loop = "Dd->D", ...}

Short ones are computed in registers, as many at a time as vectors have lanes (groups.py). Where a result is not finite,
pocketfft computes that group again: what comes of infinities and NaN is NumPy's word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from .....dialect.mlir import Module, Operation, Value, ir
from .....dialect.ops.ufunc_loops import CallLoop
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.rewriting import defined_functions, operations_in
from ....functions.number import Number
from ....nests.emit import Emitter, Index, create, load
from ..stacks.groups import Groups, cores_of
from ..stacks.lanes import Stack
from ..vectors.width import vector_bytes
from .complex_numbers import Complex, transformed
from .halves import from_pairs, to_pairs

_LIBRARY = "numpy.fft._pocketfft_umath."

IN_REGISTERS = 16
"""The longest transforms, of complex numbers, that are computed in registers."""


@dataclass(frozen=True)
class WriteFourierTransforms(Pass):
    """Replace library calls of transforms by generated code."""

    name: ClassVar[str] = "write-fourier-transforms"
    summary: ClassVar[str] = "write Fourier transforms of powers of two as vector code"

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            found = [op for op in operations_in(view.regions[0].blocks[0]) if _is_generated(op)]
            for operation in found:
                with ir.InsertionPoint(operation), operation.location:
                    _InRegisters(operation, Emitter(view.operation)).write()
                operation.erase()
                statistics["calls generated"] += 1


@dataclass(frozen=True)
class _Kind:
    """What a transform takes and gives: all numbers of a transform, real numbers, or the half of their transform."""

    inverse: bool = False
    takes_reals: bool = False
    gives_reals: bool = False


_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        _LIBRARY + "fft": _Kind(),
        _LIBRARY + "ifft": _Kind(inverse=True),
        _LIBRARY + "rfft_n_even": _Kind(takes_reals=True),
        _LIBRARY + "irfft": _Kind(inverse=True, gives_reals=True),
    }
)


def _is_generated(op: Operation) -> bool:
    """Whether an op is a call of a transform for which there is code."""
    if op.name != CallLoop.mlir_name() or op.attributes["function"].value not in _KINDS:
        return False
    kind = _KINDS[op.attributes["function"].value]
    (taken,), _, (given,) = cores_of(op)
    halves = kind.takes_reals or kind.gives_reals
    count = min(taken, given) - 1 if halves else given
    expected = (2 * count, count + 1) if kind.takes_reals else (count + 1, 2 * count)
    if (taken, given) != (expected if halves else (count, count)):
        return False
    return 0 < count <= IN_REGISTERS and count.bit_count() == 1


class _InRegisters:
    """Transforms in registers, one in each lane."""

    def __init__(self, operation: Operation, emitter: Emitter) -> None:
        self._emitter = emitter
        self._kind = _KINDS[operation.attributes["function"].value]
        self._scale = operation.operands[1]
        (self._taken,), _, (self._given,) = cores_of(operation)
        self._groups = Groups(
            operation, emitter, vector_bytes() // (self._scale.type.element_type.width // 8)
        )

    def write(self) -> None:
        """Write the loop over groups."""
        self._groups.write(self._compute)

    def _compute(self, inside: Sequence[Index]) -> Value:
        """Compute the transforms at some places; in which lanes they are finite."""
        emitter, places = self._emitter, self._groups.loop.places
        numbers = Stack.of(places[0], self._taken, emitter).load(inside, emitter)
        made = self._transformed(numbers)
        Stack.of(places[-1], self._given, emitter).store(made, inside, emitter)
        return (abs(made[0]) + abs(made[1])).compare("<", math.inf)

    def _transformed(self, numbers: Sequence[Number]) -> list[Number]:
        """The transform of numbers as they lie in memory, as it is to lie there."""
        kind, scale = self._kind, self._factor(numbers[0].type)
        given = [Complex(*numbers[first : first + 2]) for first in range(0, len(numbers), 2)]
        if kind.gives_reals:
            given = to_pairs(given)
        elif kind.inverse:
            given = [number.exchanged() for number in given]
        if kind.takes_reals:
            made = from_pairs([number.times(scale * 0.5) for number in transformed(given)])
        else:
            made = [number.times(scale) for number in transformed(given)]
        if kind.inverse:
            made = [number.exchanged() for number in made]
        return [part for number in made for part in (number.real, number.imaginary)]

    def _factor(self, type: ir.Type) -> Number:
        """What results are multiplied by."""
        scale = load(self._groups.loop.places[1], [])
        return Number(create("vector.broadcast", [type], [scale]))


__all__ = ["WriteFourierTransforms"]
