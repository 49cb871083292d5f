"""Fourier transforms of powers of two, generated: the calls of pocketfft that this is faster than.

    %x, %status = weft.call_loop(%a, %scale, %empty) {function = "numpy.fft._pocketfft_umath.fft", loop = "Dd->D", ...}

Short ones are computed in registers, as many at a time as vectors have lanes; longer ones one after the other, in
vectors of neighbours (stages.py). Where a result is not finite, pocketfft computes it again (groups.py): what comes of
infinities and NaN is NumPy's word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from .....dialect.mlir import Module, Operation, Type, Value, ir
from .....dialect.ops.ufunc_loops import CallLoop
from .....dialect.records import dataclass, replace
from .....passes.base import Pass, Statistics
from .....passes.notes import note
from .....passes.rewriting import defined_functions, operations_in
from ....functions.number import Number
from ....nests.emit import Emitter, Index, create, load
from ....processors.description import LINE_BYTES
from ..loop_calls import LoopCall
from ..stacks.groups import Groups, cores_of
from ..stacks.lanes import Stack
from ..vectors.temporaries import scratch
from ..vectors.width import vector_bytes
from .complex_numbers import Complex, transformed
from .halves import from_pairs, line_from_pairs, line_to_pairs, to_pairs
from .memory import Line, Pairs, Parts
from .stages import Plan, write_stages

LONGEST = 4096
"""The most numbers of a transform that code is generated for."""

IN_REGISTERS = 16
"""The most complex numbers that are transformed in registers: from 32 on, these are too few."""

_LIBRARY = "numpy.fft._pocketfft_umath."


@dataclass(frozen=True)
class WriteFourierTransforms(Pass):
    """Write Fourier transforms of powers of two as vector code."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            operations = operations_in(view.regions[0].blocks[0])
            found = [(each, transform) for each in operations if (transform := _Transform.of(each))]
            for operation, transform in found:
                with ir.InsertionPoint(operation), operation.location:
                    note("algorithm", operation.location, "is a Fourier transform, written for its length")
                    transform.write(operation, Emitter(view.operation))
                operation.erase()
                statistics["calls generated"] += 1


