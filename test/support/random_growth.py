"""Random linalg-stage programs whose vectors change their lengths in loops and branches, with a NumPy model.

All vectors are `tensor<?xi64>`. They are concatenated, cut off, computed with, carried by loops, crosswise too, and
come out of branches in different lengths; checks in between raise.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.random_linalg import Raised

Array = NDArray[np.int64]
Environment = dict[str, Array]
Step = Callable[[Environment], None]
VECTOR = "tensor<?xi64>"
LONGEST = 60  # what is longer is cut off, so that programs end


@dataclass
class GrowingProgram:
    """A function in MLIR and its model."""

    text: str
    steps: list[Step]
    results: list[str]

    def run(self, arguments: Sequence[Array]) -> list[Array]:
        """Do with NumPy what the program does; raises Raised. The third argument is written."""
        environment = dict(zip(["%p", "%q", "%u", "%s"], arguments, strict=True))
        for step in self.steps:
            step(environment)
        return [environment[name].copy() for name in self.results]


@dataclass
class _Writer:
    choose: random.Random
    vectors: list[str]
    names: itertools.count[int] = field(default_factory=itertools.count)
    lines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    depth: int = 0

    def inner(self, *vectors: str) -> _Writer:
        return _Writer(self.choose, [*self.vectors, *vectors, *vectors], self.names, depth=self.depth + 1)

    def name(self) -> str:
        return f"%x{next(self.names)}"

    def vector(self) -> str:
        return self.choose.choice(self.vectors[-6:])

    def write_steps(self, count: int) -> None:
        for _ in range(count):
            step = self.choose.choice(_STEPS)
            if step not in _CONTROL_FLOW or self.choose.random() < 0.6**self.depth:
                step(self)

    def define(self, step: Callable[[Environment], Any]) -> str:
        """Name a new vector; `step` computes it in the model."""
        name = self.name()
        self.steps.append(lambda e: e.__setitem__(name, np.asarray(step(e), np.int64).copy()))
        self.vectors.append(name)
        return name

    def size(self, vector: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = tensor.dim {vector}, %zero : {VECTOR}")
        return name


def random_growing_program(seed: int) -> GrowingProgram:
    """A program of some ten random steps."""
    writer = _Writer(random.Random(seed), ["%p", "%q"])
    writer.write_steps(writer.choose.randint(2, 12))
    results = [writer.choose.choice(writer.vectors[-5:]) for _ in range(writer.choose.randint(1, 3))]
    text = "\n".join(
        [
            f"func.func @f(%p: {VECTOR}, %q: {VECTOR}, %u: memref<5xi64>, %s: tensor<i64>)"
            f" -> ({', '.join([VECTOR] * len(results))}) {{",
            "%zero = arith.constant 0 : index",
            "%one = arith.constant 1 : index",
            f"%longest = arith.constant {LONGEST} : index",
            "%trips64 = tensor.extract %s[] : tensor<i64>",
            "%trips = arith.index_cast %trips64 : i64 to index",
            *writer.lines,
            f"return {', '.join(results)} : {', '.join([VECTOR] * len(results))}",
            "}",
            HELPER,
        ]
    )
    return GrowingProgram(text, writer.steps, results)


def _concatenate(w: _Writer) -> None:
    a, b = w.vector(), w.vector()
    n, m, total, empty, first = w.size(a), w.size(b), w.name(), w.name(), w.name()
    whole = w.name()
    w.lines += [
        f"{total} = arith.addi {n}, {m} : index",
        f"{empty} = tensor.empty({total}) : {VECTOR}",
        f"{first} = tensor.insert_slice {a} into {empty}[0] [{n}] [1] : {VECTOR} into {VECTOR}",
        f"{whole} = tensor.insert_slice {b} into {first}[{n}] [{m}] [1] : {VECTOR} into {VECTOR}",
    ]
    _cut(w, whole, total, lambda e: np.concatenate([e[a], e[b]]))


def _cut(w: _Writer, whole: str, size: str, step: Callable[[Environment], Array]) -> None:
    least = w.name()
    w.lines.append(f"{least} = arith.minsi {size}, %longest : index")
    name = w.define(lambda e: step(e)[:LONGEST])
    w.lines.append(f"{name} = tensor.extract_slice {whole}[0] [{least}] [1] : {VECTOR} to {VECTOR}")


def _shorten(w: _Writer) -> None:
    a, divisor = w.vector(), w.choose.randint(2, 3)
    n, constant, half = w.size(a), w.name(), w.name()
    name = w.define(lambda e: e[a][: len(e[a]) // divisor])
    w.lines += [
        f"{constant} = arith.constant {divisor} : index",
        f"{half} = arith.divui {n}, {constant} : index",
        f"{name} = tensor.extract_slice {a}[0] [{half}] [1] : {VECTOR} to {VECTOR}",
    ]


def _negate(w: _Writer) -> None:
    a = w.vector()
    n, empty = w.size(a), w.name()
    name = w.define(lambda e: -e[a] + 1)
    w.lines += [
        f"{empty} = tensor.empty({n}) : {VECTOR}",
        f"{name} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = "
        f'["parallel"]}} ins({a} : {VECTOR}) outs({empty} : {VECTOR}) {{',
        "^bb0(%a: i64, %out: i64):",
        "%1 = arith.constant 1 : i64",
        "%r = arith.subi %1, %a : i64",
        f"linalg.yield %r : i64\n}} -> {VECTOR}",
    ]


def _constant(w: _Writer) -> None:
    values = [w.choose.randint(-9, 9) for _ in range(w.choose.randint(1, 4))]
    constant, name = w.name(), w.define(lambda e: np.array(values))
    static = f"tensor<{len(values)}xi64>"
    w.lines += [
        f"{constant} = arith.constant dense<{values}> : {static}",
        f"{name} = tensor.cast {constant} : {static} to {VECTOR}",
    ]


def _set_element(w: _Writer) -> None:
    """x[len // 2] = 7 where x is not empty."""
    a = w.vector()
    n, seven, two, half, some, inner = w.size(a), w.name(), w.name(), w.name(), w.name(), w.name()

    def step(e: Environment) -> Array:
        result = e[a].copy()
        if len(result):
            result[len(result) // 2] = 7
        return result

    name = w.define(step)
    w.lines += [
        f"{seven} = arith.constant 7 : i64",
        f"{two} = arith.constant 2 : index",
        f"{half} = arith.divui {n}, {two} : index",
        f"{some} = arith.cmpi sgt, {n}, %zero : index",
        f"{name} = scf.if {some} -> ({VECTOR}) {{",
        f"{inner} = tensor.insert {seven} into {a}[{half}] : {VECTOR}",
        f"scf.yield {inner} : {VECTOR}\n}} else {{\nscf.yield {a} : {VECTOR}\n}}",
    ]


HELPER = f"""
func.func private @helper(%a: {VECTOR}, %b: {VECTOR}) -> ({VECTOR}, tensor<3xi64>, {VECTOR}) {{
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %one = arith.constant 1 : i64
  %n = tensor.dim %a, %zero : {VECTOR}
  %m = tensor.dim %b, %zero : {VECTOR}
  %half = arith.divui %n, %two : index
  %first = tensor.extract_slice %a[0] [%half] [1] : {VECTOR} to {VECTOR}
  %some = arith.cmpi sgt, %m, %zero : index
  %deeper:3 = scf.if %some -> ({VECTOR}, tensor<3xi64>, {VECTOR}) {{
    %less = arith.divui %m, %two : index
    %shorter = tensor.extract_slice %b[0] [%less] [1] : {VECTOR} to {VECTOR}
    %x:3 = func.call @helper(%shorter, %first) : ({VECTOR}, {VECTOR}) -> ({VECTOR}, tensor<3xi64>, {VECTOR})
    scf.yield %x#0, %x#1, %x#2 : {VECTOR}, tensor<3xi64>, {VECTOR}
  }} else {{
    %wide = arith.index_cast %n : index to i64
    %sizes = tensor.from_elements %wide, %one, %wide : tensor<3xi64>
    scf.yield %a, %sizes, %b : {VECTOR}, tensor<3xi64>, {VECTOR}
  }}
  return %deeper#2, %deeper#1, %deeper#0 : {VECTOR}, tensor<3xi64>, {VECTOR}
}}
"""


def _helper(a: Array, b: Array) -> tuple[Array, Array, Array]:
    if len(b):
        x = _helper(b[: len(b) // 2], a[: len(a) // 2])
    else:
        x = a, np.array([len(a), 1, len(a)]), b
    return x[2], x[1], x[0]


def _call(w: _Writer) -> None:
    """A function that calls itself, with results of two sizes that it finds out and one of a static size."""
    a, b, results, static = w.vector(), w.vector(), w.name(), w.name()
    w.lines += [
        f"{results}:3 = func.call @helper({a}, {b}) : ({VECTOR}, {VECTOR}) -> ({VECTOR}, tensor<3xi64>, {VECTOR})",
        f"{static} = tensor.cast {results}#1 : tensor<3xi64> to {VECTOR}",
    ]
    names = [f"{results}#0", static, f"{results}#2"]
    w.steps.append(lambda e: e.update({n: v.copy() for n, v in zip(names, _helper(e[a], e[b]), strict=True)}))
    w.vectors += names


def _write_size(w: _Writer) -> None:
    """u[k] = len(a), where the caller sees it."""
    a, place = w.vector(), w.choose.randint(0, 4)
    n, wide, read, index, written = w.size(a), w.name(), w.name(), w.name(), w.name()
    w.lines += [
        f"{wide} = arith.index_cast {n} : index to i64",
        f"{read} = bufferization.to_tensor %u restrict writable : memref<5xi64> to tensor<5xi64>",
        f"{index} = arith.constant {place} : index",
        f"{written} = tensor.insert {wide} into {read}[{index}] : tensor<5xi64>",
        f"bufferization.materialize_in_destination {written} in restrict writable %u"
        " : (tensor<5xi64>, memref<5xi64>) -> ()",
    ]
    w.steps.append(lambda e: e["%u"].__setitem__(place, len(e[a])))


def _raise(w: _Writer) -> None:
    a, limit = w.vector(), w.choose.choice([9, 20, 45, LONGEST])
    n, wide, constant, condition, byte, flag, value = w.size(a), *(w.name() for _ in range(6))
    w.lines += [
        f"{wide} = arith.index_cast {n} : index to i64",
        f"{constant} = arith.constant {limit} : i64",
        f"{condition} = arith.cmpi eq, {wide}, {constant} : i64",
        f"{byte} = arith.extui {condition} : i1 to i8",
        f"{flag} = tensor.from_elements {byte} : tensor<i8>",
        f"{value} = tensor.from_elements {wide} : tensor<i64>",
        f'"weft.raise_if"({flag}, {value}) {{error = "ValueError", message = "length {{0}}"}}'
        " : (tensor<i8>, tensor<i64>) -> ()",
    ]

    def step(e: Environment) -> None:
        if len(e[a]) == limit:
            raise Raised(f"length {limit}")

    w.steps.append(step)


def _inside(steps: list[Step], e: Environment, values: Environment) -> Environment:
    inside = {**e, **values}
    for step in steps:
        step(inside)
    return inside


def _for(w: _Writer) -> None:
    """A loop that carries two or three vectors."""
    count = w.choose.randint(2, 3)
    initial = [w.vector() for _ in range(count)]
    carried, index, results = [w.name() for _ in initial], w.name(), w.name()
    inner = w.inner(*carried)
    inner.write_steps(w.choose.randint(0, 4))
    yielded = [w.choose.choice(inner.vectors[-5:]) for _ in initial]
    types = ", ".join([VECTOR] * count)
    pairs = ", ".join(f"{c} = {i}" for c, i in zip(carried, initial, strict=True))
    w.lines += [
        f"{results}:{count} = scf.for {index} = %zero to %trips step %one iter_args({pairs}) -> ({types}) {{",
        *inner.lines,
        f"scf.yield {', '.join(yielded)} : {types}\n}}",
    ]

    def step(e: Environment) -> None:
        values = [e[name].copy() for name in initial]
        for _ in range(int(e["%s"])):
            inside = _inside(inner.steps, e, dict(zip(carried, values, strict=True)))
            values = [inside[name].copy() for name in yielded]
        e.update({f"{results}#{i}": value for i, value in enumerate(values)})

    w.steps.append(step)
    w.vectors += [f"{results}#{i}" for i in range(count)]


def _while(w: _Writer) -> None:
    """A loop that counts, and computes before and after its condition."""
    initial = [w.vector(), w.vector()]
    carried, passed_on, results = [w.name(), w.name()], [w.name(), w.name()], w.name()
    counter, after, condition, following = (w.name() for _ in range(4))
    before = w.inner(*carried)
    before.write_steps(w.choose.randint(0, 2))
    passed = [w.choose.choice(before.vectors[-3:]), carried[0]]
    inner = w.inner(*passed_on)
    inner.write_steps(w.choose.randint(0, 3))
    yielded = [w.choose.choice(inner.vectors[-4:]) for _ in range(2)]
    types = f"{VECTOR}, {VECTOR}, index"
    w.lines += [
        f"{results}:3 = scf.while ({carried[0]} = {initial[0]}, {carried[1]} = {initial[1]}, {counter} = %zero)"
        f" : ({types}) -> ({types}) {{",
        *before.lines,
        f"{condition} = arith.cmpi slt, {counter}, %trips : index",
        f"scf.condition({condition}) {passed[0]}, {passed[1]}, {counter} : {types}\n}} do {{",
        f"^bb0({passed_on[0]}: {VECTOR}, {passed_on[1]}: {VECTOR}, {after}: index):",
        *inner.lines,
        f"{following} = arith.addi {after}, %one : index",
        f"scf.yield {yielded[0]}, {yielded[1]}, {following} : {types}\n}}",
    ]

    def step(e: Environment) -> None:
        values = [e[name].copy() for name in initial]
        trips = max(int(e["%s"]), 0)
        for count in range(trips + 1):
            inside = _inside(before.steps, e, dict(zip(carried, values, strict=True)))
            values = [inside[name].copy() for name in passed]
            if count < trips:
                inside = _inside(inner.steps, e, dict(zip(passed_on, values, strict=True)))
                values = [inside[name].copy() for name in yielded]
        e.update({f"{results}#{i}": value for i, value in enumerate(values)})

    w.steps.append(step)
    w.vectors += [f"{results}#{i}" for i in range(2)]


def _if(w: _Writer) -> None:
    """A branch on whether one vector is longer than another."""
    a, b = w.vector(), w.vector()
    n, m, condition, results = w.size(a), w.size(b), w.name(), w.name()
    branches, yielded = [w.inner(), w.inner()], []
    w.lines += [
        f"{condition} = arith.cmpi sgt, {n}, {m} : index",
        f"{results}:2 = scf.if {condition} -> ({VECTOR}, {VECTOR}) {{",
    ]
    for branch, end in zip(branches, ["} else {", "}"], strict=True):
        branch.write_steps(w.choose.randint(0, 3))
        chosen = [w.choose.choice(branch.vectors[-4:]) for _ in range(2)]
        yielded.append(chosen)
        w.lines += [*branch.lines, f"scf.yield {chosen[0]}, {chosen[1]} : {VECTOR}, {VECTOR}\n{end}"]

    def step(e: Environment) -> None:
        number = 0 if len(e[a]) > len(e[b]) else 1
        inside = _inside(branches[number].steps, e, {})
        e.update({f"{results}#{i}": inside[name].copy() for i, name in enumerate(yielded[number])})

    w.steps.append(step)
    w.vectors += [f"{results}#{i}" for i in range(2)]


_CONTROL_FLOW = (_for, _while, _if)
_STEPS: list[Callable[[_Writer], None]] = [
    *[_concatenate] * 4,
    *[_shorten] * 2,
    *[_negate] * 3,
    _constant,
    _set_element,
    _write_size,
    _raise,
    *[_call] * 2,
    *[_for] * 3,
    *[_while] * 2,
    *[_if] * 2,
]
