"""Uniform numbers of generators, and integers of constant bounds, as loops over their places: the state tells the
number of each place by itself.

    %numbers, %next = weft.fill_random(%state, %empty) {algorithm = "pcg64", function = "uniform"}

becomes a nest for the numbers, which is computed where they are used (a mask of dropout is never in memory), and one
for the state behind them. A generator moves on once for each draw, in branches and loops where it runs, as on the host.
Of integers of which there are no power of two some are drawn again, and `redrawn_places.py` tells where each one is.
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
from .random_parts import Parts, parts_of
from .random_words import Pcg, Philox, Words, constant, nest, product, word_of
from .redrawn_places import Attempt, Attempts, RedrawnPlaces
from .ziggurats import Ziggurat, has_known_logarithm


@dataclass(frozen=True)
class DrawByPlace(Pass):
    """Draw uniform numbers and integers at all places at once, by jumping ahead."""

    def run(self, module: Module, statistics: Statistics) -> None:
        draws = [(op, kind) for op in operations_of(module.operation) if (kind := _kind_of(op)) is not None]
        for op, kind in draws:
            note("algorithm", op.location, "draws the number of each place by itself, by jumping ahead")
            _write(op, kind)
            statistics["draws written"] += 1
        if draws:
            FuseElementwise().run(module, statistics)


class _Kind(Attempts, Protocol):
    """What numbers are drawn."""

    def number(self, bits: Integer, type: Type) -> Value:
        """What NumPy makes of the bits of a draw."""


@dataclass(frozen=True)
class _Uniform:
    """Numbers in [0, 1): the upper bits of a word, or of a half, as many as there is room for."""

    width: int
    again = 0.0
    takes_more = False

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        return Attempt(parts.part(place, is_far=is_far), place + 1, place.compare("==", place))

    def number(self, bits: Integer, type: Type) -> Value:
        count = {32: 24, 64: 53}[self.width]
        upper = bits >> (self.width - count)
        return (Number(create("arith.uitofp", [type], [upper.value])) * 2.0**-count).value


@dataclass(frozen=True)
class _Range:
    """So many integers from one on: the upper part of a product, if the lower one is not of the rest (Lemire, 2019).

    Of a power of two it is the upper bits, and one alone takes none of the stream.
    """

    first: int
    count: int
    width: int
    takes_more = False

    @staticmethod
    def of(op: Operation) -> _Range | None:
        """Those that an operation draws; None where only the run tells them."""
        bounds = [_constant_of(value) for value in list(op.operands)[2:]]
        low, high = bounds if len(bounds) == 2 else (None, None)
        if low is None or high is None:
            return None
        dtype = str(op.attributes["dtype"].value)
        bits = 1 if dtype == "bool" else int(dtype.lstrip("uint"))
        span = (high - low) % (1 << bits)
        return _Range(low, span + 1, 64 if span >> 32 else min(bits, 32) if span else 0)

    @property
    def _rest(self) -> int:
        """How many parts make none."""
        return (1 << self.width) % self.count

    @property
    def again(self) -> float:
        return self._rest / ((1 << self.width) - self._rest)

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        part = parts.part(place, is_far=is_far)
        lower = (part * self.count) & ((1 << self.width) - 1)
        return Attempt(part, place + 1, (Integer(lower.compare("u<", self._rest)) ^ 1).value)

    def number(self, bits: Integer, type: Type) -> Value:
        if not self._rest:
            upper = bits >> (self.width - self.count.bit_length() + 1)
        elif self.width == 64:
            upper = product(bits, self.count)[1]
        else:
            upper = (bits * self.count) >> self.width
        found = upper + self.first
        return found.value if type.width == found.bits else create("arith.trunci", [type], [found.value])


def _kind_of(op: Operation) -> _Kind | None:
    """What an operation draws, if that is known before it runs."""
    if op.name != FillRandom.mlir_name():
        return None
    function = str(op.attributes["function"].value)
    if function == "uniform":
        return _Uniform(op.results[0].type.element_type.width)
    if function == "integers":
        return _Range.of(op)
    is_double = str(op.attributes["dtype"].value) == "float64"
    is_known = function in ("normal", "exponential") and is_double and has_known_logarithm()
    return Ziggurat(function) if is_known else None


def _constant_of(value: Value) -> int | None:
    """The integer that all elements of a constant are."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return None
    attribute = value.owner.operation.attributes["value"]
    is_one = isinstance(attribute, ir.DenseIntElementsAttr) and attribute.is_splat
    return int(attribute.get_splat_value().value) if is_one else None


def _write(op: Operation, kind: _Kind) -> None:
    state, empty = list(op.operands)[:2]
    numbers, after = op.results
    element_type = numbers.type.element_type
    with ir.InsertionPoint(op), op.location:
        (known,) = static_shape(empty.type)
        if known == 0:
            numbers.replace_all_uses_with(empty)
            after.replace_all_uses_with(state)
            op.erase()
            return
        extent = (
            create("tensor.dim", [ir.IndexType.get()], [empty, constant_index(0)]) if known is None else None
        )
        total = constant(known) if known is not None else word_of(extent)
        algorithm = op.attributes["algorithm"].value
        words: Words = Philox(state) if algorithm == "philox" else Pcg(state, algorithm)
        parts = parts_of(words, kind.width)
        places: _AllPlaces | RedrawnPlaces
        places = RedrawnPlaces(kind, parts, total, known) if kind.again else _AllPlaces(parts, total, known)
    target = _only_shape(numbers)
    with ir.InsertionPoint(op if target is None else target), op.location:
        shaped = numbers if target is None else target.results[0]
        sizes = ([] if extent is None else [extent]) if target is None else list(target.operands)[1:]
        (found,) = nest([shaped.type], sizes, lambda n: [kind.number(places.part(n), element_type)])
        shaped.replace_all_uses_with(found)
    if target is not None:
        target.erase()
    with ir.InsertionPoint(op), op.location:
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
