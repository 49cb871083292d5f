"""Conditions of single threads, or of all that take the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Type, Value, ir
from ...nests.emit import compare as compare
from ...nests.emit import create, while_loop


class Branch:
    """An `scf.if` under construction."""

    def __init__(self, condition: Value, types: Sequence[Type]) -> None:
        self.operation = ir.Operation.create("scf.if", list(types), [condition], regions=2)
        self._given: list[Value] = []

    def give(self, values: Sequence[Value]) -> None:
        """Say what the way that is being written results in."""
        self._given = list(values)

    @property
    def results(self) -> list[Value]:
        """What the way that is taken results in."""
        return list(self.operation.results)

    @contextmanager
    def way(self, number: int) -> Iterator[None]:
        """Write one way, 0 if the condition holds."""
        with ir.InsertionPoint(self.operation.regions[number].blocks.append()):
            yield
            create("scf.yield", [], self._given)


@contextmanager
def only_if(condition: Value, types: Sequence[Type] = ()) -> Iterator[Branch]:
    """Write what happens if a condition holds; with results, what happens `otherwise` comes next."""
    branch = Branch(condition, types)
    with branch.way(0):
        yield branch


@contextmanager
def otherwise(branch: Branch) -> Iterator[None]:
    """Write what happens if the condition of an `only_if` does not hold."""
    with branch.way(1):
        yield


def first_without(holds: Callable[[Value], Value], start: Value, end: Value) -> Value:
    """The first number from `start` to `end` of which something does not hold, which holds of all before it."""

    def halved(low: Value, high: Value) -> list[Value]:
        one = create("arith.constant", [low.type], [], {"value": ir.IntegerAttr.get(low.type, 1)})
        middle = create("arith.shrui", [low.type], [create("arith.addi", [low.type], [low, high]), one])
        is_held = holds(middle)
        behind = create("arith.addi", [low.type], [middle, one])
        bounds = [(behind, low), (high, middle)]
        return [create("arith.select", [low.type], [is_held, *pair]) for pair in bounds]

    return while_loop([start, end], lambda low, high: [compare("ult", low, high), low, high], halved)[0]
