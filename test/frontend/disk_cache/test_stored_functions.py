"""The disk cache of compiled functions: a process does with it exactly what it would do without."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.cached_programs import Project, finished


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


RESULTS = """
import collections, functools

Pair = collections.namedtuple("Pair", "first second")
SMALL = np.arange(6.0).reshape(2, 3)
LARGE = np.ones((40, 50))
TABLE = {"a": [1, 2.5], "b": (np.arange(3), "text")}
RATE = 1.5
helper = lambda x: x * RATE

def show(value):
    if isinstance(value, dict):
        return {key: show(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(show, value))
    return (type(value).__name__, getattr(value, "dtype", ""), getattr(value, "shape", ""), repr(value))

@weft.function
def plain(x, scale=2):
    return np.tanh(x) * scale

@weft.function
def nested(x, d):
    found = {"x": x, "row": x[0], "t": x.T[::-1], "n": None, "pair": Pair(x + 1, "s")}
    return found, [d["k"] * 2, (1, 2.5j, np.int8(3))]

@weft.function
def outside(x):
    return helper(x) @ SMALL + LARGE.sum() + TABLE["a"][1] * TABLE["b"][0]

@weft.function
def loop(x):
    count, kept = 0, []
    while x.sum() < 100:
        x = x * 2
        count += 1
        kept.append(x[0])
    return x, count, kept

@weft.function
def maybe(x):
    if x.sum() > 3:
        return None
    return "small" if x[0] > 0.5 else "tiny"

@weft.function
def in_place(x, y):
    x += y
    x[0] = -1
    return x

@weft.function(input_signature=[weft.TensorSpec([None, 3], "float32")])
def any_size(x):
    return x.sum(axis=0), x.shape[0], x[1:] * 2

@weft.function
def recursive(n, x):
    if n <= 1:
        return x
    return recursive(n - 1, x) * n

def closing(k):
    @weft.function
    def closed(x):
        return x * k
    return closed

def wrapping(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) + 1
    return wrapper

@weft.function
@wrapping
def wrapped(x):
    return plain(x) - np.float32(1)

x = np.linspace(0, 1, 6).reshape(3, 2)
print(show(plain(x)), show(plain(x.astype("float32"), 3)), show(plain(np.float64(2))))
pair = nested(x, {"k": np.arange(3, dtype="uint8")})
print(show(pair), pair[0]["x"] is x, pair[0]["row"].base is x, np.shares_memory(pair[0]["t"], x))
print(show(outside(np.ones((1, 2)))))
print(show(loop(np.ones(3))))
print(show(maybe(np.ones(2))), show(maybe(np.zeros(2))), show(maybe(np.ones(5))))
y = np.zeros((4, 4))
print(in_place(y[::2, ::2], np.ones((2, 2))) is not None, y.tolist())
print(show(any_size(np.ones((2, 3), "float32"))), show(any_size(2 * np.ones((4, 3), "float32"))))
print(show(recursive(np.int64(5), np.ones(2))))
print(show(closing(2)(x)), show(closing(3)(x)))
print(show(wrapped(x)))
"""


def test_results_are_the_same_and_nothing_is_compiled(project: Project) -> None:
    project.write_program(RESULTS)
    plain = project.run(WEFT_CACHE="0")
    cold, warm = project.run(), project.run()
    assert plain.output == cold.output == warm.output
    assert (plain.found, plain.missed, plain.stored) == (0, 0, 0)
    assert cold.found == 0
    assert cold.stored == cold.missed == warm.found
    assert cold.refused == warm.missed == 0, cold.errors
    assert cold.mlir
    assert not warm.mlir
    assert not warm.llvm


def test_what_is_called_back_finds_modules_that_nothing_else_has_loaded(project: Project) -> None:
    project.write_program("""
        @weft.function
        def f(x):
            print("first", x[0])
            return x + 1

        print(f(np.ones(3)))
    """)
    first, second = project.run(), project.run()
    assert first.output == second.output == "first 1.0\n[2. 2. 2.]\n"
    assert second.found == 1


def test_a_function_that_is_found_was_not_traced(project: Project) -> None:
    project.write_program("""
        @weft.function
        def f(x):
            return x + 1

        f(np.ones(3))
        print(f.trace_count, f.explain_retrace(), f.pretty_printed_concrete_signatures())
        concrete = f.get_concrete_function(np.ones(3))
        print(concrete.as_text("weft").count("weft.add"), f.trace_count)
    """)
    first, second = project.run(), project.run()
    assert first.output.splitlines() == ["1 first call f(x: f64[3])", "  returns f64[3]", "1 1"]
    assert second.output.splitlines() == ["0 first call f(x: f64[3])", "  returns f64[3]", "1 1"]


def test_the_text_of_a_function_that_was_found_and_writes_to_what_is_outside(project: Project) -> None:
    project.write_program("""
        TABLES = [np.zeros(3)]

        @weft.function
        def f(x):
            TABLES[0][1] = x
            return x

        f(np.float64(1))
        traces = f.trace_count
        print(f.get_concrete_function(np.float64(1)).as_text("weft").count("weft.write_ref"), TABLES, traces)
    """)
    assert project.run().output == "1 [array([0., 1., 0.])] 2\n"
    second = project.run()  # traced until it writes to the array, which then is found to be data
    assert second.found == 1
    assert second.output == "1 [array([0., 1., 0.])] 1\n"


CHANGES = {
    "a global number": ("RATE = 2\ndef f(x): return x * RATE", "RATE = 3\ndef f(x): return x * RATE"),
    "its type": (
        "K = 2\ndef f(x): return np.add(K, K) + x[()].astype(int)",
        "K = 2.0\ndef f(x): return np.add(K, K) + x[()].astype(int)",
    ),
    "the sign of a zero": (
        "RATE = 0.0\ndef f(x): return np.copysign(x, RATE)",
        "RATE = -0.0\ndef f(x): return np.copysign(x, RATE)",
    ),
    "the function": ("def f(x): return x * 2", "def f(x): return x * 3"),
    "a helper": (
        "def g(x): return x * 2\ndef f(x): return g(x)",
        "def g(x): return x * 3\ndef f(x): return g(x)",
    ),
    "a helper of a helper": (
        "def h(x): return x * 2\ndef g(x): return h(x)\ndef f(x): return g(x)",
        "def h(x): return x * 3\ndef g(x): return h(x)\ndef f(x): return g(x)",
    ),
    "which helper": (
        "def g(x): return x * 2\ndef h(x): return x * 3\nk = g\ndef f(x): return k(x)",
        "def g(x): return x * 2\ndef h(x): return x * 3\nk = h\ndef f(x): return k(x)",
    ),
    "a helper in a list": (
        "def g(x): return x * 2\ndef h(x): return x * 3\nk = [g]\ndef f(x): return k[0](x)",
        "def g(x): return x * 2\ndef h(x): return x * 3\nk = [h]\ndef f(x): return k[0](x)",
    ),
    "the default of a helper": (
        "def g(x, k=2): return x * k\ndef f(x): return g(x)",
        "def g(x, k=3): return x * k\ndef f(x): return g(x)",
    ),
    "a default": ("def f(x, k=2): return x * k", "def f(x, k=3): return x * k"),
    "a lambda": ("g = lambda x: x * 2\ndef f(x): return g(x)", "g = lambda x: x * 3\ndef f(x): return g(x)"),
    "a list": ("K = [1, [2]]\ndef f(x): return x * K[1][0]", "K = [1, [3]]\ndef f(x): return x * K[1][0]"),
    "a dict": ("K = {'a': 2}\ndef f(x): return x * K['a']", "K = {'a': 3}\ndef f(x): return x * K['a']"),
    "an array": (
        "K = np.array([2.0])\ndef f(x): return x * K",
        "K = np.array([3.0])\ndef f(x): return x * K",
    ),
    "the dtype of an array": (
        "K = np.array([2.0])\ndef f(x): return (x * 1e20).astype('float32') * K",
        "K = np.array([2.0], 'float32')\ndef f(x): return (x * 1e20).astype('float32') * K",
    ),
    "how an array lies in memory": (
        "K = np.ones((2, 3))\ndef f(x): return x * K.strides[0] + K.flags.writeable",
        "K = np.ones((3, 2)).T\ndef f(x): return x * K.strides[0] + K.flags.writeable",
    ),
    "whether an array can be written": (
        "K = np.ones(2)\ndef f(x): return x * (2 if K.flags.writeable else 3)",
        "K = np.ones(2)\nK.flags.writeable = False\ndef f(x): return x * (2 if K.flags.writeable else 3)",
    ),
    "an array in a list": (
        "K = [np.array([2.0])]\ndef f(x): return x * K[0]",
        "K = [np.array([3.0])]\ndef f(x): return x * K[0]",
    ),
    "a large array": (
        "K = np.full(500, 2.0)\ndef f(x): return x * K.sum()",
        "K = np.full(500, 3.0)\ndef f(x): return x * K.sum()",
    ),
    "a large array in a list": (
        "K = [np.full(5000, 2.0)]\ndef f(x): return x * K[0].sum()",
        "K = [np.full(5000, 3.0)]\ndef f(x): return x * K[0].sum()",
    ),
    "the size of a large array": (
        "K = np.full(500, 2.0)\ndef f(x): return x * K.sum()",
        "K = np.full(501, 2.0)\ndef f(x): return x * K.sum()",
    ),
    "a NumPy scalar": ("K = np.int8(2)\ndef f(x): return x * K", "K = np.int8(3)\ndef f(x): return x * K"),
    "a name of Python's own": ("def f(x): return abs(x)", "abs = lambda x: x * 3\ndef f(x): return abs(x)"),
    "a name that is removed": (
        "abs = lambda x: x * 3\ndef f(x): return abs(x)",
        "def f(x): return abs(x)",
    ),
    "a closure": (
        "def make(k):\n    def f(x): return x * k\n    return f\nf = make(2)",
        "def make(k):\n    def f(x): return x * k\n    return f\nf = make(3)",
    ),
    "the closure of a helper": (
        "def make(k):\n    def f(x): return x * k\n    return f\ng = make(2)\ndef f(x): return g(x)",
        "def make(k):\n    def f(x): return x * k\n    return f\ng = make(3)\ndef f(x): return g(x)",
    ),
    "an array in the closure of a helper": (
        "def make(k):\n    def f(x): return x * k\n    return f\ng = make(np.ones(1))\ndef f(x): return g(x)",
        "def make(k):\n    def f(x): return x * k\n    return f\ng = make(np.zeros(1))\ndef f(x): return g(x)",
    ),
    "a decorator": (
        "def d(g):\n    return lambda x: g(x) + 2\n@d\ndef f(x): return x",
        "def d(g):\n    return lambda x: g(x) + 3\n@d\ndef f(x): return x",
    ),
    "a constant of a class": (
        "class C:\n    k = 2\ndef f(x): return x * C.k",
        "class C:\n    k = 3\ndef f(x): return x * C.k",
    ),
    "a constant of a base class": (
        "class B:\n    k = 2\nclass C(B): pass\ndef f(x): return x * C.k",
        "class B:\n    k = 3\nclass C(B): pass\ndef f(x): return x * C.k",
    ),
    "a function of a class": (
        "class C:\n    @staticmethod\n    def g(x): return x * 2\ndef f(x): return C.g(x)",
        "class C:\n    @staticmethod\n    def g(x): return x * 3\ndef f(x): return C.g(x)",
    ),
    "a compiled function": (
        "@weft.function\ndef g(x): return x * 2\ndef f(x): return g(x)",
        "@weft.function\ndef g(x): return x * 3\ndef f(x): return g(x)",
    ),
    "an inner function": (
        "def f(x):\n    def g(y): return y * 2\n    return g(x)",
        "def f(x):\n    def g(y): return y * 3\n    return g(x)",
    ),
    "a comprehension": (
        "def f(x): return sum([x * k for k in (1, 2)])",
        "def f(x): return sum([x * k for k in (1, 3)])",
    ),
    "a function that is mapped": (
        "K = 2\ndef g(x): return x * K\ndef f(x): return sum(map(g, [x, x]))",
        "K = 3\ndef g(x): return x * K\ndef f(x): return sum(map(g, [x, x]))",
    ),
    "which list": (
        "K = [1]\nL = K\ndef f(x): return x * (2 if K is L else 3)",
        "K = [1]\nL = [1]\ndef f(x): return x * (2 if K is L else 3)",
    ),
    "which of two equal functions": (
        "def make():\n    return lambda x: x\ng = h = make()\ndef f(x): return x * (2 if g is h else 3)",
        "def make():\n    return lambda x: x\ng, h = make(), make()\ndef f(x): return x * (2 if g is h else 3)",
    ),
    "which of two equal classes": (
        "def make():\n    class C: pass\n    return C\ng = h = make()\ndef f(x): return x + issubclass(g, h)",
        "def make():\n    class C: pass\n    return C\ng, h = make(), make()\ndef f(x): return x + issubclass(g, h)",
    ),
    "which of two equal keys": (
        "def make():\n    return lambda x: x\ng = h = make()\nK = {g: 1}\ndef f(x): return x + (h in K)",
        "def make():\n    return lambda x: x\ng, h = make(), make()\nK = {g: 1}\ndef f(x): return x + (h in K)",
    ),
    "the order of a set": (
        "K = {0, 8}\ndef f(x):\n    for k in K: x = x * 10 + k\n    return x",
        "K = {8, 0}\ndef f(x):\n    for k in K: x = x * 10 + k\n    return x",
    ),
    "the name of a function": (
        "def g(x): return x\ndef f(x): return x + len(g.__name__)",
        "def g(x): return x\ng.__name__ = 'another'\ndef f(x): return x + len(g.__name__)",
    ),
    "the name of a class": (
        "class C: pass\ndef f(x): return x + len(C.__name__)",
        "class C: pass\nC.__name__ = 'another'\ndef f(x): return x + len(C.__name__)",
    ),
    "a function that is made of a string": (
        "names = {'K': 2}\nexec('def g(x): return x * K', names)\ng = names['g']\ndef f(x): return g(x)",
        "names = {'K': 3}\nexec('def g(x): return x * K', names)\ng = names['g']\ndef f(x): return g(x)",
    ),
    "a class that is made of a string": (
        "exec('class C:\\n    @staticmethod\\n    def g(x): return x * 2')\ndef f(x): return C.g(x)",
        "exec('class C:\\n    @staticmethod\\n    def g(x): return x * 3')\ndef f(x): return C.g(x)",
    ),
    "which of two lambdas in a line": (
        "g, h = lambda x: x * 2, lambda x: x * 3\ndef f(x): return g(x)",
        "h, g = lambda x: x * 2, lambda x: x * 3\ndef f(x): return g(x)",
    ),
    "a default that is changed": (
        "def g(x, k=2): return x * k\ndef f(x): return g(x)",
        "def g(x, k=2): return x * k\ng.__defaults__ = (3,)\ndef f(x): return g(x)",
    ),
    "the code of a function": (
        "def g(x): return x * 2\ndef h(x): return x * 3\ndef f(x): return g(x)",
        "def g(x): return x * 2\ndef h(x): return x * 3\ng.__code__ = h.__code__\ndef f(x): return g(x)",
    ),
    "the member of an enum": (
        "import enum\nclass C(enum.IntEnum):\n    A = 2\ndef f(x): return x * C.A",
        "import enum\nclass C(enum.IntEnum):\n    A = 3\ndef f(x): return x * C.A",
    ),
    "the default of a dataclass": (
        "import dataclasses\n@dataclasses.dataclass\nclass C:\n    k: int = 2\ndef f(x): return x * C().k",
        "import dataclasses\n@dataclasses.dataclass\nclass C:\n    k: int = 3\ndef f(x): return x * C().k",
    ),
    "a partial": (
        "import functools\ng = functools.partial(np.multiply, 2)\ndef f(x): return g(x)",
        "import functools\ng = functools.partial(np.multiply, 3)\ndef f(x): return g(x)",
    ),
}
"""By what is changed: a program before and after."""


def test_what_is_changed_is_seen(project: Project) -> None:
    project.write_program(_each_case(len(CHANGES)))
    outputs = []
    for version in (0, 1):
        for number, programs in enumerate(CHANGES.values()):
            text = f"import numpy as np\nimport weft\n{programs[version]}\nf = weft.function(f)\n"
            project.write(f"case_{number}.py", text)
        outputs.append(_same_with_and_without(project))
    _require_changes(CHANGES, *outputs)


def _each_case(count: int) -> str:
    """A program that runs one function after the other, each of a module of its own."""
    return f"""
        import importlib

        for number in range({count}):
            f = importlib.import_module(f"case_{{number}}").f
            print(number, repr(f(np.array([1.0, -2.0]))))
    """


def _same_with_and_without(project: Project) -> list[str]:
    """The lines that a program prints with a cache that does not know it, with one that does, and uncompiled."""
    wanted = project.run(WEFT_DISABLE_JIT="1").output.splitlines()
    assert project.run().output.splitlines() == wanted
    assert project.run().output.splitlines() == wanted
    return wanted


def _require_changes(cases: Mapping[str, object], before: list[str], after: list[str]) -> None:
    unchanged = [name for name, one, other in zip(cases, before, after, strict=True) if one == other]
    assert unchanged == [], "changes that cannot be seen test nothing"


MODULE_CHANGES = {
    "a constant": ("K = 2", "K = 3", "import other\ndef f(x): return x * other.K"),
    "a constant that is imported": ("K = 2", "K = 3", "from other import K\ndef f(x): return x * K"),
    "a constant of a package": ("K = 2", "K = 3", "import inner.other\ndef f(x): return x * inner.other.K"),
    "a module in a module": ("K = 2", "K = 3", "import between\ndef f(x): return x * between.other.K"),
    "a function": (
        "def g(x): return x * 2",
        "def g(x): return x * 3",
        "import other\ndef f(x): return other.g(x)",
    ),
    "what a function of it reads": (
        "K = 2\ndef g(x): return x * K",
        "K = 3\ndef g(x): return x * K",
        "import other\ndef f(x): return other.g(x)",
    ),
    "what a function reads through another module": (
        "K = 2",
        "K = 3",
        "import reader\ndef f(x): return reader.read(x)",
    ),
    "an array": (
        "import numpy as np\nK = np.full(3, 2.0)",
        "import numpy as np\nK = np.full(3, 3.0)",
        "import other\ndef f(x): return x * other.K.sum()",
    ),
    "a value in an inner function": (
        "K = 2",
        "K = 3",
        "import other\ndef f(x):\n    g = lambda y: y * other.K\n    return g(x)",
    ),
    "a class": (
        "class C:\n    k = 2",
        "class C:\n    k = 3",
        "import other\ndef f(x): return x * other.C.k",
    ),
    "an import in the function": ("K = 2", "K = 3", "def f(x):\n    from other import K\n    return x * K"),
    "a module under another name": (
        "K = 2",
        "K = 3",
        "import other\ndef f(x):\n    m = other\n    return x * m.K",
    ),
    "getattr": ("K = 2", "K = 3", "import other\ndef f(x): return x * getattr(other, 'K')"),
}


def test_what_is_changed_in_another_module_is_seen(project: Project) -> None:
    project.write_program(_each_case(len(MODULE_CHANGES)))
    outputs = []
    for version in (0, 1):
        for number, (*modules, program) in enumerate(MODULE_CHANGES.values()):
            _write_modules(project, str(number), modules[version], program)
        outputs.append(_same_with_and_without(project))
    _require_changes(MODULE_CHANGES, *outputs)


def _write_modules(project: Project, number: str, other: str, program: str) -> None:
    """Write the modules of a case, whose names have its number."""
    texts = {
        "other.py": other,
        "inner/other.py": other,
        "inner/__init__.py": "",
        "between.py": "import other\n",
        "reader.py": "import other\ndef read(x): return x * other.K\n",
        "case.py": f"import numpy as np\nimport weft\n{program}\nf = weft.function(f)\n",
    }
    for name, text in texts.items():
        for module in ("other", "inner", "between", "reader"):
            text = re.sub(rf"\b{module}\b", f"{module}_{number}", text)
            name = re.sub(rf"\b{module}\b", f"{module}_{number}", name)
        project.write(name.replace("case", f"case_{number}"), text)


NOT_STORED = {
    "weft.py_call(lambda v: None, x)\n    return x": "is not found under a name",
    "print(x, file=stream)\n    return x": "a StringIO object",
    "return x * special.rate": "a Special object, as its class has __getattr__",
    "return x * slotted[0].rate": "a Derived object, whose class is more than a class of the program",
    "return x + len(f'{owner}')": "the text of a Owner",
    "return x + len(str(owner))": "the text of a Owner",
    "return x + len('%s' % (TABLE,))": "the text of a tuple",
    "return x + len('{}'.format(TABLE))": "the text of a ndarray",
    "return x + operator.attrgetter('rate')(owner)": "attrgetter, of which it is not known that",
    "return x + len(owner.__dict__)": "__dict__ in f",
    "return x + (one.base is None)": "base in f",
    "match owner:\n        case Owner(rate=2.0): x = x + 1\n    return x": "a pattern of a class in f",
    "class C:\n        rate = owner.rate\n    return x * C.rate": "a class that is defined in f",
    "return x + scaled.__globals__['one'][0]": "__globals__ in f",
    "return x + keyed[owner]": "a Owner object in a set or as a key",
    "raise_it(owner)\n    return x": "Refusal, of which",
    "weft.trace_print(x)\n    return x": "trace_print",
    "return x + time.time()": "time",
    "return x + int(input.__name__ == 'input')": "",
    "return x * native(x)": "native, which runs as it is",
    "return x * id(x)": "id, of which",
    "return x * len(globals())": "globals() in",
    "return x + next(generated(x))": "generated, which runs as it is",
    "return x + Owner().rate": "Owner",
    "return x + np.fromfunction(scaled, (2,))": "fromfunction, which got a function",
    "return x + len(list(map(native, [1])))": "native, which runs as it is",
    "from os import sep\n    return x + len(sep)": "the import of os",
    "return x + cached(2)": "cached",
    "return x + one[0] * other[0]": "an array that two places hold",
}
"""By the body of a function: why it is not stored."""


@pytest.mark.processor  # a hundred functions, which take long to compile
def test_what_only_one_process_knows_is_not_stored(project: Project) -> None:
    functions = "\n".join(
        f"@weft.function\ndef f{number}(x):\n    {body}\nf{number}(np.ones(2))"
        for number, body in enumerate(NOT_STORED)
    )
    project.write_program(f"""
import functools, io, operator, os, time, warnings
warnings.simplefilter("ignore")
counter, kept = 0, []
one = other = np.ones(2)

class Owner:
    rate = 2.0

class Special:
    def __getattr__(self, name):
        return 2.0

class Derived(dict):
    rate = 2.0

class Refusal(Exception):
    def __init__(self, reason):
        super().__init__(reason)

def raise_it(value):
    try:
        raise Refusal("reason")
    except Refusal:
        pass

owner, special, slotted, stream = Owner(), Special(), [Derived()], io.StringIO()
keyed, TABLE = {{owner: 2}}, np.ones(2)

@weft.do_not_convert
def native(x):
    return 2

@functools.lru_cache
def cached(x):
    return x

def scaled(x):
    return x * 2

def generated(x):
    yield x
    yield x

{functions}
""")
    run = project.run()
    reasons = [line.partition(": not stored ")[2] for line in run.errors.splitlines() if "not stored" in line]
    told = dict(reason.split(": ", 1) for reason in reasons)
    for number, (body, reason) in enumerate(NOT_STORED.items()):
        assert reason in told.get(f"f{number}", "stored"), f"{body}: {told.get(f'f{number}', 'stored')}"
    again = project.run()
    assert again.output == run.output
    assert again.found == run.stored


def test_only_so_many_states_of_one_function_are_kept(project: Project) -> None:
    project.write_program("""
        import sys

        def f(x):
            return x * RATE

        for RATE in map(float, sys.argv[1:]):
            print(weft.function(f)(np.ones(1)))
    """)
    states = [*map(str, range(10))]
    assert project.run(*states).output == "".join(f"[{state}.]\n" for state in states)
    assert len([*project.cache.rglob("*.weft")]) - _others(project) == 8
    assert project.run("9").found == 1
    assert project.run("0").found == 0


def _others(project: Project) -> int:
    """The files that hold no function."""
    return len([path for path in project.cache.rglob("*.weft") if "-" not in path.name])


def test_processes_at_once(project: Project) -> None:
    project.write_program("""
        @weft.function
        def f(x, k):
            return x * k, np.sort(x)

        print([f(np.arange(5.0), k) for k in (2, 3.5, 1j)])
    """)
    wanted = project.run(WEFT_CACHE="0").output
    runs = [finished(process) for process in [project.start() for _ in range(4)]]
    assert [run.output for run in runs] == [wanted] * 4
    warm = project.run()
    assert not warm.mlir
    assert not warm.llvm
