"""Concrete functions: what they take, return and hold, and calls that leave out what tracing has fixed."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import weft

SPEC = weft.TensorSpec([None], "float32")
X, Y = np.ones(3, np.float32), np.ones(3, np.float32)
TABLE = np.arange(400.0)
SCALE = weft.Variable(2.0, name="scale")


class TestSignatures:
    def test_of_nested_arguments_and_constants(self) -> None:
        @weft.function
        def f(batch: Any, when: Any, mode: str, *rest: Any, flag: bool = True) -> Any:
            return {"x": batch["x"] * 2, "mode": mode}, [when, None], batch["x"].sum() if flag else rest

        day = np.array(["2020-01-01"], "M8[D]")
        concrete = f.get_concrete_function({"x": SPEC}, day, "sum", np.float64(1), flag=True)
        args, kwargs = concrete.structured_input_signature
        assert args == (
            {"x": weft.TensorSpec([None], "float32", "batch['x']")},
            weft.TensorSpec([1], "M8[D]", "when"),
            "sum",
            weft.TensorSpec([], "float64", "rest[0]"),
        )
        assert kwargs == {"flag": True}
        first, (_, nothing), total = concrete.structured_outputs
        assert first == {"x": weft.TensorSpec([None], "float32"), "mode": "sum"}
        assert nothing is None
        assert total == weft.TensorSpec([], "float32")

    def test_of_generators_records_packed_numbers_and_what_a_branch_decides(self) -> None:
        @weft.function
        def f(x: Any, numbers: Any, rng: Any, records: Any) -> Any:
            found = None
            if x > 0:
                found = x * 2
            return found, sum(numbers), rng.random(), records["a"] + 1

        numbers, rng = list(range(300)), np.random.default_rng(0)
        records = np.zeros(2, [("a", "f8"), ("b", "i4", 3)])
        for first in (0, 1):
            f(np.float64(first), [first, *numbers[1:]], rng, records)
        *_, concrete = f._known.concretes
        (x, many, generator, spec), _ = concrete.structured_input_signature
        assert many == [weft.TensorSpec([], "int64")] * 300
        assert (x, generator, spec.shape) == (weft.TensorSpec([], "float64", "x"), "Generator(pcg64)", (2,))
        assert spec.dtype == records.dtype
        assert concrete.structured_outputs[0] == "f64[] or None"

    def test_objects_are_held_weakly(self) -> None:
        class Holder:
            factor = 2

        @weft.function
        def f(holder: Any, x: Any) -> Any:
            return x * holder.factor

        holder = Holder()
        concrete = f.get_concrete_function(holder, SPEC)
        assert concrete.structured_input_signature[0][0] is holder
        del holder
        gc.collect()
        assert concrete.structured_input_signature[0][0] is None


class TestCaptured:
    def test_variables_and_arrays_by_their_names(self) -> None:
        class Layer:
            def __init__(self) -> None:
                self.w, self.b = weft.Variable([1.0, 2.0, 3.0]), np.zeros(3)
                self.inner = [weft.Variable(1.0, trainable=False)]

            @weft.function
            def __call__(self, x: Any) -> Any:
                self.inner[0].assign_add(1.0)
                return x * self.w + self.b + SCALE * TABLE.sum() + self.inner[0]

        layer = Layer()
        concrete = layer.__call__.get_concrete_function(weft.TensorSpec([3]))
        captured = concrete.captured
        assert captured["self.w"] is layer.w
        assert captured["self.b"] is layer.b
        assert captured["TABLE"] is TABLE
        assert captured["SCALE"] is SCALE
        assert captured["self.inner[0]"] is layer.inner[0]
        assert set(map(id, concrete.variables)) == {id(layer.w), id(SCALE), id(layer.inner[0])}
        assert set(map(id, concrete.trainable_variables)) == {id(layer.w), id(SCALE)}

    def test_without_any(self) -> None:
        concrete = weft.function(lambda x: x + 1).get_concrete_function(SPEC)
        assert (concrete.captured, concrete.variables) == ({}, ())


class TestCalls:
    def test_values_that_tracing_has_fixed_are_defaults(self) -> None:
        @weft.function
        def power(a: Any, b: Any, c: Any = 1, *, mode: str = "plain") -> Any:
            return a**b + c if mode == "plain" else a * 0

        square = power.get_concrete_function(SPEC, b=2, c=3, mode="plain")
        for call in (
            lambda: square(X),
            lambda: square(a=X),
            lambda: square(X, 2),
            lambda: square(X, c=3, b=2),
        ):
            np.testing.assert_array_equal(call(), [4, 4, 4])
        for arguments, message in (
            (
                {"b": 3},
                "argument 'b' of .* is 2, as tracing has fixed it, but 3 was given: leave it out, or call the",
            ),
            (
                {"mode": "other"},
                "argument 'mode' of .* is 'plain', as tracing has fixed it, but 'other' was given",
            ),
            ({"b": X}, "argument 'b' of .* is 2, as tracing has fixed it, but an array was given"),
        ):
            with pytest.raises(TypeError, match=message):
                square(X, **arguments)
        with pytest.raises(TypeError, match=r"power\(\) missing a required argument: 'a'"):
            square()
        with pytest.raises(TypeError, match=r"argument 'a' must be f32\[\?\], but f64\[1\] was given"):
            square(np.ones(1))

    def test_objects_may_be_left_out(self) -> None:
        class Model:
            def __init__(self, factor: float) -> None:
                self.factor = factor

            @weft.function
            def scaled(self, x: Any, mode: str, y: Any) -> Any:
                return x * self.factor + y

        model = Model(3.0)
        concrete = model.scaled.get_concrete_function(SPEC, "a", SPEC)
        for call in (
            lambda: concrete(X, "a", Y),
            lambda: concrete(model, X, "a", Y),
            lambda: concrete(X, y=Y),
            lambda: concrete(self=model, x=X, mode="a", y=Y),
        ):
            np.testing.assert_array_equal(call(), [4, 4, 4])
        with pytest.raises(
            TypeError, match=r"argument 'self' of .* is <Model at .*, as tracing has fixed it"
        ):
            concrete(Model(4.0), X, "a", Y)

    def test_parameters_by_position_only_and_without_names(self) -> None:
        @weft.function
        def f(x: Any, n: Any, /, *rest: Any) -> Any:
            return x * n + sum(rest)

        np.testing.assert_array_equal(f.get_concrete_function(SPEC, 2)(X), [2, 2, 2])
        np.testing.assert_array_equal(f.get_concrete_function(SPEC, 2, SPEC, 1)(X, 2, Y, 1), [4, 4, 4])
