"""Whatever a trace reads is compared: when the caller changes it, the next call computes what Python computes."""

from __future__ import annotations

import decimal

import numpy as np
import pytest

import weft
from support.roads import IMPORTS, names_of, plain

READS = {
    "a list of 1,100 numbers": ("L = [1.0] * 1100", "L[1050]", "L[1050] = 9.0"),
    "a grid": ("L = [[0.0] * 40 for _ in range(40)]", "sum(sum(r) for r in L)", "L[39][39] = 9.0"),
    "a grid as an array": ("L = [[0.0] * 40 for _ in range(40)]", "np.array(L).sum()", "L[39][39] = 9.0"),
    "a dict of 1,100 keys": ("D = {k: 1.0 for k in range(1100)}", "D[1050]", "D[1050] = 9.0"),
    "many words": ("L = ['a'] * 1100", "sum(len(w) for w in L[1000:])", "L[1099] = 'bb'"),
    "twelve levels": (
        "L = [[[[[[[[[[[[1.0]]]]]]]]]]]]", "L[0][0][0][0][0][0][0][0][0][0][0][0]",
        "L[0][0][0][0][0][0][0][0][0][0][0][0] = 9.0",
    ),
    "a list that holds itself": ("L = [1.0]; L.append(L)", "L[0]", "L[1][1][0] = 9.0"),
    "an attribute of a function": ("def g(): return 0\ng.k = 2.0", "g.k", "g.k = 9.0"),
    "an attribute that a function lacks": ("def g(): return 0", "getattr(g, 'k', 2.0)", "g.k = 9.0"),
    "an attribute of the compiled function": ("def g(): return f.k\nK = []", "g()", "f.k = 9.0"),
    "a memo of a function": (
        "def g(v):\n    if v not in g.memo: g.memo[v] = v * 2.0\n    return g.memo[v]\ng.memo = {}",
        "g(1)",
        "g.memo[1] = 9.0",
    ),
    "another code": ("def g(): return 2.0\ndef other(): return 9.0", "g()", "g.__code__ = other.__code__"),
    "other defaults": ("def g(m=2.0): return m", "g()", "g.__defaults__ = (9.0,)"),
    "other defaults by keyword": ("def g(*, m=2.0): return m", "g()", "g.__kwdefaults__ = {'m': 9.0}"),
    "a list as a default": ("def g(m=[2.0]): return m[0]", "g()", "g.__defaults__[0][0] = 9.0"),
    "another code of a method": (
        "class A:\n    def m(self): return 2.0\ndef other(self): return 9.0\na = A()",
        "a.m()",
        "A.m.__code__ = other.__code__",
    ),
    "another code of a property": (
        "class A:\n    @property\n    def p(self): return 2.0\ndef other(self): return 9.0\na = A()",
        "a.p",
        "A.p.fget.__code__ = other.__code__",
    ),
    "another code of __call__": (
        "class A:\n    def __call__(self): return 2.0\ndef other(self): return 9.0\na = A()",
        "a()",
        "A.__call__.__code__ = other.__code__",
    ),
    "UserDict": ("U = collections.UserDict(k=2.0)", "U['k']", "U['k'] = 9.0"),
    "UserDict by get": ("U = collections.UserDict(k=2.0)", "U.get('k')", "U['k'] = 9.0"),
    "UserList": ("U = collections.UserList([2.0])", "sum(U)", "U[0] = 9.0"),
    "the length of a UserList": ("U = collections.UserList([2.0])", "len(U)", "U.append(9.0)"),
    "a class derived from UserDict": (
        "class V(collections.UserDict):\n    pass\nU = V(k=2.0)", "U['k']", "U['k'] = 9.0",
    ),
    "ChainMap": ("E = {'k': 2.0}; C = collections.ChainMap({}, E)", "C['k']", "E['k'] = 9.0"),
    "ChainMap in front": ("C = collections.ChainMap({}, {'k': 2.0})", "C['k']", "C['k'] = 9.0"),
    "get of an abstract mapping": (
        "class M(collections.abc.Mapping):\n    def __init__(self): self.d = {'k': 2.0}\n"
        "    def __getitem__(self, key): return self.d[key]\n    def __iter__(self): return iter(self.d)\n"
        "    def __len__(self): return len(self.d)\nm = M()",
        "m.get('k')",
        "m.d['k'] = 9.0",
    ),
    "index of an abstract sequence": (
        "class S(collections.abc.Sequence):\n    def __init__(self): self.l = [1.0, 2.0]\n"
        "    def __getitem__(self, i): return self.l[i]\n    def __len__(self): return len(self.l)\ns = S()",
        "s.index(2.0)",
        "s.l.insert(0, 9.0)",
    ),
    "a proxy": ("D = {'k': 2.0}; P = types.MappingProxyType(D)", "P['k']", "D['k'] = 9.0"),
    "a view of values": ("D = {'k': 2.0}; V = D.values()", "sum(V)", "D['k'] = 9.0"),
    "a view of items": ("D = {'k': 2.0}; V = D.items()", "dict(V)['k']", "D['k'] = 9.0"),
    "a view of keys": ("D = {'k': 2.0}; V = D.keys()", "len(V)", "D['l'] = 9.0"),
    "get of a dict": ("D = {'k': 2.0}; G = D.get", "G('k')", "D['k'] = 9.0"),
    "__getitem__ of a list": ("L = [2.0]; G = L.__getitem__", "G(0)", "L[0] = 9.0"),
    "index of a list": ("L = [2.0, 3.0]; G = L.index", "G(3.0)", "L.insert(0, 9.0)"),
    "a method in a list": ("D = {'k': 2.0}; G = [D.get]", "G[0]('k')", "D['k'] = 9.0"),
    "a method in an attribute": (
        "D = {'k': 2.0}; N = types.SimpleNamespace(get=D.get)", "N.get('k')", "D['k'] = 9.0",
    ),
    "a method of an object": (
        "class A:\n    k = 2.0\n    def m(self): return self.k\na = A(); M = a.m", "M()", "a.k = 9.0",
    ),
    "attrgetter": (
        "N = types.SimpleNamespace(a=types.SimpleNamespace(k=2.0)); G = operator.attrgetter('a.k')",
        "G(N)",
        "N.a.k = 9.0",
    ),
    "itemgetter": ("D = {'k': 2.0}; G = operator.itemgetter('k')", "G(D)", "D['k'] = 9.0"),
    "methodcaller": ("D = {'k': 2.0}; G = operator.methodcaller('get', 'k')", "G(D)", "D['k'] = 9.0"),
    "keywords of a partial": (
        "def g(k): return k\nP = functools.partial(g, k=2.0)", "P()", "P.keywords['k'] = 9.0",
    ),
    "a list in a partial": (
        "L = [2.0]\ndef g(l): return l[0]\nP = functools.partial(g, L)", "P()", "L[0] = 9.0",
    ),
    "keywords that are read": (
        "def g(k): return k\nP = functools.partial(g, k=2.0)", "P.keywords['k']", "P.keywords['k'] = 9.0",
    ),
    "a weak reference": ("class A: k = 2.0\na = A(); W = weakref.ref(a)", "W().k", "a.k = 9.0"),
    "an array of a weak reference": ("A = np.full(600, 2.0); W = weakref.ref(A)", "W()[0]", "A[0] = 9.0"),
    "a small array of a weak reference": ("A = np.full(3, 2.0); W = weakref.ref(A)", "W()[0]", "A[0] = 9.0"),
    "a weak dictionary": (
        "class A: k = 2.0\na = A(); b = A(); b.k = 9.0; W = weakref.WeakValueDictionary(a=a)",
        "W['a'].k",
        "W['a'] = b",
    ),
    "ContextVar": ("C = contextvars.ContextVar('C', default=2.0)", "C.get()", "C.set(9.0)"),
    "a list in a ContextVar": ("C = contextvars.ContextVar('C', default=[2.0])", "C.get()[0]", "C.get()[0] = 9.0"),
    "threading.local": ("T = threading.local(); T.k = 2.0", "T.k", "T.k = 9.0"),
    "a class of threading.local": (
        "class Local(threading.local):\n    k = 2.0\nT = Local()", "T.k", "T.k = 9.0",
    ),
    "a metaclass": (
        "class Meta(type): k = 2.0\nclass A(metaclass=Meta): pass", "A.k", "Meta.k = 9.0",
    ),
    "a class in front of its metaclass": (
        "class Meta(type): k = 2.0\nclass A(metaclass=Meta): pass", "A.k", "A.k = 9.0",
    ),
    "__len__ replaced": (
        "class A:\n    def __len__(self): return 2\na = A()", "len(a)", "A.__len__ = lambda self: 9",
    ),
    "__add__ replaced": (
        "class A:\n    def __add__(self, o): return 2.0\na = A()", "a + 1", "A.__add__ = lambda self, o: 9.0",
    ),
    "__getitem__ replaced": (
        "class A:\n    def __getitem__(self, i): return 2.0\na = A()", "a[0]", "A.__getitem__ = lambda self, i: 9.0",
    ),
    "__contains__ replaced": (
        "class A:\n    def __contains__(self, i): return True\na = A()", "2.0 if 1 in a else 9.0",
        "A.__contains__ = lambda self, i: False",
    ),
    "__bool__ replaced": (
        "class A:\n    def __bool__(self): return True\na = A()", "2.0 if a else 9.0",
        "A.__bool__ = lambda self: False",
    ),
    "__call__ replaced": (
        "class A:\n    def __call__(self): return 2.0\na = A()", "a()", "A.__call__ = lambda self: 9.0",
    ),
    "__getattr__ that an attribute replaces": (
        "class A:\n    def __getattr__(self, name): return 2.0\na = A()", "a.z", "a.z = 9.0",
    ),
    "state of __getattr__": (
        "class A:\n    def __init__(self): self.t = {'z': 2.0}\n    def __getattr__(self, name): return self.t[name]\n"
        "a = A()",
        "a.z",
        "a.t['z'] = 9.0",
    ),
    "state of a descriptor": (
        "class D:\n    def __init__(self): self.v = 2.0\n    def __get__(self, o, k): return self.v\n"
        "d = D()\nclass A: x = d\na = A()",
        "a.x",
        "d.v = 9.0",
    ),
    "a registered class": (
        "import abc\nclass B(abc.ABC): pass\nclass A: pass\na = A()",
        "9.0 if isinstance(a, B) else 2.0",
        "B.register(A)",
    ),
    "a registered subclass": (
        "import abc\nclass B(abc.ABC): pass\nclass A: pass", "9.0 if issubclass(A, B) else 2.0", "B.register(A)",
    ),
    "singledispatch": (
        "@functools.singledispatch\ndef g(o): return 2.0\nclass A: pass\na = A()", "g(a)",
        "g.register(A, lambda o: 9.0)",
    ),
    "singledispatchmethod": (
        "class B:\n    @functools.singledispatchmethod\n    def m(self, o): return 2.0\n"
        "class A: pass\na = A(); b = B()",
        "b.m(a)",
        "B.__dict__['m'].register(A, lambda self, o: 9.0)",
    ),
    "__getattr__ of a module": (
        "m = types.ModuleType('m')\nT = {'k': 2.0}\ndef g(name): return T[name]\nm.__getattr__ = g",
        "m.k",
        "T['k'] = 9.0",
    ),
    "a name in front of __getattr__": (
        "m = types.ModuleType('m')\ndef g(name): return 2.0\nm.__getattr__ = g", "m.k", "m.k = 9.0",
    ),
    "arguments of an exception": ("E = ValueError([2.0])", "E.args[0][0]", "E.args[0][0] = 9.0"),
    "an attribute of an exception": ("E = ValueError(); E.k = 2.0", "E.k", "E.k = 9.0"),
    "a member of an enumeration": (
        "class E(enum.Enum):\n    A = 1\nE.A.k = 2.0", "E.A.k", "E.A.k = 9.0",
    ),
    "decimal's context": (
        "import decimal\nA = decimal.Decimal(2); B = decimal.Decimal(3)",
        "float(A / B)",
        "decimal.getcontext().prec = 3",
    ),
    "a list of a class": ("class A: l = [2.0]", "A.l[0]", "A.l[0] = 9.0"),
    "a named tuple's list": ("P = collections.namedtuple('P', 'l')([2.0])", "P.l[0]", "P.l[0] = 9.0"),
    "the type of a key": ("D = {1: 2.0}", "float(type([*D][0]) is int)", "D.clear(); D[True] = 2.0"),
    "the unit of a date": ("L = [np.datetime64(1, 'D')]", "len(str(L[0]))", "L[0] = np.datetime64(1, 's')"),
    "the unit of a span of time": ("L = [np.timedelta64(1, 'D')]", "len(str(L[0]))", "L[0] = np.timedelta64(1, 'h')"),
    "the fields of a record": (
        "class A: pass\nA.v = np.array((1,), [('k', 'i4')])[()]",
        "len(str(A.v.dtype))",
        "A.v = np.array((1,), [('long', 'i4')])[()]",
    ),
    "a counter": ("C = collections.Counter(a=2)", "C['a']", "C['a'] = 9"),
    "a counter by its most common": ("C = collections.Counter(a=2)", "C.most_common(1)[0][1]", "C['a'] = 9"),
    "an ordered dict": ("O = collections.OrderedDict(a=2.0)", "list(O.values())[0]", "O['a'] = 9.0"),
    "an attribute of a list": ("class L(list): pass\nl = L(); l.k = 2.0", "l.k", "l.k = 9.0"),
    "an attribute of a partial": ("P = functools.partial(max, 1); P.k = 2.0", "P.k", "P.k = 9.0"),
}  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", READS)
def test_a_change_is_noticed(name):
    setup, read, change = READS[name]
    text = (
        f"{IMPORTS}{setup}\ndef f(x):\n    return x * ({read})\ndef change():\n    global a\n    {change}\n"
    )
    if "f.k" in text:
        text = text.replace("def change", "f.k = 2.0\ndef change")
    expected, names = names_of(text), names_of(text)
    compiled = names["f"] = weft.function(names["f"])
    if "f.k" in text:
        compiled.k = 2.0
    x = np.float64(1)
    before = plain(expected["f"](x))
    assert [plain(compiled(x)) for _ in range(3)] == [before] * 3
    assert compiled.trace_count <= 2  # a memo is filled first
    with decimal.localcontext():
        expected["change"](), names["change"]()
        after = plain(expected["f"](x))
        assert before != after
        assert [plain(compiled(x)) for _ in range(2)] == [after] * 2


def test_the_layout_of_a_global_array_is_that_of_the_trace() -> None:
    contiguous = weft.function(lambda x: np.ascontiguousarray(TURNED) + x.sum())
    for _ in range(3):
        np.testing.assert_array_equal(contiguous(np.ones(2)), TURNED + 2)


TURNED = np.arange(6.0).reshape(2, 3).T
