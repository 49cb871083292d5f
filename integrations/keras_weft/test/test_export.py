"""`model.export`: files that weft loads without Keras, and ONNX."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import weft


def model_of_two() -> keras.Model:
    """A model of two inputs, with parts that training and inference run differently."""
    a, b = keras.Input((6,), name="a"), keras.Input((3,), name="b")
    x = keras.layers.concatenate([keras.layers.Dense(4, activation="relu")(a), b])
    x = keras.layers.Dropout(0.5)(keras.layers.BatchNormalization()(x))
    return keras.Model({"a": a, "b": b}, {"p": keras.layers.Dense(2, name="p")(x), "q": x})


def test_a_file_for_any_number_of_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, path = model_of_two(), tmp_path / "model.weft"
    model.export(path)
    assert f"Saved artifact at '{path}'." in capsys.readouterr().out
    loaded = weft.load(path)
    rng = np.random.default_rng(0)
    for rows in (1, 5):
        given = {"a": rng.random((rows, 6), "float32"), "b": rng.random((rows, 3), "float32")}
        expected = model(given)
        for name, array in loaded.serve(given).items():
            np.testing.assert_allclose(array, expected[name], rtol=1e-5, atol=1e-6)
    assert any(name.endswith("p/kernel") for name in loaded.state)
    # Loading and running needs neither Keras nor this package.
    program = (
        "import sys, numpy as np, weft\n"
        f"serve = weft.load({str(path)!r}).serve\n"
        "serve({'a': np.ones((2, 6), 'float32'), 'b': np.ones((2, 3), 'float32')})\n"
        "print('keras' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.stdout.strip() == "False", done.stderr


def test_onnx(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(3, activation="tanh"), keras.layers.Dense(2)]
    )
    model.export(tmp_path / "model.onnx", format="onnx", verbose=False)
    x = np.random.default_rng(0).random((3, 4), "float32")
    np.testing.assert_allclose(weft.onnx.load(tmp_path / "model.onnx")(x), model(x), rtol=1e-5, atol=1e-6)


def test_a_signature_of_ones_own(tmp_path: Path) -> None:
    class Scaled(keras.Model):
        def call(self, x: Any) -> Any:
            return x * 2.0

    model = Scaled()
    model.export(tmp_path / "model.weft", input_signature=[keras.InputSpec(shape=(None, 2), dtype="float32")])
    assert weft.load(tmp_path / "model.weft", only_look=True).signatures == {"serve": ["serve(f32[?,2])"]}


@pytest.mark.parametrize(
    ("format", "kind", "message"),
    [
        ("tf_saved_model", NotImplementedError, "format='weft' or 'onnx'"),
        ("torch", ValueError, "requires PyTorch backend"),
        ("tensor", ValueError, "Unrecognized format=tensor.* weft writes 'weft' and 'onnx'"),
    ],
)
def test_formats_of_others(format: str, kind: type[Exception], message: str, tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    with pytest.raises(kind, match=message):
        model.export(tmp_path / "model", format=format)
