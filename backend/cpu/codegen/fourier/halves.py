"""Transforms of n real numbers by those of half as many complex ones: pairs of numbers are taken for these.

The numbers at even places have the transform E and those at odd ones O, which the transform Z of the m pairs holds:
Z[k] = E[k] + i O[k], and the conjugate of Z[m - k] is E[k] - i O[k]. The transform of all is X[k] = E[k] + w O[k] with
w = exp(-2i pi k / n), and the conjugate of X[m - k] is E[k] - w O[k].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .complex_numbers import Complex
from .memory import Line, Parts, constant_memory
from .roots import roots
from .stages import Plan

_Turn: TypeAlias = Callable[[Complex], Complex]
"""The product with a root of unity."""
_Power: TypeAlias = Callable[[Any, int], Any]
"""Of which of 2m roots of unity that is, for k and m."""
_Rule: TypeAlias = Callable[[Complex, Complex, _Turn], "tuple[Complex, Complex]"]
"""What two numbers become."""


def from_pairs(halves: Sequence[Complex]) -> list[Complex]:
    """The numbers 0 to m of the transform X, from the m of Z / 2."""
    count = len(halves)
    found = dict(zip((0, count), _ends_from_pairs(halves[0]), strict=True))
    for k in range(1, count // 2 + 1):
        turn = _by_root(_power_from_pairs(k, count), count)
        found[k], found[count - k] = _two_from_pairs(halves[k], halves[count - k], turn)
    return [found[k] for k in range(count + 1)]


def to_pairs(half: Sequence[Complex]) -> list[Complex]:
    """2 Z with exchanged parts, from the numbers 0 to m of X; the first and the last are taken for real."""
    count = len(half) - 1
    found = {0: _first_to_pairs(half[0], half[count])}
    for k in range(1, count // 2 + 1):
        turn = _by_root(_power_to_pairs(k, count), count)
        found[k], found[count - k] = _two_to_pairs(half[k], half[count - k], turn)
    return [found[k] for k in range(count)]


def line_from_pairs(source: Line, target: Line, plan: Plan) -> None:
    """The same in memory."""
    for end, place in zip(_ends_from_pairs(source.load(0, 1)), (0, plan.count), strict=True):
        target.store(end, place)
    _map_pairs(source, target, plan, _power_from_pairs, _two_from_pairs)


def line_to_pairs(source: Line, target: Line, plan: Plan) -> None:
    """The same in memory."""
    target.store(_first_to_pairs(source.load(0, 1), source.load(plan.count, 1)), 0)
    _map_pairs(source, target, plan, _power_to_pairs, _two_to_pairs)


def _map_pairs(source: Line, target: Line, plan: Plan, power: _Power, rule: _Rule) -> None:
    """Apply a rule to the numbers k, from 1 to m / 2, and m - k."""
    emitter, count, lanes = source.emitter, plan.count, plan.lanes
    found = roots(power(np.arange(1, count // 2 + 1), count), 2 * count)
    table = constant_memory(np.concatenate([found.real, found.imag]), source.element, emitter)
    turns = Parts(emitter, table, behind=found.size)
    with emitter.loop(count // 2, lanes, unroll=False) as place:
        k, opposite = emitter.add(place, 1), emitter.subtract(count - 1, place)
        numbers = source.load(k, lanes), source.load_backwards(opposite, lanes)
        factor = turns.load(place, lanes)
        one, other = rule(*numbers, factor.__mul__)
        target.store(one, k)
        target.store_backwards(other, opposite)


def _by_root(power: int, count: int) -> _Turn:
    return lambda number: number.times_root(power, 2 * count)


def _power_from_pairs(k: Any, count: int) -> Any:
    """The root of unity with which `_two_from_pairs` turns: -i w."""
    return k + count // 2


def _power_to_pairs(k: Any, count: int) -> Any:
    """The root of unity with which `_two_to_pairs` turns: 1 / w."""
    return 2 * count - k


def _two_from_pairs(one: Complex, other: Complex, turn: _Turn) -> tuple[Complex, Complex]:
    """X[k] and X[m - k] from Z[k] / 2 and Z[m - k] / 2."""
    even, odd = _sum_and_difference(one, other)
    odd = turn(odd)
    second = Complex(even.real - odd.real, odd.imaginary - even.imaginary)
    return even + odd, second


def _two_to_pairs(one: Complex, other: Complex, turn: _Turn) -> tuple[Complex, Complex]:
    """2 Z[k] and 2 Z[m - k], with exchanged parts, from X[k] and X[m - k]."""
    even, odd = _sum_and_difference(one, other)
    odd = turn(odd)
    first = Complex(even.imaginary + odd.real, even.real - odd.imaginary)
    return first, Complex(odd.real - even.imaginary, even.real + odd.imaginary)


def _sum_and_difference(one: Complex, other: Complex) -> tuple[Complex, Complex]:
    """A number plus, and minus, the conjugate of another."""
    return (
        Complex(one.real + other.real, one.imaginary - other.imaginary),
        Complex(one.real - other.real, one.imaginary + other.imaginary),
    )


def _ends_from_pairs(half: Complex) -> tuple[Complex, Complex]:
    """X[0] and X[m] from Z[0] / 2: real numbers."""
    zero = half.real.constant(0.0)
    ends = half.real + half.imaginary, half.real - half.imaginary
    return Complex(ends[0] + ends[0], zero), Complex(ends[1] + ends[1], zero)


def _first_to_pairs(first: Complex, last: Complex) -> Complex:
    """2 Z[0] with exchanged parts, from X[0] and X[m]."""
    return Complex(first.real - last.real, first.real + last.real)
