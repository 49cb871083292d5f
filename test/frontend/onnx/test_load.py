"""`weft.onnx.load`: models as functions."""

from __future__ import annotations

import numpy as np
import pytest

import weft

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")

MLP = """
<ir_version: 10, opset_import: ["" : 21]>
mlp (float[N,4] x) => (float[N,2] y)
<float[4,3] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12}, float[3,2] v = {1,2,3,4,5,6}>
{ h = MatMul(x, w) r = Relu(h) y = MatMul(r, v) }
"""


@pytest.fixture
def mlp():
    return weft.onnx.load(onnx.parser.parse_model(MLP))


def reference(w, v, x):
    return np.maximum(x @ w, 0) @ v


def test_a_model_is_a_function(mlp):
    x = np.random.default_rng(0).normal(size=(5, 4)).astype("float32")
    assert isinstance(mlp, weft.Function)
    assert (mlp.name, mlp.input_names, mlp.output_names) == ("mlp", ("x",), ("y",))
    expected = reference(mlp.weights["w"], mlp.weights["v"], x)
    np.testing.assert_allclose(mlp(x), expected, rtol=1e-5)
    np.testing.assert_allclose(mlp(x=x), expected, rtol=1e-5)
    assert repr(mlp) == "<weft.function mlp(x: float32[N,4]) of a model of ONNX>"
