"""The second call sees what changed, by whatever way the function looks it up."""

from __future__ import annotations

import linecache
import sys
import threading
import types

import numpy as np
import pytest

import weft
from support.native_calls import same

PROGRAM = """
import operator, sys, types
import numpy as np

class Base:
    v = 1
    def m(self): return 1
    @staticmethod
    def st(): return 1
    @classmethod
    def cm(cls): return cls.v
    @property
    def p(self): return self.z

class A(Base):
    def __init__(self):
        self.z, self.o, self.items = 1, object(), [1, 2]

class Other(A):
    v = 5

class Slots:
    __slots__ = ("z",)

class Special:
    def __len__(self): return K
    def __contains__(self, item): return K == item
    def __bool__(self): return K == 1
    def __iter__(self): return iter([K])
    def __eq__(self, other): return other == K
    def __getattr__(self, name): return K
    __hash__ = object.__hash__

class Pair:
    __match_args__ = ("a", "b")

class Tagged(np.ndarray):
    pass

def taken(value):
    match value:
        case Pair(first, _): return first

pair, array = Pair(), np.ones(2).view(Tagged)
pair.a, pair.b, array.tag = 1, 2, 1
a, b, slots, special = A(), A(), Slots(), Special()
slots.z = 1
G = H = object()
K, NAME, LIST, TWIN, DICT, SET = 1, "z", [1, 2], [1, 2], {"k": 1}, {1, 2}
ARRAY, SMALL = np.ones(2), np.array([1.0, 2.0])
SPACE = types.SimpleNamespace(z=1)
MODULE = types.ModuleType("some_module")
MODULE.number, MODULE.items, MODULE.function = 1, [1, 2], lambda x: x + 1
"""

LOOKUPS = [
    ("G is H", "H = object()"),
    ("a.o is b.o", "b.o = a.o"),
    ("a.items is b.items", "b.items = a.items"),
    ("LIST is TWIN", "TWIN = LIST"),
    ("LIST is not TWIN", "TWIN = LIST"),
    ("ARRAY is SMALL", "SMALL = ARRAY"),
    ("globals()['K']", "K = 2"),
    ("globals().get('K')", "K = 2"),
    ("'late' in globals()", "late = 1"),
    ("vars(a)['z'], vars(a).get('z')", "a.z = 2"),
    ("a.__dict__['z'], {**vars(a)}['z']", "a.z = 2"),
    ("'late' in vars(a), len(a.__dict__), 'late' in dir(a)", "a.late = 2"),
    ("getattr(a, 'z'), getattr(a, NAME, 0)", "a.z = 2"),
    ("getattr(a, NAME)", "NAME = 'items'"),
    ("getattr(a, 'late', 0)", "a.late = 5"),
    ("hasattr(a, 'late')", "a.late = 5"),
    ("hasattr(a, 'z')", "del a.z"),
    ("operator.attrgetter('z')(a)", "a.z = 2"),
    ("object.__getattribute__(a, 'z')", "a.z = 2"),
    ("MODULE.number", "MODULE.number = 2"),
    ("getattr(MODULE, 'number'), vars(MODULE)['number']", "MODULE.number = 2"),
    ("hasattr(MODULE, 'late')", "MODULE.late = 2"),
    ("MODULE.function(x)", "MODULE.function = lambda x: x + 2"),
    ("MODULE.items[0], len(MODULE.items)", "MODULE.items.insert(0, 4)"),
    ("MODULE.items[0]", "MODULE.items = [7]"),
    ("sys.modules[__name__].K", "K = 2"),
    ("A.v, a.v, type(a).v, vars(Base)['v']", "Base.v = 2"),
    ("A.v, a.v", "A.v = 2"),
    ("a.v", "a.v = 2"),
    ("getattr(A, 'late', 0)", "A.late = 5"),
    ("hasattr(A, 'late')", "Base.late = 5"),
    ("a.m()", "Base.m = lambda self: 2"),
    ("a.m()", "A.m = lambda self: 2"),
    ("a.m()", "a.m = lambda: 2"),
    ("a.st(), A.st()", "Base.st = staticmethod(lambda: 2)"),
    ("a.cm(), A.cm()", "A.v = 2"),
    ("a.p", "a.z = 2"),
    ("a.p", "Base.p = property(lambda self: 7)"),
    ("slots.z, getattr(slots, 'z')", "slots.z = 2"),
    ("SPACE.z, vars(SPACE)['z']", "SPACE.z = 2"),
    ("sorted(vars(SPACE))", "SPACE.late = 2"),
    ("1 in LIST, 9 in LIST, len(LIST), LIST[0], sum(LIST)", "LIST[:] = [9]"),
    ("'late' in DICT, DICT.get('late'), len(DICT), list(DICT)", "DICT['late'] = 2"),
    ("1 in SET, len(SET)", "SET.remove(1)"),
    ("len(special)", "K = 2"),
    ("1 in special", "K = 2"),
    ("1 if special else 0", "K = 0"),
    ("[v for v in special]", "K = 2"),
    ("special == 1", "K = 2"),
    ("special.anything", "K = 2"),
    ("len([name for name in dir(a) if len(name) < 3])", "Base.w = 2"),
    ("array.tag", "array.tag = 2"),
    ("taken(pair)", "Pair.__match_args__ = ('b', 'a')"),
]


