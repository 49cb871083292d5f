"""Where the extents of a tensor come from, also around loops that carry the tensor."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

from ...dialect.extents import Axis, extent_source
from ...dialect.mlir import Operation, Value, ir
from ...dialect.records import dataclass
from ..rewriting import is_defined_inside
from .structure import CAST, FOR, IF, WHILE, body, has_else, producer, yielded

T = TypeVar("T")
_Search: TypeAlias = Generator[Generator[Any, Any, Axis], Axis, T]
"""What asks for the origins that it needs on its way."""


@dataclass
class Extents:
    """Traces axes to values that have the same extent there.

    What it found holds until the program changes, also until an op is erased: its values are keys.
    """

    _kept: dict[Axis, bool] = field(default_factory=dict)
    """Whether a carried value has one extent in all iterations, by the block argument."""
    _origins: dict[Axis, Axis] = field(default_factory=dict)
    """What was found, with the present `stop` and what is being found out: branches that follow each other, each with
    two values, have more paths than can be walked."""

    def origin(self, value: Value, axis: int) -> Axis:
        """The axis, as far up as can be, whose extent an axis of a value has."""
        tasks: list[_Search[Axis]] = [self._origin(value, axis, None)]
        answer: Any = None
        while tasks:  # not Python's stack: programs have branches behind each other, more than that is deep
            try:
                tasks.append(tasks[-1].send(answer))
                answer = None
            except StopIteration as ended:
                tasks.pop()
                answer = ended.value
        found: Axis = answer
        return found

    def _origin(self, value: Value, axis: int, stop: Value | None) -> _Search[Axis]:
        """The same, not beyond `stop`."""
        passed: list[Axis] = []
        here = value, axis
        while here not in self._origins and (stop is None or here[0] != stop):
            passed.append(here)
            found = yield from self._step(*here, stop)
            if found is None:
                break
            here = found
        here = self._origins.get(here, here)
        self._origins.update(dict.fromkeys(passed, here))
        return here

    def _step(self, value: Value, axis: int, stop: Value | None) -> _Search[Axis | None]:
        """One step up, perhaps over a branch or loop; None where the extent is new."""
        made = producer(value)
        if made is None:
            return (yield from self._of_argument(value, axis, stop))
        return (yield from self._of_result(made, value, axis, stop))

    def _of_result(
        self, made: Operation, value: Value, axis: int, stop: Value | None
    ) -> _Search[Axis | None]:
        if made.name == CAST:
            return made.operands[0], axis
        if made.name not in (FOR, IF, WHILE):
            source = extent_source(value, axis)
            is_tensor = source is not None and isinstance(source[0].type, ir.RankedTensorType)
            return source if is_tensor else None
        place = list(made.results).index(value)
        if made.name == IF:
            return (yield from self._of_branches(made, place, axis, stop)) if has_else(made) else None
        if made.name == WHILE:
            return (yield from self._of_condition(made, place, axis, stop))
        return (yield from self._of_carried(made, body(made).arguments[place + 1], place, axis))

    def _of_branches(
        self, branch: Operation, place: int, axis: int, stop: Value | None
    ) -> _Search[Axis | None]:
        """What the extents of both branches' values come from, when it is one; so it is outside of them."""
        first = yield self._origin(yielded(body(branch, 0))[place], axis, stop)
        second = yield self._origin(yielded(body(branch, 1))[place], axis, stop)
        return first if first == second else None

    def _of_argument(self, value: Value, axis: int, stop: Value | None) -> _Search[Axis | None]:
        block = value.owner
        loop = block.owner.operation
        if loop.name == FOR and value.arg_number:
            return (yield from self._of_carried(loop, value, value.arg_number - 1, axis))
        if loop.name == WHILE and block == body(loop, 1):
            return (yield from self._of_condition(loop, value.arg_number, axis, stop))
        if loop.name == WHILE:
            return (yield from self._of_carried(loop, value, value.arg_number, axis))
        return None

    def _of_condition(
        self, loop: Operation, place: int, axis: int, stop: Value | None
    ) -> _Search[Axis | None]:
        """What the extent of a value that a condition passes on comes from: outside of the loop, or what is sought."""
        found = yield self._origin(yielded(body(loop, 0))[place], axis, stop)
        is_sought = stop is not None and found[0] == stop
        return found if is_sought or not is_defined_inside(found[0], loop) else None

    def _of_carried(self, loop: Operation, argument: Value, place: int, axis: int) -> _Search[Axis | None]:
        """The initial value of what a loop carries, when every iteration keeps its extent."""
        key = (argument, axis)
        if key not in self._kept:
            self._kept[key] = False  # while it is being found out
            after = yielded(body(loop, len(loop.regions) - 1))[place]
            around, self._origins = self._origins, {}  # what is found now may take that as given
            found = yield self._origin(after, axis, argument)
            self._kept[key], self._origins = found == key, around
        initial = list(loop.operands)[place + (3 if loop.name == FOR else 0)]
        return (initial, axis) if self._kept[key] else None
