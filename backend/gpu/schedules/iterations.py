"""A thread for each iteration of a loop, or of loops in each other, whose iterations need nothing of each other."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value
from ....passes.rewriting import constant_integer, operations_in, operations_of
from ...nests.emit import Emitter, Index
from ...nests.iterations import are_independent, perfect_nest
from ..code.control import compare, only_if
from ..code.kernel import Kernel
from ..code.walk import product, split

_THREADS = 128


def matches(loop: Operation) -> bool:
    """Whether the iterations of an operation are those of a loop, and independent."""
    if loop.name != "scf.for" or constant_integer(loop.operands[2]) is None:
        return False
    if any(op.name == "memref.alloc" for op in operations_of(loop)):
        return False  # memory of each thread would be slow memory
    return are_independent(loop)


def write(function: Operation, name: str, loop: Operation, reason: str) -> None:
    """Write a loop that `matches`."""
    loops = list(perfect_nest(loop))
    kernel = Kernel(function, name, [loop], (_THREADS, 1, 1))
    emitter = kernel.emitter
    with kernel.body():
        bounds = [[kernel.value(bound) for bound in list(each.operands)[:2]] for each in loops]
        counts = [count(each, pair, emitter) for each, pair in zip(loops, bounds, strict=True)]
        total = product(counts, emitter)
        block = emitter.multiply(kernel.id("block_id"), _THREADS)
        number = emitter.value(emitter.add(block, kernel.id("thread_id")))
        with only_if(compare("ult", number, emitter.value(total))):
            for each, (first, _), turn in zip(loops, bounds, split(number, counts, emitter), strict=True):
                step = constant_integer(each.operands[2])
                assert step is not None
                position = emitter.add(first, emitter.multiply(turn, step))
                body = each.regions[0].blocks[0]
                kernel.bind(body.arguments[0], emitter.value(position))
                *ops, _ = operations_in(body)
                for op in ops:
                    if op not in loops:
                        kernel.clone(op)
    outer = Emitter(function)
    counts = [count(each, list(each.operands)[:2], outer) for each in loops]
    blocks = outer.divide(outer.add(product(counts, outer), _THREADS - 1), _THREADS)
    kernel.launch([outer.maximum(1, blocks)], reason)


def count(loop: Operation, bounds: Sequence[Value], emitter: Emitter) -> Index:
    """How many iterations a loop has."""
    step = constant_integer(loop.operands[2])
    numbers: list[Index] = []
    for bound, value in zip(list(loop.operands)[:2], bounds, strict=True):
        known = constant_integer(bound)
        numbers.append(value if known is None else known)
    assert step is not None
    length = emitter.maximum(0, emitter.subtract(numbers[1], numbers[0]))
    return emitter.divide(emitter.add(length, step - 1), step)
