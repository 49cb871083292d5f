"""What a trace would change once, and no walk sees, is refused at its line."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.roads import IMPORTS, names_of, plain

REFUSED = {
    "a list in a cycle": (
        "l = [1.0]; cycle = itertools.cycle([l])", "next(cycle).append(2.0)", "a list that is an item of a cycle", True,
    ),
    "a C structure": (
        "class P(ctypes.Structure):\n    _fields_ = [('x', ctypes.c_double)]\np = P(1.0)",
        "p.x = 2.0",
        "'x' of a P",
        True,
    ),
    "a C number": ("v = ctypes.c_double(1.0)", "v.value = 2.0", "'value' of a c_double", True),
    "the class of an object": (
        "class A: pass\nclass B: pass\na = A()", "a.__class__ = B", "'__class__' of a A", True,
    ),
    "the arguments of an exception": ("e = ValueError(1.0)", "e.args = (2.0,)", "'args' of a ValueError", True),
    "the defaults of a function": (
        "def g(m=1.0): return m", "g.__defaults__ = (2.0,)", "'__defaults__' of a function", True,
    ),
    "the code of a function": (
        "def g(): return 1.0\ndef h(): return 2.0", "g.__code__ = h.__code__", "'__code__' of a function", True,
    ),
    "a cell": ("c = types.CellType(1.0)", "c.cell_contents = 2.0", "'cell_contents' of a cell", True),
    "a remembered list": (
        "@functools.lru_cache\ndef g(): return [1.0]", "g().append(2.0)", "functools.lru_cache remembers", False,
    ),
    "a function that is remembered": (
        "l = []\n@functools.lru_cache\ndef g():\n    l.append(1.0)\n    return 1.0",
        "g()",
        "g changes l, and Python",
        False,
    ),
    "an array of objects": (
        "a = np.empty(1, object); a[0] = [1.0]; it = iter([a.item])", "next(it)(0).append(2.0)", "", True,
    ),
    "decimal's context": (
        "import decimal", "decimal.getcontext().prec = 5", "'prec' of decimal's context", False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_that_nothing_follows(name):
    setup, change, message, is_in_branch_only = REFUSED[name]
    body = f"    if x > 3:\n        {change}\n" if is_in_branch_only else f"    {change}\n"
    names = names_of(f"{IMPORTS}import ctypes, itertools\n{setup}\ndef f(x):\n{body}    return x\n")
    with pytest.raises(weft.UnsupportedError) as error:
        weft.function(names["f"])(np.float64(1))
    assert message in str(error.value)
    assert "<road " in str(error.value)  # the line


def test_what_a_branch_makes_itself_is_its_own():
    def f(x):
        total = 0.0
        for i in range(3):
            if x > i:
                rows = [[1.0], [2.0]]
                rows[0].append(x)
                table = {"a": rows}
                table["a"][1].extend(rows[0])
                total = total + sum(table["a"][1])
        return total

    assert plain(weft.function(f)(np.float64(2))) == f(2.0)
