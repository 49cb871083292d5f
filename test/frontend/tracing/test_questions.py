"""What a program asks of tracing: whether it is traced, which values are, and which extents are known."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import weft


@pytest.fixture
def notes(capsys):
    """What a function prints while it is traced, line by line."""

    def of(function, *arguments):
        weft.function(function).get_concrete_function(*arguments)
        return [ast.literal_eval(line) for line in capsys.readouterr().out.splitlines()]

    return of


def test_which_values_are_traced(notes):
    variable = weft.Variable(np.ones(3))

    def f(x, n, days, name, items):
        part = x[:n]
        weft.trace_print(
            list(
                map(
                    weft.is_traced,
                    (x, n, part, part.shape[0], x.sum(), variable.value, days, days[0], np.zeros(3)),
                )
            )
        )
        weft.trace_print(list(map(weft.is_traced, (name, items, x.shape[0], variable, 3, None, [x]))))
        if x[0] > 0:
            weft.trace_print(weft.is_traced(part))

    yes, no, branch = notes(f, np.ones(5), np.int64(2), np.zeros(2, "datetime64[D]"), "name", [np.ones(2)])
    assert yes == [True] * 9
    assert no == [False] * 7
    assert branch


def test_which_extents_are_known(notes):
    variable = weft.Variable(np.ones((3, 4)))

    def f(x, n, days):
        weft.trace_print(
            list(map(weft.static_shape, (x, x[:n], x[:n, None], n, days, days[:n], variable, [1.0, 2.0], 3)))
        )
        for _ in range(n):
            x = np.concatenate([x, x[:1]])
        weft.trace_print(weft.static_shape(x))

    known, behind = notes(f, weft.TensorSpec([None, 2]), np.int64(2), np.zeros(3, "datetime64[D]"))
    assert known == [(None, 2), (None, 2), (None, 1, 2), (), (3,), (None,), (3, 4), (2,), ()]
    assert behind == (None, 2)


def test_plain_python():
    assert not weft.is_traced(np.ones(2))
    assert not weft.is_tracing()
    assert not weft.is_recording()
    assert weft.static_shape(weft.TensorSpec([None, 2], "datetime64[D]")) == (None, 2)
    with pytest.raises(ValueError, match="inhomogeneous"):
        weft.static_shape([[1], [2, 3]])


def test_a_tape_in_plain_python():
    with weft.GradientTape() as tape:
        x = tape.watch(np.ones((2, 3)))
        assert weft.is_recording()
        assert not weft.is_tracing()
        assert weft.is_traced(x * 2)
        assert not weft.is_traced(np.ones(2))
        assert weft.static_shape(x[0]) == (3,)
    assert not weft.is_recording()


def test_what_runs_when_the_program_runs_is_not_traced():
    seen = []

    @weft.function
    def f(x):
        weft.py_call(lambda x: seen.append((weft.is_tracing(), weft.is_traced(x))), x)
        return x

    f(np.ones(2))
    assert seen == [(False, False)]


def test_a_library_copies_shapes():
    @weft.do_not_convert
    def rank_of_known(x):
        return sum(extent is not None for extent in weft.static_shape(x))

    @weft.function
    def f(x, n):
        return np.sum(x[:n]) * rank_of_known(x[:n])

    assert f(np.ones((4, 3)), np.int64(2)) == 6
