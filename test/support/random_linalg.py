"""Random linalg-stage programs with a NumPy model of what they do.

The programs are integer and small; what they exercise is where values live: views, slices, updates in place, arguments
that are written and read again, errors between effects, loops, results that are arguments or appear twice.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]
Step = Callable[[dict[str, Array]], None]
N = 6  # elements of every vector and matrix
IDENTITY = {0: "affine_map<() -> ()>", 1: "affine_map<(i) -> (i)>", 2: "affine_map<(i, j) -> (i, j)>"}


class Raised(Exception):
    """The model reached a raise_if whose condition holds."""


@dataclass
class Program:
    """A function in MLIR and its model: `run` gives the results, and changes the written arguments."""

    text: str
    steps: list[Step]
    inputs: list[str]
    results: list[str]

    def run(self, arguments: list[Array]) -> list[Array]:
        """Do with NumPy what the program does; raises Raised."""
        environment = dict(zip(self.inputs, arguments, strict=True))
        for step in self.steps:
            step(environment)
        return [environment[name].copy() for name in self.results]


@dataclass
class _Writer:
    """Builds one program."""

    choose: random.Random
    dynamic: bool
    lines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    matrices: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    names: itertools.count[int] = field(default_factory=itertools.count)
    depth: int = 0

    def type(self, kind: str) -> str:
        n, rows = ("?", "?") if self.dynamic else (str(N), str(N // 3))
        return {"v": f"tensor<{n}xi64>", "m": f"tensor<{rows}x3xi64>", "s": "tensor<i64>"}[kind]

    def name(self) -> str:
        return f"%x{next(self.names)}"

    def inner(self, *vectors: str) -> _Writer:
        """A writer for a block inside, where there are more vectors."""
        return _Writer(
            self.choose,
            self.dynamic,
            vectors=[*self.vectors, *vectors, *vectors],
            matrices=[*self.matrices],
            scalars=[*self.scalars],
            names=self.names,
            depth=self.depth + 1,
        )

    def write_steps(self, count: int) -> None:
        """Write random steps; control flow inside control flow gets rarer."""
        for _ in range(count):
            step = self.choose.choice(_STEPS)
            if step not in _CONTROL_FLOW or self.choose.random() < 0.5**self.depth:
                step(self)

    def add(self, kind: str, line: str, step: Callable[[dict[str, Array]], Any]) -> None:
        """Define a value: `line` computes it in MLIR, `step` in the model."""
        name = self.name()
        self.lines.append(f"{name} = {line}")
        self.steps.append(lambda env: env.__setitem__(name, np.asarray(step(env), np.int64).copy()))
        {"v": self.vectors, "m": self.matrices, "s": self.scalars}[kind].append(name)

    def empty(self, kind: str) -> str:
        name = self.name()
        sizes = {"v": "%n", "m": "%rows", "s": ""}[kind] if self.dynamic else ""
        self.lines.append(f"{name} = tensor.empty({sizes}) : {self.type(kind)}")
        return name

    def generic(self, kind: str, inputs: list[tuple[str, str]], body: str) -> str:
        """A linalg.generic over all elements; scalars are broadcast."""
        rank = {"v": 1, "m": 2, "s": 0}[kind]
        dims = IDENTITY[rank].removeprefix("affine_map<").split(" ->")[0]
        maps = [IDENTITY[rank] if k == kind else f"affine_map<{dims} -> ()>" for _, k in inputs]
        names, types = ", ".join(n for n, _ in inputs), ", ".join(self.type(k) for _, k in inputs)
        block = ", ".join(f"%{letter}: i64" for letter in "abc"[: len(inputs)])
        iterators = ", ".join(['"parallel"'] * rank)
        return (
            f"linalg.generic {{indexing_maps = [{', '.join([*maps, IDENTITY[rank]])}], iterator_types = "
            f"[{iterators}]}} ins({names} : {types}) outs({self.empty(kind)} : "
            f"{self.type(kind)}) {{\n^bb0({block}, %out: i64):\n{body}\nlinalg.yield %r : i64\n}} -> {self.type(kind)}"
        )


def random_program(seed: int, *, dynamic: bool) -> Program:
    """A program of some twenty random steps."""
    writer = _Writer(random.Random(seed), dynamic)
    writer.vectors, writer.scalars = ["%p", "%q"], ["%s"]
    writer.write_steps(writer.choose.randint(4, 22))
    results = [(writer.choose.choice(writer.vectors), "v") for _ in range(writer.choose.randint(1, 3))]
    results.append((writer.choose.choice(writer.scalars), "s"))
    if writer.matrices:
        results.append((writer.choose.choice(writer.matrices), "m"))
    vector = writer.type("v")
    types = ", ".join(writer.type(kind) for _, kind in results)
    sizes = [
        "%zero = arith.constant 0 : index",
        "%three = arith.constant 3 : index",
        "%one = arith.constant 1 : index",
        f"%n = tensor.dim %p, %zero : {vector}",
        "%rows = arith.divui %n, %three : index",
    ]
    text = "\n".join(
        [
            f"func.func @f(%p: {vector}, %q: {vector}, %s: tensor<i64>, %u: {_memref(vector)}, %w: {_memref(vector)})"
            f" -> ({types}) {{",
            *sizes,
            *writer.lines,
            f"return {', '.join(name for name, _ in results)} : {types}",
            "}",
        ]
    )
    return Program(text, writer.steps, ["%p", "%q", "%s", "%u", "%w"], [name for name, _ in results])


def _memref(tensor: str) -> str:
    return tensor.replace("tensor", "memref")


def _add(w: _Writer) -> None:
    a, b = w.choose.choice(w.vectors), w.choose.choice(w.vectors)
    w.add("v", w.generic("v", [(a, "v"), (b, "v")], "%r = arith.addi %a, %b : i64"), lambda e: e[a] + e[b])


def _negate_matrix(w: _Writer) -> None:
    if not w.matrices:
        return _to_matrix(w)
    a = w.choose.choice(w.matrices)
    w.add(
        "m",
        w.generic("m", [(a, "m")], "%r = arith.subi %b, %a : i64".replace("%b", "%a")),
        lambda e: e[a] * 0,
    )


def _scale(w: _Writer) -> None:
    a, s = w.choose.choice(w.vectors), w.choose.choice(w.scalars)
    w.add("v", w.generic("v", [(a, "v"), (s, "s")], "%r = arith.xori %a, %b : i64"), lambda e: e[a] ^ e[s])


def _scalar(w: _Writer) -> None:
    s, t = w.choose.choice(w.scalars), w.choose.choice(w.scalars)
    w.add("s", w.generic("s", [(s, "s"), (t, "s")], "%r = arith.subi %a, %b : i64"), lambda e: e[s] - e[t])


def _total(w: _Writer) -> None:
    a, start = w.choose.choice(w.vectors), w.choose.choice(w.scalars)
    line = (
        f'linalg.generic {{indexing_maps = [{IDENTITY[1]}, affine_map<(i) -> ()>], iterator_types = ["reduction"]}} '
        f"ins({a} : {w.type('v')}) outs({start} : tensor<i64>) {{\n^bb0(%a: i64, %out: i64):\n"
        f"%r = arith.addi %a, %out : i64\nlinalg.yield %r : i64\n}} -> tensor<i64>"
    )
    w.add("s", line, lambda e: e[start] + e[a].sum())


def _fill(w: _Writer) -> None:
    value = w.choose.randint(-5, 5)
    constant = w.name()
    w.lines.append(f"{constant} = arith.constant {value} : i64")
    w.add(
        "v",
        f"linalg.fill ins({constant} : i64) outs({w.empty('v')} : {w.type('v')}) -> {w.type('v')}",
        lambda e: np.full(N, value),
    )


def _constant(w: _Writer) -> None:
    values = [w.choose.randint(-9, 9) for _ in range(N)]
    name = w.name()
    w.lines.append(f"{name} = arith.constant dense<{values}> : tensor<{N}xi64>")
    w.add("v", f"tensor.cast {name} : tensor<{N}xi64> to {w.type('v')}", lambda e: np.array(values)) if (
        w.dynamic
    ) else w.add("v", f"tensor.cast {name} : tensor<{N}xi64> to tensor<{N}xi64>", lambda e: np.array(values))


def _update(w: _Writer) -> None:
    """x[to:to + k] = y[start:start + k] + s."""
    x, y, s = w.choose.choice(w.vectors), w.choose.choice(w.vectors), w.choose.choice(w.scalars)
    k = w.choose.randint(1, N - 1)
    start, to = w.choose.randint(0, N - k), w.choose.randint(0, N - k)
    small, piece, computed = w.name(), w.name(), w.name()
    t = f"tensor<{k}xi64>"
    w.lines.append(f"{piece} = tensor.extract_slice {y}[{start}] [{k}] [1] : {w.type('v')} to {t}")
    if w.choose.random() < 0.7:
        w.lines.append(f"{small} = tensor.empty() : {t}")
        w.lines.append(
            f"{computed} = linalg.generic {{indexing_maps = [{IDENTITY[1]}, affine_map<(i) -> ()>, {IDENTITY[1]}], "
            f'iterator_types = ["parallel"]}} ins({piece}, {s} : {t}, tensor<i64>) outs({small} : {t}) {{\n'
            f"^bb0(%a: i64, %b: i64, %out: i64):\n%r = arith.addi %a, %b : i64\nlinalg.yield %r : i64\n}} -> {t}"
        )
        added = True
    else:
        computed, added = piece, False

    def step(e: dict[str, Array]) -> Array:
        result = e[x].copy()
        result[to : to + k] = e[y][start : start + k] + (e[s] if added else 0)
        return result

    line = f"tensor.insert_slice {computed} into {x}[{to}] [{k}] [1] : {t} into {w.type('v')}"
    w.add("v", line, step)


def _to_matrix(w: _Writer) -> None:
    a = w.choose.choice(w.vectors)
    shape = "[%rows, 3]" if w.dynamic else f"[{N // 3}, 3]"
    line = f"tensor.expand_shape {a} [[0, 1]] output_shape {shape} : {w.type('v')} into {w.type('m')}"
    w.add("m", line, lambda e: e[a].reshape(-1, 3))


def _to_vector(w: _Writer) -> None:
    if not w.matrices:
        return _to_matrix(w)
    a = w.choose.choice(w.matrices)
    w.add(
        "v",
        f"tensor.collapse_shape {a} [[0, 1]] : {w.type('m')} into {w.type('v')}",
        lambda e: e[a].reshape(-1),
    )


def _read(w: _Writer) -> None:
    argument = w.choose.choice(["%u", "%w"])
    t = w.type("v")
    line = f"bufferization.to_tensor {argument} restrict writable : {_memref(t)} to {t}"
    w.add("v", line, lambda e: e[argument])


def _write(w: _Writer) -> None:
    argument, value = w.choose.choice(["%u", "%w"]), w.choose.choice(w.vectors[-4:])
    t = w.type("v")
    w.lines.append(
        f"bufferization.materialize_in_destination {value} in restrict writable {argument} : ({t}, {_memref(t)}) -> ()"
    )
    w.steps.append(lambda e: e[argument].__setitem__(slice(None), e[value]))


def _raise(w: _Writer) -> None:
    s, limit = w.choose.choice(w.scalars), w.choose.randint(-40, 40)
    mode = w.choose.choices(["equal", "never", "always"], [12, 6, 1])[0]
    constant, element, condition, byte, flag = (w.name() for _ in range(5))
    predicate, other = ("ne" if mode == "never" else "eq"), (constant if mode == "equal" else element)
    w.lines += [
        f"{constant} = arith.constant {limit} : i64",
        f"{element} = tensor.extract {s}[] : tensor<i64>",
        f"{condition} = arith.cmpi {predicate}, {element}, {other} : i64",
        f"{byte} = arith.extui {condition} : i1 to i8",
        f"{flag} = tensor.from_elements {byte} : tensor<i8>",
        f'"weft.raise_if"({flag}, {s}) {{error = "ValueError", message = "got {{0}}"}}'
        " : (tensor<i8>, tensor<i64>) -> ()",
    ]

    def step(e: dict[str, Array]) -> None:
        if mode == "always" or (mode == "equal" and int(e[s]) == limit):
            raise Raised(f"got {int(e[s])}")

    w.steps.append(step)


def _loop(w: _Writer) -> None:
    """for i in range(1, 4): x[i] = x[i - 1] + y[i], or x = x + y."""
    x, y = w.choose.choice(w.vectors), w.choose.choice(w.vectors)
    t = w.type("v")
    if w.choose.random() < 0.5:
        body = (
            f"%im = arith.subi %i, %one : index\n%e = tensor.extract %c[%im] : {t}\n%g = tensor.extract {y}[%i] : {t}\n"
            f"%h = arith.addi %e, %g : i64\n%d = tensor.insert %h into %c[%i] : {t}\nscf.yield %d : {t}"
        )
        elementwise = False
    else:
        saved, w.lines = w.lines, []
        inner = w.generic("v", [("%c", "v"), (y, "v")], "%r = arith.addi %a, %b : i64")
        body = "\n".join([*w.lines, f"%d = {inner}", f"scf.yield %d : {t}"])
        w.lines = saved
        elementwise = True

    def step(e: dict[str, Array]) -> Array:
        result = e[x].copy()
        for i in range(1, 3):
            if elementwise:
                result = result + e[y]
            else:
                result[i] = result[i - 1] + e[y][i]
        return result

    w.add("v", f"scf.for %i = %one to %three step %one iter_args(%c = {x}) -> ({t}) {{\n{body}\n}}", step)


def _raising_loop(w: _Writer) -> None:
    """for i in range(1, 3): u[i] = u[i - 1] + y[i]; if u[i] == limit: raise ..., with or without effects before it."""
    y, limit, argument = w.choose.choice(w.vectors), w.choose.randint(-12, 12), w.choose.choice(["%u", "%w"])
    t, constant, written = w.type("v"), w.name(), w.choose.random() < 0.5
    x = w.choose.choice(w.vectors)
    w.lines.append(f"{constant} = arith.constant {limit} : i64")
    start = (
        f"%c = bufferization.to_tensor {argument} restrict writable : {_memref(t)} to {t}\n"
        if written
        else ""
    )
    store = (
        f"bufferization.materialize_in_destination %d in restrict writable {argument} : ({t}, {_memref(t)}) -> ()\n"
        if written
        else ""
    )
    body = (
        f"{start}%im = arith.subi %i, %one : index\n%e = tensor.extract %c[%im] : {t}\n"
        f"%g = tensor.extract {y}[%i] : {t}\n%h = arith.addi %e, %g : i64\n"
        f"%d = tensor.insert %h into %c[%i] : {t}\n{store}"
        f"%k = arith.cmpi eq, %h, {constant} : i64\n%b = arith.extui %k : i1 to i8\n"
        f"%f = tensor.from_elements %b : tensor<i8>\n%v = tensor.from_elements %h : tensor<i64>\n"
        '"weft.raise_if"(%f, %v) {error = "ValueError", message = "loop {0}"} : (tensor<i8>, tensor<i64>) -> ()\n'
    )

    def step(e: dict[str, Array]) -> Array:
        other = e[y]
        result = e[argument] if written else e[x].copy()
        for i in range(1, 3):
            result[i] = result[i - 1] + other[i]
            if result[i] == limit:
                raise Raised(f"loop {int(result[i])}")
        return result

    if written:
        w.lines.append(f"scf.for %i = %one to %three step %one {{\n{body}}}")
        w.steps.append(lambda e: [step(e)].clear())
    else:
        loop = f"scf.for %i = %one to %three step %one iter_args(%c = {x}) -> ({t})"
        w.add("v", f"{loop} {{\n{body}scf.yield %d : {t}\n}}", step)


def _run(steps: list[Step], e: dict[str, Array], values: dict[str, Array]) -> dict[str, Array]:
    """Run the steps of a block; its values do not leave it, but what it writes to arguments does."""
    inside = {**e, **values}
    for step in steps:
        step(inside)
    return inside


def _for(w: _Writer) -> None:
    """A loop with a body of random steps that carries two vectors and a scalar."""
    initial = [w.choose.choice(w.vectors), w.choose.choice(w.vectors), w.choose.choice(w.scalars)]
    carried, results, index = [w.name() for _ in range(3)], [w.name() for _ in range(3)], w.name()
    trips, t = w.choose.randint(0, 3), w.type("v")
    inner = w.inner(*carried[:2])
    inner.scalars += carried[2:]
    inner.write_steps(w.choose.randint(1, 5))
    yielded = [w.choose.choice(inner.vectors[-5:]) for _ in range(2)]
    yielded.append(w.choose.choice(inner.scalars[-2:]))
    bound = w.name()
    w.lines += [
        f"{bound} = arith.constant {trips} : index",
        f"{results[0]}:3 = scf.for {index} = %zero to {bound} step %one iter_args({carried[0]} = {initial[0]}, "
        f"{carried[1]} = {initial[1]}, {carried[2]} = {initial[2]}) -> ({t}, {t}, tensor<i64>) {{",
        *inner.lines,
        f"scf.yield {', '.join(yielded)} : {t}, {t}, tensor<i64>",
        "}",
    ]
    total = _name_results(w, results[:2]) + [f"{results[0]}#2"]
    w.lines.append(f"{results[2]} = tensor.cast {total.pop()} : tensor<i64> to tensor<i64>")
    w.scalars.append(results[2])
    results[:2] = total

    def step(e: dict[str, Array]) -> None:
        values = [e[name].copy() for name in initial]
        for _ in range(trips):
            inside = _run(inner.steps, e, dict(zip(carried, values, strict=True)))
            values = [inside[name].copy() for name in yielded]
        e.update(zip(results, values, strict=True))

    w.steps.append(step)


def _while(w: _Writer) -> None:
    """A loop that counts, and computes before and after its condition."""
    initial, carried, results = w.choose.choice(w.vectors), [w.name(), w.name()], [w.name()]
    trips, t = w.choose.randint(0, 3), w.type("v")
    zero, one, bound, counter, condition, after, after_counter, next_counter = (w.name() for _ in range(8))
    before = w.inner(carried[0])
    before.write_steps(w.choose.randint(0, 2))
    passed = w.choose.choice([carried[0], before.vectors[-1]])
    inner = w.inner(after)
    inner.write_steps(w.choose.randint(1, 3))
    yielded = w.choose.choice(inner.vectors[-4:])
    w.lines += [
        f"{zero} = arith.constant 0 : i64",
        f"{one} = arith.constant 1 : i64",
        f"{bound} = arith.constant {trips} : i64",
        f"{results[0]}:2 = scf.while ({carried[0]} = {initial}, {counter} = {zero}) : ({t}, i64) -> ({t}, i64) {{",
        *before.lines,
        f"{condition} = arith.cmpi slt, {counter}, {bound} : i64",
        f"scf.condition({condition}) {passed}, {counter} : {t}, i64",
        "} do {",
        f"^bb0({after}: {t}, {after_counter}: i64):",
        *inner.lines,
        f"{next_counter} = arith.addi {after_counter}, {one} : i64",
        f"scf.yield {yielded}, {next_counter} : {t}, i64",
        "}",
    ]
    _name_results(w, results)

    def step(e: dict[str, Array]) -> None:
        value = e[initial].copy()
        for count in range(trips + 1):
            value = _run(before.steps, e, {carried[0]: value})[passed].copy()
            if count < trips:
                value = _run(inner.steps, e, {after: value})[yielded].copy()
        e[results[0]] = value

    w.steps.append(step)


def _if(w: _Writer) -> None:
    """A branch that gives two vectors."""
    s, limit, t = w.choose.choice(w.scalars), w.choose.randint(-9, 9), w.type("v")
    element, constant, condition = w.name(), w.name(), w.name()
    results = [w.name(), w.name()]
    branches, yielded = [w.inner(), w.inner()], []
    w.lines += [
        f"{element} = tensor.extract {s}[] : tensor<i64>",
        f"{constant} = arith.constant {limit} : i64",
        f"{condition} = arith.cmpi slt, {element}, {constant} : i64",
        f"{results[0]}:2 = scf.if {condition} -> ({t}, {t}) {{",
    ]
    for branch, end in zip(branches, ["} else {", "}"], strict=True):
        branch.write_steps(w.choose.randint(0, 4))
        chosen = [w.choose.choice(branch.vectors[-4:]) for _ in range(2)]
        yielded.append(chosen)
        w.lines += [*branch.lines, f"scf.yield {chosen[0]}, {chosen[1]} : {t}, {t}", end]
    _name_results(w, results)

    def step(e: dict[str, Array]) -> None:
        number = 0 if int(e[s]) < limit else 1
        inside = _run(branches[number].steps, e, {})
        e.update({name: inside[value].copy() for name, value in zip(results, yielded[number], strict=True)})

    w.steps.append(step)


def _name_results(w: _Writer, results: list[str]) -> list[str]:
    """Give the results of an op, written as one name with numbers, names of their own."""
    first, t = results[0], w.type("v")
    w.lines += [f"{name}_named = tensor.cast {first}#{i} : {t} to {t}" for i, name in enumerate(results)]
    results[:] = [f"{name}_named" for name in results]
    w.vectors += results
    return results


_CONTROL_FLOW = (_for, _while, _if)
_STEPS: list[Callable[[_Writer], None]] = [
    *[_add] * 4,
    _negate_matrix,
    _scale,
    _scalar,
    _total,
    _fill,
    _constant,
    *[_update] * 4,
    _to_matrix,
    _to_vector,
    *[_read] * 3,
    *[_write] * 4,
    _raise,
    *[_loop] * 2,
    *[_raising_loop] * 2,
    *[_for] * 2,
    _while,
    *[_if] * 2,
]
