"""States of generators so many numbers further on, without drawing these: ranks draw the numbers of their blocks only.

Each number takes one word of 64 bits where it is uniform, as float64, or exponential by the inverse; others, as normal
ones by the ziggurat, take as many as they happen to, so that all have to be drawn to know where a block begins.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...dialect.emitter import Tensor
from ...dialect.mlir import Operation
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.random import RandomFloats
from ...dialect.register import decode_attributes, op_class_of, tensor_type

_WORD = np.dtype(np.uint64)
_LOW = (1 << 32) - 1
_MODULUS = 1 << 128
_MULTIPLIERS = {
    "pcg64": 0x2360ED051FC65DA44385DF649FCCF645,
    "pcg64dxsm": 0xDA942042E4DD58B5,
}
"""By what states are multiplied for each word; then the increment is added."""
_BUFFER = 4
"""Words that Philox makes of one counter."""


def words_of_draw(operation: Operation) -> int | None:
    """How many words a draw takes; None where only the draw tells."""
    if op_class_of(operation) is not RandomFloats:
        return None
    given = decode_attributes(RandomFloats, operation)
    numbers = tensor_type(operation.results[0])
    has_one_each = (
        given["distribution"] in ("uniform", "inverse_exponential") and given["dtype"] == np.float64
    )
    return numbers.size if has_one_each and numbers.rank == 1 and numbers.is_static else None


def behind(b: OpEmitter, state: Tensor, algorithm: str, count: int) -> Tensor:
    """The state of a generator behind so many words."""
    if count == 0:
        return state
    words = [b.squeeze(b.along(state, 0, n, n + 1), axes=(0,)) for n in range(state.shape[0] or 0)]
    if algorithm == "philox":
        return _philox(b, state, words, count)
    factor, terms = _powers(_MULTIPLIERS[algorithm], count)
    low, high = _product(b, words[-4], words[-3], factor)
    more = _product(b, words[-2], words[-1], terms)
    words[-4:-2] = _sum(b, (low, high), more)
    return _joined(b, words)


def _powers(multiplier: int, count: int) -> tuple[int, int]:
    """By what a state is multiplied for so many words, and the increment that is added to it."""
    factor, terms = 1, 0
    power, step = multiplier, 1
    while count:
        if count & 1:
            factor, terms = factor * power % _MODULUS, (terms * power + step) % _MODULUS
        step = step * (power + 1) % _MODULUS
        power = power * power % _MODULUS
        count >>= 1
    return factor, terms


def _product(b: OpEmitter, low: Tensor, high: Tensor, factor: int) -> tuple[Tensor, Tensor]:
    """The lower 128 bits of a product with a constant, by halves of words."""

    def word(number: int) -> Tensor:
        return b.number(np.uint64(number & ((1 << 64) - 1)), _WORD)

    half = b.number(np.uint64(32), _WORD)
    x0, x1 = b.bitwise_and(low, word(_LOW)), b.right_shift(low, half)
    y0, y1 = word(factor & _LOW), word(factor >> 32 & _LOW)
    p00, p01, p10, p11 = x0 * y0, x0 * y1, x1 * y0, x1 * y1
    middle = b.right_shift(p00, half) + b.bitwise_and(p01, word(_LOW)) + b.bitwise_and(p10, word(_LOW))
    upper = p11 + b.right_shift(p01, half) + b.right_shift(p10, half) + b.right_shift(middle, half)
    return low * word(factor), upper + low * word(factor >> 64) + high * word(factor)


def _sum(b: OpEmitter, x: Sequence[Tensor], y: Sequence[Tensor]) -> list[Tensor]:
    """The sum of numbers of several words, the lowest first."""
    found: list[Tensor] = []
    carry = b.number(0, _WORD)
    for one, other in zip(x, y, strict=True):
        part = one + other
        total = part + carry
        carry = b.converted(b.logical_or(b.less(part, one), b.less(total, part)), _WORD)
        found.append(total)
    return found


def _philox(b: OpEmitter, state: Tensor, words: Sequence[Tensor], count: int) -> Tensor:
    """The counter is ahead by the blocks that are passed over; the last block is made by drawing a number of it."""
    one, size = b.number(1, _WORD), b.number(_BUFFER, _WORD)
    place = words[0] + b.number(np.uint64(count), _WORD)
    blocks = b.right_shift(place - one, b.number(2, _WORD))
    stays = b.equal(blocks, b.number(0, _WORD))
    zero = b.number(0, _WORD)
    skipped = b.select(stays, zero, blocks - one)
    counter = _sum(b, words[-4:], [skipped, zero, zero, zero])
    ahead = _joined(b, [size, *words[1:-4], *counter])
    given = {"algorithm": "philox", "distribution": "uniform", "dtype": np.dtype(np.float64), "shape": (1,)}
    made = b.emit(RandomFloats, [ahead], given)[1]
    rest = b.along(b.select(stays, state, made), 0, 1, state.shape[0] or 0)
    found: Tensor = b.concat(b.reshaped(place - blocks * size, [1]), rest, axis=0)
    return found


def _joined(b: OpEmitter, words: Sequence[Tensor]) -> Tensor:
    lines = [b.reshaped(word, [1]) for word in words]
    found = lines[0]
    for line in lines[1:]:
        found = b.concat(found, line, axis=0)
    return found
