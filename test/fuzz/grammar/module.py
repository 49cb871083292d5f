"""A random program as one text: state, classes, helpers, the function, its options, its calls."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from functools import cache
from typing import Any

import numpy as np

from ..program import IMPORTS
from .base import is_array, is_number
from .inputs import arguments, fixed_numbers, input_signature, random_inputs, with_other_extents
from .roads import CHANGES, LARGE, ROADS
from .scope import Scope, Unfit, signature
from .walks import Walks

BOX = """\
@dataclasses.dataclass
class Box:
    w: object
    n: object = 0
"""

GLOBALS = ("3", "1.5", "np.array([1.0, 2.0, 3.0])", "np.arange(4)", "[1, 2]", "[]", "{'a': 1.0, 'n': 0}", "'mode'",
           "None", "Box(np.array([1.0, 2.0]), 3)", "Box([], 1.5)", "np.float32(2.5)", "(1, 2.5)", "{1, 2}")  # fmt: skip

RECURSIVE = """\
def recursive(n, a):
    if n <= 0:
        return a
    return recursive(n - 1, a + n)


def halves(a):
    if len(a) <= 1:
        return 0.5
    middle = len(a) // 2
    return halves(a[:middle]) + halves(a[middle:])


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
"""


@cache
def _known_names() -> dict[str, Any]:
    """What texts may use before the program defines anything."""
    names: dict[str, Any] = {}
    exec(IMPORTS + "from typing import *\n" + BOX, names)
    return names


class ProgramWriter:
    """Writes the program of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.fixed: dict[str, Any] = dict(_known_names())
        self.parts: list[str] = []
        self.shared: dict[str, Any] = {}
        self.helpers: dict[str, list[Any]] = {}
        self.share_of_roads = Walks.share_of_roads

    def program(self) -> str:
        """The whole text."""
        chance = self.random
        inputs = random_inputs(chance)
        numbers = fixed_numbers(chance, inputs)
        calls = [arguments(chance, inputs, True, numbers)]
        self._write_globals()
        self._write_roads()
        if chance.random() < 0.15:
            self._add_recursion()
        for number in range(chance.choice((0, 0, 1, 1, 2))):
            self._write_helper(f"h{number}")
        names = [f"{chance.choice('xyzab')}{number}" for number in range(len(inputs))]
        values = eval(calls[0], self.fixed)
        self._write_function(names, dict(zip(names, values, strict=True)))
        options = "{}"
        other = inputs
        if chance.random() < 0.2 and (specs := input_signature(inputs)) is not None:
            options, other = f"{{'input_signature': {specs}}}", with_other_extents(chance, inputs)
        elif chance.random() < 0.15:
            other = with_other_extents(chance, inputs)
        for _ in range(chance.randint(1, 3)):
            made = arguments(chance, chance.choice((inputs, other)), False, numbers)
            calls.append(self._after_a_change(made))
        lines = "".join(f"    lambda: {call},\n" for call in calls)
        text = "\n\n".join([*self.parts, f"OPTIONS = {options}\nCALLS = [\n{lines}]\n"])
        return "\n\n".join([IMPORTS, *([BOX] if "Box(" in text else []), text])  # a class takes a millisecond

    def _write_globals(self) -> None:
        lines = []
        for number in range(self.random.choice((0, 0, 1, 2, 3))):
            text = self.random.choice(GLOBALS)
            self.shared[f"G{number}"] = eval(text, self.fixed)
            lines.append(f"G{number} = {text}\n")
        if lines:
            self.parts.append("".join(lines))

    def _write_roads(self) -> None:
        """Sometimes, what is reached in other ways than by a name."""
        for text, share in ((ROADS, 0.25), (LARGE, 0.05)):
            if self.random.random() < share:
                self.parts.append(text)
                exec(text, self.fixed)
                self.share_of_roads = 8.0

    def _after_a_change(self, call: str) -> str:
        """The arguments of a call, and sometimes what the caller changes before."""
        changes = [text for text in CHANGES if text.split(".")[0].split("(")[-1].split(",")[0] in self.fixed]
        changes += [f"globals().__setitem__('{name}', {self.random.choice(GLOBALS)})" for name in self.shared]
        if not changes or self.random.random() < 0.7:
            return call
        return f"({self.random.choice(changes)}, {call})[1]"

    def _add_recursion(self) -> None:
        self.parts.append(RECURSIVE)
        exec(RECURSIVE, self.fixed)
        self.helpers |= {"recursive": [2, 1.5], "halves": [self.fixed["np"].ones(3)], "fibonacci": [4]}

    def _writer(self, values: dict[str, Any]) -> Walks:
        writer = Walks(self.random, Scope(dict(self.fixed), {**self.shared, **values}))
        writer.scope.kept |= set(self.shared)
        writer.share_of_roads = self.share_of_roads
        writer.helpers, writer.shared = dict(self.helpers), self.shared
        return writer

    def _write_helper(self, name: str) -> None:
        """A function with a few statements that returns a number."""
        examples = [self.random.choice((2, 1.5)), self.fixed["np"].array([1.0, 2.0, 3.0])][
            : self.random.randint(1, 2)
        ]
        parameters = [f"p{number}" for number in range(len(examples))]
        writer = self._writer(dict(zip(parameters, examples, strict=True)))
        self._fill(writer, self.random.randint(1, 4), ["0.5"])
        text = f"def {name}({', '.join(parameters)}):\n" + "\n".join(writer.lines) + "\n"
        try:
            exec(text, (namespace := {**self.fixed, **self.shared}))
        except SyntaxError:
            return
        self.fixed[name] = namespace[name]
        self.helpers[name] = examples
        self.parts.append(text)

    def _write_function(self, parameters: list[str], values: dict[str, Any]) -> None:
        writer = self._writer(values)
        writer.owned = True  # type: ignore[attr-defined]
        first = [writer.number(), writer.array()][: self.random.randint(1, 2)]
        self._fill(writer, self.random.choice((2, 3, 4, 6, 10)), first)
        self.parts.append(f"def f({', '.join(parameters)}):\n" + "\n".join(writer.lines) + "\n")

    def _fill(self, writer: Walks, budget: int, results: list[str]) -> None:
        """The body of a function: names of results, statements, what is returned."""
        assigned = [name for name, value in self.shared.items() if is_number(value)]
        if assigned:
            writer.write(f"global {', '.join(assigned)}")
        for number, text in enumerate(results):
            with contextlib.suppress(Unfit):
                writer.attempt(f"r{number} = {text}")
                writer.scope.kept.add(f"r{number}")
        writer.budget = budget
        while writer.budget > 0:
            writer.statement()
            if writer.often(0.2):
                self._change_result(writer)
        if writer.returned is not None or (len(results) == 1 and results == ["0.5"]):
            writer.write(f"return {writer.early_result()}")
        else:
            writer.write(f"return {self._final_result(writer)}")

    def _change_result(self, writer: Walks) -> None:
        names = writer.results()
        if names:
            name = writer.one(*names)
            with contextlib.suppress(Unfit):
                text = writer.like(writer.scope.values[name])
                if text != name:
                    writer.attempt(f"{name} = {text}")

    def _final_result(self, writer: Walks) -> str:
        """Anything."""
        names = [name for name in writer.scope.values if name not in self.shared]
        chosen = self.random.sample(names, min(len(names), self.random.randint(1, 5)))
        if writer.often(0.4):
            arrays = writer.names(is_array)
            if arrays:
                with contextlib.suppress(Unfit):
                    chosen.append(writer.view())
        form = writer.one("{}", "{}", "{}", "[{}]", "({},)", "{{'r': {}}}")
        if form == "{{'r': {}}}":
            return str(form.format(chosen[0]))
        return str(form.format(", ".join(chosen)))


def random_program(seed: int) -> str:
    """The text of the program of a seed."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of the examples
        return ProgramWriter(seed).program()


__all__ = ["random_program", "signature"]
