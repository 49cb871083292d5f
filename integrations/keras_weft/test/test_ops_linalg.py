"""The functions of `keras.ops.linalg`: the same in compiled functions, with the dtypes that Keras foresees."""

from __future__ import annotations

import numpy as np
import pytest
from keras import ops
from op_calls import differences, evaluate, mistaken

import weft

_rng = np.random.default_rng(9)
_a = _rng.normal(size=(4, 4))

ARRAYS = {
    "a": _a.astype("float32"),
    "p": (_a @ _a.T + 4 * np.eye(4)).astype("float32"),
    "m": _rng.normal(size=(2, 4, 4)).astype("float32"),
    "n": _rng.normal(size=(2, 3, 4)).astype("float32"),
    "w": _rng.normal(size=(2, 5, 3)).astype("float32"),
    "b": _rng.normal(size=(4, 2)).astype("float32"),
    "v": _rng.normal(size=4).astype("float32"),
    "u": _rng.normal(size=(2, 4)).astype("float32"),
}

CALLS = [
    "ops.cholesky(p)",
    "ops.cholesky(p, upper=True)",
    "ops.cholesky_inverse(ops.cholesky(p))",
    "ops.cholesky_inverse(ops.cholesky(p, upper=True), upper=True)",
    "ops.det(a)",
    "ops.det(m)",
    "ops.eigh(p)",
    "ops.inv(m)",
    "ops.lstsq(b, v)",
    "ops.lu_factor(a)",
    "ops.lu_factor(m)",
    "ops.lu_factor(n)",
    "ops.lu_factor(w)",
    "ops.matrix_rank(m)",
    "ops.norm(a)",
    "ops.norm(m, ord=1, axis=(1, 2), keepdims=True)",
    "ops.norm(m, ord=np.inf, axis=-1)",
    "ops.pinv(n)",
    "ops.pinv(a, rcond=0.5)",
    "ops.qr(n)",
    "ops.qr(w, mode='complete')",
    "ops.solve(a, v)",
    "ops.solve(a, b)",
    "ops.solve(m, u)",
    "ops.solve_triangular(a, b, lower=True)",
    "ops.solve_triangular(m, u)",
    "ops.svd(n)",
    "ops.svd(n, full_matrices=False)",
    "ops.svd(n, compute_uv=False)",
]


def test_a_compiled_function_computes_the_same() -> None:
    signs = {call: f"[abs(x) for x in {call}]" for call in CALLS if "compute_uv=False" not in call}
    of_vectors = ("ops.eigh", "ops.qr", "ops.svd")  # where vectors may point the other way
    calls = [signs.get(call, call) if call.startswith(of_vectors) else call for call in CALLS]
    assert differences([*calls, "ops.abs(ops.sum(ops.eig(p)[0]))"], ARRAYS, tolerance=1e-3) == []


def test_shapes_and_dtypes_are_those_that_keras_foresees() -> None:
    assert (
        mistaken([call for call in CALLS if "lu_factor" not in call], ARRAYS) == []
    )  # which has no own dtypes there


def test_halves_are_computed_in_single_precision() -> None:
    made = evaluate("ops.inv(x)", {"x": np.array([[4, 1], [1, 3]], "float16")})
    assert made.dtype == np.float16
    assert np.allclose(made, [[3 / 11, -1 / 11], [-1 / 11, 4 / 11]], atol=1e-3)
    assert evaluate("ops.det(x)", {"x": np.array([[4, 1], [1, 3]], "int32")}) == np.float32(11)


@pytest.mark.parametrize("name", "amnw")
def test_factors_multiply_to_the_matrix(name: str) -> None:
    matrix = ARRAYS[name]
    lu, pivots = ops.lu_factor(matrix)
    rows, columns = matrix.shape[-2:]
    count = min(rows, columns)
    lower = np.tril(lu[..., :, :count], -1) + np.eye(rows, count)
    product = lower @ np.triu(lu[..., :count, :])
    exchanged = matrix.copy()
    for index in np.ndindex(matrix.shape[:-2]):
        for row, other in enumerate(pivots[index]):
            exchanged[index][[row, other]] = exchanged[index][[other, row]]
    assert pivots.dtype == np.int32
    assert np.abs(np.tril(lu, -1)[..., :count]).max() <= 1
    assert np.allclose(product, exchanged, atol=1e-5)


def test_a_singular_matrix_has_factors() -> None:
    lu, pivots = ops.lu_factor(np.array([[0, 1], [0, 2]], "float32"))
    assert lu.tolist() == [[0, 1], [0, 2]]
    assert pivots.tolist() == [0, 1]


@pytest.mark.parametrize("compiled", [False, True])
def test_jvp(compiled: bool) -> None:
    def moved(x: np.ndarray, direction: np.ndarray) -> object:
        return ops.jvp(lambda x: (ops.sin(x), ops.sum(x)), (x,), (direction,), has_aux=True)

    x, direction = np.array([0.1, 0.5], "float32"), np.array([1, 2], "float32")
    value, change, total = (weft.function(moved) if compiled else moved)(x, direction)
    assert np.allclose(value, np.sin(x))
    assert np.allclose(change, np.cos(x) * direction)
    assert np.allclose(total, 0.6)


def test_gradients() -> None:
    def total(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        made: np.ndarray = ops.sum(ops.solve_triangular(a, b, lower=True)) + ops.norm(a)
        return made

    a, b = ARRAYS["p"], ARRAYS["b"]
    inverse = np.linalg.inv(np.tril(a))
    upstream = inverse.T @ np.ones_like(b)
    wanted = -np.tril(upstream @ (inverse @ b).T) + a / np.linalg.norm(a)
    assert np.allclose(weft.function(lambda a, b: weft.grad(total)(a, b))(a, b), wanted, atol=1e-4)


def test_a_matrix_that_is_not_positive_has_no_cholesky_factor() -> None:
    with pytest.raises((ValueError, np.linalg.LinAlgError), match="positive definite"):
        ops.cholesky(np.array([[1, 2], [2, 1]], "float32"))
