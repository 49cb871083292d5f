"""Reductions over axes that are split: each piece computes a part, parts are combined in the order of the blocks.

A part is what an op gives for the blocks of a piece, with what it takes to combine it: a few small arrays. Numbers are
combined in a wider type, and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...dialect.dtypes import is_half
from ...dialect.op import Array, Op
from ...dialect.ops.contraction import Contract, Matmul
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.ops.reductions import (
    AllOf,
    AnyOf,
    Argmax,
    Argmin,
    Max,
    MaxNumber,
    Mean,
    Min,
    MinNumber,
    Prod,
    Std,
    Sum,
    Var,
)

State: TypeAlias = "tuple[Any, ...]"
"""What is combined: arrays, and numbers that are the same for all elements."""


class Final(NamedTuple):
    """What makes the result of the state of all blocks."""

    dtype: np.dtype[Any]
    correction: float = 0.0


class Way(NamedTuple):
    """How a reduction is put together."""

    parts: tuple[str, ...]
    """What a piece computes, by the names of ops; "op" is the reduction itself."""
    state: Callable[[Sequence[Array], int, int], State]
    """The state of a part, with how many elements it reduces, and the first of them along the axis."""
    combine: Callable[[State, State], State]
    finish: Callable[[State, Final], Array | tuple[Array, ...]]
    arrays: int = 1
    """How many arrays each part is."""


def wide(x: Any) -> Array:
    """Floats in double precision."""
    array = np.asarray(x)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.float64) if array.dtype.kind == "f" or is_half(array.dtype) else array


def _single(parts: Sequence[Array], count: int, first: int) -> State:
    return (wide(parts[0]),)


def _given(parts: Sequence[Array], count: int, first: int) -> State:
    return (np.asarray(parts[0]),)


def _rounded(state: State, final: Final) -> Array:
    return np.asarray(state[0]).astype(final.dtype)


def _by(ufunc: np.ufunc, state: Callable[[Sequence[Array], int, int], State]) -> Way:
    def combine(one: State, other: State) -> State:
        with np.errstate(all="ignore"):
            return (ufunc(one[0], other[0]),)

    return Way(("op",), state, combine, _rounded)


def _counted(parts: Sequence[Array], count: int, first: int) -> State:
    return wide(parts[0]), count


def _add_counted(one: State, other: State) -> State:
    return one[0] + other[0], one[1] + other[1]


def _quotient(state: State, final: Final) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(np.true_divide(state[0], state[1])).astype(final.dtype)


def _spread(parts: Sequence[Array], count: int, first: int) -> State:
    mean, variance = map(wide, parts)
    return mean, variance * count if count else np.zeros_like(variance), count


def _join_spreads(one: State, other: State) -> State:
    """Of two sets, from their means and sums of squares (Chan, Golub and LeVeque)."""
    if not one[2] or not other[2]:
        return other if not one[2] else one
    count = one[2] + other[2]
    with np.errstate(all="ignore"):
        apart = other[0] - one[0]
        squares = np.real(apart) ** 2 + np.imag(apart) ** 2
        mean = one[0] + apart * (other[2] / count)
        total = one[1] + other[1] + squares * (one[2] * (other[2] / count))
    return mean, total, count


def _variance(state: State, final: Final) -> Array:
    with np.errstate(all="ignore"):
        found = np.true_divide(state[1], max(state[2] - final.correction, 0.0))
    return np.asarray(found).astype(final.dtype)


def _deviation(state: State, final: Final) -> Array:
    with np.errstate(all="ignore"):
        found = np.sqrt(np.true_divide(state[1], max(state[2] - final.correction, 0.0)))
    return np.asarray(found).astype(final.dtype)


def _placed(parts: Sequence[Array], count: int, first: int) -> State:
    return np.asarray(parts[0]), np.asarray(parts[1]) + first


def _extreme(is_greater: bool) -> Way:
    def combine(one: State, other: State) -> State:
        better = other[0] > one[0] if is_greater else other[0] < one[0]
        unknown = np.not_equal(one[0], one[0])
        taken = ~unknown & (better | np.not_equal(other[0], other[0]))
        return np.where(taken, other[0], one[0]), np.where(taken, other[1], one[1])

    def finish(state: State, final: Final) -> Array:
        return np.asarray(state[1]).astype(final.dtype)

    return Way(("max" if is_greater else "min", "op"), _placed, combine, finish)


def _found(parts: Sequence[Array], count: int, first: int) -> State:
    return bool(parts[0]), np.asarray(parts[1])


def _earlier(one: State, other: State) -> State:
    return one if one[0] else other


def _as_found(state: State, final: Final) -> tuple[Array, ...]:
    return np.asarray(state[0]), state[1]


WAYS: dict[type[Op], Way] = {
    Sum: _by(np.add, _single),
    Prod: _by(np.multiply, _single),
    Max: _by(np.maximum, _given),
    Min: _by(np.minimum, _given),
    MaxNumber: _by(np.fmax, _given),
    MinNumber: _by(np.fmin, _given),
    AnyOf: _by(np.logical_or, _given),
    AllOf: _by(np.logical_and, _given),
    Contract: _by(np.add, _single),
    Matmul: _by(np.add, _single),
    Mean: Way(("sum",), _counted, _add_counted, _quotient),
    Var: Way(("mean", "var"), _spread, _join_spreads, _variance),
    Std: Way(("mean", "var"), _spread, _join_spreads, _deviation),
    Argmax: _extreme(is_greater=True),
    Argmin: _extreme(is_greater=False),
    FindOutOfBounds: Way(("op",), _found, _earlier, _as_found, arrays=2),
}
"""By the classes of ops; others need all of an axis at once."""

BY_NAME = {op_class.name: way for op_class, way in WAYS.items()}


class Part(NamedTuple):
    """One reduction of a piece, for those who combine."""

    op: str
    elements: int
    """How many elements of an axis, or of several, the piece reduces."""
    first: int
    final: Final


def states_of(parts: Sequence[Part], arrays: Sequence[Array]) -> tuple[State, ...]:
    """What a piece returned, so that it can be combined."""
    given, found = iter(arrays), []
    for part in parts:
        way = BY_NAME[part.op]
        arrays = [next(given) for _ in range(len(way.parts) * way.arrays)]
        found.append(way.state(arrays, part.elements, part.first))
    return tuple(found)


def combined(parts: Sequence[Part], states: Sequence[tuple[State, ...]]) -> tuple[State, ...]:
    """The states of several pieces as one, in their order."""
    first, *others = states
    for other in others:
        first = tuple(
            BY_NAME[part.op].combine(one, another)
            for part, one, another in zip(parts, first, other, strict=True)
        )
    return first


def finished(parts: Sequence[Part], states: tuple[State, ...]) -> tuple[Array, ...]:
    """The results, of the state of all blocks."""
    found: list[Array] = []
    for part, state in zip(parts, states, strict=True):
        made = BY_NAME[part.op].finish(state, part.final)
        found += made if isinstance(made, tuple) else (made,)
    return tuple(found)
