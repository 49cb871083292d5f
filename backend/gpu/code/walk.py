"""How a thread goes over its part of the points of a nest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Type, Value, ir
from ...nests.emit import Emitter, ForLoop, Index, create
from ...nests.nest import LoopNest
from .control import compare, only_if


def product(extents: Iterable[Index], emitter: Emitter) -> Index:
    """How many points there are."""
    total: Index = 1
    for extent in extents:
        total = emitter.multiply(total, extent)
    return total


@contextmanager
def where_any(extents: Iterable[Index], emitter: Emitter) -> Iterator[None]:
    """Write what is done where no extent is zero: grids have a block at least, if there is nothing to do."""
    count = product(extents, emitter)
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
