"""What all parts of the grammar share: chance, lines, names, and choosing a text whose example fits."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .scope import Scope, Unfit, is_compatible

Test = Callable[[Any], bool]


def is_array(value: Any) -> bool:
    """Any array of at least one dimension."""
    return isinstance(value, np.ndarray) and value.ndim > 0


def is_number(value: Any) -> bool:
    """A number of Python or NumPy."""
    return isinstance(value, (bool, int, float, complex, np.generic))


def is_real(value: Any) -> bool:
    """A number that can be compared."""
    return is_number(value) and not isinstance(value, (complex, np.complexfloating))


def is_integer(value: Any) -> bool:
    """A number that can be an index."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


class Base:
    """Writes Python, line by line."""

    def __init__(self, chance: random.Random, scope: Scope) -> None:
        self.random = chance
        self.scope = scope
        self.lines: list[str] = []
        self.indent = 1
        self.depth = 2
        """How deep expressions may still nest."""
        self.counter = 0

    # Chance

    def often(self, probability: float) -> bool:
        """True with a probability."""
        return self.random.random() < probability

    def one(self, *choices: Any) -> Any:
        """One of several things."""
        return self.random.choice(choices)

    # Lines and names

    def write(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.indent + text)

    def fresh(self, prefix: str = "v") -> str:
        """A name that nothing has."""
        self.counter += 1
        return f"{prefix}{self.counter}"

    def names(self, test: Test) -> list[str]:
        """The variables whose examples pass a test."""
        return [name for name, value in self.scope.values.items() if test(value)]

    def name(self, test: Test) -> str:
        """One of them."""
        found = self.names(test)
        if not found:
            raise Unfit("a name")
        return str(self.random.choice(found))

    # Texts

    def template(self, *texts: str, **given: str | Callable[[], str]) -> str:
        """One of several texts; `{array}` in it becomes what the method `array` writes, or what is given."""

        def fill(match: re.Match[str]) -> str:
            written = given[match[1]] if match[1] in given else getattr(self, match[1])
            return written if isinstance(written, str) else str(written())

        return re.sub(r"\{([a-z_]+)\}", fill, self.random.choice(texts))

    def few(self) -> str:
        """A small number."""
        return str(self.random.randint(1, 4))

    def choose(self, test: Test, producers: Sequence[tuple[float, Callable[[], str]]], fallback: str) -> str:
        """The text of an expression whose example passes a test."""
        if self.depth <= 0:
            return fallback
        functions = [function for _, function in producers]
        weights = [weight for weight, _ in producers]
        self.depth -= 1
        try:
            for _ in range(4):
                try:
                    text = self.random.choices(functions, weights)[0]()
                    if test(self.scope.evaluate(text)):
                        return text
                except Unfit:
                    continue
            return fallback
        finally:
            self.depth += 1

    def attempt(self, text: str) -> None:
        """Write a simple statement if its example runs; sometimes also if not."""
        values = self.scope.fork()
        try:
            self.scope.execute(text)
            if self.indent > 1 and not is_compatible(values, self.scope.values) and self.often(0.98):
                raise Unfit(text)
        except Unfit:
            self.scope.values = values
            if not self.often(0.01):
                raise
        self.write(text)


__all__ = ["Base", "Test", "is_array", "is_integer", "is_number", "is_real"]
