"""The disk cache of functions that differentiate others, and of those with variables and generators around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cached_programs import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


GRADIENTS = """
import sys
import losses

choice = sys.argv[1] if len(sys.argv) > 1 else "squares"
power = 2.0 if choice != "cubes" else 3.0
loss = losses.squares if choice != "other" else losses.other

@weft.function
def train(w, x, y):
    value, slope = weft.value_and_grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    return value, w - 0.1 * slope

@weft.function
def of_a_global(w):
    return weft.grad(loss)(w)

@weft.function
def of_a_closure(w):
    return weft.grad(lambda w: (w ** power).sum())(w)

@weft.function
def of_another_module(w):
    return weft.grad(lambda w: losses.scaled(3.0, w))(w), weft.jvp(np.sin, (w,), (w,))[1]

class Model:
    def __init__(self):
        self.w = np.ones(3)
    def loss(self, w, x):
        return ((w * x) ** 2).sum()
    @weft.function
    def step(self, x):
        self.w -= 0.1 * weft.grad(self.loss)(self.w, x)
        return self.w

w, x = np.arange(3.0), np.eye(3)
print(train(w, x, w + 1), of_a_global(w), of_a_closure(w), of_another_module(w), Model().step(w))
"""
LOSSES = """
def squares(w): return (w ** 2).sum()
def other(w): return w.sum()
def scaled(k, w): return k * (w ** 2).sum()
"""


def test_functions_that_differentiate_others_are_stored(project: Project) -> None:
    project.write("losses.py", LOSSES)
    project.write_program(GRADIENTS)
    first, second = project.run(), project.run()
    assert (first.stored, first.refused) == (5, 0), first.errors
    assert (second.found, second.missed, second.mlir) == (5, 0, False)
    assert second.output == first.output


def test_what_is_differentiated_is_compared(project: Project) -> None:
    project.write("losses.py", LOSSES)
    project.write_program(GRADIENTS)
    first = project.run()
    for choice, slope in (("cubes", "[ 0.  3. 12.]"), ("other", "[1. 1. 1.]")):
        changed = project.run(choice)
        assert (changed.found, changed.missed) == (4, 1), changed.errors
        assert slope in changed.output
        assert slope not in first.output
    project.write("losses.py", LOSSES.replace("k * (w ** 2)", "k * (w ** 4)"))
    edited = project.run()
    assert "[ 0., 12., 96.]" in edited.output
    assert "[ 0., 12., 96.]" not in first.output


STATE = """
import sys

choice = sys.argv[1] if len(sys.argv) > 1 else ""
v = weft.Variable(np.ones(3, "f4" if choice == "f4" else "f8"), name="v")
other = v if choice == "one" else weft.Variable(np.ones(3))
kind = np.random.MT19937 if choice == "mt" else np.random.PCG64
rng = np.random.Generator(kind(0))

@weft.function
def moved(x):
    v.assign_add(x.astype(v.dtype))
    return v * 2

@weft.function
def both(x):
    v.assign_add(x)
    return v + other

@weft.function
def drawn(x):
    return x + rng.normal(size=3)

class Model:
    def __init__(self):
        self.v, self.parts = weft.Variable(np.ones(3)), [weft.Variable(1.0), weft.Variable(2.0)]
        self.rng = np.random.default_rng(1)
    @weft.function
    def step(self, x):
        with weft.GradientTape() as tape:
            loss = ((self.v * x) ** 2).sum()
        self.v.assign_sub(0.1 * tape.gradient(loss, self.v))
        for part in self.parts:
            part.assign(part * 2)
        return loss, self.parts[0] + self.parts[1], self.rng.random(2)

def made():
    count = weft.Variable(0.0)
    @weft.function
    def counted(x):
        count.assign_add(1.0)
        return x + count
    return counted

model, counted, x = Model(), made(), np.arange(3.0)
for _ in range(2):
    print(moved(x), drawn(x), model.step(x), counted(x))
    if choice != "f4":
        print(both(x))
print(v, model.v, model.parts, rng.random(2))
"""


def test_functions_with_variables_and_generators_are_stored(project: Project) -> None:
    project.write_program(STATE)
    first, second = project.run(), project.run()
    assert (first.stored, first.refused) == (5, 0), first.errors
    assert (second.found, second.missed) == (5, 0)
    assert second.output == first.output


def test_what_a_trace_knows_of_them_is_compared(project: Project) -> None:
    project.write_program(STATE)
    project.run()
    for choice in ("f4", "one", "mt"):
        changed = project.run(choice)
        assert changed.missed == 1, changed.errors
        assert changed.output == project.run(choice, WEFT_DISABLE_JIT="1").output


def test_functions_of_numpy_that_are_python_are_stored(project: Project) -> None:
    project.write_program("""
    @weft.function
    def made(x):
        return x @ np.eye(3), x + np.identity(3)[0], np.tri(3) @ x
    print(made(np.arange(3.0)))
    """)
    first, second = project.run(), project.run()
    assert (first.stored, second.found, second.output) == (1, 1, first.output), first.errors
