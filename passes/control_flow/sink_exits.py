"""Do behind a loop what its last iteration does before it breaks off."""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.op import Array
from ...dialect.ops.comparison import Equal
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import is_defined_inside, type_of
from .facts import evaluate
from .speculation import is_pure
from .structure import (
    IF,
    WHILE,
    add_yield,
    body,
    constant_of,
    constant_tensor,
    control_ops,
    copy_of,
    extracted,
    functions_with_control_flow,
    has_else,
    is_inside,
    is_used,
    new_if,
    operation_of,
    operations_in,
    replace_all,
    replace_terminator,
    tensor_of,
    terminator,
    used_inside,
    weft_op,
    yielded,
)


@dataclass(frozen=True)
class SinkExits(Pass):
    """Move what a branch of an `scf.while` writes to an array behind the loop, if the loop ends with that iteration.

        while s == 0 and k < n:                         while s == 0 and k < n:
            k = k + 1                                       k = k + 1
            if c: a[i] = k; s = 1      becomes              if c: s = 1
                                                        if s == 1: a[i] = k

    A break leaves such a status. The loop is then one on numbers, of which several can run side by side.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the branches in the body of every while loop, for one array; further rounds find others."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, WHILE):
                branches = [op for op in operations_in(body(loop, 1)) if op.name == IF]
                if any(_sink(loop, branch) for branch in branches):
                    statistics["arrays written behind loops"] += 1


def _sink(loop: Operation, branch: Operation) -> bool:
    """Move what a branch makes of one array behind the loop, which only carries it otherwise; whether there was one."""
    condition = tensor_of(branch.operands[0])
    if condition is None or not has_else(branch):
        return False
    status = _status(loop, condition)
    if status is None:
        return False
    for place, result in _places_of_arrays(loop, branch):
        argument, source = body(loop, 1).arguments[place], yielded(body(branch))[result]
        steps = _steps_to(source, body(branch))
        made = {value for step in steps for value in step.results}
        wanted = {value for step in steps for value in used_inside(step)} - made - {argument}
        inside = [value for value in dict.fromkeys(wanted) if is_defined_inside(value, loop)]
        if (
            steps
            and all(map(is_pure, steps))
            and all(_is_number_of(value, body(loop, 1)) for value in inside)
        ):
            kept = yielded(body(branch))
            kept[result] = argument
            replace_terminator(body(branch), kept)
            _write_behind(loop, place, status, steps, source, inside)
            return True
    return False


def _places_of_arrays(loop: Operation, branch: Operation) -> list[tuple[int, int]]:
    """The arrays that only this branch changes: their places in the body of the loop, and among its results."""
    test, work = body(loop, 0), body(loop, 1)
    results, found = list(branch.results), []
    tested, handed = list(test.arguments), yielded(work)
    for place, (passed, argument) in enumerate(zip(yielded(test), work.arguments, strict=True)):
        if passed not in tested or not type_of(argument).rank or _uses(passed) != 1:
            continue
        value = handed[tested.index(passed)]
        if value not in results or _uses(value) != 1:
            continue
        result = results.index(value)
        uses = [use.owner.operation for use in argument.uses]
        only_here = all(is_inside(use, body(branch)) or use == terminator(body(branch, 1)) for use in uses)
        if only_here and yielded(body(branch, 1))[result] == argument:
            found.append((place, result))
    return found


def _uses(value: Value) -> int:
    return sum(1 for _ in value.uses)


def _status(loop: Operation, condition: Value) -> tuple[Value, Array, Array] | None:
    """A number that the body of a loop hands on and that tells whether the condition held, and then ends the loop.

    With it comes what it begins with, and what it is when the condition holds; it never is that otherwise.
    """
    test, handed = body(loop, 0), yielded(body(loop, 1))
    goes_on = tensor_of(terminator(test).operands[0])
    for place, value in enumerate(handed) if goes_on is not None else ():
        if str(value.type) != "tensor<i64>":
            continue
        first = constant_of(loop.operands[place])
        exit, other = (evaluate(value, {condition: np.asarray(holds)}) for holds in (True, False))
        if first is None or exit is None or other is None or exit in (first, other):
            continue
        ends = evaluate(goes_on, {test.arguments[place]: exit})
        if ends is not None and not ends:
            return value, first, exit
    return None


def _is_number_of(value: Value, block: Block) -> bool:
    """Whether a value is of a block itself, and an array without axes."""
    home = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    return bool(home == block and isinstance(value.type, ir.RankedTensorType) and not value.type.rank)


def _steps_to(value: Value, block: Block) -> list[Operation]:
    """The ops of a block that a value is made by, in order."""
    wanted, steps = {value}, []
    for operation in reversed(operations_in(block)[:-1]):
        if not wanted.isdisjoint(operation.results):
            steps.append(operation)
            wanted.update(used_inside(operation))
    return steps[::-1]


def _write_behind(
    loop: Operation,
    place: int,
    status: tuple[Value, Array, Array],
    steps: list[Operation],
    source: Value,
    inside: list[Value],
) -> None:
    """Do behind the loop, where it ended with a status, what steps of the branch did with values from inside."""
    number, first, exit = status
    initial = [first, *(np.zeros((), type_of(value).dtype) for value in inside)]
    argument = body(loop, 1).arguments[place]
    loop, numbers = _carry(loop, [number, *inside], initial)
    array = loop.results[place]
    before = [(use.owner.operation, use.operand_number) for use in array.uses]
    with ir.InsertionPoint.after(loop), loop.location:
        ended = extracted(weft_op(Equal, numbers[0], constant_tensor(exit)))
        made, then, otherwise = new_if(ended, [array.type], loop.location)
    values = {**dict(zip(inside, numbers[1:], strict=True)), argument: array}
    with ir.InsertionPoint(then):
        for step in steps:
            copy_of(step, values)
        add_yield([values[source]], loop.location)
    with ir.InsertionPoint(otherwise):
        add_yield([array], loop.location)
    for user, operand in before:
        user.operands[operand] = made.results[0]
    for step in reversed(steps):
        if not any(map(is_used, step.results)):
            step.erase()


def _carry(loop: Operation, values: list[Value], initial: list[Array]) -> tuple[Operation, list[Value]]:
    """A while loop in the place of one that also carries numbers of its body; returns what it leaves of them."""
    types = [value.type for value in values]
    results = [result.type for result in loop.results]
    with ir.InsertionPoint(loop), loop.location:
        start = [constant_tensor(array, array.dtype) for array in initial]
        made = operation_of(
            WHILE, [*loop.operands, *start], [*results, *types], regions=2, location=loop.location
        )
    for name in loop.attributes:
        made.attributes[name] = loop.attributes[name]
    test, work = body(loop, 0), body(loop, 1)
    test.append_to(made.regions[0])
    work.append_to(made.regions[1])
    added = [test.add_argument(type, loop.location) for type in types]
    for type in types:
        work.add_argument(type, loop.location)
    replace_terminator(test, [*yielded(test), *added])
    replace_terminator(work, [*yielded(work), *values])
    kept = list(made.results)[: len(results)]
    replace_all(loop.results, kept)
    loop.erase()
    return made, list(made.results)[len(results) :]
