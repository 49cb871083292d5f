"""Each kind of decision has a program that makes it appear, in a sentence that is true of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.passes.notes import CATEGORIES, KINDS

VECTOR, MATRIX = weft.TensorSpec((None,), "float64"), weft.TensorSpec((None, 300), "float64")
SQUARE_AND_TWO = [weft.TensorSpec((64, 64)), *[weft.TensorSpec((64,))] * 2]
FACTOR = 3
RANDOM = np.random.default_rng(1)


@weft.do_not_convert
def plain(x):
    return x * 2


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def unrolled(x):
    for k in range(3):
        x = x * k
    return x


def smooth(x):
    t = np.zeros_like(x)
    for k in range(1, len(x)):
        t[k] = t[k - 1] * 0.5 + x[k]
    return t


def scaled(x):
    t = np.zeros_like(x)
    for k in range(len(x)):
        t[k] = x[len(x) - 1 - k] * 2 if x[k] > 0 else 3.0
    return t


def spread(x):
    y, z = np.zeros((20, 40)), np.zeros((20, 40))
    y[10, 10] = x[0]
    for _ in range(100):
        for i in range(1, 19):
            for j in range(1, 39):  # so few iterations that LLVM leaves no loop of them
                z[i, j] += y[i - 1, j] + y[i, j + 1]
        y[2, 3] = z[3, 3]
    return z


def changed(x):
    y = x.copy()
    y[0] = 1
    return x, y


def escaping(c):
    out = np.zeros(c.shape, np.int32)
    for i in range(len(c)):
        z = 0.0
        k = 0
        while k < 50 and z < 4:
            z = z * z + c[i]
            k += 1
        out[i] = k
    return out


def largest_in_columns(x):
    best = 0.0
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            best = max(best, x[i, j])
    return best


def every_other(x):
    t = np.zeros(len(x) // 2)
    for k in range(len(t)):
        t[k] = x[2 * k] / 3
    return t


def by_rows(x, a):
    out = np.zeros_like(x)
    n, m = x.shape
    for i in range(1, n):
        for j in range(m):
            out[i, j] = a * out[i - 1, j] + x[i, j]
    return out


def refusing(x):
    if x[0] < 0:
        raise ValueError(x)
    return x + 1


def sloped(x, w, y):
    return weft.value_and_grad(lambda w: np.mean((np.tanh(x @ w) - y) ** 2))(w)


def waiting(x):
    total = 0.0
    while total < 1 and x[0] > 0:
        total += x[0]
    return total


def looking(c):
    out = np.zeros(c.shape, np.int64)
    for i in range(len(c)):
        k = 0
        while k < len(c) and c[k] < c[i]:
            k += 1
        out[i] = k
    return out


def drawing(x):
    return x + RANDOM.random(x.shape)


def shuffled(x):
    return x + RANDOM.choice(2**40, 100, replace=False)[: len(x)]


WITH_MASKS = "x86-64-v4"
"""Processors that load what a condition asks for in vectors."""

PROGRAMS = {
    "cache": [(lambda x: x + 1, [VECTOR], r"the disk cache .*")],
    "unconverted": [(lambda x: plain(x), [VECTOR], r"plain: it is marked by weft\.do_not_convert")],
    "guard": [(lambda x: x * FACTOR, [VECTOR], r"global FACTOR is a constant of the code: another value .*")],
    "loop": [(unrolled, [VECTOR], r"`for k in range\(3\)` is unrolled, as it has 3 iterations")],
    "python": [(lambda x: weft.py_call(print, x), [VECTOR], r"`weft\.py_call\(print, x\)` calls `print`")],
    "check": [
        (lambda x: x[5], [VECTOR], r"`x\[5\]` is checked, and raises IndexError: index .*"),
        (refusing, [VECTOR], r"`raise ValueError\(x\)` makes an exception in Python, if the program comes there"),
    ],
    "rewritten": [
        (lambda x: np.negative(-(x * 1.0)), [VECTOR], r"`x \* 1\.0` is simplified by `multiply_by_one`"),
        (lambda x: np.negative(-(x * 1.0)), [VECTOR], r"`np\.negative\(.*\)` is simplified by `undo_twice`"),
        (lambda x: x[np.arange(0, len(x), 2)], [weft.TensorSpec((9,))], r".* is simplified by `gather_evenly_spaced`"),
    ],
    "fused": [(softmax, [MATRIX], r"`e` is computed in one loop with all its parts")],
    "rows": [(softmax, [MATRIX], r"`x\.max\(.*\)` runs row by row with `e`, .*, so that what goes .* in the cache")],
    "stored": [
        (softmax, [MATRIX], r"`e` is computed before `e\.sum\(.*as loops that differ read it"),
        (sloped, SQUARE_AND_TWO, r"`np\.tanh\(x @ w\) - y` has a loop of its own, as loops that differ read it"),
    ],
    "vector": [
        (softmax, [MATRIX], r"`e` runs in vectors of \d+"),
        (scaled, [VECTOR], r"`for k in range\(len\(x\)\)` is made vector code by LLVM"),
        (by_rows, [weft.TensorSpec((50, 40)), weft.TensorSpec(())], r"`for j in .*` is made vector code by LLVM"),
        (spread, [weft.TensorSpec((3,))], r"`for j in range\(1, 39\)` is made vector code by LLVM"),
        (escaping, [VECTOR], r"`for i in range\(len\(c\)\)` runs \d+ iterations side by side in vectors"),
        (lambda x: x @ x.T, [weft.TensorSpec((64, 64), "float32")], r".* is a product .* in vectors of \d+"),
    ],
    "scalar": [
        (smooth, [VECTOR], r"`for k in range\(1, len\(x\)\)` runs one iteration after another: each may read .*"),
        (looking, [VECTOR], r"`for i in range\(len\(c\)\)` runs one iteration after another: .* numbers alone"),
        (by_rows, [weft.TensorSpec((None, None)), weft.TensorSpec(())], r"`for j .*: each looks whether its .*"),
        (waiting, [weft.TensorSpec((3,))], r"`while total .*` runs one .*: only what it computes tells when it ends"),
        (lambda x: np.cumsum(x), [VECTOR], r".*runs one .*"),
    ],
    "strided": [
        (largest_in_columns, [MATRIX], r"`x\[i, j\]` reads memory in steps of 2,400 bytes"),
        (largest_in_columns, [weft.TensorSpec((None, None))], r"`x\[i, j\]` reads memory in steps of a row"),
        (every_other, [VECTOR], r"`x\[2 \* k\]` reads memory in steps of 16 bytes"),
        (lambda x: np.exp(x[:, 0]), [MATRIX], r"`np\.exp\(x\[:, 0\]\)` reads memory in steps of 2,400 bytes"),
    ],
    "algorithm": [
        (lambda x: np.sort(x), [VECTOR], r"`np\.sort\(x\)` sorts, by code of its own"),
        (lambda x: np.fft.fft(x), [weft.TensorSpec((16,), "float64")], r".* is a Fourier transform, .*"),
        (lambda x: np.linalg.inv(x), [weft.TensorSpec((9, 3, 3), "float64")], r".* works on small matrices, .*"),
        (drawing, [VECTOR], r"`RANDOM\.random\(x\.shape\)` draws random numbers, .*"),
        (lambda x: np.fft.fft(x), [VECTOR], r".* calls a loop of a library over the elements"),
    ],
    "threads": [
        (lambda x: np.exp(x), [VECTOR], r"`np\.exp\(x\)` is shared among threads from [\d,]+ iterations on"),
        (lambda x: x * 2, [weft.TensorSpec((100,), "float64")], r"these are far too short for threads"),
    ],
    "copy": [(changed, [VECTOR], r"`x` is copied, as `y\[0\]` .*changes it and what it was is needed later")],
    "memory": [(lambda x: np.sort(x * 2)[:2], [VECTOR], r"`x \* 2` lies in .* needed: x\.shape\[0\] elements of f64")],
    "device": [(lambda x: x + 1, [weft.TensorSpec((8,), "float64")], r"`x \+ 1` runs on the device")],
    "host": [(shuffled, [weft.TensorSpec((8,), "float64")], r".*runs on the host, as it draws random numbers")],
}  # fmt: skip
"""For each kind programs, what they are compiled for, and what is said; those of "trace" are in `test_explain.py`."""


def test_each_kind_has_a_program():
    assert {*PROGRAMS, "trace"} == set(KINDS)


def test_the_page_tells_all_kinds_and_logs():
    page = (Path(__file__).parents[3] / "docs" / "explain.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(KINDS)
    assert [category for category in CATEGORIES if f"`{category}`" not in page] == []


def marks_of(told):
    """What is told of LLVM's optimiser needs it."""
    return pytest.mark.optimised if "LLVM" in told else ()


