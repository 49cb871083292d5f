"""A thread for each iteration of a loop, or of loops in each other, whose iterations need nothing of each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import (
    constant_integer,
    function_around,
    is_defined_inside,
    operations_in,
    operations_of,
)
from ...nests.emit import Emitter, Index, create, load, scalar
from ...nests.iterations import are_independent, perfect_nest, reads_nothing_it_writes
from ..code.atomics import update
from ..code.captures import is_known_to_host, is_pure
from ..code.control import compare, only_if
from ..code.kernel import Kernel
from ..code.walk import split
from ..machine.call_context import DEVICE_WORDS
from ..placement.place_kernels import VISIBLE, guard_of
from .device_schedule import DeviceSchedule, Run

_THREADS = 128


class Iterations(DeviceSchedule):
    """A thread for each iteration of a loop whose iterations are independent, with loops inside."""

    reason = "none needs another"

    @classmethod
    def match(cls, run: Run) -> Iterations | None:
        return cls(run) if run.is_loop and _matches(run.ops[0]) else None

    def write(self, name: str) -> None:
        (op,) = self.ops
        branches, loop = _branches_around(op)
        record = record_of(loop)
        loops = list(perfect_nest(loop, record))
        kernel = Kernel(self.function, name, [op], (_THREADS, 1, 1))
        emitter = kernel.emitter
        with kernel.body():
            counts = _counts(loops, kernel)
            number = kernel.number()
            with ExitStack() as ways:
                ways.enter_context(only_if(compare("ult", number, emitter.value(emitter.product(counts)))))
                for branch in branches:
                    ways.enter_context(only_if(kernel.value(branch.operands[0])))
                    *computed, _, _ = operations_in(branch.regions[0].blocks[0])
                    for inner in computed:
                        kernel.clone(inner)
                if record is None:
                    iteration(kernel, loops, counts, number)
                else:
                    _note_first(kernel, loops, counts, number, record)
        outer = Emitter(self.function)
        total = outer.product([count(each, list(each.operands)[:2], outer) for each in loops])
        blocks = outer.divide_up(total, _THREADS)
        kernel.launch([outer.maximum(1, blocks)], self.title)
        if record is not None:
            raise_first(self.function, f"{name}_first", loops, record)


def _matches(op: Operation) -> bool:
    """Whether the iterations of an operation are those of a loop, and independent; there may be branches around it."""
    _, loop = _branches_around(op)
    if loop.name != "scf.for" or constant_integer(loop.operands[2]) is None:
        return False
    if loop != op and any(is_defined_inside(bound, op) for bound in list(loop.operands)[:2]):
        return False  # how many threads there are is known before
    if any(inner.name == "memref.alloc" for inner in operations_of(loop)):
        return False  # memory of each thread would be slow memory
    record = record_of(loop)
    if not are_independent(loop, record) or (record is not None and loop != op):
        return False
    if not all(is_known_to_host(bound) for each in perfect_nest(loop, record) for bound in each.operands):
        return False
    return record is None or _can_do_again(loop, record)


def _branches_around(op: Operation) -> tuple[list[Operation], Operation]:
    """Branches with one way, each of which does nothing but to compute and the next one; and what is in the last."""
    branches: list[Operation] = []
    while op.name == "scf.if" and not op.results and _is_empty(op.regions[1]):
        *ops, _ = operations_in(op.regions[0].blocks[0])
        if not ops or not all(map(is_pure, ops[:-1])):
            break
        branches.append(op)
        op = ops[-1]
    return branches, op


def _is_empty(region: ir.Region) -> bool:
    blocks = list(region.blocks)
    return not blocks or len(operations_in(blocks[0])) == 1


def _counts(loops: Sequence[Operation], kernel: Kernel) -> list[Index]:
    bounds = [[kernel.value(bound) for bound in list(each.operands)[:2]] for each in loops]
    return [count(each, pair, kernel.emitter) for each, pair in zip(loops, bounds, strict=True)]


def iteration(
    kernel: Kernel, loops: Sequence[Operation], counts: list[Index], number: Value
) -> list[Operation]:
    """Do what the iteration of a number does; what was written for it."""
    emitter, written = kernel.emitter, list[Operation]()
    for each, turn in zip(loops, split(number, counts, emitter), strict=True):
        step = constant_integer(each.operands[2])
        assert step is not None
        position = emitter.add(kernel.value(each.operands[0]), emitter.multiply(turn, step))
        body = each.regions[0].blocks[0]
        kernel.bind(body.arguments[0], emitter.value(position))
        *ops, _ = operations_in(body)
        written += [kernel.clone(op) for op in ops if op not in loops]
    return written


# Loops that may raise: all iterations run, and the first that has failed is done again by one thread, which notes
# what has gone wrong. What the others have stored nobody looks at then.

_LAST = (1 << 63) - 1
"""Of this, the number of an iteration is taken away: where none has failed, 0 is the largest."""


def record_of(loop: Operation) -> Value | None:
    """The record of errors, of a loop whose iterations may raise."""
    if not any(op.name == "func.call" for op in operations_of(loop)):
        return None
    return guard_of(function_around(loop))


def _can_do_again(loop: Operation, record: Value) -> bool:
    """Whether an iteration does the same a second time, and whether nobody sees what those behind the first store."""
    return reads_nothing_it_writes(loop, record=record) and not is_visible(loop)


def is_visible(loop: Operation) -> bool:
    """Whether somebody may see what a loop has stored when it raises."""
    return VISIBLE in function_around(loop).attributes


def _note_first(
    kernel: Kernel, loops: Sequence[Operation], counts: list[Index], number: Value, record: Value
) -> None:
    """Do an iteration; of those that fail, the device's record has the smallest number in the end."""
    emitter, errors = kernel.emitter, kernel.value(record)
    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])}
    kernel.bind(
        record, create("memref.alloca", [record.type], [], segments)
    )  # nobody reads what it would say
    note_if_failing(iteration(kernel, loops, counts, number), number, errors, emitter)


