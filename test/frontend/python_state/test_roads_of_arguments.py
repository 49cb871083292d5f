"""Arguments that lead to something: it is changed and compared as what is found under names is, constant or not."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.roads import IMPORTS, names_of, plain

CASES = {
    "a method of a list": ("l = [1.0]; arg = l.append", "if c > 0: a(2.0)", "None", "list(l)", "l.append(5.0)"),
    "get of a dict": ("d = {'k': 2.0}; arg = d.get", "pass", "a('k')", "d['k']", "d['k'] = 9.0"),
    "methods in a list": ("l = [1.0]; arg = [l.append]", "if c > 0: a[0](2.0)", "None", "list(l)", "l.append(5.0)"),
    "a partial": (
        "l = [1.0]; arg = functools.partial(l.__setitem__, 0)", "if c > 3: a(7.0)", "None", "list(l)", "l[0] = 5.0",
    ),
    "a partial in a dict": (
        "l = [1.0]; arg = {'k': functools.partial(l.append, 2.0)}", "if c > 0: a['k']()", "None", "list(l)",
        "l.append(5.0)",
    ),
    "keywords of a partial": (
        "arg = functools.partial(dict, k=2.0)", "pass", "a()['k']", "0", "arg.keywords['k'] = 9.0",
    ),
    "UserDict": (
        "arg = collections.UserDict(k=2.0)", "if c > 3: a['k'] = 7.0", "a['k']", "dict(arg)", "arg['k'] = 9.0",
    ),
    "UserList": (
        "arg = collections.UserList([2.0])", "if c > 0: a[0] = a[0] + 7.0", "a[0]", "list(arg)", "arg[0] = 9.0",
    ),
    "a proxy of a dict": ("d = {'k': 2.0}; arg = types.MappingProxyType(d)", "pass", "a['k']", "0", "d['k'] = 9.0"),
    "a view of a dict": ("d = {'k': 2.0}; arg = d.values()", "pass", "sum(a)", "0", "d['k'] = 9.0"),
    "a counter": (
        "arg = collections.Counter(k=1)", "if c > 0: a['k'] += 1", "a['k']", "dict(arg)", "arg['k'] = 9",
    ),
    "a class of lists": (
        "class L(list): pass\narg = L([1.0]); arg.k = 1.0", "if c > 0: a[0] = a[0] + a.k", "a[0]", "list(arg)",
        "arg.k = 9.0",
    ),
    "an attribute of a function": (
        "def arg(): return 0\narg.k = 2.0", "if c > 0: a.k = a.k + 1.0", "a.k", "arg.k", "arg.k = 9.0",
    ),
    "the code of a function": (
        "def arg(): return 2.0\ndef other(): return 9.0", "pass", "a()", "0", "arg.__code__ = other.__code__",
    ),
    "a weak reference": (
        "class A: pass\no = A(); o.v = 1.0; arg = weakref.ref(o)", "if c > 0: a().v = a().v + 1.0", "a().v", "o.v",
        "o.v = 9.0",
    ),
    "a weak reference to an array": ("o = np.ones(3); arg = weakref.ref(o)", "pass", "a()[0]", "0", "o[0] = 9.0"),
    "a weak proxy": (
        "class A: pass\no = A(); o.v = 1.0; arg = weakref.proxy(o)", "if c > 3: a.v = 2.0", "a.v", "o.v", "o.v = 9.0",
    ),
    "ContextVar": (
        "arg = contextvars.ContextVar('arg', default=1.0)", "if c > 0: a.set(a.get() + 1.0)", "a.get()", "arg.get()",
        "arg.set(9.0)",
    ),
    "threading.local": (
        "arg = threading.local(); arg.k = 1.0", "if c > 0: a.k = a.k + 1.0", "a.k", "arg.k", "arg.k = 9.0",
    ),
    "an exception": (
        "arg = ValueError([1.0])", "if c > 0: a.args[0][0] = 2.0", "a.args[0][0]", "arg.args[0][0]",
        "arg.args[0][0] = 9.0",
    ),
    "a list of a class": (
        "class arg:\n    l = [1.0]", "if c > 0: a.l.append(2.0)", "len(a.l)", "list(arg.l)", "arg.l.append(3.0)",
    ),
    "a compiled function": (
        "import weft\nl = [1.0]\n@weft.function\ndef arg(v):\n    l.append(v)", "if c > 0: a(2.0)", "None", "list(l)",
        "l.append(5.0)",
    ),
}  # fmt: skip


def _outcome(text: str, is_compiled: bool) -> list[object]:
    names = names_of(text)
    function = weft.function(names["f"]) if is_compiled else names["f"]
    found: list[object] = []
    for number in range(4):
        found += [plain(function(np.int64(1), names["arg"])), plain(names["look"]())]
        if number == 1:
            names["change"]()
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_an_argument_that_leads_to_something(name):
    setup, body, result, look, change = CASES[name]
    text = (
        f"{IMPORTS}{setup}\ndef f(c, a):\n    {body}\n    return {result}\n"
        f"def look():\n    return {look}\ndef change():\n    {change}\n"
    )
    assert _outcome(text, is_compiled=True) == _outcome(text, is_compiled=False), text
