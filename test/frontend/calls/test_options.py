"""Options of `weft.function`: those of other compilers are answered, and methods leave the instance out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

VECTOR = weft.TensorSpec([None], "float32")
X = np.ones(2, np.float32)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"jit_compile": True},
            "'jit_compile': leave it out. Here, every function is compiled to machine code",
        ),
        ({"reduce_retracing": True}, "a size or Python number that changes from call to call is data"),
        ({"experimental_relax_shapes": True}, "an input_signature with None fixes from the start"),
        ({"experimental_autograph_options": None}, "all of Python's statements and builtins are converted"),
        ({"experimental_follow_type_hints": True}, "annotations change nothing"),
        ({"static_argnums": (1,)}, "are constants of the code, without being named"),
        ({"nopython": True}, "strict=True makes an error of what cannot be converted"),
        ({"inputsignature": []}, r"no option 'inputsignature'; did you mean input_signature\?"),
        (
            {"loud": True},
            "no option 'loud'; there are input_signature, name, autograph, strict, target, device, max",
        ),
    ],
)
def test_options_of_other_compilers_are_answered(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        weft.function(**options)
    with pytest.raises(TypeError, match=message):
        weft.function(lambda x: x, **options)


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class Model:
    factor = 2

    @weft.function(input_signature=[VECTOR])
    def plain(self, x: Any) -> Any:
        return x * self.factor

    @logged
    @weft.function(input_signature=[VECTOR])
    def decorated(self, x: Any) -> Any:
        return x * self.factor

    @classmethod
    @weft.function(input_signature=[VECTOR])
    def of_class(cls, x: Any) -> Any:
        return x * cls.factor

    @staticmethod
    @weft.function(input_signature=[VECTOR])
    def static(x: Any) -> Any:
        return x * 2

    @weft.function(input_signature=[VECTOR])
    def of_another_name(this, x: Any) -> Any:
        return x * this.factor

    @property
    @weft.function(input_signature=[])
    def of_nothing(self) -> Any:
        return np.ones(2) * self.factor

    @weft.function(input_signature=[{"x": VECTOR}])
    def nested(self, batch: Any, *, scale: Any = 2) -> Any:
        return batch["x"] * scale


def late(self: Any, x: Any) -> Any:
    return x * self.factor


class TestMethods:
    @pytest.mark.parametrize(
        "name", ["plain", "decorated", "of_class", "static", "of_another_name", "own", "late"]
    )
    def test_input_signatures_leave_the_instance_out(self, name: str) -> None:
        model: Any = Model()
        model.own = weft.function(functools.partial(late, model), input_signature=[VECTOR])
        Model.late = weft.function(late, input_signature=[VECTOR])  # type: ignore[attr-defined]
        method = getattr(model, name)
        np.testing.assert_array_equal(method(X), [2, 2])
        np.testing.assert_array_equal(method(x=X), [2, 2])
        with pytest.raises(TypeError, match=r"argument 'x' must be f32\[\?\], but f32\[1,2\] was given"):
            method(X[None])

    def test_without_entries_and_nested(self) -> None:
        model = Model()
        np.testing.assert_array_equal(model.of_nothing, [2, 2])
        np.testing.assert_array_equal(model.nested({"x": X}, scale=3), [3, 3])
        concrete = model.plain.get_concrete_function()
        np.testing.assert_array_equal(concrete(model, X), [2, 2])

    def test_entries_for_the_instance(self) -> None:
        message = "input_signature of late has 2 entries for the parameters self, x: leave self out, which is no array"
        with pytest.raises(ValueError, match=message):
            weft.function(late, input_signature=[VECTOR, VECTOR])
