"""Calls of what is not converted: what computes does, what acts runs at each call, all else is refused at the line."""

from __future__ import annotations

import array
import collections
import contextlib
import copy
import datetime
import decimal
import enum
import fractions
import functools
import gc
import io
import itertools
import json
import logging
import operator
import os
import pprint
import re
import secrets
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import warnings
from pathlib import Path

import numpy as np
import pytest

import weft
from support.native_calls import same

F64 = np.float64
X = np.arange(3.0)
BUFFER = array.array("d", [1.0, 2.0])
WINDOW = memoryview(array.array("d", [1.0, 2.0]))
TEXT = io.StringIO("a\nb\n")


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


@functools.lru_cache
def remembered(x):
    return x * 2 if x > 1 else x


def lines(x):
    for _ in TEXT:
        x = x + 1
    return x


def opened(x):
    with open(os.devnull) as file:
        return x + len(file.read())


VARYING = [
    (lambda x: x + secrets.randbelow(3), "draws a random number"),
    (lambda x: x + uuid.uuid4().int, "draws a random number"),
    (lambda x: x + time.localtime().tm_year, "reads the clock"),
    (lambda x: x + datetime.datetime.now().year, "reads the clock"),
    (lambda x: x + datetime.date.today().year, "reads the clock"),
    (lambda x: x + len(os.environ["PATH"]), "environment"),
    (lambda x: x + len(os.environ.get("PATH", "")), "environment"),
    (lambda x: x + ("PATH" in os.environ), "environment"),
    (lambda x: x + len(os.getenv("PATH")), "environment"),
    (lambda x: x + len(os.listdir(".")), "environment"),
    (lambda x: x + Path(os.curdir).exists(), "reads or writes files"),
    (opened, "reads or writes files"),
    (lambda x: x + len(tempfile.mkdtemp()), "reads or writes files"),
    (lambda x: x + np.loadtxt(os.devnull).size, "reads or writes files"),
    (lambda x: x + len(input()), "reads what the user types"),
    (lambda x: threading.Thread(target=print).start(), "deals with threads"),
    (lambda x: subprocess.run(["true"]), "deals with threads or processes"),
    (lambda x: np.set_printoptions(precision=3), "changes settings"),
    (lambda x: gc.disable(), "changes settings"),
]


@pytest.mark.parametrize(("function", "message"), VARYING)
def test_what_varies_is_refused_with_the_ways_out(function, message):
    with pytest.raises(weft.UnsupportedError, match=message) as caught:
        weft.function(function)(F64(1))
    text = str(caught.value)
    for way in ("pass the result as an argument", "weft.py_call(", "weft.do_not_convert", __file__):
        assert way in text


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + BUFFER[0],
        lambda x: x + WINDOW[0],
        lambda x: x + len(WINDOW),
        lines,
    ],
)
def test_iterators_and_buffers_from_outside_are_refused(function):
    with pytest.raises(
        weft.UnsupportedError, match=r"from outside of the compiled function.*pass that as an argument"
    ):
        weft.function(function)(F64(1))


def test_numpy_shares_the_memory_of_a_memoryview_from_outside():
    compiled = weft.function(lambda x: (x + np.asarray(WINDOW)[0], np.add(WINDOW, 1), memoryview(b"ab")[1]))
    for value in (3, 3, 3, 5):
        WINDOW[0] = value
        same(compiled(F64(1)), (F64(1 + value), np.asarray(WINDOW) + 1, 98))


LOCK, CONDITION, STACK = threading.Lock(), threading.Condition(), contextlib.ExitStack()
QUIET = np.errstate(all="ignore")


def locked(x):
    with LOCK:
        return x + 1


def waiting(x):
    with silence(), CONDITION:
        return x + 1


def stacked(x):
    with STACK:
        return x + 1


def quiet(x):
    with QUIET:
        return x + 1


def silence():
    return np.errstate(all="ignore")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (locked, "`with` enters a _thread.lock object, which deals with threads or processes"),
        (waiting, "`with` enters a threading.Condition object"),
        (stacked, "uses an ExitStack from outside"),
        (quiet, "uses an errstate from outside"),
        (lambda x: eval("x + 1"), r"eval\(\) makes Python code while the function is traced"),
        (lambda x: exec("x + 1", {"x": x}) or x, r"exec\(\) makes Python code"),
    ],
)
def test_context_managers_with_a_state_and_code_in_texts_are_refused(function, message):
    with pytest.raises(weft.UnsupportedError, match=message):
        weft.function(function)(F64(1))


def test_context_managers_of_the_function_itself():
    @weft.function
    def f(x):
        with np.errstate(all="ignore"), io.StringIO() as buffer, contextlib.nullcontext(2) as two:
            buffer.write("abc")
            return x + len(buffer.getvalue()) + two

    assert f(F64(1)) == f(F64(1)) == 6


def test_iterators_and_queues_of_the_function_itself():
    @weft.function
    def f(x):
        numbers = iter([1, 2, 3])
        queue = collections.deque([next(numbers)])
        queue.append(next(numbers))
        queue.appendleft(x)
        (last,) = numbers
        return queue.popleft() + sum(queue) + last

    assert f(F64(1)) == 7

    @weft.function
    def taken(x, n):
        numbers = itertools.count(0.0)
        for _ in range(n):
            x = x + next(numbers)
        return x

    with pytest.raises(
        weft.UnsupportedError, match="count that was made before a branch or loop is used inside"
    ):
        taken(F64(1), np.int64(3))
    assert taken(F64(1), 3) == 4


