"""Programs whose state is changed step by step: whatever functions read, they give what Python gives after each change.

A program has places of all kinds, a few functions that each read some of them, and steps, each of which gives one place
another value. It says `stale` and what came out where a compiled function does not give what Python computes.
"""

from __future__ import annotations

import random

OTHER = """
import numpy as np

K = 1.0
ARRAY = np.full(2, 1.0)
LARGE = np.full(500, 1.0)

def scaled(x):
    return x * K


class Member:
    factor = 1.0
"""
"""The module `other`, which programs import."""

STATE = """
import collections
import contextvars
import functools
import threading
import weakref
import other

NUMBER = 1.0
FLAG = True
SMALL = np.full(2, 1.0)
LARGE = np.full(500, 1.0)
ITEMS = [1.0, [1.0, 2.0]]
TABLE = {"k": 1.0, "a": np.full(2, 1.0)}
MODES = {1, 2}

def enclosing():
    k, w = 1.0, np.full(2, 1.0)

    def inner(x):
        return x * k + w

    def change(value):
        nonlocal k
        k = value
        w[0] = value

    return inner, change

inner, change_inner = enclosing()

class Base:
    inherited = 1.0

class Meta(type):
    unit = 1.0

class Metered(metaclass=Meta):
    pass

class Described:
    k = 1.0

    def __get__(self, owner, kind):
        return self.k

class Model(Base):
    constant = 1.0

    def __init__(self):
        self.rate = 1.0
        self.weights = np.full(2, 1.0)
        self.items = [1.0]
        self.table = {"k": 1.0}

    def method(self, x):
        return x * 1.0

    @property
    def twice(self):
        return self.rate * 2

class Slotted:
    __slots__ = ("k",)

class Special:
    described = Described()

    def __len__(self):
        return 1

model, slotted, special = Model(), Slotted(), Special()
slotted.k = 1.0

def default(x, k=1.0):
    return x * k

def by_name(x, *, k=1.0):
    return x * k

def coded(x):
    return x * 1.0

def replaced(x):
    return x + 1.0

def decorated_by(k):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(x) * k
        return wrapper
    return decorate

@decorated_by(1.0)
def decorated(x):
    return x + 1.0

marked = coded
marked.factor = 1.0
partial = functools.partial(np.multiply, 1.0)
keyword = functools.partial(by_name, k=1.0)

MANY = [1.0] * 2000
DEEP = [[[[[[[[[[1.0]]]]]]]]]]
METHODS, VIEWED = {"k": 1.0}, {"k": 1.0}
get, view = METHODS.get, VIEWED.values()
users, listing = collections.UserDict(k=1.0), collections.UserList([1.0])
context = contextvars.ContextVar("context", default=1.0)
local = threading.local()
local.k = 1.0
referent = Model()
reference = weakref.ref(referent)

def listed(x, k=[1.0]):
    return x * k[0]

@functools.singledispatch
def generic(value):
    return 1.0

def code_of(value):
    return eval(f"lambda x: x * {value}").__code__

def change_global(name, value):
    globals()[name] = value

def change_item(container, key, value):
    container[key] = value
"""

