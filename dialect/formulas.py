"""Formulas of extents in their shortest form: what slices leave of an axis is a straight line, but for short ones.

    max(0, max(0, n - 1) - min(1, n))    is    max(0, n - 2)

An expression of sums, `max` and `min` in one extent is as many straight lines as there are turns. Those of one or two
lines are written down again from these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence

from .records import NamedTuple
from .sizes import Computed, Size, computed, replaced, symbol, symbols, terms_of

MOST_LINES = 16
"""Expressions of more lines are left as they are."""


class ExtentName(str):
    """What an extent of an argument is called in formulas: a number that is not negative."""

    __slots__ = ()


class Line(NamedTuple):
    """A straight line, from a number on."""

    start: int
    slope: int
    constant: int

    def at(self, number: int) -> int:
        """Its height at a number."""
        return self.slope * number + self.constant


def simplified(size: Size) -> Size:
    """The shortest form of a formula of one extent; others as they are.

    >>> n = symbol(ExtentName("n"))
    >>> print(simplified(n - computed(min, 2, n)))
    max(0, n - 2)
    """
    names = list(symbols(size))
    if len(names) != 1 or not isinstance(names[0], ExtentName):
        return size
    if not any(isinstance(name, Computed) for product in terms_of(size) for name in product):
        return size
    lines = _lines(size)
    found = None if lines is None else _written(_joined(lines), symbol(names[0]))
    return found if found is not None and len(str(found)) <= len(str(size)) else size


def named(size: Size, by: Callable[[Hashable], Size]) -> Size:
    """A size with others in place of its symbols, also of those in what is computed, in the shortest form.

    What no function of Python computes is asked for, too, as `Computed` of what it is then computed of.

    >>> n = symbol("n")
    >>> print(named(n - computed(min, 1, n), lambda _: symbol(ExtentName("x.shape[0]"))))
    max(0, x.shape[0] - 1)
    """

    def of(name: Hashable) -> Size:
        if not isinstance(name, Computed):
            return by(name)
        operands = tuple(named(operand, by) for operand in name.operands)
        if name.function == "product":
            return math.prod(operands, start=1)
        is_known = callable(name.function)
        return (
            simplified(computed(name.function, *operands))
            if is_known
            else by(Computed(name.function, operands))
        )

    return simplified(replaced(size, of))


def _lines(size: Size) -> list[Line] | None:
    """A formula of one extent as lines; None where it is something else, or too many."""
    found = [Line(0, 0, 0)]
    for product, factor in terms_of(size).items():
        if len(product) > 1:
            return None
        part = [Line(0, 0, 1)] if not product else _lines_of(product[0])
        if part is None:
            return None
        found = [
            Line(start, one.slope + factor * other.slope, one.constant + factor * other.constant)
            for start, one, other in _side_by_side(found, part)
        ]
    return found if len(found) <= MOST_LINES else None


def _lines_of(name: Hashable) -> list[Line] | None:
    if not isinstance(name, Computed):
        return [Line(0, 1, 0)]
    if name.function not in (max, min):
        return None
    one, other = map(_lines, name.operands)
    return None if one is None or other is None else _extremes(one, other, -1 if name.function is min else 1)


def _side_by_side(one: Sequence[Line], other: Sequence[Line]) -> list[tuple[int, Line, Line]]:
    """Two sequences of lines, cut where either turns."""
    starts = sorted({line.start for line in (*one, *other)})
    return [(start, _at(one, start), _at(other, start)) for start in starts]


def _at(lines: Sequence[Line], number: int) -> Line:
    return next(line for line in reversed(lines) if line.start <= number)


def _extremes(one: Sequence[Line], other: Sequence[Line], sign: int) -> list[Line]:
    """The upper one of two sequences of lines at each number, or the lower one, for -1."""
    found = []
    pieces = _side_by_side(one, other)
    ends = [start for start, _, _ in pieces[1:]] + [math.inf]
    for (start, left, right), end in zip(pieces, ends, strict=True):
        first, second = sorted((left, right), key=lambda line: sign * line.at(start), reverse=True)
        found.append(first._replace(start=start))
        rise = sign * (second.slope - first.slope)
        if rise > 0:
            crossing = max(start, start + sign * (first.at(start) - second.at(start)) // rise + 1)
            if crossing < end:
                found.append(second._replace(start=crossing))
    return found


def _joined(lines: Sequence[Line]) -> list[Line]:
    """The same with lines that go on: at each number that a short one has, the one behind it may be as high."""
    found: list[Line] = []
    end: float = math.inf
    for line in reversed(lines):
        behind = found[-1] if found else None
        last = line.start if end == math.inf else int(end) - 1
        if behind is not None and all(behind.at(n) == line.at(n) for n in {line.start, last}):
            found[-1] = behind._replace(start=line.start)
        else:
            found.append(line)
        end = line.start
    return found[::-1]


def _written(lines: Sequence[Line], extent: Size) -> Size | None:
    """The formula of one line, or of two that meet at a number; None of others."""
    first, *others = lines
    before = first.slope * extent + first.constant
    if not others:
        return before
    if len(others) > 1:
        return None
    (second,) = others
    bend, height = second.slope - first.slope, first.constant - second.constant
    if not bend or height % bend or not second.start - 1 <= height // bend <= second.start:
        return None
    return before + bend * computed(max, 0, extent - height // bend)
