"""Libraries whose code is traced as it is, and what they call to be converted."""

from __future__ import annotations

import functools
import sys

import numpy as np
import pytest

import weft

LAYERS = """
import numpy as np

SCALE = 2
TRACED = []


class Tracked(list):
    def append(self, item):
        super().append(item)


class Layer:
    def __init__(self, weight):
        self.weight = weight
        self.called = False
        self.calls = 0
        self.notes = {}
        self.trainable = True

    def __call__(self, x):
        TRACED.append(type(self).__name__)
        self.called = True
        self.calls += 1
        self.notes["calls"] = self.calls
        return self.compute(x) + len(self)

    def compute(self, x):
        return x * self.weight * SCALE

    def __len__(self):
        return len(self.notes)

    def steps(self):
        def step(x):
            return self.compute(x)

        return step

    @property
    def variables(self):
        return [self.weight] if self.trainable else []


def absolute(x):
    if x > 0:
        return x
    return -x
"""

LATER = """
def absolute(x):
    if x > 0:
        return x
    return -x
"""

HELPERS = """
import weft


def _chosen(condition, x, otherwise):
    if condition:
        x = x * 2
    else:
        x = otherwise(x)
    return x


def chosen(condition, x, otherwise):
    return weft.autograph.convert(_chosen)(condition, x, otherwise)


@weft.autograph.convert
def absolute(x):
    if x > 0:
        return x
    return -x


def twice(x):
    return absolute(x) * 2
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A package whose code stays as it is, of which a module is imported later."""
    package = tmp_path / "plain_library"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name, text in (("layers", LAYERS), ("later", LATER), ("helpers", HELPERS)):
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    weft.autograph.do_not_convert_module("plain_library")
    yield functools.partial(__import__, "plain_library.layers", fromlist=["layers"])()
    for name in [name for name in sys.modules if name.startswith("plain_library")]:
        del sys.modules[name]


def imported(name):
    return __import__(f"plain_library.{name}", fromlist=[name])


def test_its_notes_about_itself_compile_nothing_again(library):
    layer = library.Layer(weft.Variable(np.ones(2)))
    f = weft.function(lambda x: layer(x))
    assert f(np.ones(2)).tolist() == [3, 3]
    assert (layer.called, layer.calls, layer.notes) == (True, 1, {"calls": 1})
    layer.weight.assign([5, 6])
    assert f(np.ones(2)).tolist() == [11, 13]  # a variable is data
    layer.calls, layer.notes["more"] = 7, 0
    assert f(np.ones(2)).tolist() == [11, 13]
    assert f.trace_count == 1
    assert library.TRACED == ["Layer"]


@pytest.mark.parametrize("of", ["__call__", "steps"])
def test_lists_of_the_programs_classes_grow_whatever_of_the_library_calls_them(library, of):
    class Mine(library.Layer):
        @weft.autograph.convert
        def compute(self, x):
            self.seen.append(x.sum())
            self.tracked.append(x.sum())
            self.count += 1
            return x

    mine = Mine(None)
    mine.seen, mine.tracked, mine.count = [], library.Tracked(), 0
    f = weft.function(mine.steps() if of == "steps" else mine.__call__)
    for number in range(4):
        f(np.full(2, number))
    assert mine.seen == mine.tracked == [0, 2, 4, 6]
    assert all(isinstance(item, np.int64) for item in mine.seen + mine.tracked)
    assert mine.count == 4
    del mine.seen[1:]
    f(np.full(2, 4))
    assert mine.seen == [0, 8]


