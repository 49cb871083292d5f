"""What can be done with functions of files: passed, saved, retargeted, called by other compiled functions."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

X = np.linspace(-1, 1, 6).reshape(2, 3)


class Model:
    def __init__(self) -> None:
        self.w = np.zeros(3)

    @weft.function
    def fit(self, x: Any, y: Any, rate: Any = 0.5, *, scale: Any = 1.0) -> Any:
        error = x @ self.w - y
        self.w -= rate * scale * x.T @ error
        return (error**2).mean()

    @weft.function
    def predict(self, x: Any) -> Any:
        return np.tanh(x @ self.w)


@pytest.fixture(name="path")
def model_file(tmp_path: Path) -> Path:
    """A file with the two functions of a model, which share its weights."""
    model = Model()
    model.fit(X, np.ones(2)), model.predict(X)
    weft.save(tmp_path / "model.weft", fit=model.fit, predict=model.predict)
    return tmp_path / "model.weft"


def test_defaults_and_keywords_in_compiled_functions(path: Path) -> None:
    loaded, expected = weft.load(path), weft.load(path)
    called = weft.function(lambda x, y: (loaded.fit(x, y), loaded.fit(y=y, x=x, scale=1.0)))
    losses = [expected.fit(X, np.ones(2)) for _ in range(2)]
    np.testing.assert_allclose(called(X, np.ones(2)), losses)
    np.testing.assert_allclose(loaded.state["w"], expected.state["w"])
    with pytest.raises(TypeError, match=r"predict\(\) missing a required argument: 'x'"):
        weft.function(lambda: loaded.predict())()


def test_constants_that_differ_are_explained(path: Path) -> None:
    fit, predict = weft.load(path).fit, weft.load(path).predict
    told = r"arguments \(f64\[2,3\], f64\[2\], 0\.25, scale=1\.0\); the file has\n  fit\(.*, scale=1\.0\)\na number"
    with pytest.raises(TypeError, match=told):
        fit(X, np.ones(2), 0.25)
    with pytest.raises(TypeError, match=r"the file has\n  predict\(f64\[2,3\]\)$"):
        predict([1.0, 2.0])


def test_variables_are_arguments_as_their_arrays_are(path: Path) -> None:
    predict, x = weft.load(path).predict, weft.Variable(X)
    np.testing.assert_array_equal(predict(x), predict(X))
    inside = weft.function(lambda: predict(x))
    np.testing.assert_array_equal(inside(), predict(X))
    x.assign(2 * X)
    np.testing.assert_array_equal(inside(), predict(2 * X))
    with weft.GradientTape() as tape:
        y = np.sum(predict(x))
    expected = weft.grad(lambda x: np.sum(predict(x)))(2 * X)
    np.testing.assert_allclose(tape.gradient(y, x), expected)


def test_variables_are_state_under_the_names_of_their_places(tmp_path: Path) -> None:
    class Layers:
        def __init__(self) -> None:
            self.layers = [{"b": weft.Variable(np.zeros(3), name="bias")}]

        @weft.function
        def __call__(self, x: Any) -> Any:
            self.layers[0]["b"].assign_add(x)
            return x + self.layers[0]["b"]

    layers = Layers()
    layers(np.ones(3))
    weft.save(tmp_path / "f.weft", call=layers.__call__)
    loaded = weft.load(tmp_path / "f.weft")
    assert list(loaded.state) == ["layers[0]['b']"]
    np.testing.assert_array_equal(loaded.call(np.ones(3)), [3, 3, 3])
    np.testing.assert_array_equal(loaded.state["layers[0]['b']"], [2, 2, 2])


def test_a_file_that_was_only_looked_at_says_so(path: Path) -> None:
    looked = weft.load(path, only_look=True)
    with pytest.raises(AttributeError, match=r"was only looked at: call predict of what weft\.load"):
        looked.predict  # noqa: B018
    with pytest.raises(AttributeError, match="has no function 'nothing'; it has: fit, predict"):
        looked.nothing  # noqa: B018


def test_all_of_a_file_is_saved_again(path: Path, tmp_path: Path) -> None:
    loaded = weft.load(path)
    weft.save(tmp_path / "same.weft", loaded)
    assert (tmp_path / "same.weft").read_bytes() == path.read_bytes()
    weft.save(tmp_path / "more.weft", loaded, again=loaded.predict)
    assert list(weft.load(tmp_path / "more.weft", only_look=True).signatures) == ["again", "fit", "predict"]
    with pytest.raises(ValueError, match="has a function predict, too: pass it by another name"):
        weft.save(tmp_path / "more.weft", loaded, predict=loaded.predict)


def test_copies_for_other_processes_share_their_state(path: Path) -> None:
    loaded = weft.load(path)
    fit, predict = pickle.loads(pickle.dumps((loaded.fit, loaded.predict)))
    model = pickle.loads(pickle.dumps(loaded))
    deep, shallow = copy.deepcopy(loaded), copy.copy(loaded.predict)
    before = loaded.predict(X)
    loaded.fit(X, -np.ones(2))
    for other in (predict, model.predict, deep.predict):
        np.testing.assert_array_equal(other(X), before)
    for other in (fit, model.fit, deep.fit):
        other(X, -np.ones(2))
    for other in (predict, model.predict, deep.predict, shallow):
        np.testing.assert_array_equal(other(X), loaded.predict(X))


def test_targets_and_devices(path: Path) -> None:
    elsewhere = weft.load(path, target="aarch64").predict
    assert "fmla" in elsewhere.get_concrete_function().as_text("asm")
    assert pickle.loads(pickle.dumps(elsewhere)).target == "aarch64"
    assert weft.load(path, device="cpu").predict.device == "cpu"
    with pytest.raises(ValueError, match="there is no target 'nonsense'"):
        weft.load(path, target="nonsense")


def test_modules_that_files_do_not_have_are_not_saved(tmp_path: Path) -> None:
    text = weft.function(lambda x: x + 1).get_concrete_function(np.ones(3)).as_text("linalg")
    increased = weft.from_mlir(text)
    np.testing.assert_array_equal(increased(np.ones(3)), [2, 2, 2])
    with pytest.raises(weft.NotPortable, match="cannot leave this process:\n  the module has affine"):
        weft.save(tmp_path / "f.weft", f=increased)
    assert not (tmp_path / "f.weft").exists()


def test_exceptions_of_files_are_not_taken_by_compiled_code(path: Path, tmp_path: Path) -> None:
    def checked(x: Any, i: Any) -> Any:
        return x[i]

    specs = weft.TensorSpec([3]), weft.TensorSpec([], "int64")
    weft.save(tmp_path / "f.weft", f=weft.function(checked).get_concrete_function(*specs))
    f, predict = weft.load(tmp_path / "f.weft").f, weft.load(path).predict

    @weft.function
    def caught(x: Any, i: Any) -> Any:
        try:
            return f(x, i)
        except IndexError:
            return x[0]

    @weft.function
    def silent(x: Any) -> Any:
        try:
            return predict(x)
        except IndexError:
            return x[0]

    with pytest.raises(
        NotImplementedError,
        match="f, which comes from a file, may raise IndexError or ValueError, and a `try`",
    ):
        caught(np.ones(3), np.int64(5))
    np.testing.assert_array_equal(silent(X), predict(X))
    with pytest.raises(IndexError):
        weft.function(lambda x, i: f(x, i))(np.ones(3), np.int64(5))
