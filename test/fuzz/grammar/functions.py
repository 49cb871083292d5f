"""Helpers, closures, generators, recursion, and the state that functions share."""

from __future__ import annotations

from typing import Any

from .base import is_array, is_number, is_real
from .scope import Unfit
from .statements import Statements


class Functions(Statements):
    """A function with the helpers and the state that it uses."""

    helpers: dict[str, list[Any]]
    """The helpers by name, with examples of their parameters."""

    shared: dict[str, Any]
    """Globals, which are written by statements of their own."""

    def arguments_like(self, examples: list[Any]) -> str:
        """Arguments for parameters of which there are examples."""
        return ", ".join(self.like(example) for example in examples)

    def call_of_helper(self) -> str:
        """A call of a helper, with arguments as its parameters."""
        if not self.helpers:
            raise Unfit("helpers")
        name = self.one(*self.helpers)
        return f"{name}({self.arguments_like(self.helpers[name])})"

    def inner_function(self) -> None:
        """A closure, a lambda or a generator inside of the function."""
        name = self.fresh("g")
        kind = self.one("lambda", "def", "nonlocal", "generator")
        value = self.name(is_real)
        if kind == "lambda":
            body = self.one(f"a + {self.name(is_number)}", "a * 2", f"a if {self.condition()} else -a")
            self.bind_function(name, f"{name} = lambda a: {body}", value)
        elif kind == "def":
            lines = [
                f"def {name}(a, b=2):",
                f"    if a > {self.literal()}:",
                f"        return a + {self.name(is_real)}",
            ]
            self.bind_function(name, "\n".join([*lines, "    return a * b"]), value)
        elif kind == "generator":
            lines = [f"def {name}(a):", f"    for i in range({self.integer()} % 4):", "        yield a + i"]
            self.bind_function(name, "\n".join(lines), None)
            self.attempt(f"{self.fresh()} = {self.one('sum', 'list', 'max')}({name}({value}))")
        else:
            self.nonlocal_function(name)

    def bind_function(self, name: str, text: str, example: str | None) -> None:
        """Write a function, and know how it is called."""
        self.scope.execute(text)
        self.scope.fixed[name] = self.scope.values.pop(name)
        for line in text.split("\n"):
            self.write(line)
        if example is not None and self.often(0.8):
            self.attempt(f"{self.fresh()} = {name}({example})")

    def nonlocal_function(self, name: str) -> None:
        """A function that changes a variable of this one."""
        if self.indent != 1 or not hasattr(self, "owned"):
            raise Unfit("nonlocal")
        changed = self.name(is_real)
        if changed in self.scope.kept or changed in self.shared:
            raise Unfit("nonlocal")
        step = self.like(self.scope.values[changed])
        self.write(f"def {name}():")
        self.write(f"    nonlocal {changed}")
        self.write(f"    {changed} = {step}")
        self.write(f"{name}()")

    def change_state(self) -> None:
        """Change a global, an attribute, or a container outside."""
        objects = self.names(lambda v: bool(getattr(v, "__dict__", None)) and not callable(v))
        plain = [name for name in self.shared if is_number(self.scope.values.get(name))]
        if objects and (self.often(0.6) or not plain):
            name = self.one(*objects)
            attribute = self.one(*vars(self.scope.values[name]))
            value = vars(self.scope.values[name])[attribute]
            if is_array(value) and self.often(0.5):
                self.attempt(f"{name}.{attribute}[{self.small_index()}] += {self.number()}")
            elif isinstance(value, list):
                self.attempt(self.change_of_list(f"{name}.{attribute}", value))
            else:
                self.attempt(
                    f"{name}.{attribute} = {self.like(value) if self.indent > 1 or self.often(0.8) else self.item()}"
                )
        elif plain:
            name = self.one(*plain)
            self.attempt(f"{name} = {self.like(self.scope.values[name])}")
        else:
            raise Unfit("state")


__all__ = ["Functions"]
