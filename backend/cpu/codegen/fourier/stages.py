"""Transforms of lines in memory by stages (Stockham): each reads one line and writes another, in order.

A stage of radix r transforms numbers that lie m apart, r of them, and turns the results; n is what is left of the
length, and s the product of the radices before, so that n = r m and s n is the length:

    for p < m, q < s:
        z[k] = x[q + s (p + m k)]
        y[q + s (r p + j)] = transformed(z)[j] * exp(-2i pi p j / n)

Neighbours are a vector: of numbers p in the first stage, where s is 1, and of numbers q in others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .....dialect.records import dataclass
from ....functions.number import Number
from ..stacks.lanes import from_lanes
from .complex_numbers import Complex, transformed
from .memory import Line, Parts, constant_memory
from .roots import roots

_MOST_LANES = 8
"""Vectors of more would need a first stage of a larger radix, for which there are too few registers."""


@dataclass(frozen=True)
class Plan:
    """How a transform falls into stages."""

    count: int
    lanes: int
    radices: tuple[int, ...]

    @staticmethod
    def of(count: int, lanes: int) -> Plan:
        """The plan for a length, a power of two from 16 on, on vectors of at most so many lanes.

        The first radix and what is left of the length are as large as a vector at least. Others are 4: what 8 saves in
        loads and stores is lost to a lack of registers.
        """
        lanes = min(lanes, _MOST_LANES)
        while count < max(lanes, 4) * lanes:
            lanes //= 2
        first = max(lanes, 4)
        rest = count // first
        odd = (8 if rest > 2 else 2,) if rest.bit_length() % 2 == 0 else ()
        fours = (rest // (odd[0] if odd else 1)).bit_length() // 2
        return Plan(count, lanes, (first, *odd, *(4,) * fours))


def write_stages(plan: Plan, lines: Sequence[Line], finish: Callable[[Complex], Complex]) -> None:
    """Write the loops of all stages, from the first line to the second and so on; results are finished."""
    first, *others = plan.radices
    _write_first(plan, lines[0], lines[1])
    done = first
    for radix, source, target in zip(others, lines[1:-1], lines[2:], strict=True):
        _write_later(plan, radix, done, source, target, finish)
        done *= radix


def _write_first(plan: Plan, source: Line, target: Line) -> None:
    """The first stage: numbers that are neighbours in a vector have results that lie a radix apart."""
    emitter, lanes, radix = source.emitter, plan.lanes, plan.radices[0]
    apart = plan.count // radix
    turns = _turns(plan.count, radix, lanes, source)
    with emitter.loop(apart, lanes, unroll=False) as place:
        made = transformed([source.load(emitter.add(place, apart * k), lanes) for k in range(radix)])
        block = emitter.multiply(place, 2 * (radix - 1))
        for j in range(1, radix):
            made[j] *= turns.load(emitter.add(block, 2 * (j - 1) * lanes), lanes)
        start = emitter.multiply(place, radix)
        for first in range(0, radix, lanes):
            for lane, row in enumerate(_rows(made[first : first + lanes])):
                target.store(row, emitter.add(start, lane * radix + first))


def _write_later(
    plan: Plan, radix: int, done: int, source: Line, target: Line, finish: Callable[[Complex], Complex]
) -> None:
    """A stage behind others, whose radices have a product."""
    emitter, lanes, left = source.emitter, plan.lanes, plan.count // done
    apart = left // radix
    turns = _turns(left, radix, 1, source)
    with emitter.loop(apart, unroll=False) as place, emitter.loop(done, lanes, unroll=False) as q:
        start = emitter.add(q, emitter.multiply(place, done))
        made = transformed([source.load(emitter.add(start, done * apart * k), lanes) for k in range(radix)])
        block = emitter.multiply(place, 2 * (radix - 1))
        if apart > 1:
            for j in range(1, radix):
                made[j] *= turns.load_for_all(emitter.add(block, 2 * (j - 1)), lanes)
        start = emitter.add(q, emitter.multiply(place, done * radix))
        for j, number in enumerate(made):
            target.store(finish(number) if apart == 1 else number, emitter.add(start, done * j))


def _turns(left: int, radix: int, lanes: int, like: Line) -> Parts:
    """The roots of unity of a stage in memory: for every vector of numbers p those of the powers j from 1 on."""
    places = np.arange(left // radix).reshape(-1, 1, 1, lanes)
    found = roots(places * np.arange(1, radix).reshape(-1, 1, 1), left)
    numbers = np.concatenate([found.real, found.imag], axis=2)
    return Parts(like.emitter, constant_memory(numbers.ravel(), like.element, like.emitter), behind=lanes)


def _rows(columns: Sequence[Complex]) -> list[Complex]:
    """The numbers of each lane, next to each other."""
    parts = ([number.real.value for number in columns], [number.imaginary.value for number in columns])
    return [
        Complex(Number(real), Number(imaginary))
        for real, imaginary in zip(*map(from_lanes, parts), strict=True)
    ]
