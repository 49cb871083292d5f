"""Loops carry each array at one place, as upstream's bufferisation asks of arrays that are changed where they lie.

    %r = scf.while (%i = %0, %x = %a) {          %r:2 = scf.while (%x = %a, %i = %0) {
      scf.condition(%c) %x                 ->      scf.condition(%c) %x
    } do {                                       } do {
    ^bb0(%y):                                    ^bb0(%y):
      scf.yield %j, %z                             scf.yield %z, %j
    }                                            }

Arrays come first, in the order in which the loop results in them. Upstream copies one that a loop is entered with at
another place than it is passed on at, which is once an iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.made_ops import operation_of
from ....dialect.mlir import Block, Operation, Value, ir
from ....passes.rewriting import operations_of, terminator


def align_carried_arrays(function: Operation) -> None:
    """Give each array that an `scf.while` passes on to its body the same place among what it carries."""
    for op in reversed(operations_of(function)):
        if op.name == "scf.while":
            _align(op)


def _align(loop: Operation) -> None:
    condition = terminator(loop.regions[0].blocks[0])
    passed = list(condition.operands)[1:]
    places = {
        number: value.arg_number
        for number, value in enumerate(passed)
        if isinstance(value.type, ir.RankedTensorType) and value.owner == condition.block
    }
    distinct = len(set(places.values())) == len(places)
    if distinct and any(number != place for number, place in places.items()):
        _reorder(loop, list(places.values()), list(places))


def _reorder(loop: Operation, first_entered: Sequence[int], first_passed: Sequence[int]) -> None:
    """Make a loop again of which some of what it is entered with and of what it passes on come first."""
    entered = _with_first(first_entered, len(loop.operands))
    passed = _with_first(first_passed, len(loop.results))
    operands, results = list(loop.operands), list(loop.results)
    with ir.InsertionPoint(loop), loop.location:
        made = operation_of(
            "scf.while",
            [operands[number] for number in entered],
            [results[number].type for number in passed],
            regions=2,
            **{name: loop.attributes[name] for name in loop.attributes},
        )
    before, after = (region.blocks[0] for region in loop.regions)
    condition, ends = terminator(before), terminator(after)
    _set_operands(condition, [condition.operands[0], *(condition.operands[1 + number] for number in passed)])
    _set_operands(ends, [ends.operands[number] for number in entered])
    for region, block, order in zip(made.regions, (before, after), (entered, passed), strict=True):
        _reorder_arguments(block, order)
        block.append_to(region)
    for place, number in enumerate(passed):
        results[number].replace_all_uses_with(made.results[place])
    loop.erase()


def _with_first(first: Sequence[int], count: int) -> list[int]:
    return [*first, *(number for number in range(count) if number not in first)]


def _set_operands(op: Operation, operands: Sequence[Value]) -> None:
    for place, operand in enumerate(operands):
        op.operands[place] = operand


def _reorder_arguments(block: Block, order: Sequence[int]) -> None:
    old = list(block.arguments)
    for number in order:
        new = block.add_argument(old[number].type, old[number].location)
        old[number].replace_all_uses_with(new)
    for _ in old:
        block.erase_argument(0)


__all__ = ["align_carried_arrays"]
