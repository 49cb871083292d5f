"""Which kernels become part of the code that calls them.

A call takes a few nanoseconds and passes what it computes through memory: nothing beside a large array, but much in
a loop around rows of three numbers. Large kernels are better off alone: their arguments are known not to overlap.
"""

from __future__ import annotations

import math
from collections import Counter

from ....dialect.mlir import Block, Module, Operation, Value, ir

MAX_CALLS = 2
"""With so few calls in a module, all are inlined: that takes no longer to compile."""

MAX_STEPS = 300
"""A kernel that a loop calls, in one place, is inlined if it executes so few operations."""

MAX_TOTAL_STEPS = 3000
"""All kernels that are inlined into loops together: one long function takes long to compile."""

_LOOPS = ("scf.for", "scf.while")


def kernels_in_line(module: Module) -> set[str]:
    """The names of the kernels to inline, in a module of structured loops."""
    kernels = {}
    calls: Counter[str] = Counter()
    in_loops: set[str] = set()
    for view in module.body.operations:
        function = view.operation
        if function.name != "func.func" or not function.regions[0].blocks:
            continue
        if "sym_visibility" in function.attributes:
            kernels[function.attributes["sym_name"].value] = function
        for block in function.regions[0]:
            _find_calls(block, False, calls, in_loops)
    if sum(calls[name] for name in kernels) <= MAX_CALLS:
        return set(kernels)
    chosen: set[str] = set()
    total = 0.0
    for name, function in kernels.items():
        if name in in_loops and calls[name] == 1:
            steps = _steps(function)
            if steps <= MAX_STEPS and total + steps <= MAX_TOTAL_STEPS:
                chosen.add(name)
                total += steps
    return chosen


def _find_calls(block: Block, in_loop: bool, calls: Counter[str], in_loops: set[str]) -> None:
    for view in block.operations:
        op = view.operation
        if op.name == "func.call":
            name = op.attributes["callee"].value
            calls[name] += 1
            if in_loop:
                in_loops.add(name)
        for region in op.regions:
            for inner in region:
                _find_calls(inner, in_loop or op.name in _LOOPS, calls, in_loops)


def _steps(op: Operation) -> float:
    """How many operations an op executes, itself included; infinitely many if that is not known."""
    inside = [inner.operation for region in op.regions for block in region for inner in block.operations]
    return 1 + _trips(op) * sum(map(_steps, inside)) if inside else 1


def _trips(op: Operation) -> float:
    if op.name == "scf.while":
        return math.inf
    if op.name != "scf.for":
        return 1
    bounds = [_constant(value) for value in list(op.operands)[:3]]
    start, stop, step = bounds
    if start is None or stop is None or step is None:
        return math.inf
    return len(range(start, stop, step))


def _constant(value: Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        return None
    return int(owner.operation.attributes["value"].value)
