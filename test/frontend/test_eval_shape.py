"""`weft.eval_shape`: the types of what a function would return."""

from __future__ import annotations

import numpy as np
import pytest

import weft

Spec = weft.TensorSpec


def test_structures():
    def f(x, options):
        return (x, x[0], x.shape, options["name"], {"sum": [x.T, x.sum()], "n": options["n"] + 1}, None)

    assert weft.eval_shape(f, Spec([None, 3], "float32"), options={"n": 3, "name": "a"}) == (
        Spec([None, 3], "float32"),
        Spec([3], "float32"),
        (Spec([], "int64"), 3),
        "a",
        {"sum": [Spec([3, None], "float32"), Spec([], "float32")], "n": 4},
        None,
    )


def test_control_flow_and_arrays_as_arguments():
    @weft.function
    def f(x, n):
        if n > 0:
            x = np.concatenate([x, x])
        return x

    assert weft.eval_shape(f, np.ones(4, "float32"), np.int64(1)) == Spec([None], "float32")
    assert weft.eval_shape(f, Spec([4]), 3) == Spec([8])
    assert f.trace_count == 0
    assert weft.eval_shape(weft.grad(lambda w: np.sum(w * w)), Spec([3])) == Spec([3])


def test_an_input_signature():
    @weft.function(input_signature=[Spec([None, 2])])
    def f(x):
        return x[:1] * 2

    assert weft.eval_shape(f, np.ones((7, 2))) == Spec([1, 2])
    with pytest.raises(TypeError, match=r"argument 'x' must be f64\[\?,2\], but f64\[7,3\] was given"):
        weft.eval_shape(f, Spec([7, 3]))


def test_nothing_happens(capsys):
    class Model:
        def __init__(self):
            self.w, self.calls = weft.Variable(np.ones((3, 5))), 0

        def __call__(self, x):
            self.calls += 1
            self.last = x
            self.w.assign_add(1)
            print("called")
            return x @ self.w

    model = Model()
    assert weft.eval_shape(model, Spec([None, 3])) == Spec([None, 5])
    assert (model.calls, hasattr(model, "last"), model.w.value[0, 0]) == (0, False, 1)
    assert capsys.readouterr().out == ""
    assert model(np.ones((1, 3))).shape == (1, 5)


def test_inside_of_a_compiled_function():
    @weft.function
    def f(x, n):
        spec = weft.eval_shape(lambda x: x[:, None] * 2, x[:n])
        return np.zeros(spec.shape[1:], spec.dtype) + n

    assert f(np.ones(3, "float32"), np.int64(2)).tolist() == [2]


def test_what_has_no_one_type_is_told_in_words():
    def grown(x, n):
        items = []
        for _ in range(n):
            items.append(x)
        return items

    assert weft.eval_shape(grown, Spec([3]), Spec([], "int64")) == "list of f64[3]"
    assert weft.eval_shape(lambda x: x if x > 0 else None, Spec([])) == "f64[] or None"


def test_errors_are_those_of_tracing():
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        weft.eval_shape(lambda x, w: x @ w, Spec([None, 3]), Spec([5, 4]))
    with pytest.raises(TypeError, match="needs the value of a traced array"):
        weft.eval_shape(weft.do_not_convert(lambda x: [x] * int(x[0])), Spec([3]))
    with pytest.raises(TypeError, match="eval_shape takes a function, not 3"):
        weft.eval_shape(3, Spec([3]))
    with pytest.raises(TypeError, match="missing a required argument"):
        weft.eval_shape(lambda x: x)
