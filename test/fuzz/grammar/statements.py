"""Statements: assignments, writes, control flow, exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .base import is_array, is_number
from .containers import Containers
from .scope import Unfit, signature

ERRORS = ("ValueError", "KeyError", "ArithmeticError", "RuntimeError", "IndexError", "ZeroDivisionError")
DEEPEST = 4


class Statements(Containers):
    """Writes the body of a function, within a budget of statements."""

    budget = 0
    loops = 0
    """How many loops are open here."""
    share_of_roads = 1.5
    """How often state is reached in other ways than by a name: more often where the module has such state."""
    returned: list[str] | None = None
    """The names that every early exit returns; None before there was one."""

    # Simple statements

    def simple(self) -> None:
        """A statement without a body."""
        kinds: list[tuple[float, Callable[[], None]]] = [
            (5, self.bind),
            (5, self.rebind),
            (5, self.write_array),
            (2, self.augment),
            (3, self.change_container),
            (1.5, self.show),
            (1, self.swap),
            (1, self.bind_container),
            (1, self.in_place),
            (1.5, self.bind_view),
            (1.5, self.change_state),
            (0.5, self.claim),
            (0.5, self.unpack),
            (self.share_of_roads, self.by_road),
            (0.7, self.keyed),
            (0.4, self.write_scalar),
            (0.4, self.seek),
            (0.4, self.note_keys),
            (1.0, self.walk),
        ]
        functions, weights = [k for _, k in kinds], [w for w, _ in kinds]
        for _ in range(8):
            try:
                self.random.choices(functions, weights)[0]()
                return
            except Unfit:
                continue
        self.write("pass")

    def bind(self) -> None:
        """Bind a new name."""
        text = self.one(self.number, self.array, self.array, self.item)()
        self.attempt(f"{self.fresh()} = {text}")

    def rebind(self) -> None:
        """Bind a known name anew, mostly to what has its type."""
        name = self.name_to_bind()
        is_changing = self.indent == 1 and self.often(0.1)
        text = self.item() if is_changing else self.like(self.scope.values[name])
        if text == name:
            raise Unfit("nothing new")
        self.attempt(f"{name} = {text}")

    def name_to_bind(self) -> str:
        """A name that may be bound anew."""
        found = [name for name in self.scope.values if name not in self.scope.kept]
        if not found:
            raise Unfit("a name")
        return str(self.random.choice(found))

    def bind_view(self) -> None:
        """A name for a view, which is written to sooner or later."""
        name = self.fresh("u")
        self.attempt(f"{name} = {self.view()}")
        if name in self.scope.values and self.often(0.6):
            self.attempt(f"{name}[{self.place(name)}] {self.one('=', '+=', '*=')} {self.operand()}")

    def bind_container(self) -> None:
        """A name for a container."""
        self.attempt(f"{self.fresh('c')} = {self.container()}")

    def write_array(self) -> None:
        """Write into an array."""
        name = self.name(lambda v: isinstance(v, np.ndarray))
        operator = self.one("=", "=", "+=", "-=", "*=")
        self.attempt(f"{name}[{self.place(name)}] {operator} {self.operand()}")

    def augment(self) -> None:
        """An augmented assignment to a name."""
        name = self.name_to_bind()
        value = self.scope.values[name]
        if not (is_number(value) or isinstance(value, np.ndarray)):
            raise Unfit(name)
        text = self.operand() if isinstance(value, np.ndarray) else self.number()
        before = signature(value)
        statement = f"{name} {self.one('+=', '-=', '*=', '/=', '//=', '%=')} {text}"
        values = self.scope.fork()
        self.scope.execute(statement)
        if signature(self.scope.values[name]) != before and self.often(0.9):
            self.scope.values = values
            raise Unfit(statement)
        self.write(statement)

    def in_place(self) -> None:
        """A method or function that writes an array."""
        name = self.name(lambda v: isinstance(v, np.ndarray))
        self.attempt(
            self.template(
                    "{name}.sort()", "{name}.fill({number})", "np.add({name}, {operand}, out={name})",
                    "np.copyto({name}, {operand})", "np.negative({name}, out={name})", "{name}.put(0, {number})",
                    "np.maximum({name}, {operand}, out={name})", "{name}.real = {number}",
                    "np.multiply({array}, {operand}, out={name})", "{name}.clip(0, 3, out={name})",
                    "{name}.flat[{small_index}] = {number}", "np.put({name}, [0], {number})",
                    "np.fill_diagonal({name}, {number})",
                    name=name,
            )
        )  # fmt: skip

    def show(self) -> None:
        """Print."""
        parts = [self.one(self.item, self.text, self.formatted)() for _ in range(self.random.randint(1, 2))]
        end = self.one("", "", "", ", sep='-'", ", end=';'")
        self.attempt(f"print({', '.join(parts)}{end})")

    def swap(self) -> None:
        """Two names take turns."""
        one = self.name_to_bind()
        wanted = signature(self.scope.values[one])
        others = [
            n for n in self.names(lambda v: signature(v) == wanted) if n != one and n not in self.scope.kept
        ]
        if not others:
            raise Unfit("swap")
        other = self.one(*others)
        last = self.one(one, self.like(self.scope.values[one]))
        self.attempt(f"{one}, {other} = {other}, {last}")

    def unpack(self) -> None:
        """Take a sequence apart."""
        name = self.name(lambda v: isinstance(v, (list, tuple)) or is_array(v))
        self.attempt(f"{self.fresh()}, *{self.fresh('c')} = {name}")

    def claim(self) -> None:
        """Assert something."""
        message = f", {self.text()}" if self.often(0.5) else ""
        self.attempt(f"assert {self.condition()}{message}")

    def change_state(self) -> None:
        """Change what outlives the call."""
        raise Unfit("state")

    def by_road(self) -> None:
        """Change or read state that is reached in another way."""
        raise Unfit("roads")

    def keyed(self) -> None:
        """Keep something under keys that are computed."""
        raise Unfit("tables")

    def write_scalar(self) -> None:
        """Write what was made of a number."""
        raise Unfit("scalars")

    def seek(self) -> None:
        """Compute with what a loop has found, or not."""
        raise Unfit("tables")

    def note_keys(self) -> None:
        """Put constant keys into a dict on some paths."""
        raise Unfit("tables")

    def walk(self) -> None:
        """Make something that is walked, counted on, or taken apart."""
        raise Unfit("walks")

    # Exits

    def leave(self) -> None:
        """Leave the loop or the function, or raise, under a condition."""
        self.write(f"if {self.condition()}:")
        self.indent += 1
        if self.often(0.3):
            values = self.scope.fork()
            self.simple()
            self.scope.values = values
        self.exit()
        self.indent -= 1

    def exit(self) -> None:
        """A statement that ends something."""
        kind = self.one("return", "raise", "break", "continue") if self.loops else self.one("return", "raise")
        if kind == "raise":
            error, cause = self.one(*ERRORS), self.one("", "", "", " from None")
            self.write(f"raise {error}({self.one(self.text(), self.number(), repr('message'))}){cause}")
        elif kind == "return":
            self.write(f"return {self.early_result()}")
        else:
            self.write(kind)

    def early_result(self) -> str:
        """What early exits return: always of one type."""
        if self.returned is None:
            self.returned = self.results()
        if not self.returned:
            return "None"
        parts = [self.changed(name) for name in self.returned]
        return parts[0] if len(parts) == 1 else ", ".join(parts)

    def results(self) -> list[str]:
        """Names for results that were bound before everything else."""
        return [name for name in self.scope.values if name in self.scope.kept and name.startswith("r")]

    def changed(self, name: str) -> str:
        """A name, or what has its type."""
        try:
            return self.like(self.scope.values[name]) if self.often(0.4) else name
        except Unfit:
            return name

    # Statements with bodies

    def body(self, most: int = 3) -> None:
        """Some statements, further in."""
        self.indent += 1
        before = len(self.lines)
        for _ in range(self.random.randint(1, most)):
            self.statement()
        if len(self.lines) == before:
            self.write("pass")
        self.indent -= 1

    def statement(self) -> None:
        """Any statement."""
        self.budget -= 1
        if self.budget < 0 or self.indent > DEEPEST or self.often(0.62):
            self.simple()
            return
        kinds: list[tuple[float, Callable[[], None]]] = [
            (5, self.branch),
            (3, self.loop_over),
            (2, self.loop_while),
            (2, self.leave),
            (2, self.protect),
            (0.7, self.match),
            (0.7, self.inner_function),
            (0.5, self.manage),
        ]
        functions, weights = [k for _, k in kinds], [w for w, _ in kinds]
        try:
            self.random.choices(functions, weights)[0]()
        except Unfit:
            self.simple()

    def keeps_names(self) -> bool:
        """Whether a name stays that is not bound on all paths, or not to one type."""
        return self.often(0.06)

    def branch(self) -> None:
        """If, elif, else."""
        self.write(f"if {self.condition()}:")
        before = self.scope.fork()
        self.body()
        if self.often(0.25):
            taken, self.scope.values = self.scope.values, dict(before)
            self.write(f"elif {self.condition()}:")
            self.body()
            self.scope.join(taken, self.keeps_names)
        taken, self.scope.values = self.scope.values, before
        if self.often(0.5):
            self.write("else:")
            self.body()
        self.scope.join(taken, self.keeps_names)

    def loop_over(self) -> None:
        """A for loop over numbers, rows, items."""
        name = self.fresh("i")
        sequence = (
            self.name(lambda v: isinstance(v, (list, tuple)) and len(v) > 0)
            if self.often(0.3)
            else "range(2)"
        )
        target, source = self.one(
            (name, f"range({self.integer()})"), (name, f"range({self.integer()})"), (name, "range(3)"),
            (name, f"range({self.integer()}, {self.integer()}, {self.one(1, 2, -1)})"), (name, self.array()),
            (f"j{name}, {name}", f"enumerate({self.one(self.array(), sequence)})"), (name, sequence),
            (f"j{name}, {name}", f"zip({self.array()}, {self.one(self.array(), sequence)})"),
            (name, f"reversed({self.one(self.array(), sequence)})"), (name, f"range(20, 20 + {self.integer()} * 5)"),
        )  # fmt: skip
        before = self.scope.fork()
        try:
            items = list(self.scope.evaluate(f"list({source})"))
        except Unfit:
            items = []
        self.write(f"for {target} in {source}:")
        first = items[0] if items else (0, 0) if "," in target else 0
        names = target.split(", ")
        for one, value in zip(names, first if len(names) > 1 else [first], strict=False):
            self.scope.values[one] = value
        self.rounds(before)

    def loop_while(self) -> None:
        """A while loop, with a counter of its own."""
        counter = self.fresh("k")
        start = f"{self.integer()} % {self.random.randint(2, 6)}" if self.often(0.7) else "3"
        before = self.scope.fork()
        self.write(f"{counter} = {start}")
        self.scope.values[counter] = self.scope.evaluate(start)
        self.scope.kept.add(counter)
        condition = f" and {self.condition()}" if self.often(0.4) else ""
        self.write(f"while {counter} > 0{condition}:")
        self.write(f"    {counter} -= 1")
        self.rounds(before)

    def rounds(self, before: dict[str, Any]) -> None:
        """The body of a loop, and its else."""
        self.loops += 1
        self.body()
        self.loops -= 1
        self.scope.join(before, self.keeps_names)
        if self.often(0.15):
            self.write("else:")
            self.body(most=2)

    def protect(self) -> None:
        """Try, with handlers."""
        before = self.scope.fork()
        self.write("try:")
        self.body()
        self.scope.join(before, self.keeps_names)
        values = self.scope.fork()
        if self.often(0.85):
            caught = self.one(*ERRORS, "(KeyError, ValueError)", "Exception", "LookupError", "AssertionError")
            named = f" as e{self.counter}" if self.often(0.4) else ""
            self.write(f"except {caught}{named}:")
            if named and self.often(0.5):
                shown = named.split()[-1]
                self.write(
                    f"    print({self.one(shown, f'type({shown}).__name__', f'{shown}.__class__ is KeyError')})"
                )
            self.body(most=2)
            self.scope.join(values, self.keeps_names)
            if self.often(0.2):
                self.write("else:")
                self.body(most=2)
                self.scope.join(values, self.keeps_names)
            if self.often(0.75):
                return
        self.write("finally:")
        self.body(most=2)

    def match(self) -> None:
        """Match a number or a sequence."""
        subject = self.one(self.integer(), self.name(lambda v: isinstance(v, (list, tuple)) or is_number(v)))
        before = self.scope.fork()
        self.write(f"match {subject}:")
        patterns = ["0", "1 | 2", "[_, _]", "[first, *_]", "int()", "None", "float()", "np.ndarray()"]
        self.indent += 1
        for pattern in sorted(self.random.sample(patterns, self.random.randint(1, 2))):
            guard = f" if {self.condition()}" if self.often(0.2) else ""
            self.write(f"case {pattern}{guard}:")
            taken = self.scope.fork()
            self.body(most=2)
            self.scope.values = taken
        if self.often(0.6):
            self.write("case _:")
            self.body(most=2)
        self.indent -= 1
        self.scope.join(before, self.keeps_names)

    def manage(self) -> None:
        """With."""
        self.write(f"with contextlib.suppress({self.one(*ERRORS)}):")
        before = self.scope.fork()
        self.body()
        self.scope.join(before, self.keeps_names)

    def inner_function(self) -> None:
        """A function or lambda inside, which sees and changes variables."""
        raise Unfit("functions")


__all__ = ["Statements"]