def test_what_computes_is_called_as_it_is():
    @weft.function
    def f(x):
        table = collections.defaultdict(int, copy.deepcopy({"a": 1}))
        table["b"] += 2
        point = collections.namedtuple("Point", "x y")(1, 2)
        found = re.match(r"(\d+)", "12ab")
        with contextlib.suppress(KeyError):
            x = x + json.loads("[4]")[0]
        return (
            x + Colour(1).value + len(Colour) + sum(table.values()) + point.y + int(found.group(1))
            + float(fractions.Fraction(1, 2)) + float(decimal.Decimal("0.5")) + statistics.mean([1, 3])
            + struct.unpack("<i", struct.pack("<i", 5))[0] + operator.itemgetter(1)([4, 5])
            + datetime.date(2020, 1, 5).weekday() + len(Path("a/b.c").suffix)
            + collections.Counter("abca").most_common(1)[0][1] + functools.reduce(operator.add, [1, 2])
            + sum(itertools.accumulate([1, 2])) + remembered(3) + remembered(x)
        )  # fmt: skip

    assert f(F64(1)) == 61 + 5 + 5


def test_effects_of_known_kind_happen_at_each_call_in_order(capsys, caplog):
    @weft.function
    def f(x):
        before = time.perf_counter()
        logging.getLogger("weft.test").warning("x is %s", x)
        written = sys.stdout.write(f"x = {x}\n")
        if x > 1:
            warnings.warn(f"{x} is large", stacklevel=1)
        time.sleep(0.001)
        print("done")
        return time.perf_counter() - before, written

    for value in (F64(0), F64(1)):
        elapsed, written = f(value)
        assert 0.001 <= elapsed < 10
        assert type(elapsed) is float
        assert written == 8
    with pytest.warns(UserWarning, match=r"2\.0 is large") as caught:
        f(F64(2))
    assert caught[0].filename == __file__
    assert capsys.readouterr().out == "".join(f"x = {v}\ndone\n" for v in (0.0, 1.0, 2.0))
    assert [record.getMessage() for record in caplog.records] == [f"x is {v}" for v in (0.0, 1.0, 2.0)]
    assert {(record.pathname, record.funcName) for record in caplog.records} == {(__file__, "f")}


def test_texts_of_run_time_values():
    @weft.function
    def f(x):
        return json.dumps({"loss": float(x.sum()), "name": "run"}), pprint.pformat([float(x[0])])

    assert f(X) == ('{"loss": 3.0, "name": "run"}', "[0.0]")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda x: struct.pack("<d", x),
            r"gets a value that is known at run time only.*weft.py_call\(pack, ",
        ),
        (
            lambda x: decimal.Decimal(x),
            r"Decimal\(\) is called while the function is traced, and gets a value",
        ),
        (lambda x: sys.setrecursionlimit(1000), "changes settings"),
        (operator.methodcaller("sum"), None),
    ],
)
def test_messages_of_libraries_that_want_values(function, message):
    calling = weft.function(lambda x: function(x))
    if message is None:
        assert calling(X) == 3
        return
    with pytest.raises(weft.WeftError, match=message):
        calling(X)


class Compiled:
    """A function as numba's dispatchers are: called by native code, with the Python function beside."""

    def __init__(self, py_func):
        self.py_func = py_func

    __call__ = operator.methodcaller("missing")


def test_functions_of_other_compilers_are_compiled_from_their_python():
    inner = Compiled(lambda x: x * 2 if x > 1 else x)
    f = weft.function(lambda x: inner(x))
    assert (f(F64(1)), f(F64(3))) == (1, 6)
    foreign = operator.methodcaller("sum").__call__
    opaque = type("Opaque", (), {"__call__": Compiled.__dict__["__call__"]})()
    with pytest.raises(weft.UnsupportedError, match=r"nothing is known of what .*Opaque.* does"):
        weft.function(lambda x: opaque(x))(X)
    assert weft.function(lambda x: foreign(x))(X) == 3


def test_a_marked_function_may_do_it_once_and_py_call_at_each_call():
    drawn = itertools.count()

    @weft.do_not_convert
    def draw():
        return next(drawn)

    f = weft.function(lambda x: x + draw())
    assert (f(F64(1)), f(F64(1))) == (1, 1)
    g = weft.function(lambda x: x + weft.py_call(draw, result=weft.TensorSpec((), "int64")))
    assert (g(F64(1)), g(F64(1))) == (2, 3)


def test_constructors_are_converted():
    class Model:
        def __init__(self, x, scale=1):
            self.scale = scale
            if x > 1:
                self.value = x * scale
            else:
                self.value = x

    f = weft.function(lambda x: Model(x, scale=3).value)
    assert (f(F64(1)), f(F64(2))) == (1, 6)


class Answering:
    """An object that has no attributes of its own and an answer to every name, as wrappers of native libraries have."""

    __slots__ = ()

    def __getattr__(self, name):
        return Answering()


def test_functions_of_other_compilers_are_not_walked_into():
    inner = Compiled(lambda x: x + 1)
    inner.machinery = Endless()
    held = Answering()
    f = weft.function(lambda x: inner(x) if held is not None else x)
    assert f(F64(1)) == 2


class Endless:
    """What a compiler keeps beside a function leads to all of the compiler."""

    def __init__(self):
        self.looked = 0

    @property
    def __dict__(self):
        raise AssertionError("looked at what a compiler keeps")


def test_assertions_of_numpy_look_at_the_values_of_each_call():
    def function(x):
        np.testing.assert_allclose(2 * x, x + x)
        if x[0] > 3:
            np.testing.assert_array_less(x, x.max(), err_msg="the largest is there")
        return x.sum()

    f = weft.function(function)
    assert f(np.arange(3.0)) == 3.0
    with pytest.raises(AssertionError, match="the largest is there"):
        f(np.arange(4.0, 7.0))
    assert f(np.arange(3.0)) == 3.0
