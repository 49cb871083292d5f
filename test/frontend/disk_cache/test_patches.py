"""The disk cache where programs change other modules or walk sets: a process is as without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cached_programs import Project

_PATCHED = """
    import math, os, operator, sys
    import ml_dtypes  # registers loops of what np.tanh and np.cosh are

    if len(sys.argv) > 1:
        np.pi = 4.0
        math.tau = 5.0
        operator.add = operator.sub
        np.tanh = np.cosh
        os.sep = "//"
        np.added = 3
        np.set_printoptions(legacy="1.25")

    @weft.function
    def constant(x): return x * np.pi

    @weft.function
    def other(x): return x * math.tau

    @weft.function
    def function(x): return operator.add(x, x)

    @weft.function
    def ufunc(x): return np.tanh(x)

    @weft.function
    def text(x): return x * len(os.sep)

    @weft.function
    def added(x): return x * getattr(np, "added", 2)

    @weft.function
    def shown(x): return x * len(repr(np.float64(3)))

    @weft.function
    def attribute(x): return x * attribute.factor

    attribute.factor = len(sys.argv)

    @weft.function
    def inner(x): return x * inner.python_function.factor

    inner.python_function.factor = len(sys.argv)

    for f in (constant, other, function, ufunc, text, added, shown, attribute, inner):
        print(f(np.ones(2)))
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_modules_that_are_patched_are_seen(project: Project) -> None:
    project.write_program(_PATCHED)
    outputs = []
    for arguments in ((), ("patched",)):
        wanted = project.run(*arguments, WEFT_CACHE="0").output.splitlines()
        for _ in range(2):
            assert project.run(*arguments).output.splitlines() == wanted
        outputs.append(wanted)
    changed = [one != other for one, other in zip(*outputs, strict=True)]
    assert changed == [True, True, True, False, *[True] * 5], "weft.tanh stays what it is"


_WALKS = {
    "S": "for k in S: x = x * 10 + ord(k)",
    "a literal": "for k in {'a', 'b', 'c', 'd'}: x = x * 10 + ord(k)",
    "a comprehension": "for k in {c for c in 'abcd'}: x = x * 10 + ord(k)",
    "set()": "x = x + ord(list(set('abcd'))[0])",
    "keys": "for k in A.keys() & A.keys(): x = x * 10 + ord(k)",
    "keys that are taken away": "for k in A.keys() - B.keys(): x = x * 10 + ord(k)",
    "arguments": "x = x + first(*S)",
    "unpacking": "a, *b = S; x = x * ord(a)",
    "pop": "s = {'a', 'b', 'c', 'd'}; x = x * ord(s.pop())",
    "a set in a class": "for k in C.S: x = x * 10 + ord(k)",
    "a default": "x = x + walked(x)",
    "an f-string": "x = x + ord(f'{S}'[2])",
    "min": "x = x + ord(min(S, key=len))",
    "a dict": "x = x + ord(next(iter(dict.fromkeys(S))))",
    "copy": "x = x + ord(list(S.copy())[0])",
    "an operator": "for k in S | S: x = x * 10 + ord(k)",
    "an attribute": "for k in owner.S: x = x * 10 + ord(k)",
    "in a list": "for k in L[0]: x = x * 10 + ord(k)",
}
"""By what is walked: statements."""


def test_the_order_of_sets_is_that_of_each_process(project: Project) -> None:
    functions = "\n".join(
        f"@weft.function\ndef f{number}(x):\n    {body}\n    return x\nprint(f{number}(np.ones(1)))"
        for number, body in enumerate(_WALKS.values())
    )
    project.write_program(f"""
S = {{"a", "b", "c", "d"}}
L = [S]
A, B = dict.fromkeys("abcdef", 1), dict.fromkeys("ab", 1)

class C:
    S = {{"a", "b", "c", "d"}}

owner = C()
owner.S = S

def first(*values):
    return ord(values[0])

def walked(x, s=frozenset("abcd")):
    for k in s: x = x * 10 + ord(k)
    return x

{functions}
""")
    outputs = []
    for seed in ("1", "5"):
        wanted = project.run(WEFT_DISABLE_JIT="1", PYTHONHASHSEED=seed).output.splitlines()
        run = project.run(PYTHONHASHSEED=seed)
        assert run.output.splitlines() == wanted
        assert run.found == 0
        outputs.append(wanted)
    same = [name for name, one, other in zip(_WALKS, *outputs, strict=True) if one == other]
    assert same == [], "orders that are the same test nothing"


def test_sets_that_are_asked_only_are_stored(project: Project) -> None:
    project.write_program("""
        MODES = {"a", "b", "c"}
        AXES = {0, 8, 16}

        class Model:
            KINDS = frozenset({"x", "y", "z"})

        model = Model()

        @weft.function
        def f(x, mode):
            if mode in MODES and mode not in {"d", "e"} and mode not in model.KINDS:
                x = x * len(set([1, 2, 2]))
            for axis in AXES:
                x = x * 10 + axis
            return x

        print(f(np.ones(1), "b"), f(np.ones(1), "y"))
    """)
    first = project.run(PYTHONHASHSEED="1")
    second = project.run(PYTHONHASHSEED="5")
    assert first.output == second.output
    assert (first.stored, second.found) == (2, 2), first.errors
