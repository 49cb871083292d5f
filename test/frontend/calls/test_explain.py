"""`explain`: what was decided about a function, in sentences that are true and name its lines."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

import weft

FACTOR = 3

names_expressions = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python 3.10 does not tell the columns of expressions"
)


def softmax(x):
    m = x.max(axis=-1, keepdims=True)
    e = np.exp(x - m)
    return e / e.sum(axis=-1, keepdims=True)


FIRST = softmax.__code__.co_firstlineno


def sentences(explanation, kind, first=FIRST):
    return [(d.line and d.line - first, d.sentence) for d in explanation.decisions if d.kind == kind]


def explained(function, *specs, **options):
    return weft.function(**options)(function).get_concrete_function(*specs).explain()


@names_expressions
@pytest.mark.processor  # whose vectors are told
def test_sentences_name_expressions_and_lines():
    explanation = explained(softmax, weft.TensorSpec((None, 300), "float32"))
    assert sentences(explanation, "fused") == [(2, "`e` is computed in one loop with all its parts")]
    ((line, stored),) = sentences(explanation, "stored")
    assert line == 2
    assert stored.startswith("`e` is computed before `e.sum(axis=-1, keepdims=True)`")
    assert [line for line, _ in sentences(explanation, "vector")] == [1, 2, 3, 3]
    assert f"line {FIRST + 2}: `e` is computed in one loop" in str(explanation)
    assert "<li class='fused'>" in explanation.html()
    assert "<html" not in explanation._repr_html_()


def test_traces_are_told_with_reasons():
    function = weft.function(softmax)
    assert str(function.explain()).startswith("softmax was not compiled yet: call it, or give softmax.get_")
    assert function.explain().decisions == ()
    function(np.ones((2, 3)))
    function(np.ones((2, 3), np.float32))
    function(np.ones((2, 3), np.float32))
    first, second = (sentence for _, sentence in sentences(function.explain(), "trace"))
    assert "first call; softmax(x: f64[2,3])" in first
    assert "argument 'x' changed from f64[2,3] to f32[2,3]; softmax(x: f32[2,3])" in second
    assert "traced 2 times, found compiled by 1 call" in str(function.explain())


@names_expressions
def test_state_checks_and_python_are_told():
    def program(x, i):
        weft.py_call(print, x)
        return x[i] * FACTOR

    explanation = explained(program, weft.TensorSpec((8,), "float64"), weft.TensorSpec((), "int64"))
    first = program.__code__.co_firstlineno
    assert sentences(explanation, "guard") == [
        (0, "global FACTOR is a constant of the code: another value compiles again")
    ]
    assert sentences(explanation, "python", first) == [(1, "`weft.py_call(print, x)` calls `print`")]
    ((line, check),) = sentences(explanation, "check", first)
    assert line == 2
    assert "raises IndexError" in check


@weft.do_not_convert
def plain(x):
    return x * 2


def test_what_is_not_converted_is_told_of_each_trace():
    for _ in range(2):
        explanation = explained(lambda x: plain(x) + 1, weft.TensorSpec((3,), "float64"))
        ((_, sentence),) = sentences(explanation, "unconverted")
        assert sentence == "plain: it is marked by weft.do_not_convert"


@pytest.mark.processor
@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda x: x[::2] + 1, "what it reads does not lie side by side in memory"),
        (lambda x: x.astype("complex64") * 2, "complex numbers have no vector form"),
    ],
)
def test_scalar_loops_say_why(function, sentence):
    ((_, told),) = sentences(explained(function, weft.TensorSpec((100,), "float64")), "scalar")
    assert told.endswith(f"runs one element at a time: {sentence}")


@names_expressions
def test_the_disk_cache_says_what_it_did(tmp_path):
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path)):
        specs = [weft.TensorSpec((2, 5), "float64")]
        assert sentences(explained(softmax, *specs), "cache") == [
            (0, "the disk cache keeps it for other processes")
        ]
        function = weft.function(softmax)
        loaded = function.get_concrete_function(*specs).explain()
        assert sentences(loaded, "cache") == [
            (0, "the disk cache had it: another process has compiled it, and this one loads it")
        ]
        assert sentences(loaded, "fused") == [(2, "`e` is computed in one loop with all its parts")]
        assert "loaded from the disk cache in" in sentences(function.explain(), "trace")[0][1]


def unrolled(x):
    for k in range(3):
        x = x * k
    return x


def test_what_tracing_decided_is_kept_on_disk(tmp_path):
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path)):
        told = [
            sentences(explained(unrolled, weft.TensorSpec((2, 5), "float64")), "loop", 0) for _ in range(2)
        ]
    assert told[0] == told[1] != []


class Scale:
    @weft.function
    def __call__(self, x):
        return x * 2


def test_methods_explain_themselves():
    scale = Scale()
    scale(np.ones(3))
    assert "compiled for 1 signature" in str(scale.__call__.explain())


@names_expressions
def test_each_loop_says_what_became_of_it():
    """Of the two updates of one table, and of what a loop computes beside what it copies."""

    @weft.function
    def distances(a, b):
        table = np.zeros((len(a) + 1, len(b) + 1))
        table[:, 0] = np.arange(len(a) + 1)
        table[0, :] = np.arange(len(b) + 1)
        for i in range(1, len(a) + 1):
            for j in range(1, len(b) + 1):
                table[i, j] = min(table[i - 1, j], table[i, j - 1] * 0.5)
        return table

    distances(np.ones(20), np.ones(30))
    text = str(distances.explain())
    line = distances.__wrapped__.__code__.co_firstlineno
    column = rf"line {line + 3}: `table\[:, 0\]` runs one element at a time: what it writes does not lie side by side"
    assert re.search(column, text)
    assert f"line {line + 4}: `table[0, :]` is copied in vectors" in text
    assert f"line {line + 6}: `for j in range(1, len(b) + 1)` runs one iteration after another" in text


@names_expressions
def test_loops_that_read_ahead_in_vectors_are_no_vector_code():
    @weft.function
    def smoothed(steps, a):
        for _ in range(steps):
            for i in range(1, 31):
                a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i + 1, 1:-1]
                for j in range(1, 31):
                    a[i, j] += a[i, j - 1]
                    a[i, j] /= 9.0

    smoothed(3, np.ones((32, 32)))
    (loop,) = [line for line in str(smoothed.explain()).splitlines() if "`for j in range(1, 31)`" in line]
    assert "runs one iteration after another" in loop


TABLE = np.arange(3.0)


def test_arrays_that_tracing_has_made_are_not_from_outside():
    @weft.function
    def shifted(x):
        return x + np.linspace(0.0, 1.0, 3) + TABLE

    shifted(np.ones(3))
    text = str(shifted.explain())
    assert "an array made while it was traced (f64[3]) is a constant of the code\n" in text
    assert "global TABLE is a constant of the code: other elements compile again" in text
    assert "from outside" not in text
