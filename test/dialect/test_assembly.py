"""Texts of modules name arguments as the program does."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.dialect.assembly import assembly
from weft.dialect.mlir import ir
from weft.dialect.register import context


class Layer:
    def __init__(self) -> None:
        self.weights = np.ones(3)

    @weft.function
    def __call__(self, x, *, scale):
        self.weights = self.weights * scale["by"][0]
        return x @ self.weights


@pytest.mark.parametrize("stage", ["weft", "optimized", "linalg"])
def test_stages_name_arguments(stage: str) -> None:
    spec = weft.TensorSpec([2, 3], np.float64)
    concrete = Layer().__call__.get_concrete_function(spec, scale={"by": [weft.TensorSpec([], np.float64)]})
    text = concrete.as_text(stage)
    assert "%x: tensor<2x3xf64>" in text
    assert "%scale_by_0: tensor<f64>" in text


def test_debug_information_keeps_names_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weft.settings, "debug_info", True)
    concrete = weft.function(lambda d: d["a"] + 1).get_concrete_function({"a": weft.TensorSpec([2])})
    assert "loc(\"d['a']\")" in concrete.as_text("weft")


def test_a_module_is_read_again() -> None:
    concrete = weft.function(lambda d: d["a b"] + d["c"][0]).get_concrete_function(
        {"a b": weft.TensorSpec([2]), "c": [weft.TensorSpec([2])]}
    )
    again = weft.from_mlir(concrete.as_text("weft"))
    np.testing.assert_array_equal(again(np.ones(2), np.ones(2)), [2.0, 2.0])


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("x", "%x"),
        ("net.w", "%net.w"),
        ("d['a b'][0]", "%d_a_b_0"),
        ("[0]", "%_0"),
        ("[]", "%argument"),
        ("größe", "%grosse"),
        ("d['ж']", "%d_zhe"),
    ],
)
def test_names(name: str, printed: str) -> None:
    with context():
        module = ir.Module.parse(f'func.func @f(%arg0: i32 loc("{name}")) {{ return }}')
        assert printed in assembly(module.operation)
        assert module.operation.verify()


def test_names_in_other_letters_stay_apart() -> None:
    arguments = 'func.func @f(%arg0: i32 loc("δ"), %arg1: i32 loc("delta"), %arg2: i32 loc("δ̈")) { return }'
    with context():
        text = assembly(ir.Module.parse(arguments).operation)
    assert "@f(%delta_: i32, %delta: i32, %delta__: i32)" in text


def test_arguments_without_names() -> None:
    with context():
        module = ir.Module.parse("func.func @f(%arg0: i32) { return }")
        assert "%arg0: i32" in assembly(module.operation)
