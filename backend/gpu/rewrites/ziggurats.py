"""Normal and exponential numbers of float64 by ziggurats, as attempts that begin at places of a stream of words.

Most attempts take one word, that of the place; one at the border of a layer takes another one and may fail, and those
in the tails take as many as they tell themselves. Tables and order are NumPy's (`cpu/random_numbers/floats.py`), and so
is the logarithm, where the C library has that of fdlibm with fused products, as glibc does: of others the host draws.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from ....dialect.mlir import Type, Value, ir
from ....dialect.records import dataclass
from ....passes.control_flow.structure import constant_index
from ...cpu.random_numbers.ziggurat_tables import BORDERS, INVERSE_BORDER, table
from ...functions.number import Integer, Number
from ...nests.emit import create
from ..code.control import Branch
from .random_parts import Parts
from .random_words import as_index, constant, element, loop_while
from .redrawn_places import Attempt

_AGAIN = {"normal": 0.0221, "exponential": 0.0335}
"""Words that are taken beyond one for each number, as measured."""
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_PLACES = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)


@dataclass(frozen=True)
class Ziggurat:
    """A distribution: normal, or exponential."""

    distribution: str
    width = 64
    takes_more = True

    @property
    def again(self) -> float:
        """How many more words than numbers are taken, by one."""
        return _AGAIN[self.distribution]

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        """The bits of the number that begins at a place, how many words it takes, and whether it is one."""
        word = parts.part(place, is_far=is_far)
        is_normal = self.distribution == "normal"
        drawn = word if is_normal else word >> 3
        layer = as_index(drawn & 255)
        magnitude = (drawn >> 9) & ((1 << 52) - 1) if is_normal else drawn >> 8
        value = _real(magnitude) * self._entry("widths", layer).as_float64()
        if is_normal:
            value = (value.to_bits() | (((drawn >> 8) & 1) << 63)).as_float64()
        is_inside = magnitude.compare("<", self._entry("limits", layer))
        kinds = [drawn.value.type] * 3
        inside = Branch(is_inside, kinds)
        with inside.way(0):
            inside.give([value.to_bits().value, (place + 1).value, constant(1).value])
        with inside.way(1):
            lowest = Branch((drawn & 255).compare("==", 0), kinds)
            with lowest.way(0):
                tail = self._normal_tail if is_normal else self._exponential_tail
                found, end = tail(parts, place, magnitude)
                lowest.give([found.value, end.value, constant(1).value])
            with lowest.way(1):
                upper = self._entry("heights", create("arith.subi", [layer.type], [layer, constant_index(1)]))
                lower = self._entry("heights", layer).as_float64()
                height = (upper.as_float64() - lower) * _uniform(parts, place + 1) + lower
                exponent = value * -0.5 * value if is_normal else -value
                density = Number(create("math.exp", [exponent.type], [exponent.value]))
                is_below = create("arith.extui", kinds[:1], [height.compare("<", density)])
                lowest.give([value.to_bits().value, (place + 2).value, is_below])
            inside.give(lowest.results)
        bits, end, is_kept = map(Integer, inside.results)
        return Attempt(bits, end, is_kept.compare("!=", 0))

    def number(self, bits: Integer, type: Type) -> Value:
        """The number of some bits."""
        return bits.as_float64().value

    def _entry(self, part: str, layer: Value) -> Integer:
        words = np.array(table(self.distribution, "float64", part), np.uint64).view(np.int64)
        kind = ir.IntegerType.get_signless(64)
        type = ir.RankedTensorType.get([len(words)], kind)
        made = create("arith.constant", [type], [], {"value": ir.DenseElementsAttr.get(words, type=type)})
        return element(made, layer)

    def _exponential_tail(self, parts: Parts, place: Integer, magnitude: Integer) -> tuple[Integer, Integer]:
        """The bits of a number behind the border, where it is as before it, and the place behind it."""
        rest = -_log1p(-_uniform(parts, place + 1))
        return (rest + BORDERS["exponential"]).to_bits(), place + 2

    def _normal_tail(self, parts: Parts, place: Integer, magnitude: Integer) -> tuple[Integer, Integer]:
        """The same of normal numbers: two words propose one, until one is accepted (Marsaglia, 1964)."""
        word, real = place.value.type, ir.F64Type.get()
        loop = loop_while([word, real], [(place + 1).value], 0)
        before = loop.regions[0].blocks.append(word, arg_locs=[ir.Location.current])
        after = loop.regions[1].blocks.append(word, real, arg_locs=[ir.Location.current] * 2)
        with ir.InsertionPoint(before):
            here = Integer(before.arguments[0])
            beyond = _log1p(-_uniform(parts, here)) * -INVERSE_BORDER
            bound = -_log1p(-_uniform(parts, here + 1))
            is_accepted = (beyond * beyond).compare("<", bound + bound)
            goes_on = (Integer(is_accepted) ^ 1).value
            create("scf.condition", [], [goes_on, (here + 2).value, beyond.value])
        with ir.InsertionPoint(after):
            create("scf.yield", [], [after.arguments[0]])
        end, beyond = Integer(loop.results[0]), Number(loop.results[1])
        found = (beyond + BORDERS["normal"]).to_bits() | (((magnitude >> 8) & 1) << 63)
        return found, end


@cache
def has_known_logarithm() -> bool:
    """Whether the C library's `log1p` is the one of kernels, as numbers tell whose last bits others have otherwise."""
    return all(math.log1p(-part * 2.0**-53) == float.fromhex(found) for part, found in _LOGARITHMS)


