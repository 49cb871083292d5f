"""Normal and exponential numbers by ziggurats, as attempts that begin at places of a stream of words, or of halves.

Most attempts take one part, that of the place; one at the border of a layer takes another one and may fail, and those
in the tails take as many as they tell themselves. Tables and order are NumPy's (`cpu/random_numbers/floats.py`), and so
are the functions of the C library (`c_functions.py`), where it is glibc before 2.41: with others the host draws.
"""

from __future__ import annotations

from ....dialect.mlir import Type, Value, ir
from ....dialect.records import dataclass
from ....passes.control_flow.structure import constant_index
from ...cpu.random_numbers.ziggurat_tables import BORDERS, INVERSE_BORDER, table
from ...functions.number import Integer, Number
from ...nests.emit import create
from ..code.control import Branch
from .c_functions import density_of_exponential, density_of_normal, log1p
from .random_parts import Parts, parts_of
from .random_words import Words, as_index, constant, loop_while, table_entry
from .redrawn_places import Attempt

_AGAIN = {"normal": 0.0221, "exponential": 0.0335}
"""Parts that are taken beyond one for each number, as measured."""


@dataclass(frozen=True)
class Ziggurat:
    """A distribution, normal or exponential, of floats of 64 or 32 bits."""

    distribution: str
    width: int
    share = None
    takes_more = True

    @property
    def again(self) -> float:
        """How many more parts than numbers are taken, by one."""
        return _AGAIN[self.distribution]

    def parts(self, words: Words) -> Parts:
        """Words, or their halves."""
        return parts_of(words, self.width)

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        """The bits of the number that begins at a place, how many parts it takes, and whether it is one."""
        part = parts.part(place, is_far=is_far)
        is_normal = self.distribution == "normal"
        drawn = part if is_normal else part >> (3 if self.width == 64 else 1)
        layer = as_index(drawn & 255)
        magnitude = (drawn >> 9) & ((1 << (52 if self.width == 64 else 23)) - 1) if is_normal else drawn >> 8
        value = self._real(magnitude) * self._float("widths", layer)
        if is_normal:
            value = self._of_bits(self._bits_of(value) | (((drawn >> 8) & 1) << (self.width - 1)))
        is_inside = magnitude.compare("<", self._entry("limits", layer))
        kinds = [drawn.value.type] * 3
        inside = Branch(is_inside, kinds)
        with inside.way(0):
            inside.give([self._bits_of(value).value, (place + 1).value, constant(1).value])
        with inside.way(1):
            lowest = Branch((drawn & 255).compare("==", 0), kinds)
            with lowest.way(0):
                tail = self._normal_tail if is_normal else self._exponential_tail
                found, end = tail(parts, place, magnitude)
                lowest.give([found.value, end.value, constant(1).value])
            with lowest.way(1):
                is_below = create("arith.extui", kinds[:1], [self._is_below(parts, place + 1, layer, value)])
                lowest.give([self._bits_of(value).value, (place + 2).value, is_below])
            inside.give(lowest.results)
        bits, end, is_kept = map(Integer, inside.results)
        return Attempt(bits, end, is_kept.compare("!=", 0))

    def number(self, bits: Integer, type: Type) -> Value:
        """The number of some bits."""
        return self._of_bits(bits).value

    def _is_below(self, parts: Parts, place: Integer, layer: Value, value: Number) -> Value:
        """Whether a height in a layer, which the part at a place says, is below the density."""
        before = create("arith.subi", [layer.type], [layer, constant_index(1)])
        lower = self._float("heights", layer)
        height = (self._float("heights", before) - lower) * self._uniform(parts, place) + lower
        if self.distribution == "exponential":
            return height.compare("<", density_of_exponential(value))
        return (height if self.width == 64 else height.widen()).compare("<", density_of_normal(value))

    def _entry(self, part: str, layer: Value) -> Integer:
        return table_entry(table(self.distribution, f"float{self.width}", part), layer)

    def _float(self, part: str, layer: Value) -> Number:
        return self._of_bits(self._entry(part, layer))

    def _exponential_tail(self, parts: Parts, place: Integer, magnitude: Integer) -> tuple[Integer, Integer]:
        """The bits of a number behind the border, where it is as before it, and the place behind it."""
        rest = -log1p(-self._uniform(parts, place + 1))
        return self._bits_of(rest + BORDERS["exponential"]), place + 2

    def _normal_tail(self, parts: Parts, place: Integer, magnitude: Integer) -> tuple[Integer, Integer]:
        """The same of normal numbers: two parts propose one, until one is accepted (Marsaglia, 1964)."""

        def propose(place: Value) -> list[Value]:
            here = Integer(place)
            beyond = log1p(-self._uniform(parts, here)) * -INVERSE_BORDER
            bound = -log1p(-self._uniform(parts, here + 1))
            is_accepted = (beyond * beyond).compare("<", bound + bound)
            goes_on = (Integer(is_accepted) ^ 1).value
            return [goes_on, beyond.value, (here + 2).value]

        word = place.value.type
        excess, behind = loop_while(0, [(place + 1).value], propose, passed=[self._type, word])
        end, beyond = Integer(behind), Number(excess)
        found = self._bits_of(beyond + BORDERS["normal"]) | (((magnitude >> 8) & 1) << (self.width - 1))
        return found, end

    # Floats of the width, and their bits in words

    @property
    def _type(self) -> Type:
        return ir.F64Type.get() if self.width == 64 else ir.F32Type.get()

    def _real(self, word: Integer) -> Number:
        return Number(create("arith.sitofp", [self._type], [word.value]))

    def _uniform(self, parts: Parts, place: Integer) -> Number:
        """The number in [0, 1) of a part."""
        count = 53 if self.width == 64 else 24
        return self._real(parts.part(place, is_far=True) >> (self.width - count)) * 2.0**-count

    def _of_bits(self, bits: Integer) -> Number:
        return bits.as_float64() if self.width == 64 else bits.narrow(32).as_number(self._type)

    def _bits_of(self, number: Number) -> Integer:
        bits = number.to_bits()
        word = ir.IntegerType.get_signless(64)
        return bits if self.width == 64 else Integer(create("arith.extui", [word], [bits.value]))
