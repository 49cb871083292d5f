"""All functions are there that Keras calls, and take arrays, variables, numbers and lists."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import pytest
from keras import ops
from keras.src import backend

import keras_own
import weft

MODULES = ("linalg", "math", "numpy")


def parsed(path: str) -> ast.Module:
    """A module of Keras."""
    return ast.parse((keras_own.source_folder() / f"{path}.py").read_text())


def calls(path: str) -> Iterator[tuple[str, ast.Call]]:
    """The calls of functions of the backend in a module of Keras, with the names of these."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)).startswith("backend."):
            yield name.removeprefix("backend."), node


@pytest.mark.parametrize("module", MODULES)
def test_what_keras_calls_is_there_and_takes_the_arguments(module: str) -> None:
    found = 0
    for name, call in calls(f"ops/{module}"):
        room, _, function = name.partition(".")
        if room in MODULES:
            ours = getattr(getattr(backend, room), function)
            given = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
            inspect.signature(ours).bind(
                *given, **{keyword.arg: None for keyword in call.keywords if keyword.arg}
            )
            found += 1
    assert found > 20


@pytest.mark.parametrize("module", MODULES)
def test_what_keras_has_for_numpy_is_there(module: str) -> None:
    names = {
        node.name for node in parsed(f"backend/numpy/{module}").body if isinstance(node, ast.FunctionDef)
    }
    assert {name for name in names if not hasattr(getattr(backend, module), name)} <= {
        "_segment_reduction_fn"
    }


CALLS = {
    "ops.add({0}, 1)": [[2, 3], [4, 5]],
    "ops.sum({0})": 10,
    "ops.reshape({0}, [4])": [1, 2, 3, 4],
    "ops.stack([{0}, {0}])[1]": [[1, 2], [3, 4]],
    "ops.matmul({0}, {0})": [[7, 10], [15, 22]],
    "ops.take({0}, 1, axis=0)": [3, 4],
    "ops.maximum(2, {0})": [[2, 2], [3, 4]],
    "ops.max({0}, axis=[0])": [3, 4],
    "ops.split({0}, 2)[0]": [[1, 2]],
    "ops.logical_not({0})": [[False, False], [False, False]],
    "ops.det({0})": -2,
    "ops.top_k({0}, 1)[0]": [[2], [4]],
}

VALUES = {
    "list": [[1.0, 2.0], [3.0, 4.0]],
    "array": np.array([[1, 2], [3, 4]], "float32"),
    "variable": keras.Variable([[1.0, 2.0], [3.0, 4.0]]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_kinds_of_values(kind: str) -> None:
    for call, wanted in CALLS.items():
        made = eval(call.format("x"), {"ops": ops, "x": VALUES[kind]})
        assert isinstance(made, (np.ndarray, np.generic)), call
        assert np.allclose(made, wanted), call


def test_variables_are_data_of_compiled_functions() -> None:
    variable = keras.Variable([[1.0, 2.0], [3.0, 4.0]])

    @weft.do_not_convert
    def program() -> dict[str, Any]:
        return {call: eval(call.format("x"), {"ops": ops, "x": variable}) for call in CALLS}

    compiled = weft.function(program)
    for made in (compiled(), compiled()):
        assert all(np.allclose(made[call], wanted) for call, wanted in CALLS.items())
    variable.assign(2 * np.ones((2, 2), "float32"))
    assert compiled()["ops.sum({0})"] == 8
    assert compiled.trace_count == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("ops.rot90(x[0])", ValueError, "at least 2 dimensions"),
        ("ops.rot90(x, axes=(0, 0))", ValueError, "Invalid axes"),
        ("ops.pad(x, 1, mode='reflect', constant_values=0)", ValueError, "can only be provided"),
        ("ops.searchsorted(x, x)", ValueError, "only supports 1-D"),
        ("ops.bincount([1], sparse=True)", ValueError, "with weft backend"),
        ("ops.ldexp(x, x)", TypeError, "must be an integer type"),
        ("ops.cdist(x, x[:, :1])", ValueError, "must match"),
        ("ops.qr(x, mode='raw')", ValueError, "not supported"),
        ("ops.take(x, 5, axis=0)", IndexError, "out of bounds"),
        ("ops.reshape(x, (3, -1))", ValueError, "cannot reshape"),
        ("ops.concatenate([x, x[0]])", ValueError, "dimensions"),
        ("ops.matmul(x, np.ones((3, 3)))", ValueError, "mismatch"),
    ],
)
def test_what_does_not_fit_is_refused(call: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        eval(call, {"ops": ops, "np": np, "x": VALUES["array"]})
