"""Integers that are known only when a program runs, in terms of what they are computed from.

A size is an int, or a polynomial over symbols: extents of arrays, scalars of the program, whatever is hashable. Sums
and products are multiplied out, so that those that are equal for all values of their symbols are equal here, however
they were computed. That holds for integers that wrap around, too, if all are as wide.

    n, m = symbol("n"), symbol("m")
    (n + 1) * m - m == n * m
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeAlias

from .records import dataclass

Size: TypeAlias = "int | Polynomial"
Product: TypeAlias = "tuple[Hashable, ...]"
"""Symbols that are multiplied, in the order of their hashes; an empty one is 1."""

MOST_TERMS = 64
"""Products of more terms are not multiplied out."""


class Polynomial:
    """A sum of products of symbols, each with a factor; not constant."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Product, int]) -> None:
        self.terms = terms
        self._hash = hash(frozenset(terms.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self._hash == other._hash and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        products = [
            "*".join(map(str, product if factor == 1 and product else (factor, *product)))
            for product, factor in self.terms.items()
        ]
        return f"Polynomial({' + '.join(products)})"

    def __str__(self) -> str:
        """As a formula of Python.

        >>> n, m = symbol("n"), symbol("m")
        >>> print(n * 12 - 1, computed(max, n, 0) * 2)
        12*n - 1 2*max(0, n)
        """
        parts = sorted(
            map(_product_text, self.terms.items()), key=lambda part: (-part[0], part[2] < 0, part[1])
        )
        text = " ".join(f"{'-' if factor < 0 else '+'} {body}" for _, body, factor in parts)
        return text.removeprefix("+ ") if text.startswith("+") else f"-{text[2:]}"

    def __add__(self, other: Size) -> Size:
        terms = dict(self.terms)
        for product, factor in terms_of(other).items():
            terms[product] = terms.get(product, 0) + factor
        return _from_terms(terms)

    __radd__ = __add__

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + -other

    def __rsub__(self, other: Size) -> Size:
        return -self + other

    def __mul__(self, other: Size) -> Size:
        others = terms_of(other)
        if len(self.terms) * len(others) > MOST_TERMS:
            return symbol(Computed("product", tuple(sorted((self, other), key=hash))))
        terms: dict[Product, int] = {}
        for left, left_factor in self.terms.items():
            for right, right_factor in others.items():
                product = tuple(sorted(left + right, key=hash))
                terms[product] = terms.get(product, 0) + left_factor * right_factor
        return _from_terms(terms)

    __rmul__ = __mul__


@dataclass(frozen=True)
class Computed:
    """A symbol for what a function other than a sum or a product makes of sizes."""

    function: Hashable
    operands: tuple[Size, ...]


def _product_text(term: tuple[Product, int]) -> tuple[int, str, int]:
    """How many symbols a product has, the text without its sign, and the factor."""
    product, factor = term
    counts = Counter(map(text_of, product))
    names = [name if count == 1 else f"{name}**{count}" for name, count in sorted(counts.items())]
    number = abs(factor)
    return len(product), "*".join(names if number == 1 and names else [f"{number}", *names]), factor


def text_of(name: Hashable) -> str:
    """A symbol in a formula of Python."""
    if not isinstance(name, Computed):
        return str(name)
    given = name.operands
    if name.function in (max, min):
        given = tuple(sorted(given, key=lambda operand: (not isinstance(operand, int), str(operand))))
    operands = list(map(str, given))
    if name.function in (floordiv, ceildiv):
        left, right = (text if text.isidentifier() or text.isdecimal() else f"({text})" for text in operands)
        return f"({left} // {right})" if name.function is floordiv else f"-(-{left} // {right})"
    if name.function == "product":
        return "*".join(f"({text})" for text in operands)
    return f"{getattr(name.function, '__name__', name.function)}({', '.join(operands)})"


def symbol(name: Hashable) -> Polynomial:
    """The size that a symbol stands for."""
    return Polynomial({(name,): 1})


def computed(function: Hashable, *operands: Size) -> Size:
    """What a function makes of sizes: those of Python are computed of ints, others are known by their names alone.

    >>> computed(max, 2, 3), computed("f", symbol("n")) == computed("f", symbol("n"))
    (3, True)
    """
    if function in (max, min):
        if operands[0] == operands[1]:
            return operands[0]
        operands = tuple(sorted(operands, key=hash))
    if function in (floordiv, ceildiv) and operands[1] == 1:
        return operands[0]
    if callable(function) and all(isinstance(operand, int) for operand in operands):
        is_defined = function not in (floordiv, ceildiv) or operands[1] != 0
        if is_defined:
            return int(function(*operands))
    return symbol(Computed(function, operands))


def floordiv(left: int, right: int) -> int:
    """left / right, rounded down."""
    return left // right


def ceildiv(left: int, right: int) -> int:
    """left / right, rounded up."""
    return -(-left // right)


def terms_of(size: Size) -> Mapping[Product, int]:
    """The products that a size is the sum of, and their factors."""
    return size.terms if isinstance(size, Polynomial) else {(): size} if size else {}


def replaced(size: Size, by: Callable[[Hashable], Size]) -> Size:
    """The size with others in place of its symbols.

    >>> replaced(symbol("n") * 2 + 1, {"n": 5}.__getitem__)
    11
    """
    return sum(factor * math.prod(map(by, product)) for product, factor in terms_of(size).items())


def symbols(size: Size) -> Iterator[Hashable]:
    """The symbols that a size depends on, each once, in place of those that are computed what they are computed from.

    >>> n, m = symbol("n"), symbol("m")
    >>> sorted(symbols(computed(max, n, computed(min, n, m)) * n))
    ['m', 'n']
    """
    found: set[Hashable] = set()
    pending = [size]
    while pending:
        for product in terms_of(pending.pop()):
            for name in product:
                if name in found:
                    continue
                found.add(name)
                if isinstance(name, Computed):
                    pending.extend(name.operands)
                else:
                    yield name


Limits: TypeAlias = "tuple[float, float]"
"""The least and the largest number that something can be."""
UNLIMITED = (-math.inf, math.inf)


def limits(size: Size, of: Callable[[Hashable], Limits] = lambda name: UNLIMITED) -> Limits:
    """What a size is at least and at most; `of` tells it of symbols that are not computed.

    >>> limits(8 - computed(max, computed(min, symbol("i"), 8), 0))
    (0, 8)
    """
    low = high = 0.0
    for product, factor in terms_of(size).items():
        ends: Limits = (factor, factor)
        for name in product:
            ends = _multiplied(
                ends, _limits_of_computed(name, of) if isinstance(name, Computed) else of(name)
            )
        low, high = low + ends[0], high + ends[1]
    return tuple(int(end) if math.isfinite(end) else end for end in (low, high))  # type: ignore[return-value]


def _multiplied(one: Limits, other: Limits) -> Limits:
    ends = [
        a * b if a and b else 0 for a in one for b in other
    ]  # nothing of something without limits is nothing
    return min(ends), max(ends)


def _limits_of_computed(name: Computed, of: Callable[[Hashable], Limits]) -> Limits:
    if name.function == "product":
        return _multiplied(*(limits(operand, of) for operand in name.operands))
    if name.function not in (max, min, floordiv, ceildiv):
        return UNLIMITED
    function: Callable[..., float] = name.function
    pairs = [limits(operand, of) for operand in name.operands]
    if function in (max, min):
        return function(low for low, _ in pairs), function(high for _, high in pairs)
    divisor = name.operands[1]
    if not isinstance(divisor, int) or divisor <= 0:
        return UNLIMITED
    low, high = (function(int(e), divisor) if math.isfinite(e) else e for e in pairs[0])
    return low, high


def _from_terms(terms: dict[Product, int]) -> Size:
    kept = {product: factor for product, factor in terms.items() if factor}
    return Polynomial(kept) if kept.keys() - {()} else kept.get((), 0)
