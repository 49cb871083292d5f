"""Random functions with control flow of every kind, for comparing two ways of running them."""

from __future__ import annotations

import random
from typing import Any

NAMES = ("a", "b", "c", "d", "e")
_PAD = "    "


class ProgramWriter:
    """Writes one function; loops end, since all of them count down a fuel that the function is given."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.left = 0

    def program(self) -> str:
        """The source of a function `f(a, b, fuel)`."""
        self.lines = ["def f(a, b, fuel, log=print):", f"{_PAD}items = [3, 1, 2]"]
        self.line(1, f"c = {self.number()}")
        self.left = self.random.randint(3, 15)
        self.block(1, in_loop=False, depth=0)
        self.block(1, in_loop=False, depth=0)
        self.line(1, f"return ({self.name()}, items)")
        return "\n".join(self.lines) + "\n"

    def line(self, indent: int, text: str) -> None:
        """Add a line."""
        self.lines.append(_PAD * indent + text)

    def name(self) -> str:
        """A variable; some are unbound."""
        return self.random.choice(NAMES[: 3 if self.random.random() < 0.8 else 5])

    def number(self) -> str:
        """A small number."""
        return str(self.random.randint(-1, 4))

    def value(self, depth: int = 0) -> str:
        """An expression."""
        kind = self.random.randrange(11 if self.random.random() < (0.5, 0.2, 0)[min(depth, 2)] else 3)
        one, two = (lambda: self.value(depth + 1)), (lambda: self.value(depth + 1))
        if kind < 2:
            return self.name() if self.random.random() < 0.6 else self.number()
        return [
            lambda: "items[0]",
            lambda: f"({one()} + {two()})",
            lambda: f"({one()} if {two()} else {one()})",
            lambda: f"({one()} and {two()})",
            lambda: f"({one()} or {two()})",
            lambda: f"(not {one()})",
            lambda: f"({one()} < {two()} <= {one()})",
            lambda: f"({self.name()} := {one()})",
            lambda: f"sum([{one()} + q for q in range(2) if q or {two()}])",
        ][kind - 2]()

    def block(self, indent: int, *, in_loop: bool, depth: int) -> None:
        """A few statements."""
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, in_loop=in_loop, depth=depth)

    def statement(self, indent: int, *, in_loop: bool, depth: int) -> None:
        """A statement."""
        self.left -= 1
        choices: list[Any] = [self.simple] * 4
        if depth < 4 and self.left > 0:
            choices += [
                self.if_,
                self.if_,
                self.while_,
                self.for_,
                self.try_,
                self.with_,
                self.nested,
                self.match,
            ]
        self.random.choice(choices)(indent, in_loop, depth)

    def simple(self, indent: int, in_loop: bool, depth: int) -> None:
        """A statement without a block."""
        name = self.name()
        jumps = [f"return {self.value()}", "return"]
        if in_loop:
            jumps += ["break", "continue"] * 2
        texts = [
            f"{name} = {self.value()}",
            f"{name} += {self.value()}",
            f"{name}, {self.name()} = {self.value()}, {self.value()}",
            f"log({self.value()}, f'{{{name}!r}} {{{self.number()}:>3}}')",
            f"items[{self.random.choice('0123')}] = {self.value()}",
            f"items[{self.random.choice('0123')}] += {self.value()}",
            f"items[0], {name}, items[1] = {self.value()}, {self.value()}, {self.number()}",
            f"items.append({self.value()})",
            f"del {name}",
            f"assert {self.value()}, {self.value()}",
            f"raise ValueError({self.value()})",
            f"{name} = (lambda p, q={self.value()}: p if p else {self.value()})({self.value()})",
        ]
        weights = [12, 6, 4, 8, 4, 4, 2, 2, 1, 1, 1, 2]
        if self.random.random() < 0.2:
            self.line(indent, self.random.choice(jumps))
        else:
            self.line(indent, self.random.choices(texts, weights)[0])

    def if_(self, indent: int, in_loop: bool, depth: int) -> None:
        """`if`, with or without other branches."""
        self.line(indent, f"if {self.value()}:")
        self.block(indent + 1, in_loop=in_loop, depth=depth + 1)
        if self.random.random() < 0.3:
            self.line(indent, f"elif {self.value()}:")
            self.block(indent + 1, in_loop=in_loop, depth=depth + 1)
        if self.random.random() < 0.5:
            self.line(indent, "else:")
            self.block(indent + 1, in_loop=in_loop, depth=depth + 1)

    def while_(self, indent: int, in_loop: bool, depth: int) -> None:
        """`while`, perhaps with `else`."""
        self.line(indent, f"while (fuel := fuel - 1) > 0 and {self.value()}:")
        self.block(indent + 1, in_loop=True, depth=depth + 1)
        self._else(indent, in_loop, depth)

    def for_(self, indent: int, in_loop: bool, depth: int) -> None:
        """`for`, perhaps with `else`."""
        target = self.random.choice([self.name(), f"{self.name()}, {self.name()}", "items[0]"])
        iterable = "zip(range(3), [2, 0, 1])" if "," in target else f"range({self.number()})"
        self.line(indent, f"for {target} in {iterable}:")
        self.block(indent + 1, in_loop=True, depth=depth + 1)
        self._else(indent, in_loop, depth)

    def _else(self, indent: int, in_loop: bool, depth: int) -> None:
        if self.random.random() < 0.3:
            self.line(indent, "else:")
            self.block(indent + 1, in_loop=in_loop, depth=depth + 1)

    def try_(self, indent: int, in_loop: bool, depth: int) -> None:
        """`try` with handlers, `else` and `finally`."""
        self.line(indent, "try:")
        self.block(indent + 1, in_loop=in_loop, depth=depth + 1)
        handled = self.random.random() < 0.8
        if handled:
            self.line(indent, f"except (ValueError, TypeError, UnboundLocalError) as {self.name()}:")
            self.block(indent + 1, in_loop=in_loop, depth=depth + 1)
            if self.random.random() < 0.3:
                self.line(indent + 1, "raise")
            self._else(indent, in_loop, depth)
        if not handled or self.random.random() < 0.3:
            self.line(indent, "finally:")
            self.block(indent + 1, in_loop=in_loop and self.random.random() < 0.5, depth=depth + 1)

    def with_(self, indent: int, in_loop: bool, depth: int) -> None:
        """`with`, which may swallow exceptions."""
        self.line(
            indent, f"with {self.random.choice(['plain', 'swallow'])}({self.number()}) as {self.name()}:"
        )
        self.block(indent + 1, in_loop=in_loop, depth=depth + 1)

    def nested(self, indent: int, in_loop: bool, depth: int) -> None:
        """A function that changes variables of the one around it."""
        shared = self.random.choice(NAMES)
        self.line(indent, "def inner(x):")
        self.line(indent + 1, f"nonlocal {shared}")
        self.line(indent + 1, f"if x: return {self.random.choice(NAMES)}")
        self.line(indent + 1, f"{shared} = {self.value()}")
        self.line(indent, f"log(inner({self.value()}))")
        # All names must be variables of the outer function for `nonlocal`.
        self.lines[1] = f"{_PAD}items = [3, 1, 2]; c: int; d: int; e: int"

    def match(self, indent: int, in_loop: bool, depth: int) -> None:
        """`match` with values, structure and guards."""
        self.line(indent, f"match ({self.value()}, {self.value()}):")
        patterns = [
            "(0, 1)",
            f"({self.name()}, 1)",
            "(0 | 1 | None, _)",
            "(1, x) | (x, 1)",
            "[True, *rest]",
            f"(int() as {self.name()}, _) if {self.value()}",
        ]
        for pattern in self.random.sample(patterns, 2):
            self.line(indent + 1, f"case {pattern}:")
            self.block(indent + 2, in_loop=in_loop, depth=depth + 2)
        if self.random.random() < 0.5:
            self.line(indent + 1, f"case {self.name()}:")
            self.block(indent + 2, in_loop=in_loop, depth=depth + 2)


__all__ = ["ProgramWriter"]
