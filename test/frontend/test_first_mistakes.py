"""What newcomers get wrong in their first minutes: each is told in words that help."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import numpy as np
import pytest

import weft


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fucntion", "did you mean function"),
        ("TensorSpek", r"did you mean TensorSpec\?"),
        ("argmx", r"did you mean argmax\?"),
        ("save_stat", "did you mean save_state"),
    ],
)
def test_names_that_are_nearly_right(name: str, message: str) -> None:
    with pytest.raises(AttributeError, match=message):
        getattr(weft, name)


def test_settings_that_are_nearly_right() -> None:
    with pytest.raises(AttributeError, match=r"there is no setting 'verfy'; did you mean verify\?"):
        _ = weft.settings.verfy
    with pytest.raises(AttributeError, match=r"there is no setting 'verfy'; did you mean verify\?"):
        weft.settings.verfy = True
    with pytest.raises(AttributeError, match=r"there is no setting 'qqqq'$"):
        _ = weft.settings.qqqq


def test_an_unknown_rank() -> None:
    with pytest.raises(
        ValueError, match=r"unknown rank, which weft does not have: write \[None\] for one dimension"
    ):
        weft.TensorSpec(None, "float32")


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ("abcdefgh", "pass a number that stands for the text"),
        ([object() for _ in range(8)], "pass the same object each time"),
    ],
)
def test_advice_fits_what_varies(values: Any, advice: str) -> None:
    same = weft.function(lambda x, mode: x)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for value in values:
            same(np.ones(2), value)
    assert advice in str(seen[0].message)
    assert "np.int64" not in str(seen[0].message)


class Scaled:
    def __repr__(self) -> str:
        return "Scaled()"

    @weft.function
    def by(self, x: Any, factor: float = 2.0, *, name: str | None = None) -> Any:
        return x * factor


def test_functions_show_themselves() -> None:
    assert repr(Scaled().by) == "<weft.function by of Scaled()>"
    scaled = Scaled()
    concrete = scaled.by.get_concrete_function(weft.TensorSpec((None, 3), "float32"), name="a")
    told = concrete.pretty_printed_signature()
    assert told.endswith(", x: f32[?,3], factor=2.0, name='a')\n  returns f32[?,3]")
    assert repr(concrete).startswith("<ConcreteFunction by(self=<Scaled at ")
    del scaled
    gc.collect()
    assert "self=<an object that is gone>" in concrete.pretty_printed_signature()


class Model:
    def __init__(self) -> None:
        self.w = np.arange(2.0)

    @weft.function(input_signature=[weft.TensorSpec([None], "float32"), weft.TensorSpec([], "int64")])
    def predict(self, x: Any, n: Any, mode: str = "a") -> Any:
        return x * n if mode == "a" else self.w


def test_input_signatures_of_methods_leave_the_instance_out() -> None:
    model = Model()
    for size in (2, 3):
        np.testing.assert_array_equal(model.predict(np.ones(size, "f4"), 3), np.full(size, 3))
    assert Model.predict.trace_count == 1
    assert model.predict(np.ones(2, "f4"), 1, "b") is model.w
    concrete = model.predict.get_concrete_function()
    assert concrete.pretty_printed_signature().endswith(", x: f32[?], n: i64[], mode='a')\n  returns f64[?]")
    with pytest.raises(TypeError, match=r"argument 'x' must be f32\[\?\], but f64\[2\] was given"):
        model.predict(np.ones(2), 1)


def test_one_spec_for_two_arguments_is_two_arrays() -> None:
    @weft.function
    def copied(a: Any, b: Any) -> None:
        b[:] = a + 1

    spec = weft.TensorSpec([None])
    a, b = np.zeros(3), np.zeros(3)
    copied.get_concrete_function(spec, spec)(a, b)
    np.testing.assert_array_equal(b, [1, 1, 1])
    np.testing.assert_array_equal(a, [0, 0, 0])


def test_an_argument_that_no_function_of_numpy_has() -> None:
    @weft.function
    def rounded(x: Any) -> Any:
        return np.exp(x, digits=2)

    for call in (rounded, lambda x: weft.exp(x, digits=2)):
        with pytest.raises(TypeError, match=r"^exp\(\) got an unexpected keyword argument 'digits'"):
            call(np.ones(3))


@pytest.mark.parametrize("spec", [weft.TensorSpec([3]), weft.TensorSpec([None])])
def test_a_type_is_no_value(spec: weft.TensorSpec) -> None:
    raised = weft.function(lambda x, y: x["a"] + y, name="raised")
    concrete = raised.get_concrete_function({"a": spec}, np.ones(3))
    outer = weft.function(lambda y: raised({"a": spec}, y))
    for call in (lambda: raised({"a": spec}, np.ones(3)), lambda: concrete({"a": spec}, np.ones(3))):
        with pytest.raises(
            TypeError, match=r"x\['a'\] of raised is .*TensorSpec.*, which says a type and has no"
        ):
            call()
    with pytest.raises(TypeError, match="says a type and has no values"):
        outer(np.ones(3))
