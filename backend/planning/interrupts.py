"""Long loops look now and then whether the user wants to interrupt them.

Only the loops of the program do, which have the attribute `weft.interruptible`. Each iteration counts down a number,
which is in a register in the end; at zero `weft_poll` looks at the time and says how many iterations may pass until
the next look, so that looking costs next to nothing and happens often enough:

    count = count - 1
    if count == 0:
        count = weft_poll(record, period); if record[0] != 0: exit

An innermost loop over a range runs in pieces instead, with a look between two of them, and can be vectorised.
"""

from __future__ import annotations

import math

from ...dialect.loops import INTERRUPTIBLE
from ...dialect.mlir import Block, Operation, Value, dialect, ir
from ...passes.rewriting import constant_integer, operations_in, terminator
from .failures import FailureSites, find, record_type
from .names import EXIT, POLL, is_kernel_name

_FIRST_PERIOD = 1 << 12
"""Iterations of a loop on scalars before the first look: some ten microseconds."""


_PIECE = 1 << 16
"""Iterations of an innermost loop between two looks."""


_LOOPS = ("scf.for", "scf.while")


def is_interruptible(function: Operation) -> bool:
    """Whether a function has loops that look for interrupts."""
    return bool(_loops(function))


def insert_polls(function: Operation, record: Value, failures: FailureSites) -> bool:
    """Let the loops of a function look for interrupts; return whether there are any."""
    loops = _loops(function)
    if not loops:
        return False
    memref, word = dialect("memref"), ir.IntegerType.get_signless(64)
    block = function.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block), function.location:
        state = memref.alloca(ir.MemRefType.get([2], word), [], [])
        _set(state, _FIRST_PERIOD)
    failures.declare(POLL, [record_type(), word], [word])
    outermost = [not _is_inside(loop) for loop in loops]
    for loop, is_outermost in zip(loops, outermost, strict=True):
        with loop.location:
            if loop.name == "scf.for" and not _calls(loop) and not _inner_loops(loop):
                _run_in_pieces(loop, record, failures)
                continue
            if is_outermost:
                with ir.InsertionPoint(loop):
                    _set(state, 1 if _calls(loop) else _FIRST_PERIOD)
            # At the end of an iteration, as what the test of a while loop reads is then still in registers before.
            body = loop.regions[len(loop.regions) - 1].blocks[0]
            with ir.InsertionPoint(terminator(body)):
                _count_down(state, record, failures)
    return True


def _loops(function: Operation) -> list[Operation]:
    loops = sorted(find(function, *_LOOPS), key=lambda loop: _LOOPS.index(loop.name))
    return [loop for loop in loops if _looks(loop)]


def _looks(op: Operation) -> bool:
    """Whether an op is a loop that looks for interrupts."""
    return op.name in _LOOPS and INTERRUPTIBLE in op.attributes and not _is_short(op)


def _is_short(loop: Operation) -> bool:
    """Whether a loop on scalars is known to be over soon, but for what loops in it take that look for themselves."""
    return loop.name == "scf.for" and not _calls(loop) and _unseen_iterations(loop) <= _FIRST_PERIOD


def _unseen_iterations(loop: Operation) -> float:
    """How many iterations of a loop over a range, and of those in it, there are while none of them looks."""
    first, last, step = map(constant_integer, list(loop.operands)[:3])
    if first is None or last is None or step is None:
        return math.inf
    trips = max(0, (last - first) // step)
    return trips and trips * (1 + sum(_unseen_inside(region.blocks[0]) for region in loop.regions))


def _unseen_inside(block: Block) -> float:
    """How many iterations of the loops in a block there are while none of them looks; those that look are none."""
    total = 0.0
    for op in operations_in(block):
        if op.name in _LOOPS and INTERRUPTIBLE in op.attributes:
            unseen = math.inf if op.name == "scf.while" else _unseen_iterations(op)
            total += 0 if unseen > _FIRST_PERIOD else unseen
        else:
            total += sum(_unseen_inside(inner) for region in op.regions for inner in region.blocks)
    return total


def _inner_loops(loop: Operation) -> list[Operation]:
    """The loops inside a loop."""
    return [inner for inner in find(loop, *_LOOPS) if inner != loop]


def _calls(loop: Operation) -> bool:
    """Whether an iteration may take long: it calls kernels or functions, or works on whole arrays."""
    for op in find(loop, "func.call", "linalg.generic"):
        if op.name == "linalg.generic":
            return True
        callee = op.attributes["callee"].value
        if callee not in (EXIT, POLL) and (is_kernel_name(callee) or not op.results):
            return True
    return False


def _is_inside(loop: Operation) -> bool:
    """Whether a loop is inside of another one that looks for interrupts."""
    parent = loop.parent.operation
    while parent.name != "func.func":
        if _looks(parent):
            return True
        parent = parent.parent.operation
    return False


def _set(state: Value, period: int) -> None:
    """Look after so many iterations."""
    for index in range(2):
        _store(state, index, dialect("arith").constant(ir.IntegerType.get_signless(64), period))


def _count_down(state: Value, record: Value, failures: FailureSites) -> None:
    arith, scf, word = dialect("arith"), dialect("scf"), ir.IntegerType.get_signless(64)
    left = arith.subi(_load(state, 0), arith.constant(word, 1))
    _store(state, 0, left)
    branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, left, arith.constant(word, 0)))
    with ir.InsertionPoint(branch.then_block):
        period = dialect("func").CallOp([word], POLL, [record, _load(state, 1)]).result
        for index in range(2):
            _store(state, index, period)
        failures.propagate(record)
        scf.YieldOp([])


def _run_in_pieces(loop: Operation, record: Value, failures: FailureSites) -> None:
    """Put a loop around, and look between its iterations.

    The loop moves and is no copy: views of the workspace in it have no offsets yet.
    """
    arith, scf = dialect("arith"), dialect("scf")
    word = ir.IntegerType.get_signless(64)
    first, last, step, *initials = loop.operands
    with ir.InsertionPoint(loop):
        piece = arith.muli(step, arith.constant(ir.IndexType.get(), _PIECE))
        outer = scf.ForOp(first, last, piece, initials)
        outer.attributes[INTERRUPTIBLE] = ir.UnitAttr.get()
    for result, whole in zip(loop.results, outer.results, strict=True):
        result.replace_all_uses_with(whole)
    with ir.InsertionPoint(outer.body):
        start, *carried = outer.body.arguments
        left = arith.subi(last, start)
        more = arith.cmpi(arith.CmpIPredicate.sgt, left, piece)
        # Never beyond the last, which is easier to see.
        end = arith.minsi(last, arith.addi(start, arith.select(more, piece, left)))
        look = scf.IfOp(more)
        loop.move_before(look.operation)
        for index, operand in enumerate([start, end, step, *carried]):
            loop.operands[index] = operand
        with ir.InsertionPoint(look.then_block):
            dialect("func").CallOp([word], POLL, [record, arith.constant(word, _PIECE)])
            failures.propagate(record)
            scf.YieldOp([])
        scf.YieldOp(list(loop.results))


def _load(memref: Value, index: int) -> Value:
    return dialect("memref").load(memref, [dialect("arith").constant(ir.IndexType.get(), index)])


def _store(memref: Value, index: int, value: Value) -> None:
    dialect("memref").store(value, memref, [dialect("arith").constant(ir.IndexType.get(), index)])