@pytest.mark.processor
@pytest.mark.parametrize(
    ("kind", "program", "specs", "told"),
    [
        pytest.param(kind, *case, marks=marks_of(case[-1]))
        for kind, cases in PROGRAMS.items()
        for case in cases
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_decisions_are_noted(kind, program, specs, told):
    target = "sm_90a:x86-64-v3" if kind in ("device", "host") else WITH_MASKS if "LLVM" in told else None
    explanation = weft.function(program, target=target).get_concrete_function(*specs).explain()
    sentences = [decision.sentence for decision in explanation.decisions if decision.kind == kind]
    assert any(re.fullmatch(told, sentence) for sentence in sentences), str(explanation)


def product(x):
    return x.T @ x + 1


@pytest.mark.parametrize("program", [softmax, scaled, smooth, lambda x: x[::-1] * 2, product])
def test_neighbours_are_no_steps(program):
    spec = {softmax: MATRIX, product: weft.TensorSpec((64, 64), "float32")}.get(program, VECTOR)
    decisions = weft.function(program).get_concrete_function(spec).explain().decisions
    assert [decision for decision in decisions if decision.kind == "strided"] == []


@pytest.mark.optimised
def test_loops_of_one_function_are_told_apart():
    def both(x):
        t = np.zeros_like(x)
        u = np.zeros_like(x)
        for k in range(1, len(x)):
            t[k] = t[k - 1] * 0.5 + x[k]
        for k in range(len(x)):
            u[k] = t[len(x) - 1 - k] * 2 if x[k] > 0 else 3.0
        return t, u

    explanation = weft.function(both, target=WITH_MASKS).get_concrete_function(VECTOR).explain()
    first = both.__code__.co_firstlineno
    kinds = {
        (said.line - first, said.kind) for said in explanation.decisions if said.sentence.startswith("`for")
    }
    assert kinds == {(3, "scalar"), (5, "vector")}
