"""The words of NumPy's bit generators by their places in the stream: of PCG64 and PCG64DXSM by jumping ahead, of Philox
by its counter.

A step of a PCG is s' = A s + c, so that after k steps s is s + C(k) t, where t = (A - 1) s + c and C(k) is the sum of
the first k powers of A: one product for a place of a short stretch, whose C are a table, once s and t are known where
the stretch begins. Stretches begin where steps by powers of two lead. `cpu/random_numbers/words.py` has the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from ....dialect.mlir import Operation, Type, Value, ir
from ....passes.control_flow.structure import constant_index
from ....passes.rewriting import new_generic
from ...cpu.random_numbers.words import (
    CHEAP_MULTIPLIER,
    COUNTER,
    KEY,
    MULTIPLIER,
    PHILOX_BUFFER,
    PHILOX_FACTOR_0,
    PHILOX_FACTOR_1,
    PHILOX_KEY_0,
    PHILOX_KEY_1,
    PHILOX_ROUNDS,
    UPPER,
)
from ...functions.number import Integer
from ...nests.emit import create, scalar, while_loop
from ..code.control import Branch
from ..placement.effort import EXPECTED_TURNS

_STRETCH = 256
"""Words that a table of steps reaches."""
_MOST_BITS = 40
"""Of the number of a stretch, where it is not known how many there are."""
_WORD = 64
_MODULUS = 1 << 128


class Words(Protocol):
    """The stream of words behind a state."""

    place_of_spare: int
    """Which word of the state has the half that was left."""

    def prepare(self, count: Integer, known: int | None) -> None:
        """Say that so many words are asked for, and the state behind them."""

    def spare(self) -> Integer:
        """The word of the state with the half that was left: whether there is one, and above it the half."""

    def word(self, place: Integer, *, is_far: bool = False) -> Integer:
        """The word at a place of the stream; behind those that are prepared, too, if it may be far."""

    def state(self, count: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        """A word of the state after so many words."""


class Pcg:
    """A PCG64 or PCG64DXSM: a spare half first, state and increment last."""

    place_of_spare = 0

    def __init__(self, state: Value, algorithm: str) -> None:
        self._state, self._is_plain = state, algorithm == "pcg64"
        self._multiplier = MULTIPLIER if self._is_plain else CHEAP_MULTIPLIER
        self._core = int(state.type.shape[0]) - 4
        self._stretches: list[Value] = []
        self._reach = constant(_STRETCH)
        self._table = _table([_powers(self._multiplier, count)[1] for count in range(_STRETCH + 1)])

    def prepare(self, count: Integer, known: int | None) -> None:
        if known is not None and known <= _STRETCH:
            return
        stretches = None if known is None else known // _STRETCH + 1
        bits = _MOST_BITS if stretches is None else (stretches - 1).bit_length()
        sizes = [] if stretches is not None else [as_index((count >> 8) + 1)]
        shape = [ir.ShapedType.get_dynamic_size() if stretches is None else stretches]
        type = ir.RankedTensorType.get(shape, word_type())
        begin = self._beginner(bits)
        words = nest(
            [type] * 4, sizes, lambda place: [h.value for each in begin(place) for h in _halves(each)]
        )
        self._stretches, self._reach = words, count

    def _beginner(self, bits: int, *, is_rare: bool = False) -> Callable[[Integer], tuple[Integer, Integer]]:
        """What tells of a stretch, whose number has so many bits, the state before it, and what sums of powers are
        multiplied by there."""
        steps = [_powers(self._multiplier, _STRETCH << bit) for bit in range(bits)]
        powers, sums = (_table([step[number] for step in steps]) for number in range(2))

        def begin(stretch: Integer) -> tuple[Integer, Integer]:
            state, step = self._begin()
            loop = loop_over(constant_index(0), constant_index(bits), [state.value, step.value])
            if is_rare:
                loop.attributes[EXPECTED_TURNS] = ir.IntegerAttr.get(word_type(), 0)
            with ir.InsertionPoint(loop.regions[0].blocks[0]):
                bit, *carried = list(loop.regions[0].blocks[0].arguments)
                here, each = map(Integer, carried)
                has = ((stretch >> word_of(bit)) & 1).compare("!=", 0)
                further, scaled = here + _pair(sums, bit) * each, each * _pair(powers, bit)
                create("scf.yield", [], [further.where(has, here).value, scaled.where(has, each).value])
            state, step = (Integer(result) for result in loop.results)
            return state, step

        return begin

    def spare(self) -> Integer:
        return element(self._state, 0)

    def word(self, place: Integer, *, is_far: bool = False) -> Integer:
        state = self._after(place + 1 if self._is_plain else place, is_far)
        low, high = _halves(state)
        if not self._is_plain:
            high = high ^ (high >> 32)
            high = high * CHEAP_MULTIPLIER
            high = high ^ (high >> 48)
            return high * (low | 1)
        mixed, count = high ^ low, high >> 58
        return (mixed >> count) | (mixed << ((count.constant(0) - count) & 63))

    def state(self, count: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        low, high = _halves(self._after(count, is_far))
        old = element(self._state, as_index(place))
        moved = high.where(place.compare("==", self._core + 1), old)
        return low.where(place.compare("==", self._core), moved)

    def _begin(self) -> tuple[Integer, Integer]:
        """The state, and what a sum of powers is multiplied by."""
        state, increment = (
            _joined(element(self._state, self._core + at), element(self._state, self._core + at + 1))
            for at in (0, 2)
        )
        return state, state * _wide(self._multiplier - 1) + increment

    def _after(self, count: Integer, is_far: bool) -> Integer:
        """The state after so many steps."""
        if not is_far:
            return self._near(count)
        is_near = count.compare("<=", self._reach)
        return either(2 * _WORD, is_near, lambda: self._near(count), lambda: self._far(count))

    def _near(self, count: Integer) -> Integer:
        if not self._stretches:
            return self._within(count, *self._begin())
        stretch = as_index(count >> 8)
        words = [element(memory, stretch) for memory in self._stretches]
        return self._within(count & (_STRETCH - 1), _joined(*words[:2]), _joined(*words[2:]))

    def _far(self, count: Integer) -> Integer:
        begin = self._beginner(_MOST_BITS, is_rare=True)
        return self._within(count & (_STRETCH - 1), *begin(count >> 8))

    def _within(self, rest: Integer, state: Integer, step: Integer) -> Integer:
        """The state so many steps behind the begin of a stretch."""
        return state + _pair(self._table, as_index(rest)) * step


class Philox:
    """A Philox: the place in the buffer, the buffer, a spare half, the key, and the counter, which is encrypted."""

    place_of_spare = PHILOX_BUFFER + 1

    def __init__(self, state: Value) -> None:
        self._state = state

    def prepare(self, count: Integer, known: int | None) -> None:
        pass

    def spare(self) -> Integer:
        return element(self._state, self.place_of_spare)

    def word(self, place: Integer, *, is_far: bool = False) -> Integer:
        at = place + self._place()
        is_kept = at.compare("u<", PHILOX_BUFFER)
        kept = element(self._state, as_index((at & 3) + 1))
        fresh = self._encrypted(self._counter(at >> 2))
        own = fresh[3]
        for lane in (2, 1, 0):
            own = fresh[lane].where((at & 3).compare("==", lane), own)
        return kept.where(is_kept, own)

    def state(self, count: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        end = self._place() + count
        is_kept = end.compare("u<", PHILOX_BUFFER + 1)
        last = end - (PHILOX_BUFFER + 1)
        counter = self._counter((last >> 2) + 1)
        buffer = self._encrypted(counter)
        first = element(self._state, 0) & UPPER
        moved = [first | ((last & 3) + 1), *buffer]
        old = element(self._state, as_index(place))
        found = old
        for number, word in [*enumerate(moved), *enumerate(counter, COUNTER // 8)]:
            found = word.where(place.compare("==", number), found)
        kept = (first | end).where(place.compare("==", 0), old)
        return kept.where(is_kept, found)

    def _place(self) -> Integer:
        return element(self._state, 0) & 0xFFFFFFFF

    def _counter(self, count: Integer) -> list[Integer]:
        """The words of the counter so many steps further."""
        found, carry = [], count
        for number in range(4):
            old = element(self._state, COUNTER // 8 + number)
            new = old + carry
            carry = Integer(create("arith.extui", [word_type()], [_below(new, old)]))
            found.append(new)
        return found

    def _encrypted(self, counter: Sequence[Integer]) -> list[Integer]:
        first, second, third, fourth = counter
        key_0, key_1 = element(self._state, KEY // 8), element(self._state, KEY // 8 + 1)
        for _ in range(PHILOX_ROUNDS):
            low_1, high_1 = product(third, PHILOX_FACTOR_1)
            low_0, high_0 = product(first, PHILOX_FACTOR_0)
            first, second = high_1 ^ second ^ key_0, low_1
            third, fourth = high_0 ^ fourth ^ key_1, low_0
            key_0, key_1 = key_0 + PHILOX_KEY_0, key_1 + PHILOX_KEY_1
        return [first, second, third, fourth]


def _powers(multiplier: int, count: int) -> tuple[int, int]:
    """A power, and the sum of all before it."""
    power, total = 1, 0
    for bit in reversed(range(count.bit_length())):
        total, power = (total * (power + 1)) % _MODULUS, power * power % _MODULUS
        if count >> bit & 1:
            total, power = (total * multiplier + 1) % _MODULUS, power * multiplier % _MODULUS
    return power, total


# Integers


def constant(number: int) -> Integer:
    """A word."""
    signed = number - (1 << _WORD) if number >> (_WORD - 1) == 1 else number
    return Integer(scalar(word_type(), signed))


def word_of(index: Value) -> Integer:
    """An index as a word."""
    return Integer(create("arith.index_cast", [word_type()], [index]))


def element(tensor: Value, place: Value | int) -> Integer:
    """A word of a tensor of words."""
    index = constant_index(place) if isinstance(place, int) else place
    return Integer(create("tensor.extract", [tensor.type.element_type], [tensor, index]))


def as_index(word: Integer) -> Value:
    return create("arith.index_cast", [ir.IndexType.get()], [word.value])


def word_type() -> Type:
    """That of words."""
    return ir.IntegerType.get_signless(_WORD)


def _i128() -> Type:
    return ir.IntegerType.get_signless(2 * _WORD)


def _joined(low: Integer, high: Integer) -> Integer:
    """Two words as an integer of 128 bits."""
    lower, upper = (Integer(create("arith.extui", [_i128()], [word.value])) for word in (low, high))
    return lower | (upper << _WORD)


def _halves(wide: Integer) -> tuple[Integer, Integer]:
    return wide.narrow(_WORD), (wide >> _WORD).narrow(_WORD)


def _wide(number: int) -> Integer:
    return _joined(constant(number & (1 << _WORD) - 1), constant(number >> _WORD))


def product(left: Integer, right: Integer | int) -> tuple[Integer, Integer]:
    """The halves of the product of two unsigned words."""
    factor = Integer(create("arith.extui", [_i128()], [left.value]))
    if isinstance(right, int):
        return _halves(factor * _wide(right))
    return _halves(factor * Integer(create("arith.extui", [_i128()], [right.value])))


def remainder(number: Integer, divisor: Integer) -> Integer:
    """What a division of unsigned words leaves."""
    return Integer(create("arith.remui", [number.value.type], [number.value, divisor.value]))


def quotient(number: Integer, divisor: Integer) -> Integer:
    """How often an unsigned word is in another one."""
    return Integer(create("arith.divui", [number.value.type], [number.value, divisor.value]))


def given(tensor: Value, place: int) -> Integer:
    """An element of a tensor that is made of numbers: the number that it is made of, which the host may know."""
    made = tensor.owner if not isinstance(tensor.owner, ir.Block) else None
    while made is not None and made.name == "tensor.cast":
        source = made.operands[0]
        made = None if isinstance(source.owner, ir.Block) else source.owner
    if made is not None and made.name == "tensor.from_elements":
        return Integer(made.operands[place])
    return element(tensor, place)


def inserted(word: Integer, tensor: Value, place: Value) -> Value:
    """A tensor with another word at a place."""
    return create("tensor.insert", [tensor.type], [word.value, tensor, place])


def _below(left: Integer, right: Integer) -> Value:
    return left.compare("u<", right)


def _table(numbers: Sequence[int]) -> Value:
    """Integers of 128 bits as a tensor of words, the lower ones first."""
    words = [number >> shift & (1 << _WORD) - 1 for number in numbers for shift in (0, _WORD)]
    values = np.array(words, np.uint64).view(np.int64).reshape(-1, 2)
    type = ir.RankedTensorType.get(list(values.shape), word_type())
    return create("arith.constant", [type], [], {"value": ir.DenseElementsAttr.get(values, type=type)})


def table_entry(words: Sequence[int], place: Value) -> Integer:
    """An entry of a table of words."""
    values = np.array([word & (1 << _WORD) - 1 for word in words], np.uint64).view(np.int64)
    type = ir.RankedTensorType.get([len(values)], word_type())
    table = create("arith.constant", [type], [], {"value": ir.DenseElementsAttr.get(values, type=type)})
    return element(table, place)


def _pair(table: Value, place: Value) -> Integer:
    """An entry of a table."""
    halves = (
        Integer(create("tensor.extract", [word_type()], [table, place, constant_index(n)])) for n in range(2)
    )
    return _joined(*halves)


# Loops and branches


def either(width: int, condition: Value, *ways: Callable[[], Integer]) -> Integer:
    """The integer that is found one way if a condition holds, else the other way."""
    branch = Branch(condition, [ir.IntegerType.get_signless(width)])
    for number, way in enumerate(ways):
        with branch.way(number):
            branch.give([way().value])
    return Integer(branch.results[0])


def nest(
    types: Sequence[Type], sizes: Sequence[Value], body: Callable[[Integer], Sequence[Value]]
) -> list[Value]:
    """Tensors of one shape, by what they have at each place; places are counted in the order of memory."""
    shape = list(types[0].shape)
    targets = [create("tensor.empty", [type], sizes) for type in types]
    maps = [ir.AffineMap.get_identity(len(shape))] * len(types)
    made = new_generic([], targets, maps, ["parallel"] * len(shape))
    block = made.regions[0].blocks[0]
    remaining = iter(sizes)
    dynamic = ir.ShapedType.get_dynamic_size()
    extents = [next(remaining) if extent == dynamic else extent for extent in shape]
    with ir.InsertionPoint(block):
        place = constant(0)
        for axis, extent in enumerate(extents):
            i64 = ir.IntegerAttr.get(word_type(), axis)
            at = word_of(create("linalg.index", [ir.IndexType.get()], [], {"dim": i64}))
            place = at if not axis else place * (extent if isinstance(extent, int) else word_of(extent)) + at
        create("linalg.yield", [], list(body(place)))
    return list(made.results)


def loop_over(start: Value, end: Value, carried: Sequence[Value]) -> Operation:
    """A loop that starts from some values; its body is still empty."""
    types = [value.type for value in carried]
    loop = ir.Operation.create("scf.for", types, [start, end, constant_index(1), *carried], regions=1)
    loop.regions[0].blocks.append(
        ir.IndexType.get(), *types, arg_locs=[ir.Location.current] * (1 + len(types))
    )
    return loop


def loop_while(
    turns: int,
    carried: Sequence[Value],
    test: Callable[..., Sequence[Value]],
    step: Callable[..., Sequence[Value]] | None = None,
    passed: Sequence[Type] | None = None,
) -> list[Value]:
    """A loop that data ends, after so many turns on average: see `while_loop`."""
    attributes = {EXPECTED_TURNS: ir.IntegerAttr.get(word_type(), turns)}
    return while_loop(carried, test, step, passed, attributes)
