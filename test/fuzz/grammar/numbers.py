"""Expressions of numbers, truth values and texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Base, is_array, is_integer, is_number, is_real
from .scope import Unfit

SPECIAL = ("0", "-1", "0.0", "-0.0", "1e30", "float('nan')", "float('inf')", "255", "2**31", "True", "2j")


class Numbers(Base):
    """Numbers of Python and NumPy, with weak types and strong ones."""

    def literal(self) -> str:
        """A number."""
        if self.often(0.05):
            return str(self.one(*SPECIAL))
        return str(
            self.one(self.random.randint(0, 9), self.random.randint(-3, 3), self.one(0.5, 1.5, -2.5, 2.0))
        )

    def number(self) -> str:
        """Any number that can be compared."""
        producers = [
            (3, lambda: self.name(is_real)),
            (1, self.literal),
            (2, self.element),
            (2, self.reduction),
            (2, lambda: self.integer()),
            (4, self.arithmetic),
            (1, self.conversion),
            (1, self.choice),
            (1, self.function_of_numbers),
            (1, self.call_of_helper),
            (1, self.entry),
            (0.3, lambda: f"({self.fresh('w')} := {self.number()})"),
        ]
        names = self.names(is_real)
        fallback = self.one(*names[-6:]) if names and self.often(0.7) else self.literal()
        return self.choose(is_real, producers, fallback)

    def integer(self) -> str:
        """A small integer of Python or NumPy."""
        producers = [
            (3, lambda: self.name(is_integer)),
            (1, lambda: str(self.random.randint(-2, 4))),
            (
                1,
                lambda: f"len({self.name(lambda v: isinstance(v, (list, str, dict, tuple)) or is_array(v))})",
            ),
            (1, lambda: f"{self.name(is_array)}.shape[{self.one(0, -1)}]"),
            (1, lambda: f"int({self.number()}) % {self.random.randint(2, 7)}"),
            (
                1,
                lambda: (
                    f"{self.integer()} {self.one('+', '-', '*', '//', '%', '&', '|', '^')} {self.integer()}"
                ),
            ),
            (1, lambda: f"{self.integer()} % {self.random.randint(2, 5)}"),
            (0.5, lambda: f"{self.name(is_array)}.{self.one('size', 'ndim')}"),
            (0.5, lambda: f"{self.name(is_array)}.{self.one('argmax', 'argmin')}()"),
            (0.5, lambda: f"np.count_nonzero({self.name(is_array)})"),
            (0.5, lambda: f"divmod({self.integer()}, {self.integer()})[{self.one(0, 1)}]"),
        ]

        def fits(value: Any) -> bool:
            return is_integer(value) and abs(int(value)) < 1000

        return self.choose(fits, producers, str(self.random.randint(0, 3)))

    def element(self) -> str:
        """An element of an array or a sequence of numbers."""
        if self.often(0.7):
            name = self.name(is_array)
            rank = self.scope.values[name].ndim
            return f"{name}[{', '.join(self.small_index() for _ in range(rank))}]"
        name = self.name(lambda v: isinstance(v, (list, tuple)) and len(v) > 0 and all(map(is_number, v)))
        return f"{name}[{self.small_index()}]"

    def small_index(self) -> str:
        """An index that most arrays have."""
        if self.often(0.6):
            return str(self.one(0, 1, -1))
        return str(self.one(f"{self.integer()} % 2", self.integer()))

    def reduction(self) -> str:
        """A number of a whole array, or of a sequence."""
        if self.often(0.75):
            method = self.one("sum", "max", "min", "mean", "prod", "any", "all", "item", "std", "ptp")
            array = self.array()
            return f"np.ptp({array})" if method == "ptp" else f"{array}.{method}()"
        name = self.name(lambda v: isinstance(v, (list, tuple)) and len(v) > 0 and all(map(is_number, v)))
        return f"{self.one('sum', 'max', 'min', 'len', 'any', 'all', 'np.sum')}({name})"

    def arithmetic(self) -> str:
        """Two numbers and an operator."""
        one, other = self.number(), self.number()
        operator = self.one("+", "-", "*", "/", "//", "%", "+", "-", "*")
        text = f"({one} {operator} {other})"
        if self.often(0.1):
            text = f"({one} ** 2)"
        return f"({text} % 97)" if self.often(0.3) else text

    def conversion(self) -> str:
        """A number as another type."""
        of_numpy = [
            f"np.{t}" for t in ("float32", "float64", "int8", "int32", "int64", "uint8", "bool_", "float16")
        ]
        return f"{self.one('int', 'float', 'bool', 'abs', 'round', '-', '+', *of_numpy)}({self.number()})"

    def function_of_numbers(self) -> str:
        """A function of one number or two."""
        if self.often(0.5):
            if self.often(0.5):
                return f"{self.one('np.maximum', 'np.minimum')}({self.number()}, {self.number()})"
            return f"{self.one('min', 'max')}({', '.join(self.alternatives())})"
        of_one = (
            "math.floor",
            "math.ceil",
            "math.sqrt",
            "np.sqrt",
            "np.sign",
            "np.floor",
            "np.abs",
            "math.trunc",
        )
        return f"{self.one(*of_one)}({self.number()})"

    def choice(self) -> str:
        """One of two numbers."""
        one, other = self.alternatives()
        return f"({one} if {self.condition()} else {other})"

    def alternatives(self) -> list[str]:
        """Two numbers of one type: where compiled code decides which, it is a number of the type of both."""
        one = self.number()
        return [one, self.like(self.scope.evaluate(one))]

    def like(self, value: Any) -> str:
        """An expression of the type of a value."""
        raise NotImplementedError

    def call_of_helper(self) -> str:
        """A call of a helper, with arguments as its parameters."""
        raise Unfit("helpers")

    def entry(self) -> str:
        """A number in a dict or an attribute."""
        name = self.name(lambda v: isinstance(v, dict) or (hasattr(v, "__dict__") and not callable(v)))
        value = self.scope.values[name]
        if isinstance(value, dict):
            if not value:
                raise Unfit("an empty dict")
            key = self.one(*value)
            return str(self.one(f"{name}[{key!r}]", f"{name}.get({key!r}, 0)"))
        return f"{name}.{self.one(*vars(value))}"

    def condition(self) -> str:
        """A truth value."""
        producers = [
            (6, self.comparison),
            (1, lambda: f"({self.condition()} {self.one('and', 'or')} {self.condition()})"),
            (1, lambda: f"(not {self.condition()})"),
            (1, lambda: f"{self.literal()} <= {self.number()} < {self.literal()}"),
            (1, lambda: self.name(lambda v: isinstance(v, (bool, np.bool_)))),
            (0.4, lambda: f"({self.comparison()}) is {self.one('', 'not ')}{self.one('True', 'False')}"),
            (1, lambda: self.number()),
            (1, lambda: f"{self.array()}.{self.one('any', 'all')}()"),
            (0.5, lambda: f"{self.name(lambda v: isinstance(v, (list, dict, str, type(None))))}"),
            (0.5, lambda: f"{self.name(lambda v: True)} is {self.one('', 'not ')}None"),
            (
                0.5,
                lambda: f"{self.number()} in {self.name(lambda v: isinstance(v, (list, tuple, dict, set)))}",
            ),
            (
                0.3,
                lambda: (
                    f"isinstance({self.name(lambda v: True)}, {self.one('int', 'float', 'np.ndarray', 'list')})"
                ),
            ),
        ]

        def fits(value: Any) -> bool:
            return not isinstance(value, np.ndarray) or value.size == 1

        names = self.names(is_real)
        fallback = (
            f"{self.one(*names)} > {self.literal()}" if names else f"{self.literal()} < {self.literal()}"
        )
        return self.choose(fits, producers, fallback)

    def comparison(self) -> str:
        """Two numbers compared."""
        return f"{self.number()} {self.one('<', '<=', '>', '>=', '==', '!=')} {self.number()}"

    def text(self) -> str:
        """A string."""
        producers = [
            (2, lambda: repr(self.one("a", "b", "key", ""))),
            (2, self.formatted),
            (1, lambda: f"str({self.name(lambda v: is_number(v) or is_array(v))})"),
            (1, lambda: self.name(lambda v: isinstance(v, str))),
            (1, lambda: f"({self.text()} + {self.text()})"),
            (0.5, lambda: f"{self.text()}.{self.one('upper()', 'strip()', 'title()')}"),
            (0.5, lambda: f"', '.join([{self.text()}, {self.text()}])"),
            (0.5, lambda: f"'%s of %d' % ({self.number()}, {self.integer()})"),
        ]
        return self.choose(lambda v: isinstance(v, str), producers, "'t'")

    def formatted(self) -> str:
        """An f-string with a number, formatted."""
        form = self.one("", "", ":.2f", ":6.1f", "!r", ":g")
        return f'f"{self.one("", "x=")}{{{self.number().replace(chr(34), chr(39))}{form}}}"'

    def array(self) -> str:
        """An array."""
        raise NotImplementedError


__all__ = ["Numbers"]
