"""What becomes of a kernel function: its operations in order, each as the launch of a device kernel.

What is chosen for each operation, and why, is the attribute `weft.schedule` of its device kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from ...dialect.mlir import Operation, ir
from ...dialect.records import dataclass
from ...passes.rewriting import operations_in
from ..nests.nest import LoopNest, loop_nest
from .code.captures import NotScheduled, captures, is_pure
from .schedules import one_thread, points


@dataclass
class Part:
    """Operations of a kernel function that become one launch, or several behind each other."""

    ops: list[Operation]
    write: Callable[[str], None] = field(default=lambda name: None)
    """Writes the device kernel of a name and its launch, at the insertion point."""


def parts_of(function: Operation) -> list[Part]:
    """The parts that a kernel function is cut into, in order; raises `NotScheduled` where it cannot be."""
    block = function.regions[0].blocks[0]
    *ops, terminator = operations_in(block)
    if terminator.operands:
        raise NotScheduled("it returns numbers")
    working = [op for op in ops if not is_pure(op) and op.name not in _MEMORY]
    found: list[Part] = []
    for group in _grouped(working):
        with ir.InsertionPoint(group[0]), group[0].location:  # of the sizes that are asked for
            found += _parts_of_group(function, group)
    return found


_MEMORY = ("memref.alloc", "memref.dealloc")


def _grouped(ops: list[Operation]) -> list[list[Operation]]:
    """Operations in runs: those that use what others made, which is no memory, are in the run of those."""
    groups: list[list[Operation]] = []
    for op in ops:
        groups.append([op])
        while len(groups) > 1 and not _can_start(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    while len(groups) > 1 and not any(_has_effect(op) for op in groups[-1]):
        groups.pop()  # what nobody uses
    return groups


def _can_start(ops: list[Operation]) -> bool:
    try:
        captures(ops)
    except NotScheduled:
        return False
    return True


def _has_effect(op: Operation) -> bool:
    return bool(op.name != "memref.load")


def _parts_of_group(function: Operation, group: list[Operation]) -> list[Part]:
    """How a group of operations is spread over threads."""
    first = group[0]
    if len(group) == 1 and first.name == "linalg.generic":
        nest = loop_nest(first)
        if any(nest.parallel):
            return [_points(function, first, _reason_of_points(nest))]
        return [_one_thread(function, group, "one result")]
    return [_one_thread(function, group, f"{first.name} is one step after the other")]


def _reason_of_points(nest: LoopNest) -> str:
    return "points: no point needs another" if all(nest.parallel) else "points: a short sum for each"


def _points(function: Operation, generic: Operation, reason: str) -> Part:
    return Part([generic], lambda name: points.write(function, name, generic, None, reason))


def _one_thread(function: Operation, group: list[Operation], reason: str) -> Part:
    return Part(group, lambda name: one_thread.write(function, name, group, f"one thread: {reason}"))


__all__ = ["Part", "parts_of"]