def test_what_a_library_notes_in_loops_and_branches_stays_and_is_not_carried(library):
    class Mine(library.Layer):
        def compute(self, x):
            return weft.autograph.convert(self.shifted)(x)

        def shifted(self, x):
            self.seen += 1
            self.kinds.append("mine")
            return super().compute(x) + self.seen

    layer, mine = library.Layer(None), Mine(weft.Variable(np.ones(2)))
    mine.seen, mine.kinds = 0, []

    @weft.function
    def f(x, n):
        total = np.zeros(2)
        for _ in range(n):
            if layer.weight is None:
                with weft.init_scope():
                    layer.weight = weft.Variable(np.ones(2))
            if x[0] > 0:
                total += layer(x)
        layer.note = "seen"
        return total + mine(x)

    def outcome(n, x):
        return f(x, np.int64(n)).tolist()

    # 2 x + 1 in each turn, and 2 x + seen + 1
    assert outcome(20, np.ones(2)) == [64, 64]
    assert outcome(3, np.ones(2)) == [14, 14]
    assert (layer.note, layer.called, mine.seen, mine.kinds) == ("seen", True, 2, ["mine"] * 2)
    layer.note = "other"
    layer.weight.assign([2, 3])
    assert outcome(1, np.ones(2)) == [11, 13]
    assert (layer.note, mine.seen) == ("seen", 3)
    assert outcome(1, -np.ones(2)) == [3, 3]
    assert f.trace_count <= 4  # the counter is data from its second change on
    assert layer.calls == library.TRACED.count("Layer")


def test_what_a_library_keeps_that_compiled_code_computes_is_stored_by_each_call(library):
    layer = library.Layer(weft.Variable(np.ones(2)))

    @weft.do_not_convert
    def keep(x):
        layer.last = x * 2
        layer.notes["all"] = [x + 1]
        return layer(x)

    f = weft.function(lambda x: keep(x) + np.sum(layer.last))
    for value in (1.0, 2.0):
        assert f(np.full(2, value)).tolist() == [2 * value + 2 + 4 * value] * 2
        assert layer.last.tolist() == [2 * value] * 2
        assert layer.notes["all"][0].tolist() == [value + 1] * 2


def test_what_it_reads_is_not_compared(library):
    layer = library.Layer(weft.Variable(np.ones(2)))
    f = weft.function(lambda x: sum(np.sum(w) for w in layer.variables) + x)
    assert f(1.0) == 3
    layer.trainable = False
    assert f(1.0) == 3  # as the docs say
    assert weft.function(lambda x: sum(np.sum(w) for w in layer.variables) + x)(1.0) == 1


def test_what_converted_code_reads_is_compared(library):
    class Scaled(library.Layer):
        scale = 1.0

        def compute(self, x):
            return weft.autograph.convert(self.scaled)(x)

        def scaled(self, x):
            if x[0] > 0:
                x = x * self.scale
            return super().compute(x)

    layer = Scaled(weft.Variable(np.ones(2)))
    f = weft.function(lambda x: layer(x) * (2 if layer.trainable else 1))
    assert f(np.ones(2)).tolist() == [6, 6]
    layer.scale = 2.0
    assert f(np.ones(2)).tolist() == [10, 10]
    layer.trainable = False
    assert f(np.ones(2)).tolist() == [5, 5]
    assert f.trace_count == 3
    assert f(-np.ones(2)).tolist() == [-1, -1]


def test_lists_that_a_library_clears_and_fills_are_whole_after_each_call(library):
    layer = library.Layer(weft.Variable(np.ones(2)))
    layer.losses = []

    @weft.do_not_convert
    def call(x):
        layer.losses.clear()
        layer.losses.append(np.sum(x))
        if "scale" not in vars(layer):
            with weft.init_scope():
                layer.scale = weft.Variable(2.0)
        return layer.compute(x) * layer.scale

    f = weft.function(lambda x: call(x) + sum(layer.losses))
    for value in (1.0, 2.0, 3.0):
        assert f(np.full(2, value)).tolist() == [6 * value] * 2
        assert layer.losses == [2 * value]


def test_a_module_that_is_imported_later(library):
    later = imported("later")
    with pytest.raises(
        TypeError,
        match=r"absolute is traced as it is: weft\.autograph\.do_not_convert_module names its module",
    ):
        weft.function(lambda x: later.absolute(x))(np.float64(-1))