PLACES = {
    "a global": ("x * NUMBER", "change_global('NUMBER', v)"),
    "a flag": ("(x if FLAG else x * 3)", "change_global('FLAG', v > 2)"),
    "the elements of a small array": ("x * SMALL", "change_item(SMALL, 0, v)"),
    "the elements of a large array": ("x * LARGE.sum()", "change_item(LARGE, 0, v)"),
    "a small array": ("x * SMALL", "change_global('SMALL', np.full(2, v))"),
    "the length of an array": ("x * LARGE.sum()", "change_global('LARGE', np.ones(int(500 + v)))"),
    "an item": ("x * ITEMS[0]", "change_item(ITEMS, 0, v)"),
    "an item of an item": ("x * ITEMS[1][0]", "change_item(ITEMS[1], 0, v)"),
    "the length of a list": ("x * len(ITEMS[1])", "change_item(ITEMS, 1, [1.0] * int(v))"),
    "an entry": ("x * TABLE['k']", "change_item(TABLE, 'k', v)"),
    "an array in an entry": ("x * TABLE['a']", "change_item(TABLE['a'], 0, v)"),
    "a set": ("(x if 2 in MODES else x * 5)", "change_global('MODES', {1, int(v)})"),
    "a closure": ("inner(x)", "change_inner(v)"),
    "an attribute": ("x * model.rate", "setattr(model, 'rate', v)"),
    "what a property reads": ("x * model.twice", "setattr(model, 'rate', v)"),
    "the elements of an attribute": ("x * model.weights", "change_item(model.weights, 0, v)"),
    "an item of an attribute": ("x * model.items[0]", "change_item(model.items, 0, v)"),
    "an entry of an attribute": ("x * model.table['k']", "change_item(model.table, 'k', v)"),
    "a slot": ("x * slotted.k", "setattr(slotted, 'k', v)"),
    "a function": ("replaced(x)", "change_global('replaced', decorated_by(v)(coded))"),
    "a decorator": ("decorated(x)", "change_global('decorated', decorated_by(v)(decorated.__wrapped__))"),
    "a partial": ("partial(x)", "change_global('partial', functools.partial(np.multiply, v))"),
    "what a function of a module reads": ("other.scaled(x)", "setattr(other, 'K', v)"),
    "the elements of an array of a module": ("x * other.ARRAY", "change_item(other.ARRAY, 0, v)"),
    "an attribute of a module": ("x * other.K", "setattr(other, 'K', v)"),
    "an array of a module": ("x * other.ARRAY", "setattr(other, 'ARRAY', np.full(2, v))"),
    "a function of a module": ("other.scaled(x)", "setattr(other, 'scaled', decorated_by(v)(coded))"),
    "a large array of a module": ("x * other.LARGE.sum()", "change_item(other.LARGE, 0, v)"),
    "an attribute of a class": ("x * Model.constant", "setattr(Model, 'constant', v)"),
    "an attribute of a base class": ("x * model.inherited", "setattr(Base, 'inherited', v)"),
    "an attribute of a class of a module": ("x * other.Member.factor", "setattr(other.Member, 'factor', v)"),
    "a method": ("model.method(x)", "setattr(Model, 'method', lambda self, x: x * v)"),
    "a default": ("default(x)", "setattr(default, '__defaults__', (v,))"),
    "a default of a keyword": ("by_name(x)", "setattr(by_name, '__kwdefaults__', {'k': v})"),
    "the code of a function": ("coded(x)", "setattr(coded, '__code__', code_of(v))"),
    "an attribute of a function": ("x * marked.factor", "setattr(marked, 'factor', v)"),
    "an item behind many": ("x * MANY[1500]", "change_item(MANY, 1500, v)"),
    "an item far inside": (f"x * DEEP{'[0]' * 10}", f"change_item(DEEP{'[0]' * 9}, 0, v)"),
    "an entry by a method of the dict": ("x * get('k')", "change_item(METHODS, 'k', v)"),
    "a keyword of a partial": ("keyword(x)", "change_item(keyword.keywords, 'k', v)"),
    "a list as a default": ("listed(x)", "change_item(listed.__defaults__[0], 0, v)"),
    "an entry of a UserDict": ("x * users['k']", "change_item(users, 'k', v)"),
    "an item of a UserList": ("x * sum(listing)", "change_item(listing, 0, v)"),
    "a view of a dict": ("x * sum(view)", "change_item(VIEWED, 'k', v)"),
    "a variable of the context": ("x * context.get()", "context.set(v)"),
    "an attribute in this thread": ("x * local.k", "setattr(local, 'k', v)"),
    "a weakly referenced object": ("x * reference().rate", "setattr(referent, 'rate', v)"),
    "a special method": ("x * len(special)", "setattr(Special, '__len__', lambda self: int(v))"),
    "an attribute of a metaclass": ("x * Metered.unit", "setattr(Meta, 'unit', v)"),
    "the state of a descriptor": ("x * special.described", "setattr(vars(Special)['described'], 'k', v)"),
    "what is registered": ("x * generic(special)", "generic.register(Special, lambda value: v)"),
}
"""By what is changed: what reads it, and what gives it the value `v`."""

FUNCTIONS = 4
READS = 3
"""How many places a function reads."""

STEPS = 12

_STEP = """
def run(start):
    x = np.array([1.0, -2.0])
    for number, change in enumerate(CHANGES):
        change()
        if number < start:
            continue
        for f in FUNCTIONS:
            if number == start:
                f.clear_cache()
            made, wanted = f(x), f.python_function(x)
            print(number, f.name, made.tolist(), "" if np.array_equal(made, wanted) else f"stale: {wanted.tolist()}")

run(int(sys.argv[1]))
"""


def changing_program(seed: int) -> tuple[str, list[str]]:
    """The text of a program for a seed, and what it changes, step by step.

    Its argument says how many changes are made before its functions are called for the first time.
    """
    choose = random.Random(seed)
    read = [choose.sample(sorted(PLACES), READS) for _ in range(FUNCTIONS)]
    texts = [
        f"@weft.function\ndef f{number}(x):\n    return {' + '.join(PLACES[name][0] for name in names)}\n"
        for number, names in enumerate(read)
    ]
    changed = [choose.choice(choose.choice(read)) for _ in range(STEPS)]
    changes = []
    for name in changed:
        change = PLACES[name][1]
        changes.append(f"    lambda v={choose.choice([2.0, 3.0])}: {change},\n")
    functions = ", ".join(f"f{number}" for number in range(FUNCTIONS))
    parts = [
        "import sys\n",
        STATE,
        *texts,
        f"FUNCTIONS = [{functions}]\nCHANGES = [\n",
        *changes,
        "]\n",
        _STEP,
    ]
    return "".join(parts), changed


__all__ = ["OTHER", "STEPS", "changing_program"]