_LOGARITHMS = (
    (2633849632742858, "-0x1.623358f3efaf0p-2"),
    (1950366947322710, "-0x1.f3c4e70f84c9ep-3"),
    (5736436270423013, "-0x1.035406b715518p+0"),
    (1222838123594743, "-0x1.2ad184aebf7d2p-3"),
    (7540149518119186, "-0x1.d094d13dd9a04p+0"),
    (2068601293390031, "-0x1.0b2fc6fe88682p-2"),
    (2651128298696457, "-0x1.64fb0193e02d8p-2"),
    (2309341515803140, "-0x1.2f589af5f35e6p-2"),
    (2501230591440011, "-0x1.4d1c88dab34b0p-2"),
    (1546927767188697, "-0x1.81e8d46b54d1ap-3"),
    (3419269212589083, "-0x1.e8df8b44b106ep-2"),
    (5850587380031161, "-0x1.0c6c20f657e6cp+0"),
    (3748613188508021, "-0x1.1389f7fe82972p-1"),
    (8766276163023784, "-0x1.cf86d05988a1ap+1"),
    (5987478247865205, "-0x1.17c5a7bd3756ap+0"),
    (3285249991179340, "-0x1.d09a928bc56e8p-2"),
)
"""Numbers, by their 53 bits, and the logarithms of what they leave of one, which are not the nearest floats, and mostly
others where products are rounded."""


def _uniform(parts: Parts, place: Integer) -> Number:
    """The number in [0, 1) of a word."""
    return _real(parts.part(place, is_far=True) >> 11) * 2.0**-53


def _log1p(x: Number) -> Number:
    """The logarithm of one plus a number in (-1, 0], as fdlibm has it where products are fused with sums."""
    high = (x.to_bits() >> 32) & 0x7FFFFFFF
    is_near = (Integer(high.compare("<", 0x3FD2BEC4))).value
    one = x + 1.0
    bits = one.to_bits()
    mantissa = (bits >> 32) & 0xFFFFF
    is_upper = (Integer(mantissa.compare("<", 0x6A09E)) ^ 1).value
    power = (bits >> 52) - 1023
    power = (power + 1).where(is_upper, power)
    correction = (x - (one - 1.0)) / one
    scale = mantissa.constant(0x3FE00000).where(is_upper, 0x3FF00000)
    scaled = ((bits & 0xFFFFFFFF) | ((mantissa | scale) << 32)).as_float64()
    rest = ((mantissa.constant(0x100000) - mantissa) >> 2).where(is_upper, mantissa)
    f = x.where(is_near, scaled - 1.0)
    half = f * 0.5 * f
    short = f.fused_times_plus(-0.66666666666666666, 1.0) * half
    s = f / (f + 2.0)
    z = s * s
    pairs = [z.fused_times_plus(_PLACES[at + 1], _PLACES[at]) for at in (1, 3, 5)]
    z2 = z * z
    z4 = z2 * z2
    sum = z.fused_times_plus(_PLACES[0], z2 * pairs[0])
    sum = z4.fused_times_plus(pairs[1], sum)
    sum = (z4 * z2).fused_times_plus(pairs[2], sum)
    product = (sum + half) * s
    k = _real(power)
    added = k.fused_times_plus(_LN2_LOW, correction)
    is_short = rest.compare("==", 0)
    behind = (short - added).where(is_short, half - (added + product))
    far = k.fused_times_plus(_LN2_HIGH, -(behind - f))
    near = f - (half - product)
    tiny = x - x * x * 0.5
    return tiny.where(high.compare("<", 0x3E200000), near.where(is_near, far))


def _real(word: Integer) -> Number:
    return Number(create("arith.sitofp", [ir.F64Type.get()], [word.value]))
