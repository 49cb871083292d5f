"""Whole networks, as trainers export them, beside ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

import weft

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
models = pytest.importorskip("support.onnx_models")
reference = pytest.importorskip("onnx.reference")


def images(random, count):
    return (random.normal(size=(count, 3, 16, 16)).astype("float32"),)


def sentences(random, count):
    return random.integers(0, 30, (count, 5 + count)), random.random((count, 5 + count)) > 0.2


@pytest.mark.parametrize(
    ("make", "inputs"),
    [(models.convolutional_network, images), (models.transformer_encoder, sentences)],
    ids=["images", "words"],
)
def test_networks(make, inputs, tmp_path):
    model = make()
    onnx.checker.check_model(model)
    evaluator = reference.ReferenceEvaluator(model)
    function = weft.onnx.load(model)

    def expected(arguments):
        return evaluator.run(None, dict(zip(function.input_names, arguments, strict=True)))[0]

    random = np.random.default_rng(0)
    concrete = function.get_concrete_function()
    one, several = inputs(random, 1), inputs(random, 4)
    for called, arguments in ((function, several), (concrete, one), (concrete, several)):
        found = called(*arguments)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected(arguments), rtol=1e-5, atol=1e-5)
    weft.save(tmp_path / "network.weft", network=concrete)
    np.testing.assert_allclose(
        weft.load(tmp_path / "network.weft").network(*several), expected(several), rtol=1e-5, atol=1e-5
    )


def test_gradients_through_a_network():
    """Of a few weights, beside differences of the reference."""
    model = models.transformer_encoder(layers=1)
    function = weft.onnx.load(model)
    tokens, mask = sentences(np.random.default_rng(0), 2)
    names = ["words", "layer0.q", "layer0.norm1.scale", "layer0.down.bias"]
    weights = {name: function.weights[name] for name in names}

    def loss(weights):
        return (function.apply(weights, tokens, mask) ** 3).mean()

    gradient = weft.grad(loss)(weights)
    random = np.random.default_rng(1)
    for name in names:
        direction = random.normal(size=weights[name].shape).astype("float32")
        step = np.float32(1e-2)
        with weft.eager():
            after, before = (
                float(loss({**weights, name: weights[name] + sign * step * direction})) for sign in (1, -1)
            )
        assert float((gradient[name] * direction).sum()) == pytest.approx(
            (after - before) / (2 * float(step)), rel=0.02, abs=2e-4
        )
