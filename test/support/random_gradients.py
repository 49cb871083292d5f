"""Random functions of numbers with loops, branches, writes to parts and views, lists that grow: for their gradients."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np

_PAD = "    "


class GradientWriter:
    """Writes one function `f(x, n)` of an array of four numbers and a count; its values stay small and smooth."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0

    def program(self) -> str:
        """The source of the function."""
        self.lines = [
            "def f(x, n):",
            "    s, t, u, p = x[0], 0.5, x.copy(), np.zeros(6)",
            "    v, w, items = u[1:3], np.outer(x, x), [x[1]]",
        ]
        self.block(1, self.random.randint(2, 4), depth=0, in_loop=False)
        self.block(1, 2, depth=0, in_loop=False)
        self.line(1, "total = 0.0")
        self.line(1, "for item in items:")
        self.line(2, "total = 0.9 * total + np.sin(item)")
        self.line(1, "return s + t * np.sum(u) + np.sum(p * p) + np.sum(np.tanh(w)) + np.sum(v) + total")
        return "\n".join(self.lines) + "\n"

    def line(self, indent: int, text: str) -> None:
        """Add a line."""
        self.lines.append(_PAD * indent + text)

    def place(self, size: int) -> str:
        """An index."""
        counters = ["0", "1", "-1", *(f"i{k} % {size}" for k in range(self.loops))]
        return self.random.choice(counters)

    def number(self, depth: int = 0) -> str:
        """An expression for a number."""
        atoms = ["s", "t", f"x[{self.place(4)}]", f"u[{self.place(4)}]", f"p[{self.place(6)}]", "items[-1]"]
        atoms += [f"w[{self.place(4)}, {self.place(4)}]", "0.3"]
        if depth > 1 or self.random.random() < 0.35:
            return self.random.choice(atoms)
        one, two = self.number(depth + 1), self.number(depth + 1)
        forms = [
            f"np.sin({one} + {two})",
            f"np.tanh({one} * {two})",
            f"0.5 * ({one} - {two})",
            f"np.exp(-({one}) ** 2)",
            f"np.sin(np.sum({self.array(depth + 1)}))",
        ]
        return self.random.choice(forms)

    def array(self, depth: int = 0) -> str:
        """An expression for four numbers."""
        atoms = ["u", "x", "w[0]", "w[:, 1]", "p[1:5]", "u[::-1]", "np.sort(u)"]
        if depth > 1 or self.random.random() < 0.4:
            return self.random.choice(atoms)
        one, two = self.array(depth + 1), self.number(depth + 1)
        return self.random.choice(
            [f"np.sin({one})", f"np.tanh({one} * {two})", f"0.5 * ({one} + {two})", f"0.4 * (w @ ({one}))"]
        )

    def block(self, indent: int, count: int, *, depth: int, in_loop: bool) -> None:
        """Some statements."""
        for _ in range(count):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: int, depth: int, in_loop: bool) -> None:
        """One statement."""
        kinds: list[Callable[[], None]] = [
            lambda: self.line(indent, f"{self.random.choice('st')} = {self.number()}"),
            lambda: self.line(indent, f"u[...] = np.tanh({self.array()})"),
            lambda: self.line(indent, f"u[{self.place(4)}] = {self.number()}"),
            lambda: self.line(indent, f"u[1:3] = np.sin({self.array()})[:2]"),
            lambda: self.line(indent, f"p[{self.place(6)}] += 0.5 * {self.number()}"),
            lambda: self.line(indent, f"w[{self.place(4)}] = np.tanh({self.array()})"),
            lambda: self.line(indent, f"v *= {self.number()}"),
            lambda: self.line(indent, f"items.append({self.number()})"),
            lambda: self.line(indent, f"w[:, {self.place(4)}] *= np.cos({self.number()})"),
            lambda: self.line(indent, f"u[u > 0.2] *= {self.number()}"),
            lambda: self.line(indent, f"t = np.sin(np.sum(np.exp(-u[: {self.place(4)}])))"),
        ]
        if depth < 2:
            compound = [self.branch, self.loop, self.loop, self.attempt]
            kinds += [lambda c=c: c(indent, depth, in_loop) for c in compound] * 2  # type: ignore[misc]
        if in_loop:
            kinds.append(lambda: self.leave(indent))
        self.random.choice(kinds)()

    def branch(self, indent: int, depth: int, in_loop: bool) -> None:
        """An `if` on numbers."""
        self.line(indent, f"if {self.number()} > 0.21:")
        self.block(indent + 1, 2, depth=depth + 1, in_loop=in_loop)
        if self.random.random() < 0.6:
            self.line(indent, "else:")
            self.block(indent + 1, 2, depth=depth + 1, in_loop=in_loop)

    def loop(self, indent: int, depth: int, in_loop: bool) -> None:
        """A loop over a range, or while something holds."""
        name = f"i{self.loops}"
        bound = self.random.choice(["19", "n"])
        if self.random.random() < 0.25:
            self.line(indent, f"{name} = 0")
            self.line(indent, f"while {name} < {bound} and s < 2.5:")
            self.line(indent + 1, f"{name} += 1")
        else:
            self.line(indent, f"for {name} in range({bound}):")
        self.loops += 1
        self.block(indent + 1, self.random.randint(1, 3), depth=depth + 1, in_loop=True)
        self.loops -= 1

    def attempt(self, indent: int, depth: int, in_loop: bool) -> None:
        """A `try` whose body may raise."""
        self.line(indent, "try:")
        self.block(indent + 1, 1, depth=depth + 1, in_loop=in_loop)
        self.line(indent + 1, f"if {self.number()} > 0.5:")
        self.line(indent + 2, "raise ValueError")
        self.block(indent + 1, 1, depth=depth + 1, in_loop=in_loop)
        self.line(indent, "except ValueError:")
        self.block(indent + 1, 1, depth=depth + 1, in_loop=in_loop)

    def leave(self, indent: int) -> None:
        """Leave the loop, its iteration, or the function."""
        self.line(indent, f"if {self.number()} > 0.7:")
        self.line(indent + 1, self.random.choice(["break", "continue", "return s * t + np.sum(u)"]))


def random_program(seed: int) -> tuple[str, Callable[..., Any]]:
    """A random function of four numbers and a count, with its source."""
    text = GradientWriter(seed).program()
    name = f"<random gradient {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return text, namespace["f"]


def slope(f: Callable[..., Any], x: Any, n: Any, direction: Any) -> tuple[float, bool]:
    """How f changes along a direction, by differences of two steps; and whether these agree, as away from kinks."""
    found = [float(f(x + h * direction, n) - f(x - h * direction, n)) / (2 * h) for h in (1e-5, 5e-6)]
    return found[1], bool(np.isclose(*found, rtol=1e-3, atol=1e-5))


__all__ = ["random_program", "slope"]
