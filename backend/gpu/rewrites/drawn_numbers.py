"""Numbers of generators as loops over their places: the state tells the number of each place by itself.

    %numbers, %next = weft.fill_random(%state, %empty) {algorithm = "pcg64", function = "uniform"}

becomes a nest for the numbers, which is computed where they are used (a mask of dropout is never in memory), and one
for the state behind them. A generator moves on once for each draw, in branches and loops where it runs, as on the host.
Of integers of which there are no power of two some are drawn again, and `redrawn_places.py` tells where each one is.
What cannot be drawn by place is done by one thread, if it is little (`drawn_in_turn.py`), or by the host.
"""

from __future__ import annotations

from typing import Protocol

from ....dialect.mlir import Module, Operation, Type, Value, ir
from ....dialect.ops.random import FillRandom
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.control_flow.structure import constant_index
from ....passes.fusion.fuse_elementwise import FuseElementwise
from ....passes.notes import note
from ....passes.rewriting import operations_of
from ...functions.number import Integer, Number
from ...nests.emit import create
from ...planning.shapes import static_shape
from .c_functions import has_known_functions
from .drawn_arrangements import arrange, can_arrange
from .drawn_in_turn import can_draw_in_turn, draw_in_turn
from .drawn_ranges import ConstantRange, RunRange
from .random_parts import Parts, parts_of
from .random_words import Pcg, Philox, Words, constant, nest, word_of
from .redrawn_places import Attempt, Attempts, RedrawnPlaces
from .ziggurats import Ziggurat


@dataclass(frozen=True)
class DrawByPlace(Pass):
    """Draw numbers at all places at once, by jumping ahead, and few of those that need the ones before in turn."""

    def run(self, module: Module, statistics: Statistics) -> None:
        draws = [op for op in operations_of(module.operation) if op.name == FillRandom.mlir_name()]
        written = 0
        for op in draws:
            written += _write(op)
        statistics["draws written"] += written
        if written:
            FuseElementwise().run(module, statistics)


class _Kind(Attempts, Protocol):
    """What numbers are drawn."""

    def parts(self, words: Words) -> Parts:
        """The parts of a stream that they take."""

    def number(self, bits: Integer, type: Type) -> Value:
        """What NumPy makes of the bits of a draw."""


@dataclass(frozen=True)
class _Uniform:
    """Numbers in [0, 1): the upper bits of a word, or of a half, as many as there is room for."""

    width: int
    again = 0.0
    share = None
    takes_more = False

    def parts(self, words: Words) -> Parts:
        return parts_of(words, self.width)

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        return Attempt(parts.part(place, is_far=is_far), place + 1, place.compare("==", place))

    def number(self, bits: Integer, type: Type) -> Value:
        count = {32: 24, 64: 53}[self.width]
        upper = bits >> (self.width - count)
        return (Number(create("arith.uitofp", [type], [upper.value])) * 2.0**-count).value


def _write(op: Operation) -> bool:
    """Replace an operation by what draws its numbers, if a device does."""
    with ir.InsertionPoint(op), op.location:
        kind = _kind_of(op)
        if kind is not None:
            note("algorithm", op.location, "draws the number of each place by itself, by jumping ahead")
            _write_by_place(op, kind)
        elif can_draw_in_turn(op):
            note("algorithm", op.location, "draws few numbers one after the other")
            draw_in_turn(op, _words_of(op))
        elif can_arrange(op):
            note(
                "algorithm",
                op.location,
                "draws all steps of shuffling, and finds where each place comes from",
            )
            arrange(op, lambda: _words_of(op))
        else:
            return False
    return True


def _kind_of(op: Operation) -> _Kind | None:
    """What an operation draws, if each number can be drawn by its place."""
    function, type = str(op.attributes["function"].value), op.results[0].type
    if function == "uniform":
        return _Uniform(type.element_type.width)
    if function == "integers":
        return ConstantRange.of(op) or RunRange.of(op)
    is_known = function in ("normal", "exponential") and has_known_functions(
        str(op.attributes["dtype"].value)
    )
    return Ziggurat(function, type.element_type.width) if is_known else None


def _words_of(op: Operation) -> Words:
    """The stream behind the state that an operation has."""
    state, algorithm = op.operands[0], str(op.attributes["algorithm"].value)
    return Philox(state) if algorithm == "philox" else Pcg(state, algorithm)


def _write_by_place(op: Operation, kind: _Kind) -> None:
    state, empty = list(op.operands)[:2]
    numbers, after = op.results
    element_type = numbers.type.element_type
    (known,) = static_shape(empty.type)
    if known == 0:
        numbers.replace_all_uses_with(empty)
        after.replace_all_uses_with(state)
        op.erase()
        return
    extent = create("tensor.dim", [ir.IndexType.get()], [empty, constant_index(0)]) if known is None else None
    total = constant(known) if known is not None else word_of(extent)
    parts = kind.parts(_words_of(op))
    places: _AllPlaces | RedrawnPlaces
    is_redrawn = kind.share is not None or kind.again
    places = RedrawnPlaces(kind, parts, total, known) if is_redrawn else _AllPlaces(parts, total, known)
    target = _only_shape(numbers)
    with ir.InsertionPoint(op if target is None else target), op.location:
        shaped = numbers if target is None else target.results[0]
        sizes = ([] if extent is None else [extent]) if target is None else list(target.operands)[1:]
        (found,) = nest([shaped.type], sizes, lambda n: [kind.number(places.part(n), element_type)])
        shaped.replace_all_uses_with(found)
    if target is not None:
        target.erase()
    if any(True for _ in after.uses):
        (moved,) = nest([state.type], [], lambda place: [places.state(place).value])
        after.replace_all_uses_with(moved)
    op.erase()


class _AllPlaces:
    """Each part of the stream makes a number."""

    def __init__(self, parts: Parts, total: Integer, known: int | None) -> None:
        self._parts, self._total = parts, total
        parts.prepare(total, known)

    def part(self, number: Integer) -> Integer:
        """The part that makes a number."""
        return self._parts.part(number)

    def state(self, place: Integer) -> Integer:
        """A word of the state behind all numbers."""
        return self._parts.state(self._total, place)


def _only_shape(numbers: Value) -> Operation | None:
    """The shape that numbers get, if they are used in no other: they are computed in it."""
    users = [use.owner.operation for use in numbers.uses]
    return users[0] if len(users) == 1 and users[0].name == "tensor.expand_shape" else None