def note_if_failing(written: Iterable[Operation], number: Value, errors: Value, emitter: Emitter) -> None:
    """Let the calls in operations that end an iteration leave its number in the device's record, if it is the first."""
    i64 = ir.IntegerType.get_signless(64)
    for op in written:
        for inner in (op, *operations_of(op)):
            if inner.name == "func.call":
                with ir.InsertionPoint(inner), inner.location:
                    word = create("arith.index_cast", [i64], [number])
                    left = create("arith.subi", [i64], [_constant(_LAST), word])
                    update("max", left, errors, [emitter.value(DEVICE_WORDS)], emitter)


def raise_first(function: Operation, name: str, loops: Sequence[Operation], record: Value) -> None:
    """Let one thread do the first iteration that has failed again."""
    kernel = Kernel(function, name, [loops[0]], (1, 1, 1))
    emitter = kernel.emitter
    with kernel.body():
        left = load(kernel.value(record), [emitter.value(DEVICE_WORDS)])
        with only_if(compare("ne", left, _constant(0))):
            word = create("arith.subi", [left.type], [_constant(_LAST), left])
            number = create("arith.index_cast", [ir.IndexType.get()], [word])
            iteration(kernel, loops, _counts(loops, kernel), number)
    kernel.launch([1], "one thread: the first iteration that has failed, if there is one")


def _constant(number: int) -> Value:
    return scalar(ir.IntegerType.get_signless(64), number)


def count(loop: Operation, bounds: Sequence[Value], emitter: Emitter) -> Index:
    """How many iterations a loop has."""
    step = constant_integer(loop.operands[2])
    numbers: list[Index] = []
    for bound, value in zip(list(loop.operands)[:2], bounds, strict=True):
        known = constant_integer(bound)
        numbers.append(value if known is None else known)
    assert step is not None
    length = emitter.maximum(0, emitter.subtract(numbers[1], numbers[0]))
    return emitter.divide_up(length, step)
