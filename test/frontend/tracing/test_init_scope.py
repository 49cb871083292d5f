"""`weft.init_scope`: what is done once while a function is traced, and stays done."""

from __future__ import annotations

import random

import numpy as np
import pytest

import weft

SQUARE = weft.function(lambda x: x * x)


class Layer:
    def __init__(self):
        self.weight = None
        self.made = 0
        self.items, self.table, self.names = [], {}, set()


def test_weights_that_are_made_at_the_first_call():
    layer, generator = Layer(), np.random.default_rng(0)

    @weft.function
    def f(x):
        total = np.zeros(3)
        for _ in range(30):
            if layer.weight is None:
                with weft.init_scope():
                    layer.weight = weft.Variable(generator.normal(size=3))
                    layer.made += 1
            total += x * layer.weight
        layer.weight.assign_add(1)
        return total + generator.random()

    expected = np.random.default_rng(0)
    weight = expected.normal(size=3)
    for step in range(3):
        np.testing.assert_allclose(f(np.ones(3)), 30 * (weight + step) + expected.random())
    assert layer.made == 1
    np.testing.assert_allclose(layer.weight.value, weight + 3)
    assert f.trace_count <= 2


def test_containers_and_arrays_that_are_made_there_are_state():
    layer = Layer()

    @weft.function
    def f(x):
        if not layer.items:
            with weft.init_scope():
                layer.items += [weft.Variable(np.zeros(2)), 3]
                layer.table["sum"] = np.zeros(2)
                layer.names.add("built")
                layer.scale = 2
                del layer.made
        layer.items[0].assign_add(x)
        layer.table["sum"] += layer.scale * x
        return layer.items[0] * layer.items[1]

    assert [f(np.ones(2)).tolist() for _ in range(3)] == [[3, 3], [6, 6], [9, 9]]
    assert layer.table["sum"].tolist() == [6, 6]
    assert layer.names == {"built"}
    assert not hasattr(layer, "made")


def test_it_runs_once_whichever_way_a_branch_goes(capsys):
    @weft.function
    def f(x):
        if x[0] > 0:
            with weft.init_scope():
                table = SQUARE(np.arange(3.0))
                for i in range(3):
                    if table[i] > 2:
                        table[i] = 0
                print("made", weft.is_tracing(), table)
            x = x * table
        return x

    assert f(-np.ones(3)).tolist() == [-1, -1, -1]
    assert f(np.ones(3)).tolist() == [0, 1, 0]
    assert capsys.readouterr().out.splitlines() == ["made False [0. 1. 0.]"] * f.trace_count


def test_variables_are_as_they_were_before_the_call():
    v = weft.Variable([1.0])

    @weft.function
    def f(x):
        v.assign(x)
        with weft.init_scope():
            before = v.value.copy()
        return before

    assert f(np.array([5.0])).tolist() == [1]


def test_a_tape_is_set_aside():
    v = weft.Variable([1.0, 2.0])

    def f(x):
        with weft.GradientTape() as tape:
            with weft.init_scope():
                assert not weft.is_recording()
                total = np.sum(v.value)
            y = np.sum(v * x) * total
        return tape.gradient(y, v)

    assert f(2.0).tolist() == weft.function(f)(2.0).tolist() == [6, 6]


def test_code_that_is_traced_as_it_is_draws_of_the_functions_of_random():
    @weft.do_not_convert
    def f(x):
        with weft.init_scope(), weft.init_scope():
            scale = random.random() + np.random.random()
        return x * (0 * scale + 2)

    assert weft.function(f)(np.ones(2)).tolist() == [2, 2]


def test_exceptions_leave_it():
    def f(x):
        try:
            with weft.init_scope():
                raise KeyError("there")
        except KeyError:
            x = x * 2
        return x + weft.is_tracing()

    assert weft.function(f)(np.ones(2)).tolist() == [3, 3]
    assert f(np.ones(2)).tolist() == [2, 2]
    assert not weft.is_tracing()


@pytest.mark.parametrize("use", [lambda x: x * 2, lambda x: x[0] > 0, float, np.asarray])
def test_arrays_of_the_function_are_not_known_there(use):
    @weft.function
    def f(x):
        assert weft.static_shape(x) == (1,)
        with weft.init_scope():
            use(x)
        return x

    with pytest.raises(
        ValueError, match=r"a traced array .* of f, made at .*, is used inside of weft.init_scope\(\)"
    ):
        f(np.ones(1))
