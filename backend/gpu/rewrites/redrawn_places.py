"""Numbers of a stream of which some parts make none, and the next part is tried.

All parts are looked at beside each other, some more than there are numbers, and those that are kept become one array,
with their places. If these are still too few, which hardly happens, one thread goes on from there, one part after the
other; so it does from the start where a few numbers are drawn.
"""

from __future__ import annotations

from collections.abc import Callable

from ....dialect.mlir import Value, ir
from ....passes.control_flow.structure import constant_index
from ...functions.number import Integer
from ...nests.emit import create
from ..code.control import compare
from .random_parts import Parts
from .random_words import as_index, constant, element, loop_over, nest, word_of

_FEW = 32
"""Numbers that are left to one thread."""
_MORE = 256
"""Parts beyond those that are expected to be drawn again: 8 standard deviations s of them, as 8 s < s^2 / 16 + 256."""
_SCALE = 20
"""Bits behind the point of the share that is drawn again."""
_WORD = 64


class RedrawnPlaces:
    """The parts of a stream that are kept, and their places."""

    def __init__(
        self,
        parts: Parts,
        width: int,
        is_kept: Callable[[Integer], Value],
        chance: float,
        total: Integer,
        known: int | None,
    ) -> None:
        self._parts, self._is_kept, self._total = parts, is_kept, total
        self._types = [ir.IntegerType.get_signless(bits) for bits in (_WORD if width > 32 else 32, _WORD)]
        if known is not None and known <= _FEW:
            parts.prepare(total, known)
            empty = [
                create("tensor.empty", [ir.RankedTensorType.get([known], type)], []) for type in self._types
            ]
            self._kept = self._gone_on(empty, constant_index(0), constant(0))
            return
        again = _share_drawn_again(chance)
        looked = None if known is None else known + (known * again >> _SCALE) + _MORE
        end = total + ((total * again) >> _SCALE) + _MORE if looked is None else constant(looked)
        parts.prepare(end, looked)
        *kept, count = self._compacted(end, looked)
        self._kept = self._gone_on(kept, count, end)

    def part(self, number: Integer) -> Integer:
        """The part that makes a number."""
        return self._widened(element(self._kept[0], as_index(number)))

    def state(self, place: Integer) -> Integer:
        """A word of the state behind all numbers."""
        is_none = self._total.compare("==", 0)
        last = element(self._kept[1], as_index(self._total.constant(0).where(is_none, self._total - 1)))
        return self._parts.state(last.constant(0).where(is_none, last + 1), place, is_far=True)

    def _compacted(self, end: Integer, known: int | None) -> list[Value]:
        """The parts that are kept of those that are looked at, their places, and how many these are."""
        size = constant_index(known) if known is not None else as_index(end)
        shape = [ir.ShapedType.get_dynamic_size() if known is None else known]
        sizes = [size] if known is None else []
        types = [ir.RankedTensorType.get(shape, type) for type in self._types]
        (seen,) = nest(types[:1], sizes, lambda place: [self._narrowed(self._parts.part(place))])
        empty = [create("tensor.empty", [type], sizes) for type in types]
        loop = loop_over(constant_index(0), size, [*empty, constant_index(0)])
        place, parts, places, count = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            part = element(seen, place)
            keeps = self._is_kept(self._widened(part))
            kept = [_inserted(part, parts, count), _inserted(word_of(place), places, count)]
            more = create("arith.index_castui", [count.type], [keeps])
            create("scf.yield", [], [*kept, create("arith.addi", [count.type], [count, more])])
        return list(loop.results)

    def _gone_on(self, kept: list[Value], count: Value, first: Integer) -> list[Value]:
        """As many parts and places as are asked for: the rest is looked for from a place on."""
        carried = [*kept, count, first.value]
        types, size = [value.type for value in carried], as_index(self._total)
        loop = ir.Operation.create("scf.while", types, carried, regions=2)
        locations = [ir.Location.current] * len(types)
        before, after = (region.blocks.append(*types, arg_locs=locations) for region in loop.regions)
        with ir.InsertionPoint(before):
            create("scf.condition", [], [compare("slt", before.arguments[2], size), *before.arguments])
        with ir.InsertionPoint(after):
            parts, places, number, place = after.arguments
            part = self._parts.part(Integer(place), is_far=True)
            narrow = Integer(self._narrowed(part))
            found = [_inserted(narrow, parts, number), _inserted(Integer(place), places, number)]
            more = create("arith.index_castui", [number.type], [self._is_kept(part)])
            more = create("arith.addi", [number.type], [number, more])
            create("scf.yield", [], [*found, more, (Integer(place) + 1).value])
        return list(loop.results)[:2]

    def _narrowed(self, part: Integer) -> Value:
        type = self._types[0]
        return part.value if type.width == _WORD else create("arith.trunci", [type], [part.value])

    def _widened(self, part: Integer) -> Integer:
        return part if part.bits == _WORD else Integer(create("arith.extui", [self._types[1]], [part.value]))


def _share_drawn_again(chance: float) -> int:
    """How many parts are drawn again of so many numbers, and a sixteenth more, in units of the last bit."""
    return int(chance / (1 - chance) * 17 / 16 * (1 << _SCALE)) + 1


def _inserted(word: Integer, tensor: Value, place: Value) -> Value:
    return create("tensor.insert", [tensor.type], [word.value, tensor, place])
