"""Let loops carry fewer values: not what nothing reads, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialect.mlir import Module, Operation, Value
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from .speculation import is_pure
from .structure import (
    FOR,
    LOOPS,
    body,
    control_ops,
    functions_with_control_flow,
    is_used,
    operations_in,
    replace_terminator,
    terminator,
    used_inside,
    yielded,
)


@dataclass(frozen=True)
class SimplifyCarriedValues(Pass):
    """Find values that loops carry in vain, so that `canonicalize` can remove them.

    Two values that begin as one and are advanced by equal ops are one. A value of which only its own next one is
    computed is not needed: it becomes one that never changes. Those, `canonicalize` removes.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first: what they do not use, outer ones need not carry."""
        for function in functions_with_control_flow(module):
            for operation in control_ops(function, *LOOPS):
                loop = _loop(operation)
                if merged := _merge_equal(loop):
                    statistics["values carried twice"] += merged
                if unused := _break_unused(loop):
                    statistics["values without use"] += unused


# Loops of both kinds, as values that go round: initial value -> tested -> passed on -> yielded -> tested


@dataclass
class _Loop:
    """A loop's carried values by place; an `scf.for` tests nothing and passes on everything."""

    operation: Operation
    initial: list[Value]
    tested: list[Value]
    """What stands for the carried values in the test of an `scf.while`; the same as `inside` for an `scf.for`."""
    passed: list[Value]
    """What the test hands over."""
    inside: list[Value]
    """What stands for that in the body."""
    yielded: list[Value]
    blocks: list[Any]

    @property
    def is_for(self) -> bool:
        return bool(self.operation.name == FOR)


def _loop(operation: Operation) -> _Loop:
    if operation.name == FOR:
        block = body(operation)
        arguments = list(block.arguments)[1:]
        initial = list(operation.operands)[3:]
        return _Loop(operation, initial, arguments, arguments, arguments, yielded(block), [block])
    test, work = body(operation, 0), body(operation, 1)
    return _Loop(
        operation,
        list(operation.operands),
        list(test.arguments),
        yielded(test),
        list(work.arguments),
        yielded(work),
        [test, work],
    )


def _refresh(loop: _Loop) -> None:
    """Read again what blocks hand over, after uses were replaced."""
    if loop.is_for:
        loop.yielded = yielded(loop.blocks[0])
    else:
        loop.passed, loop.yielded = yielded(loop.blocks[0]), yielded(loop.blocks[1])


# Equal values


def _merge_equal(loop: _Loop) -> int:
    """Use the first of several values that begin equal and are advanced by equal ops."""
    groups = _equal_places(loop)
    count = 0
    for first, *others in groups:
        for other in others:
            if is_used(loop.tested[other]):
                loop.tested[other].replace_all_uses_with(loop.tested[first])
                count += 1
            if loop.is_for and is_used(loop.operation.results[other]):
                loop.operation.results[other].replace_all_uses_with(loop.operation.results[first])
    if count:
        _refresh(loop)
    if not loop.is_for:
        _merge_passed(loop)
    return count


def _merge_passed(loop: _Loop) -> None:
    """Use the first of several values in the body that are one in the test."""
    results = list(loop.operation.results)
    for place, passed in enumerate(loop.passed):
        first = loop.passed.index(passed)
        if first != place:
            loop.inside[place].replace_all_uses_with(loop.inside[first])
            results[place].replace_all_uses_with(results[first])
    _refresh(loop)


def _equal_places(loop: _Loop) -> list[list[int]]:
    """Groups of places that are always equal: suppose that equal beginnings are, and split until that holds."""
    keys: list[Any] = [
        (value, str(tested.type)) for value, tested in zip(loop.initial, loop.tested, strict=True)
    ]
    groups = _grouped(keys, [0] * len(keys))
    while any(len(group) > 1 for group in groups):
        numbers = _Numbering()
        for number, group in enumerate(groups):
            for place in group:
                numbers.known[loop.tested[place]] = ("carried", number)
        for block in loop.blocks:
            if block is loop.blocks[-1] and not loop.is_for:
                for inside, passed in zip(loop.inside, loop.passed, strict=True):
                    numbers.known[inside] = numbers.of(passed)
            for operation in operations_in(block)[:-1]:
                numbers.add(operation)
        before = [0] * len(keys)
        for number, group in enumerate(groups):
            for place in group:
                before[place] = number
        split = _grouped([numbers.of(value) for value in loop.yielded], before)
        if len(split) == len(groups):
            return [group for group in groups if len(group) > 1]
        groups = split
    return []


def _grouped(keys: Sequence[Any], before: Sequence[int]) -> list[list[int]]:
    """Places by equal keys, within the groups of before."""
    groups: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault((before[place], key), []).append(place)
    return list(groups.values())


class _Numbering:
    """Numbers for values, equal ones for equal pure ops on equal operands."""

    def __init__(self) -> None:
        self.known: dict[Value, Any] = {}
        self._numbers: dict[Any, int] = {}

    def of(self, value: Value) -> Any:
        """What stands for a value."""
        return self.known.get(value, value)

    def add(self, operation: Operation) -> None:
        """Number the results of an op; those of ops with regions or effects stand for themselves."""
        if len(operation.regions) or not is_pure(operation):
            return
        attributes = tuple((name, str(operation.attributes[name])) for name in operation.attributes)
        operands = tuple(self.of(operand) for operand in operation.operands)
        types = tuple(str(result.type) for result in operation.results)
        key = (operation.name, attributes, operands, types)
        number = self._numbers.setdefault(key, len(self._numbers))
        for place, result in enumerate(operation.results):
            self.known[result] = ("op", number, place)


# Unused values


def _break_unused(loop: _Loop) -> int:
    """Let places whose values nothing needs but themselves keep what they begin with."""
    if _results_need_all(loop):
        return 0
    needed = _needed(loop)
    constants = loop.inside if loop.is_for else loop.initial
    broken = list(loop.yielded)
    for place, (tested, constant) in enumerate(zip(loop.tested, constants, strict=True)):
        if tested not in needed:
            broken[place] = constant
    count: int = sum(new != old for new, old in zip(broken, loop.yielded, strict=True))
    if count:
        replace_terminator(loop.blocks[-1], broken)
    return count


def _results_need_all(loop: _Loop) -> bool:
    """Whether what goes round is used behind the loop as it is, which is easy to see."""
    used = {
        passed for result, passed in zip(loop.operation.results, loop.passed, strict=True) if is_used(result)
    }
    return used.issuperset(loop.tested)


def _needed(loop: _Loop) -> set[Value]:
    """The block arguments that results of the loop, effects, or tests depend on."""
    makers: dict[Value, Operation] = {}
    pending: list[Value] = []
    for block in loop.blocks:
        for operation in operations_in(block)[:-1]:
            if is_pure(operation):
                makers.update((result, operation) for result in operation.results)
            else:
                pending += used_inside(operation)
    results = list(loop.operation.results)
    if not loop.is_for:
        pending.append(terminator(loop.blocks[0]).operands[0])
    next_values: dict[Value, list[Value]] = {}
    for tested, value in zip(loop.tested, loop.yielded, strict=True):
        next_values.setdefault(tested, []).append(value)
    for result, inside, passed in zip(results, loop.inside, loop.passed, strict=True):
        if is_used(result):
            pending += [passed]
        if not loop.is_for:
            next_values.setdefault(inside, []).append(passed)
    needed: set[Value] = set()
    while pending:
        value = pending.pop()
        if value not in needed:
            needed.add(value)
            pending += next_values.get(value, [])
            if value in makers:
                pending += used_inside(makers[value])
    return needed
