"""How a thread goes over its part of the points of a nest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Type, Value, ir
from ...functions.instructions import call_intrinsic
from ...nests.emit import Emitter, ForLoop, Index, create, scalar
from ...nests.nest import LoopNest
from .control import compare, only_if, otherwise


@contextmanager
def where_any(extents: Iterable[Index], emitter: Emitter) -> Iterator[None]:
    """Write what is done where no extent is zero: grids have a block at least, if there is nothing to do."""
    count = emitter.product(extents)
    if isinstance(count, int):
        yield
    else:
        with only_if(compare("ne", count, emitter.value(0))):
            yield


def stepped(
    first: Index,
    total: Index,
    step: Index,
    carried: Sequence[Value],
    emitter: Emitter,
    body: Callable[[Index, list[Value]], Sequence[Value]],
) -> list[Value]:
    """A loop over numbers from the first on, with values that iterations hand on."""
    loop = ForLoop(emitter, first, total, step, carried)
    with loop.body():
        loop.end(body(loop.position, loop.carried))
    return loop.results


def rest_and_quotient(number: Value, by: Index, emitter: Emitter) -> tuple[Value, Value]:
    """What is left of a number, and how often it has another one."""
    operands = [number, emitter.value(by)]
    rest, quotient = (create(name, [number.type], operands) for name in ("arith.remui", "arith.divui"))
    return rest, quotient


def split(flat: Index, extents: list[Index], emitter: Emitter) -> list[Index]:
    """The position, in a box of such extents, of a point by its number; by 32 bits where they are enough."""
    total = 1
    for extent in extents:
        total = total * extent if isinstance(extent, int) else 0
    number = ir.IntegerType.get_signless(32) if 0 < total < 1 << 31 else emitter.index_type

    def convert(value: Value, type: Type) -> Value:
        return value if value.type == type else create("arith.index_castui", [type], [value])

    positions: list[Index] = []
    for extent in reversed(extents[1:]):
        operands = [convert(emitter.value(part), number) for part in (flat, extent)]
        flat = convert(create("arith.divui", [number], operands), emitter.index_type)
        positions.insert(0, convert(create("arith.remui", [number], operands), emitter.index_type))
    return [flat, *positions] if extents else []


def inverses(extents: Sequence[Index], emitter: Emitter) -> list[Value | None]:
    """What the host computes so that a kernel divides by extents that are not known by multiplying; None for others.

    For an extent d, s is the least with 2**s >= d, and m = 2**(31 + s) // d + 1: then n // d is n * m >> 31 + s for all
    n below 2**31 (Granlund and Montgomery, Division by invariant integers using multiplication, 1994). A word has m,
    and above it s; all words are 0 where there are more points.
    """
    i64 = ir.IntegerType.get_signless(64)

    def number(value: int) -> Value:
        return scalar(i64, value)

    def compute(name: str, *operands: Value) -> Value:
        return create(f"arith.{name}", [i64], operands)

    if all(isinstance(extent, int) for extent in extents[1:]):
        return [None] * len(extents)
    total = emitter.value(emitter.product(extents))
    is_small = compare("ult", total, emitter.value(1 << 31))
    found: list[Value | None] = [None]
    for extent in extents[1:]:
        if isinstance(extent, int):
            found.append(None)
            continue
        divisor = create("arith.index_cast", [i64], [emitter.value(emitter.maximum(extent, 1))])
        rest = compute("subi", divisor, number(1))
        shift = compute("subi", number(64), create("math.ctlz", [i64], [rest]))
        power = compute("shli", number(1), compute("addi", shift, number(31)))
        factor = compute("addi", compute("divui", power, divisor), number(1))
        word = compute("ori", factor, compute("shli", shift, number(32)))
        found.append(create("arith.select", [i64], [is_small, word, number(0)]))
    return found


def split_by(
    flat: Value, extents: list[Index], words: Sequence[Value | None], emitter: Emitter
) -> list[Index]:
    """The same as `split`, by multiplications with what `inverses` has."""
    known = [word for word in words if word is not None]
    if not known:
        return split(flat, extents, emitter)
    zero = scalar(known[0].type, 0)
    types = [emitter.index_type] * len(extents)
    with only_if(compare("ne", known[0], zero), types) as branch:
        branch.give([emitter.value(part) for part in _multiplied(flat, extents, words, emitter)])
    with otherwise(branch):
        branch.give([emitter.value(part) for part in split(flat, extents, emitter)])
    return list(branch.results)


def _multiplied(
    flat: Value, extents: list[Index], words: Sequence[Value | None], emitter: Emitter
) -> list[Index]:
    """The position of a point of less than 2**31."""
    i32 = ir.IntegerType.get_signless(32)

    def compute(name: str, *operands: Value) -> Value:
        return create(f"arith.{name}", [i32], operands)

    def number(value: int) -> Value:
        return scalar(i32, value)

    left = create("arith.index_cast", [i32], [flat])
    positions: list[Index] = []
    for extent, word in zip(reversed(extents[1:]), reversed(words[1:]), strict=True):
        by = create("arith.index_cast", [i32], [emitter.value(extent)])
        if word is None:
            quotient = compute("divui", left, by)
        else:
            factor, shift = _halves(word)
            above = call_intrinsic("llvm.nvvm.mulhi.ui", i32, [compute("shli", left, number(1)), factor])
            quotient = compute("shrui", above, shift)
        rest = compute("subi", left, compute("muli", quotient, by))
        positions.insert(0, create("arith.index_castui", [emitter.index_type], [rest]))
        left = quotient
    return [create("arith.index_castui", [emitter.index_type], [left]), *positions]


def _halves(word: Value) -> list[Value]:
    """What is in a word, and what is above it."""
    parts = word, create("arith.shrui", [word.type], [word, scalar(word.type, 32)])
    return [create("arith.trunci", [ir.IntegerType.get_signless(32)], [part]) for part in parts]


def neighbours(
    nest: LoopNest, dims: Sequence[int], position: Sequence[Index], lanes: int, emitter: Emitter
) -> list[list[Index]]:
    """The points of a nest at a position along some dimensions, the last in steps of lanes, and those next to it."""
    point: list[Index] = [0] * len(nest.parallel)
    for dim, index in zip(dims, position, strict=True):
        point[dim] = index
    if lanes == 1:
        return [point]
    last = dims[-1]
    point[last] = emitter.multiply(point[last], lanes)
    return [
        [emitter.add(p, lane) if dim == last else p for dim, p in enumerate(point)] for lane in range(lanes)
    ]
