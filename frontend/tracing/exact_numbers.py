"""Numbers of Python's library that compiled code has none of: `Fraction`, `Decimal`, and spans of time.

They compute with the values of arrays, and find out at once whether they are equal; what is traced has no value yet.
"""

from __future__ import annotations

from typing import Any

from ...dialect.errors import UnsupportedError

_MODULES = frozenset({"fractions", "decimal", "_pydecimal", "datetime", "_pydatetime"})

_NUMBERS = frozenset({"Fraction", "Decimal", "timedelta"})


def is_exact_number(value: Any) -> bool:
    """Whether a value is a number of Python's library that has no like in compiled code.

    Examples:
        >>> from fractions import Fraction
        >>> is_exact_number(Fraction(1, 2)), is_exact_number(0.5)
        (True, False)
    """
    return any(kind.__name__ in _NUMBERS and kind.__module__ in _MODULES for kind in type(value).__mro__[:-1])


def refuse_exact_number(symbol: str, value: Any) -> None:
    """Refuse an operator whose other operand is known when the compiled function runs only."""
    if is_exact_number(value):
        name = type(value).__name__
        raise UnsupportedError(
            f"{symbol} is applied to a {name} and a value that is known only when the compiled function runs, and "
            f"compiled code has no numbers of this kind: make a float or an int of the {name} first, keep numerator "
            "and denominator (or a number of units) as ints, or compute this part outside of the compiled function"
        )
