"""Random Python functions full of branches, loops and exits, as source that converts like any other.

Every value stays small (all arithmetic ends in a remainder), every loop ends, and some names may be unbound on some
path: what such a function returns, prints, writes and raises eagerly is what it must do compiled.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np

NAMES = ("a", "b", "c", "d", "e")
"""The first three are parameters, the others are bound where a program happens to bind them."""

HELPER = """
def helper(x, n):
    if n > 50:
        return n - 50
    for i in range(n % 3):
        x[i] = x[i] + n
        if x[i] > 60:
            raise ValueError(f"x[{i}] is {x[i]}")
    return n + i if n % 3 else n
"""


class Writer:
    """Writes one random function, line by line."""

    def __init__(self, seed: int, size: int) -> None:
        self.random = random.Random(seed)
        self.budget = size
        self.lines: list[str] = []
        self.counters = 0

    def function(self) -> str:
        """The source of a function `f(a, b, c, x)`."""
        self.lines = ["def f(a, b, c, x):"]
        if self.random.random() < 0.8:
            self.write(1, "d = e = 1")
        while self.budget > 0:
            self.statement(1, False)
        self.write(1, f"return {self.result()}")
        return "\n".join(self.lines) + "\n"

    def write(self, depth: int, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * depth + text)

    def pick(self, *weighted: tuple[int, str]) -> str:
        """One of several kinds."""
        return self.random.choices([kind for _, kind in weighted], [weight for weight, _ in weighted])[0]

    def expression(self, depth: int = 2) -> str:
        """A number from -96 to 96."""
        if depth == 0 or self.random.random() < 0.3:
            anyone = self.random.choice(NAMES[:3] if self.random.random() < 0.7 else NAMES)
            choices = [self.random.choice(NAMES[:3]), anyone, str(self.random.randint(0, 9))]
            return self.random.choice([*choices, f"x[{self.random.randint(0, 3)}]"])
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        operator = self.random.choice(["+", "-", "*"])
        kind = self.pick((6, "binary"), (1, "choice"), (1, "call"), (1, "element"))
        if kind == "choice":
            return f"({one} if {self.condition(depth - 1)} else {other})"
        if kind == "call":
            return f"{self.random.choice(['max', 'min'])}({one}, {other})"
        if kind == "element":
            return f"x[{one} % 4]"
        return f"(({one} {operator} {other}) % {self.random.choice([7, 31, 97])})"

    def condition(self, depth: int = 2) -> str:
        """A truth value."""
        one, other = self.expression(depth - 1 if depth else 0), self.expression(0)
        compared = f"{one} {self.random.choice(['<', '<=', '==', '!=', '>'])} {other}"
        kind = self.pick((6, "plain"), (1, "and"), (1, "or"), (1, "not"), (1, "chain"), (1, "number"))
        if depth == 0 or kind == "plain":
            return compared
        if kind in ("and", "or"):
            return f"({compared} {kind} {self.condition(depth - 1)})"
        if kind == "not":
            return f"not ({compared})"
        return f"0 <= {one} < {other}" if kind == "chain" else one

    def result(self) -> str:
        """What is returned; always of one structure."""
        return f"{self.expression()}, {self.expression(1)}"

    def block(self, depth: int, in_loop: bool, most: int = 3) -> None:
        """Some statements."""
        for _ in range(self.random.randint(1, most)):
            self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool) -> None:
        """Any statement."""
        self.budget -= 1
        simple = [(8, "assign"), (2, "item"), (1, "swap"), (1, "say"), (1, "helper")]
        exits = [(2, "leave"), (1, "raising"), (1, "claim")]
        nested = [(5, "branch"), (2, "counting"), (1, "elements"), (2, "loop"), (1, "attempt")]
        kinds = simple + exits + (nested if depth < 5 and self.budget > 0 else [])
        getattr(self, self.pick(*kinds))(depth, in_loop)

    def assign(self, depth: int, in_loop: bool) -> None:
        """Bind a name."""
        self.write(depth, f"{self.random.choice(NAMES)} = {self.expression()}")

    def item(self, depth: int, in_loop: bool) -> None:
        """Write into the array."""
        operator = self.random.choice(["=", "+=", "-="])
        self.write(depth, f"x[{self.expression(1)} % 4] {operator} {self.expression(1)}")

    def swap(self, depth: int, in_loop: bool) -> None:
        """Bind two names at once."""
        one, other = self.random.sample(NAMES[:3], 2)
        self.write(depth, f"{one}, {other} = {other}, {one}")

    def say(self, depth: int, in_loop: bool) -> None:
        """Print values."""
        self.write(
            depth, f'print("line {len(self.lines)}", {self.expression(1)}, f"{{{self.expression(0)}:4d}}")'
        )

    def helper(self, depth: int, in_loop: bool) -> None:
        """Call the helper."""
        self.write(depth, f"{self.random.choice(NAMES)} = helper(x, {self.expression(1)})")

    def leave(self, depth: int, in_loop: bool) -> None:
        """Leave a loop or the function, under a condition."""
        self.write(depth, f"if {self.condition()}:")
        if self.random.random() < 0.3:
            self.assign(depth + 1, in_loop)
        exits = ["break", "continue", f"return {self.result()}"]
        self.write(depth + 1, self.random.choice(exits) if in_loop else exits[2])

    def claim(self, depth: int, in_loop: bool) -> None:
        """Assert something that mostly holds."""
        self.write(depth, f'assert {self.expression(1)} < 90, f"value {{{self.expression(0)}}}"')

    def raising(self, depth: int, in_loop: bool) -> None:
        """Raise an exception, under a condition."""
        self.write(depth, f"if {self.expression(1)} == {self.random.randint(0, 9)}:")
        kind = self.random.choice(["ValueError", "KeyError", "ArithmeticError"])
        self.write(depth + 1, f'raise {kind}("line {len(self.lines)}", str({self.expression(0)}))')

    def branch(self, depth: int, in_loop: bool) -> None:
        """If, elif, else."""
        self.write(depth, f"if {self.condition()}:")
        self.block(depth + 1, in_loop)
        if self.random.random() < 0.3:
            self.write(depth, f"elif {self.condition()}:")
            self.block(depth + 1, in_loop)
        if self.random.random() < 0.6:
            self.write(depth, "else:")
            self.block(depth + 1, in_loop)

    def otherwise(self, depth: int, in_loop: bool) -> None:
        """The else of a loop, sometimes."""
        if self.random.random() < 0.2:
            self.write(depth, "else:")
            self.block(depth + 1, in_loop, most=2)

    def counting(self, depth: int, in_loop: bool) -> None:
        """A for loop over a range."""
        bounds = [f"{self.expression(1)} % 4", "3", f"{self.expression(0)} % 3, {self.expression(0)} % 7, 2"]
        self.write(depth, f"for {self.random.choice(NAMES)} in range({self.random.choice(bounds)}):")
        self.block(depth + 1, True)
        self.otherwise(depth, in_loop)

    def elements(self, depth: int, in_loop: bool) -> None:
        """A for loop over the array."""
        name = self.random.choice(NAMES)
        if self.random.random() < 0.4:
            self.write(depth, f"for {self.random.choice(NAMES)}, {name} in enumerate(x):")
        else:
            self.write(depth, f"for {name} in x[:3]:")
        self.block(depth + 1, True)
        self.otherwise(depth, in_loop)

    def loop(self, depth: int, in_loop: bool) -> None:
        """A while loop with a counter of its own."""
        self.counters += 1
        counter = f"k{self.counters}"
        self.write(depth, f"{counter} = {self.expression(1)} % 5")
        condition = (
            f"{counter} > 0" if self.random.random() < 0.5 else f"{counter} > 0 and {self.condition(1)}"
        )
        self.write(depth, f"while {condition}:")
        self.write(depth + 1, f"{counter} = {counter} - 1")
        self.block(depth + 1, True)
        self.otherwise(depth, in_loop)

    def attempt(self, depth: int, in_loop: bool) -> None:
        """Try with handlers."""
        self.write(depth, "try:")
        self.block(depth + 1, in_loop)
        caught = self.random.choice(["ValueError", "LookupError", "(KeyError, ValueError)"])
        self.write(depth, f"except {caught}:")
        self.block(depth + 1, in_loop, most=2)
        if self.random.random() < 0.2:
            self.write(depth, "finally:")
            self.write(depth + 1, f"x[{self.random.randint(0, 3)}] += 1")


def source(seed: int, size: int = 12) -> str:
    """The text of a random program."""
    return HELPER.lstrip() + "\n\n" + Writer(seed, size).function()


def random_function(seed: int, size: int = 12) -> Callable[..., Any]:
    """A random function, whose source Python knows."""
    text, filename = source(seed, size), f"<random function {seed} of size {size}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), names)
    made: Callable[..., Any] = names["f"]
    return made


def random_calls(seed: int, count: int = 6) -> list[tuple[Any, ...]]:
    """Arguments that take different paths."""
    numbers = np.random.default_rng(seed)
    scalars = [tuple(np.int64(v) for v in numbers.integers(-5, 40, 3)) for _ in range(count)]
    return [(*three, numbers.integers(-9, 50, 4)) for three in scalars]
