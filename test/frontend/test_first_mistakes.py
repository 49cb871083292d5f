"""What newcomers get wrong in their first minutes: each is told in words that help."""

from __future__ import annotations

import gc
import re
import traceback
import warnings
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.calls.concrete_signature import captures_told


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


def test_concrete_functions_tell_arguments_results_and_captures() -> None:
    weights, bias = np.ones((3, 2)), weft.Variable(1.0)

    @weft.function
    def fitted(x: Any, rate: float = 0.5) -> Any:
        return x @ weights * rate + bias

    concrete = fitted.get_concrete_function(weft.TensorSpec((None, 3)))
    first, result, *others = str(concrete).splitlines()
    assert (first, result) == ("fitted(x: f64[?,3], rate=0.5)", "  returns f64[?,2]")
    assert sorted(others) == ["  captures bias: f64[], a variable", "  captures weights: f64[3,2]"]
    head = concrete.as_text("weft").splitlines()[1]
    assert "(%x: tensor<?x3xf64>, %bias: tensor<f64>)" in head  # weights are few, and a constant
    dates = np.array(["2026-01-01"], "datetime64[D]")
    assert [*captures_told({"dates": dates, "of bool[1]": np.array([True])})] == [
        "  captures dates: ndarray",
        "  captures of bool[1]",
    ]
    alone = weft.function(lambda x: x + 1, name="alone").get_concrete_function(weft.TensorSpec((2,)))
    assert str(alone) == "alone(x: f64[2])\n  returns f64[2]"


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


