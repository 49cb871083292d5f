"""By whichever road a branch or loop reaches what it changes: what is not taken does not happen, what is, does."""

from __future__ import annotations

import itertools

import pytest

from support.roads import CONTROLS, inside, outcome, outside

ROADS = {
    "a method of a list": ("l = [1.0]; append = l.append", "append(2.0)", "list(l)"),
    "__setitem__ of a list": ("l = [1.0]; put = l.__setitem__", "put(0, 5.0)", "list(l)"),
    "methods in a list": ("l = [1.0]; ms = [l.append, l.extend]", "ms[0](2.0)", "list(l)"),
    "methods in a dict": ("l = [1.0]; ms = {'a': l.append}", "ms['a'](2.0)", "list(l)"),
    "a method of a dict": ("d = {'a': 1.0}; update = d.update", "update(a=2.0)", "d['a']"),
    "a method of a stack": ("s = [1.0, 2.0, 3.0]; pop = s.pop", "pop()", "list(s)"),
    "a partial": ("l = [1.0]; p = functools.partial(l.__setitem__, 0)", "p(7.0)", "list(l)"),
    "keywords of a partial": (
        "l = [1.0]\ndef g(v, *, a): a[0] = v\np = functools.partial(g, a=l)", "p(7.0)", "list(l)",
    ),
    "a default": ("l = [1.0]\ndef g(v, a=l): a.append(v)", "g(2.0)", "list(l)"),
    "a default by keyword": ("d = {'a': 1.0}\ndef g(v, *, a=d): a['a'] = v", "g(2.0)", "d['a']"),
    "a method as a default": ("l = [1.0]\ndef g(v, a=l.append): a(v)", "g(2.0)", "list(l)"),
    "an attribute of a function": ("def g(): return 0\ng.k = 1.0", "g.k += 2.0", "g.k"),
    "a list of a function": ("def g(): return 0\ng.l = [1.0]", "g.l.append(3.0)", "list(g.l)"),
    "a counter of a wrapper": (
        "def counted(f):\n    @functools.wraps(f)\n    def w(v):\n        w.calls += 1\n        return f(v)\n"
        "    w.calls = 0\n    return w\ng = counted(lambda v: v)",
        "g(1.0)",
        "g.calls",
    ),
    "an attribute of an exception": ("e = ValueError('a'); e.k = 1.0", "e.k = 2.0", "e.k"),
    "the arguments of an exception": ("e = ValueError([1.0])", "e.args[0][0] = 2.0", "list(e.args[0])"),
    "a class made inside": (
        "l = [1.0]\nclass A:\n    def m(self, v): l.append(v)\na = A()", "a.m(2.0)", "list(l)",
    ),
    "a static method": (
        "l = [1.0]\nclass A:\n    @staticmethod\n    def m(v): l.append(v)", "A.m(2.0)", "list(l)",
    ),
    "a property": (
        "l = [1.0]\nclass A:\n    @property\n    def p(self): l.append(2.0)\na = A()", "a.p", "list(l)",
    ),
    "a default of a method": (
        "acc = []\nclass A:\n    def m(self, v, acc=acc): acc.append(v)\na = A()", "a.m(2.0)", "list(acc)",
    ),
    "a descriptor": (
        "class D:\n    def __init__(self): self.v = 1.0\n    def __get__(self, o, k): return self.v\n"
        "    def __set__(self, o, v): self.v = v\nclass A:\n    d = D()\na = A()",
        "a.d = 5.0",
        "a.d",
    ),
    "a private slot": (
        "class A:\n    __slots__ = ('__w',)\n    def __init__(self): self.__w = 1.0\n"
        "    def s(self, x): self.__w = x\n    def g(self): return self.__w\na = A()",
        "a.s(3.0)",
        "a.g()",
    ),
    "a view of a dict": ("d = {'a': 1.0}; v = d.values()", "d['a'] = 2.0", "sum(v)"),
    "a proxy of a dict": ("d = {'a': 1.0}; p = types.MappingProxyType(d)", "d['a'] = 2.0", "p['a']"),
    "a weak reference": ("class A: pass\na = A(); a.k = 1.0; w = weakref.ref(a)", "w().k = 2.0", "a.k"),
    "a variable of the context": (
        "cv = contextvars.ContextVar('cv'); cv.set(1.0)", "cv.set(2.0)", "cv.get()",
    ),
    "append of an abstract sequence": (
        "class S(collections.abc.MutableSequence):\n    def __init__(self): self.l = [1.0]\n"
        "    def __getitem__(self, i): return self.l[i]\n    def __setitem__(self, i, v): self.l[i] = v\n"
        "    def __delitem__(self, i): del self.l[i]\n    def insert(self, i, v): self.l.insert(i, v)\n"
        "    def __len__(self): return len(self.l)\ns = S()",
        "s.append(2.0)",
        "list(s.l)",
    ),
    "a member of a set": (
        "class A:\n    def __init__(self): self.v = 1.0\na = A(); s = {a}", "for o in s: o.v = 2.0", "a.v",
    ),
}  # fmt: skip

CHOSEN = ("a branch that is not taken", "a for loop", "a try statement")
"""Each road is tried in these, the others one after the other."""


def _cases() -> list[tuple[str, str]]:
    others = itertools.cycle([control for control in CONTROLS if control not in CHOSEN])
    return [(road, control) for road in ROADS for control in (CHOSEN[0], next(others))]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("road", "control"), _cases())
def test_what_is_made_in_the_function(road, control):
    text = inside(*ROADS[road], control)
    assert outcome(text, is_compiled=True) == outcome(text, is_compiled=False), text


REFUSED_OUTSIDE = {"a method of a stack"}  # which is empty at the third call


def _cases_outside() -> list[tuple[str, str]]:
    controls = itertools.cycle(CONTROLS)
    return [(road, next(controls)) for road in ROADS if road not in REFUSED_OUTSIDE]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("road", "control"), _cases_outside())
def test_what_is_found_outside_and_changed_between_calls(road, control):
    text = outside(*ROADS[road], control)
    assert outcome(text, is_compiled=True) == outcome(text, is_compiled=False), text
