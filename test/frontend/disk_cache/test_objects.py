"""The disk cache of methods: what they read of objects is compared, and a process is as without a cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cached_programs import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


MODELS = """
import dataclasses

@dataclasses.dataclass
class Options:
    gain: float = 1.5

class Layer:
    def __init__(self, n, rate):
        self.w = np.full((n, n), rate)
        self.b = np.zeros(n)
        self.rate = rate
        self.unread = object()

    def forward(self, x):
        return np.tanh(x @ self.w + self.b) * self.rate

class Base:
    scale = 2

    def __init__(self, n):
        self.layers = [Layer(n, 0.5), Layer(n, 0.25)]

    @property
    def width(self):
        return len(self.layers)

class Model(Base):
    def __init__(self, n):
        super().__init__(n)
        self.count, self.first, self.options = 0, self.layers[0], Options()

    @weft.function
    def step(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x * self.scale * self.width * self.options.gain

    @weft.function
    def train(self, x):
        self.count += 1
        self.first.w = self.first.w - 0.1 * x[:, None]
        self.first.b[0] += 1.0
        return x + self.count

class Scaled:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k

x = np.ones(4)
model = Model(4)
print(model.step(x), model.step(x))
for _ in range(3):
    print(model.train(x), model.count, model.first.w[0], model.first.b)
model.layers[0].rate = 3.0
print(model.step(x))
model.layers[1] = Layer(4, 0.1)
print(model.step(x))
model.options.gain = 2.5
print(model.step(x))
print(weft.function(model.first.forward)(x))
print(weft.function(Scaled(2))(x), weft.function(Scaled(3))(x))

@weft.function
def both(one, other, x):
    return x * (2 if one is other else 3) + one.rate - other.rate

one, other = Layer(4, 0.5), Layer(4, 0.5)
print(both(one, one, x), both(one, other, x))
"""


def test_methods_are_stored(project: Project) -> None:
    project.write_program(MODELS)
    wanted = project.run(WEFT_CACHE="0").output
    cold, warm = project.run(), project.run()
    assert cold.output == warm.output == wanted
    assert cold.refused == 0, cold.errors
    assert warm.stored == 0, warm.errors
    assert not warm.mlir
    assert not warm.llvm


_CLASS = """
class C:
    def __init__(self):
        self.k, self.a, self.d = 2, np.full(3, 2.0), {{"k": 2}}
        self.l = [2]
    factor = 2
    def plain(self, x): return x * 2
    @property
    def twice(self): return self.k * 2
    {0}
c = C()
{1}
def f(x): return {2}
"""

CHANGES = {
    "an attribute": ("", "c.k = 2", "c.k = 3", "x * c.k"),
    "the type of an attribute": ("", "c.k = 2", "c.k = True", "x * (2 if c.k is True else 3)"),
    "an array": ("", "c.a[0] = 2", "c.a[0] = 3", "x * c.a[0]"),
    "the shape of an array": ("", "c.a = np.ones(3)", "c.a = np.ones(4)", "x * c.a.sum()"),
    "a list": ("", "c.l[0] = 2", "c.l[0] = 3", "x * c.l[0]"),
    "a dict": ("", "c.d['k'] = 2", "c.d['k'] = 3", "x * c.d['k']"),
    "an attribute of the class": ("", "C.factor = 2", "C.factor = 3", "x * c.factor"),
    "an attribute before that of the class": ("", "", "c.factor = 3", "x * c.factor"),
    "an attribute that is missing": ("", "", "c.missing = 3", "x * getattr(c, 'missing', 2)"),
    "whether there is an attribute": ("", "", "c.missing = 3", "x * (3 if hasattr(c, 'missing') else 2)"),
    "a method": ("", "", "C.plain = lambda self, x: x * 3", "c.plain(x)"),
    "a method of the object": ("", "", "c.plain = lambda x: x * 3", "c.plain(x)"),
    "a property": ("", "", "C.twice = property(lambda self: 7)", "x * c.twice"),
    "what a property reads": ("", "c.k = 2", "c.k = 3", "x * c.twice"),
    "another class": ("", "", "class D(C):\n    factor = 3\nc = D()", "x * c.factor"),
    "a base class": (
        "",
        "class D(C): pass\nc = D()",
        "class B:\n    factor = 3\nclass D(B, C): pass\nc = D()",
        "x * c.factor",
    ),
    "a descriptor": (
        "",
        "class P:\n    def __get__(self, owner, kind): return 2\nC.p = P()",
        "class P:\n    def __get__(self, owner, kind): return 3\nC.p = P()",
        "x * c.p",
    ),
    "what a special method reads": (
        "def __len__(self): return K",
        "K = 2",
        "K = 3",
        "x * len(c)",
    ),
    "what an operator reads": ("def __mul__(self, x): return x * K", "K = 2", "K = 3", "c * x"),
    "what finds attributes": ("def __getattr__(self, name): return K", "K = 2", "K = 3", "x * c.missing"),
    "an object in an object": ("", "c.c = C()", "c.c = C()\nc.c.k = 3", "x * c.c.k"),
    "an object in a list": ("", "L = [c, C()]", "L = [c, C()]\nL[1].k = 3", "x * L[1].k"),
    "which object": ("", "b = c", "b = C()", "x * (2 if b is c else 3)"),
    "a bound method": ("def g(self, x): return x * self.k", "g = c.g", "c.k = 3\ng = c.g", "g(x)"),
    "a callable object": ("def __call__(self, x): return x * self.k", "", "c.k = 3", "c(x)"),
    "a dataclass": (
        "",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    k: int\nd = D(2)",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    k: int\nd = D(3)",
        "x * d.k",
    ),
    "dataclasses that are compared": (
        "",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    k: int\nd = D(2)\ne = D(2)",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    k: int\nd = D(2)\ne = D(3)",
        "x * (2 if d == e else 3)",
    ),
    "an object in a closure": (
        "",
        "def make(c): return lambda x: x * c.k\ng = make(c)",
        "def make(c): return lambda x: x * c.k\nc.k = 3\ng = make(c)",
        "g(x)",
    ),
    "an object in a class": ("", "C.inner = C()", "C.inner = C()\nC.inner.k = 3", "x * C.inner.k"),
    "an object that is a default": (
        "",
        "def g(x, c=c): return x * c.k",
        "c.k = 3\ndef g(x, c=c): return x * c.k",
        "g(x)",
    ),
    "a base class that is given up": (
        "",
        "class D: pass\nd = D()",
        "class D(C): pass\nd = D()",
        "x * (3 if isinstance(d, C) else 2)",
    ),
}
"""By what is changed: what the class defines besides, two programs that come before the function, what it computes."""


def test_what_is_changed_of_objects_is_seen(project: Project) -> None:
    project.write_program(f"""
        import importlib

        for number in range({len(CHANGES)}):
            f = importlib.import_module(f"case_{{number}}").f
            print(number, repr(f(np.array([1.0, -2.0]))))
    """)
    outputs = []
    for version in (0, 1):
        for number, (members, *states, computed) in enumerate(CHANGES.values()):
            text = _CLASS.format(members, states[version], computed)
            project.write(
                f"case_{number}.py", f"import numpy as np\nimport weft\n{text}\nf = weft.function(f)\n"
            )
        wanted = project.run(WEFT_DISABLE_JIT="1").output.splitlines()
        assert project.run().output.splitlines() == wanted
        assert project.run().output.splitlines() == wanted
        outputs.append(wanted)
    unchanged = [name for name, one, other in zip(CHANGES, *outputs, strict=True) if one == other]
    assert unchanged == [], "changes that cannot be seen test nothing"
