"""The tables of the ziggurats for normal and exponential numbers, to the last bit as NumPy has them.

Each has 256 entries, one for each layer: `limits`, below which a number lies in the rectangle of the layer for sure;
`widths`, that scale it; and `heights`, the densities at the borders of the layers (Marsaglia and Tsang, 2000; Doornik,
2005). NumPy's for exponential numbers are exact ones, rounded; those for normal ones were computed in doubles. What
functions of the C library they were computed with does not matter here: all are correctly rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from functools import cache

import numpy as np

BORDERS = {
    "normal": 3.6541528853610087963519472518,
    "exponential": 7.6971174701310497140446280481,
}
"""Where the lowest layers end and the tails begin."""

INVERSE_BORDER = 0.27366123732975827203338247596
"""One by the border of the normal ziggurat."""

_DIGITS = 22
_ROUNDED_UP = 38
"""The layer whose height NumPy has not as the nearest double, but as the next one."""
_LIMITS_ABOVE = 0x384204C0A0801206800605E46560C9411000409072C005200A48020880A24FA0
"""The layers whose limits NumPy has one above those that follow from the widths: a bit for each, the last the first."""

_OTHERWISE = {
    ("exponential", "widths"): {226: 1},
    ("exponential", "heights"): {128: -1, 154: 1, 171: -1},
}
"""What NumPy's bits for float32 have more than those of the rounded numbers, by place."""


def table(distribution: str, precision: str, part: str) -> list[int]:
    """The bits of a table: of integers, or of floats of the precision; those for float32 are rounded."""
    numbers = _tables(distribution)[part]
    unit = 1 << (29 if distribution == "normal" else 30)  # as many bits fewer are drawn
    if part == "limits":
        return [round(number / (1 if precision == "float64" else unit)) for number in numbers]
    floats = np.array(numbers)
    if precision == "float64":
        words: list[int] = floats.view(np.uint64).tolist()
        return words
    floats *= unit if part == "widths" else 1
    bits: list[int] = floats.astype(np.float32).view(np.uint32).tolist()
    for place, more in _OTHERWISE.get((distribution, part), {}).items():
        bits[place] += more
    return bits


@cache
def _tables(distribution: str) -> dict[str, Sequence[float]]:
    """The tables for doubles."""
    with localcontext() as context:
        context.prec = _DIGITS
        return _normal() if distribution == "normal" else _exponential()


def _normal() -> dict[str, Sequence[float]]:
    area, ends, scale = 0.004928673233974652, [BORDERS["normal"]], 1 << 52
    heights = [_density(ends[0])]
    for layer in range(254, 0, -1):
        ends.append(math.sqrt(-2.0 * float(Decimal(area / ends[-1] + heights[-1]).ln())))
        height = _density(ends[-1])
        heights.append(math.nextafter(height, 1.0) if layer == _ROUNDED_UP else height)
    ends, heights = [area / heights[0], *reversed(ends)], [1.0, *reversed(heights)]
    inner = [ends[-1], 0.0, *ends[1:]]  # where the rectangles of the layers above end
    pairs = enumerate(zip(inner, ends, strict=False))
    limits = [int(above / end * scale) + (_LIMITS_ABOVE >> layer & 1) for layer, (above, end) in pairs]
    return {"limits": limits, "widths": [end / scale for end in ends], "heights": heights}


def _density(place: float) -> float:
    return float(Decimal(-0.5 * place * place).exp())


def _exponential() -> dict[str, Sequence[float]]:
    area, ends, scale = Decimal("0.00394965982258155721854940399"), [Decimal("7.69711747013104972")], 1 << 53
    heights = [(-ends[0]).exp()]
    for _ in range(254):
        heights.append(area / ends[-1] + heights[-1])
        ends.append(-heights[-1].ln())
    ends, heights = [area / heights[0], *reversed(ends)], [Decimal(1), *reversed(heights)]
    limits = [
        2 * int(a / b * (scale // 2)) for a, b in zip([ends[-1], Decimal(0), *ends[1:]], ends, strict=False)
    ]
    limits[2] -= 2
    return {
        "limits": limits,
        "widths": [float(end) / scale for end in ends],
        "heights": [float(height) for height in heights],
    }