def test_a_package_of_a_longer_name_is_another_one(library, tmp_path):
    (tmp_path / "plain_library_too.py").write_text(LATER)
    found = __import__("plain_library_too")
    assert weft.function(lambda x: found.absolute(x))(np.float64(-1)) == 1


def test_its_converted_functions_call_those_of_the_program_and_its_own(library):
    helpers = imported("helpers")

    def halved_if_large(x):
        if x > 10:
            x = x / 2
        return x

    f = weft.function(lambda c, x: helpers.chosen(c, x, halved_if_large))
    assert f(np.True_, np.float64(20)) == 40
    assert f(np.False_, np.float64(20)) == 10
    with pytest.raises(TypeError, match="do_not_convert_module names its module"):
        weft.function(lambda c, x: helpers.chosen(c, x, library.absolute))(np.True_, np.float64(1))
    assert weft.function(lambda x: helpers.twice(x))(np.float64(-2)) == 4
    assert helpers.twice(-2) == 4


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (np, weft.WeftTypeError, "takes the name of a package or module, not <module"),
        (
            "",
            weft.WeftValueError,
            "takes the dotted name of a package or module, as 'library.layers', not ''",
        ),
        ("a-b", weft.WeftValueError, "not 'a-b'"),
    ],
)
def test_what_is_no_name(name, error, message):
    with pytest.raises(error, match=message):
        weft.autograph.do_not_convert_module(name)


# weft.autograph.convert


def leaky(x):
    if x > 0:
        return x
    return x / 10


class Activation:
    slope = 0.5

    def __call__(self, x):
        return x if x > 0 else x * self.slope

    def method(self, x):
        return x if x > 0 else x * self.slope

    @weft.autograph.convert
    def decorated(self, x):
        return x if x > 0 else x * self.slope


@weft.do_not_convert
def called(function, *args):
    return weft.autograph.convert(function)(*args)


ACTIVATION = Activation()


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (leaky, -0.1),
        (functools.partial(leaky), -0.1),
        (ACTIVATION, -0.5),
        (ACTIVATION.method, -0.5),
        (ACTIVATION.decorated, -0.5),
        (np.abs, 1.0),
        (abs, 1.0),
        (weft.autograph.convert(leaky), -0.1),
    ],
)
def test_all_that_is_called_is_converted(function, result):
    assert weft.function(lambda x: called(function, x))(np.float64(-1)) == result
    assert called(function, np.float64(-1)) == result


def test_a_function_around_it_that_changes_variables():
    def f(x):
        total = 0.0

        def add(v):
            nonlocal total
            if v > 0:
                total += v
            else:
                total -= 2 * v

        for _ in range(20):
            called(add, x)
        return total

    for x in (np.float64(-1), np.float64(3)):
        assert weft.function(f)(x) == f(x)


def test_it_calls_itself():
    def factorial(n):
        return 1 if n <= 1 else n * called(factorial, n - 1)

    assert weft.function(factorial)(np.int64(5)) == 120


def test_it_is_converted_where_converted_code_calls_it():
    assert weft.function(lambda x: ACTIVATION.decorated(x))(np.float64(-1)) == -0.5
    assert weft.function(weft.autograph.convert(leaky))(np.float64(-1)) == -0.1
    assert weft.autograph.to_code(weft.autograph.convert(leaky)) == weft.autograph.to_code(leaky)
    assert weft.autograph.convert(leaky).__name__ == "leaky"


def test_gradients_through_it():
    for grad in (weft.grad(lambda x: called(leaky, x)), weft.function(weft.grad(lambda x: called(leaky, x)))):
        assert grad(np.float64(-1)) == 0.1


def test_what_is_marked_stays_as_it_is():
    marked = weft.do_not_convert(lambda x: x if x > 0 else -x)
    with pytest.raises(TypeError, match=r"is traced as it is: it is marked by weft\.do_not_convert"):
        weft.function(lambda x: called(marked, x))(np.float64(-1))


def test_what_is_not_callable():
    with pytest.raises(
        weft.WeftTypeError, match="convert takes a function or something else that is called, not 3"
    ):
        weft.autograph.convert(3)