@pytest.mark.parametrize(("expression", "change"), LOOKUPS)
def test_a_change_is_seen(expression: str, change: str) -> None:
    file = f"<{expression} and {change}>"
    text = (
        f"{PROGRAM}\ndef f(x):\n    return ({expression}), x + 1\n\n"
        f"def change():\n    global G, H, K, NAME, TWIN, SMALL, late\n    {change}\n"
    )
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    module = types.ModuleType("looked_up")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "looked_up", module)
        exec(compile(text, file, "exec"), vars(module))
        compiled, x = weft.function(module.f), np.ones(2)
        before = module.f(x)
        for _ in range(3):
            same(compiled(x), before)
        traces = compiled.trace_count
        module.change()
        expected = module.f(x)
        assert repr(expected) != repr(before)
        for _ in range(3):
            same(compiled(x), expected)
        assert compiled.trace_count == traces + 1 == 2


SHARED = "1"


@weft.do_not_convert
def interfere(value: str | None) -> None:
    """Let another thread change a global."""
    if value is not None:
        other = threading.Thread(target=setattr, args=(sys.modules[__name__], "SHARED", value))
        other.start()
        other.join()


def test_state_that_another_thread_changes_is_traced_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SHARED", "1")
    pending = iter(["12", "123"])

    @weft.do_not_convert
    def next_one() -> str | None:
        return next(pending, None)

    @weft.function
    def f(x):
        interfere(next_one())
        return x * len(SHARED)

    assert f(np.ones(1)) == 3
    assert f.trace_count == 3
    monkeypatch.setattr(sys.modules[__name__], "SHARED", "12345")
    assert f(np.ones(1)) == 5


def test_state_that_changes_at_each_trace_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SHARED", "1")

    @weft.function
    def f(x):
        interfere(SHARED + "1")
        return x * len(SHARED)

    with pytest.raises(
        ValueError, match="depends on state that changes whenever it is traced: global SHARED"
    ):
        f(np.ones(1))


def test_keys_of_arguments_that_python_takes_for_equal_are_told_apart() -> None:
    @weft.function
    def f(x, given):
        return x + sum(isinstance(key, bool) + np.copysign(2, key) for key in given)

    for key, expected in ((0, 2), (False, 3), (0.0, 2), (-0.0, -2), (0, 2)):
        for _ in range(3):
            assert f(np.zeros(1), {key: "a"}) == expected


def test_the_class_of_an_argument_may_become_another_one() -> None:
    class First:
        pass

    class Second:
        pass

    @weft.function
    def f(x, given):
        return x + (1 if isinstance(given, Second) else 2)

    given, other = First(), First()
    for _ in range(3):
        assert f(np.zeros(1), given) == 2
    given.__class__ = Second
    for _ in range(3):
        assert f(np.zeros(1), given) == 1
    assert f(np.zeros(1), other) == 2