@dataclass(frozen=True)
class _Transform:
    """What a transform takes and gives: complex numbers, or real ones and the first half of their transform."""

    inverse: bool = False
    takes_reals: bool = False
    gives_reals: bool = False
    count: int = 0
    """How many complex numbers are transformed: pairs of real ones."""

    @staticmethod
    def of(op: Operation) -> _Transform | None:
        """The transform that an op calls, if there is code for it."""
        if op.name != CallLoop.mlir_name():
            return None
        kind = _KINDS.get(op.attributes["function"].value)
        if kind is None:
            return None
        (taken,), _, (given,) = cores_of(op)
        halves = kind.takes_reals or kind.gives_reals
        length = max(taken, given)
        found = replace(kind, count=length // 2 if halves else length)
        if (taken, given) != found.extents or length.bit_count() != 1 or not 0 < length <= LONGEST:
            return None
        return found

    @property
    def extents(self) -> tuple[int, int]:
        """How many numbers it takes and gives."""
        half, reals = self.count + 1, 2 * self.count
        if self.takes_reals:
            return reals, half
        return (half, reals) if self.gives_reals else (self.count, self.count)

    def write(self, operation: Operation, emitter: Emitter) -> None:
        """Write the loop that does what the op does."""
        lanes = vector_bytes() // (operation.operands[1].type.element_type.width // 8)
        if self.count <= IN_REGISTERS:
            groups = Groups(operation, emitter, lanes)
            groups.write(_InRegisters(self, emitter, groups.loop).write)
        else:
            groups = Groups(operation, emitter, 1)
            groups.write(_InStages(self, emitter, groups.loop, Plan.of(self.count, lanes)).write)


_KINDS: Mapping[str, _Transform] = MappingProxyType(
    {
        _LIBRARY + "fft": _Transform(),
        _LIBRARY + "ifft": _Transform(inverse=True),
        _LIBRARY + "rfft_n_even": _Transform(takes_reals=True),
        _LIBRARY + "irfft": _Transform(inverse=True, gives_reals=True),
    }
)


@dataclass(frozen=True)
class _InRegisters:
    """Transforms in registers, one in each lane."""

    transform: _Transform
    emitter: Emitter
    loop: LoopCall

    def write(self, inside: Sequence[Index]) -> Value:
        """Write the transforms at some places; in which lanes they are finite."""
        taken, given = self.transform.extents
        numbers = Stack.of(self.loop.places[0], taken, self.emitter).load(inside, self.emitter)
        made = self._transformed(numbers)
        Stack.of(self.loop.places[-1], given, self.emitter).store(made, inside, self.emitter)
        return _are_finite(*made[:2])

    def _transformed(self, numbers: Sequence[Number]) -> list[Number]:
        """The transform of numbers as they lie in memory, as it is to lie there."""
        transform, factor = self.transform, _factor(self.transform, self.loop, numbers[0].type)
        given = [Complex(*numbers[first : first + 2]) for first in range(0, len(numbers), 2)]
        if transform.gives_reals:
            given = to_pairs(given)
        elif transform.inverse:
            given = [number.exchanged() for number in given]
        made = [number.times(factor) for number in transformed(given)]
        if transform.takes_reals:
            made = from_pairs(made)
        elif transform.inverse:
            made = [number.exchanged() for number in made]
        return [part for number in made for part in (number.real, number.imaginary)]


@dataclass(frozen=True)
class _InStages:
    """One transform after the other, from line to line in memory."""

    transform: _Transform
    emitter: Emitter
    loop: LoopCall
    plan: Plan

    def write(self, inside: Sequence[Index]) -> Value:
        """Write the transform at a place; whether it is finite."""
        transform, plan, (place,) = self.transform, self.plan, inside
        taken, given = (
            self._line(memory, extent, place)
            for memory, extent in zip(
                (self.loop.places[0], self.loop.places[-1]), transform.extents, strict=True
            )
        )
        source: Line = replace(taken, is_exchanged=transform.inverse)
        target: Line = replace(given, is_exchanged=transform.inverse)
        between = [self._scratch(given), self._scratch(given)]
        if transform.gives_reals:
            source = between[-1]
            line_to_pairs(taken, source, plan)
        if transform.takes_reals:
            target = between[(len(plan.radices) - 1) % 2]
        lines = [source, *(between[stage % 2] for stage in range(len(plan.radices) - 1)), target]
        write_stages(plan, lines, self._scaled)
        if transform.takes_reals:
            line_from_pairs(target, given, plan)
        first = given.load(0, 1)
        return _are_finite(first.real, first.imaginary)

    def _line(self, memory: Value, extent: int, place: Index) -> Pairs:
        """The numbers at a place."""
        stack = Stack.of(memory, extent, self.emitter)
        return Pairs(self.emitter, stack.memory, self.emitter.multiply(place, stack.count))

    def _scratch(self, like: Line) -> Parts:
        """Memory for a line."""
        element = like.element
        behind = self.plan.count + LINE_BYTES * 8 // element.width
        memory = scratch(self.emitter, [behind + self.plan.count], element)
        return Parts(self.emitter, memory, behind=behind)

    def _scaled(self, number: Complex) -> Complex:
        return number.times(_factor(self.transform, self.loop, number.real.type))


def _factor(transform: _Transform, loop: LoopCall, type: Type) -> Number:
    """What the transform of complex numbers is multiplied by, in all lanes."""
    scale = Number(load(loop.places[1], []))
    scale = scale * 0.5 if transform.takes_reals else scale
    return Number(create("vector.broadcast", [type], [scale.value]))


def _are_finite(real: Number, imaginary: Number) -> Value:
    """Whether the parts of the first result are, to which every number contributes, or the first two real results."""
    return (abs(real) + abs(imaginary)).compare("<", math.inf)