def message_of(call: Any) -> str:
    """What the exception of a call says, with its notes and its class in front."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    notes = getattr(caught.value, "__notes__", [])
    return "\n".join([f"{type(caught.value).__name__}: {caught.value}", *notes])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("functoin", r"no attribute 'functoin'; did you mean function\?"),
        ("jit", r"what JAX and Numba call jit is written weft\.function\(f\)\(x\)"),
        ("prange", r"what Numba calls prange is written range\(n\)"),
        ("randn", r"what PyTorch calls randn is written np\.random\.default_rng\(1\)\.normal"),
        ("zzz", r"no attribute 'zzz'"),
        ("explain", r"no attribute 'explain', but compiled functions have: write f\.explain\(\.\.\.\)"),
        ("as_text", r"concrete functions have: write f\.get_concrete_function\(\.\.\.\)\.as_text\(\.\.\.\)"),
    ],
)
def test_names_that_are_nearly_right_are_suggested_once(name: str, message: str) -> None:
    with pytest.raises(AttributeError, match=message + "[^;]*$") as caught:
        getattr(weft, name)
    shown = "".join(traceback.format_exception(caught.value))
    assert shown.count("id you mean") == message.count("did you mean")  # Python adds none of its own


def test_settings_that_are_functions() -> None:
    with pytest.raises(AttributeError, match=r"'num_threads'; that is said by weft.set_num_threads$"):
        _ = weft.settings.num_threads


def numbers(x: Any) -> Any:
    yield x


async def waits(x: Any) -> Any:
    return x


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (numbers, "cannot compile numbers, a generator: .* return a list of the items"),
        (waits, "cannot compile waits, a coroutine: .* call it in the coroutine"),
        (property(numbers), "put @property above @weft.function, not below"),
        (classmethod(numbers), "put @classmethod above @weft.function, not below"),
        (np.float64, r"float64 is a dtype: .* input_signature=\[weft.TensorSpec\(\[None\], 'float64'\)\]"),
        (Scaled, "Scaled is a class; decorate its methods"),
        ("x + 1", r"compiles callables, not 'x \+ 1'"),
        (
            "float64(float64)",
            r"compiles callables, not .*: the types of arguments are found when it is called",
        ),
    ],
)
def test_what_is_no_function(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        weft.function(given)


def test_the_class_in_the_place_of_the_decorator() -> None:
    @weft.Function
    def increased(x: Any) -> Any:
        return x + 1

    assert increased(np.int64(1)) == 2
    with pytest.raises(TypeError, match=r"no option .jit.: leave it out\. Here, every function is compiled"):
        weft.function(jit=True)


class Forgetful:
    @weft.function
    def doubled(x: Any) -> Any:
        return x * 2


def total_of_list(x: Any) -> Any:
    return x.sum()


def total_of_collected(x: Any) -> Any:
    items = []
    for v in x:
        items.append(v * 2)
    return items.sum()  # type: ignore[attr-defined]


def to_numpy(x: Any) -> Any:
    return x.numpy() + 1


def at_set(x: Any) -> Any:
    return x.at[0].set(3)


def over_dim(x: Any) -> Any:
    return x.sum(dim=0)


def endless(n: Any) -> Any:
    return n * endless(n - 1)


def opened(x: Any) -> Any:
    with open("out.txt", "w") as file:
        file.write(str(x.sum()))
    return x


def uncalled_method(x: Any) -> Any:
    return x / x.sum


def uncalled_function(x: Any) -> Any:
    return np.exp * x


def indexed_function(x: Any) -> Any:
    return x + np.zeros[3]  # type: ignore[index]


def sign_of_array(x: Any) -> Any:
    if x > 0:
        return x
    return -x


def both_of_arrays(x: Any) -> Any:
    return (x > 1) and (x < 3)


ONES = np.ones(3)


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (
            Forgetful().doubled,
            ONES,
            r"it takes 1 \(x\), and 2 were given; a method has its instance in front",
        ),
        (total_of_list, [1, 2], r"'list' object has no attribute 'sum'(.|\n)*write np.asarray\(...\).sum"),
        (total_of_collected, ONES, r"(.|\n)*a list is no array: pass np.asarray"),
        (to_numpy, ONES, r"no attribute 'numpy'(.|\n)*it is a NumPy array already; leave it out"),
        (at_set, ONES, r"no attribute 'at'(.|\n)*arrays are written in place: x\[i\] = value"),
        (over_dim, ONES, r"unexpected keyword argument 'dim'(.|\n)*NumPy calls it axis"),
        (uncalled_method, ONES, r"'method'(.|\n)*a function is not called here: write \(\) behind its name"),
        (uncalled_function, ONES, r"'numpy.ufunc'(.|\n)*write \(\) behind its name"),
        (indexed_function, ONES, "not subscriptable"),
        (
            sign_of_array,
            ONES,
            r"The truth value(.|\n)*np.where\(condition, a, b\) chooses element by element",
        ),
        (both_of_arrays, ONES, r"The truth value(.|\n)*&, \| and ~ stand for and, or and not"),
        (endless, 5, "endless recursed without end .* as it would in Python, where nothing ends it"),
        (opened, ONES, r"UnsupportedError: open\(\) reads or writes files"),
        (
            total_of_list,
            np.array([[1.0, "x"]], object),
            r"\[0, 1\] is 'x', of str: pass the numbers in an array",
        ),
        (total_of_list, np.array([1, None]), r"\[1\] is None, .* \(numpy.nan stands for what is missing\)"),
    ],
)
def test_messages_of_first_programs(function: Any, argument: Any, message: str) -> None:
    compiled = function if hasattr(function, "get_concrete_function") else weft.function(function)
    assert re.search(message, message_of(lambda: compiled(argument)))


def test_arguments_and_settings_that_are_nearly_right() -> None:
    @weft.function
    def scaled(x: Any, scale: float = 1.0) -> Any:
        return x * scale

    with pytest.raises(TypeError, match=r"unexpected keyword argument 'sclae'; did you mean scale\?$"):
        scaled(ONES, sclae=2.0)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'zzz': it takes x, scale$"):
        scaled(zzz=2.0)  # Python says that before it misses x, too
    for given, message in (
        ({"cach": False}, r"no setting 'cach'; did you mean cache\?; the settings are:"),
        ({"threads": 2}, r"no setting 'threads'; that is said by weft.set_num_threads"),
    ):
        with pytest.raises(ValueError, match=message), weft.settings.scope(**given):
            pass


def test_what_only_concrete_functions_have() -> None:
    increased = weft.function(lambda x: x + 1)
    with pytest.raises(AttributeError, match=r"write f.get_concrete_function\(...\).as_text"):
        increased.as_text("asm")  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no attribute 'trace_counts'; did you mean trace_count\?$"):
        _ = increased.trace_counts  # type: ignore[attr-defined]
    concrete = increased.get_concrete_function(ONES)
    with pytest.raises(ValueError, match=r"no stage 'assembly'; did you mean 'asm'\?"):
        concrete.as_text("assembly")


def test_types_that_do_not_fit() -> None:
    total = weft.function(lambda x: x.sum(), input_signature=[weft.TensorSpec([None], "float32")])
    with pytest.raises(
        TypeError, match=r"must be f32\[\?\], but f64\[3\] was given; .* x.astype\('float32'\)"
    ):
        total(ONES)
    with pytest.raises(TypeError, match=r"must be f32\[\?\], but f32\[1,1\] was given$"):
        total(np.ones((1, 1), "f4"))
    with pytest.raises(TypeError, match=r"'flaot32' is not a dtype; did you mean float32\?"):
        weft.TensorSpec([3], "flaot32")


def test_loops_of_code_without_a_source() -> None:
    names: dict[str, Any] = {"weft": weft}
    exec(
        "def total(x):\n    s = 0.0\n    for i in range(len(x)):\n        s = s + x[i]\n    return s\n", names
    )
    with weft.settings.scope(max_trace_ops=20):
        message = message_of(lambda: weft.function(names["total"])(np.ones(100)))
    assert "more than 20 operations" in message
    assert "total is traced as it is: its source (<string>) is not available" in message


def test_only_the_users_frames_are_shown() -> None:
    def half(x: Any) -> Any:
        return x[1.5]

    with pytest.raises(
        IndexError, match=r"only integers, slices(.|\n)*this is 1\.5, a float: write //"
    ) as caught:
        weft.function(half)(np.ones(3))
    shown = "".join(traceback.format_exception(caught.value))
    assert "another exception" not in shown
    assert "frontend/indexing" not in shown
