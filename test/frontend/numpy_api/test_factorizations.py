"""Linear algebra in compiled code beside NumPy's: values, dtypes, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.call_comparison import outcome
from support.interpreted import interpreted

linalg = np.linalg


def numbers(dtype: str, *shape: int) -> Any:
    """Random numbers, the same at each run."""
    generator = np.random.default_rng(sum(shape) + len(shape))
    values = generator.normal(size=shape) * 4
    return (values + 1j * generator.normal(size=shape) if dtype[0] == "c" else values).astype(dtype)


def arrays(dtype: str) -> list[Any]:
    """A square matrix, a stack, a positive definite matrix, a tall one and a flat one."""
    square = numbers(dtype, 3, 3) + 5 * np.eye(3, dtype=dtype)
    stack = numbers(dtype, 2, 3, 3) + (7 * np.eye(3)).astype(dtype)
    return [square, stack, square @ square.conj().T, numbers(dtype, 5, 3), numbers(dtype, 3, 4)]


def products(square: Any, stack: Any, positive: Any, tall: Any, flat: Any) -> list[Any]:
    """What is the same whatever the signs and phases of vectors are."""
    values, vectors = linalg.eigh(positive)
    u, s, vh = linalg.svd(flat)
    q, r = linalg.qr(tall)
    whole = linalg.qr(tall, mode="complete")
    return [
        linalg.solve(square, flat),
        linalg.solve(square, flat[:, 0]),
        linalg.solve(stack, flat),
        linalg.solve(square, stack),
        linalg.inv(stack),
        linalg.det(square),
        linalg.det(stack),
        linalg.slogdet(stack),
        linalg.cholesky(positive),
        linalg.cholesky(positive, upper=True),
        values,
        vectors @ np.diag(values) @ vectors.conj().T,
        linalg.eigvalsh(positive, UPLO="U"),
        s,
        (u[:, :3] * s) @ vh[:3],
        linalg.svdvals(stack),
        q @ r,
        whole.Q @ whole.R,
        np.abs(linalg.qr(tall, "r")),
        linalg.qr(stack, "raw")[1].shape,
        linalg.eigvals(positive + 0j).real.max(),
    ]


def derived(square: Any, stack: Any, positive: Any, tall: Any, flat: Any) -> list[Any]:
    """What is made of factorisations."""
    solution, residuals, rank, singular = linalg.lstsq(tall, tall[:, :2] + tall[:, 1:])
    vector = linalg.lstsq(flat, flat[:, 0])
    u, s, vh = linalg.svd(positive, hermitian=True)
    return [
        linalg.pinv(flat),
        linalg.pinv(stack * 1.0, rtol=None),
        linalg.matrix_rank(stack),
        linalg.matrix_rank(flat, tol=1e-3),
        linalg.cond(square),
        linalg.cond(square, 1),
        linalg.cond(stack, -2),
        linalg.norm(stack, 2, axis=(1, 2)),
        linalg.norm(flat, "nuc"),
        linalg.norm(stack, -2, axis=(0, 2), keepdims=True),
        linalg.matrix_power(square, -2),
        solution,
        residuals,
        rank,
        singular,
        vector[0],
        vector[1],
        (u * s) @ vh,
        linalg.svd(positive, compute_uv=False, hermitian=True),
    ]


def tensors(square: Any, stack: Any, positive: Any, tall: Any, flat: Any) -> list[Any]:
    """Tensors as matrices."""
    cube = stack.reshape(2, 9)[:, :8].reshape(2, 2, 4) + np.arange(16).reshape(2, 2, 4) ** 2
    return [linalg.tensorinv(cube), linalg.tensorsolve(cube, flat[:2, :2])]


def assert_like(got: Any, expected: Any) -> None:
    """Compare structures of arrays and scalars."""
    if isinstance(expected, (list, tuple)):
        assert type(got) is type(expected)
        for one, other in zip(got, expected, strict=True):
            assert_like(one, other)
        return
    assert type(got) is type(expected)
    if isinstance(expected, (np.ndarray, np.generic)):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        places = 2e-5 if expected.dtype.name in ("float32", "complex64") else 1e-9
        np.testing.assert_allclose(got, expected, rtol=places, atol=places)
    else:
        assert got == expected


@pytest.mark.parametrize(
    ("program", "dtype"),
    [
        *((products, dtype) for dtype in ("float32", "complex128", "int64")),
        *((derived, dtype) for dtype in ("float32", "complex128")),
        (tensors, "float64"),
    ],
)
def test_results_are_numpys(program: Callable[..., Any], dtype: str) -> None:
    given = arrays(dtype)
    assert_like(weft.function(program)(*given), program(*given))


def test_results_of_run_time_extents_are_numpys() -> None:
    def program(square: Any, stack: Any, positive: Any, tall: Any, flat: Any) -> list[Any]:
        solution, residuals, rank, _ = linalg.lstsq(tall, tall[:, :2])
        q, r = linalg.qr(tall)
        u, s, vh = linalg.svd(positive, hermitian=True)
        return [
            linalg.solve(stack, square),
            linalg.cholesky(positive),
            linalg.svdvals(flat),
            linalg.eigh(positive)[0],
            linalg.pinv(flat),
            solution,
            residuals,
            rank,
            q @ r,
            (u * s) @ vh,
        ]

    given = arrays("float64")
    open_ended = [weft.TensorSpec((None,) * array.ndim, "float64") for array in given]
    assert_like(weft.function(program, input_signature=open_ended)(*given), program(*given))


def test_stacks_broadcast_and_may_be_empty() -> None:
    def program(x: Any, y: Any, nothing: Any) -> list[Any]:
        return [
            linalg.solve(x, y),
            linalg.inv(nothing),
            linalg.det(nothing[:, :0, :0]),
            linalg.svdvals(nothing),
        ]

    generator = np.random.default_rng(1)
    given = [generator.normal(size=shape) for shape in ((4, 3, 3), (2, 1, 3, 2), (0, 3, 3))]
    given[0][:] += 5 * np.eye(3)
    expected = program(*given)
    assert_like(weft.function(program)(*given), expected)
    strided = [np.asfortranarray(given[0]), given[1][:, :, ::-1], given[2]]
    assert_like(weft.function(program)(*strided), program(*strided))


def test_stacks_of_run_time_numbers() -> None:
    stacks = weft.TensorSpec((None, 2, 2), "float64"), weft.TensorSpec((None, 2, 1), "float64")
    compiled = weft.function(lambda x, y: linalg.solve(x, y), input_signature=list(stacks))
    x, y = np.arange(12.0).reshape(3, 2, 2) + 4 * np.eye(2), np.ones((3, 2, 1))
    assert_like(compiled(x, y), linalg.solve(x, y))


MISTAKES: list[tuple[Callable[..., Any], Any]] = [
    (lambda x: linalg.inv(x), np.zeros((2, 3, 3))),
    (lambda x: linalg.solve(x, x), np.zeros((3, 3))),
    (lambda x: linalg.cholesky(x), -np.eye(3)),
    (lambda x: linalg.inv(x), np.ones((2, 3))),
    (lambda x: linalg.det(x), np.ones(3)),
    (lambda x: linalg.solve(x, np.ones(4)), np.eye(3)),
    (lambda x: linalg.solve(x, np.ones((4, 1))), np.eye(3)),
    (lambda x: linalg.solve(x, 1.0), np.eye(3)),
    (lambda x: linalg.eigvals(x), np.full((2, 2), np.nan)),
    (lambda x: linalg.eigh(x, "X"), np.eye(2)),
    (lambda x: linalg.qr(x, "nothing"), np.eye(2)),
    (lambda x: linalg.lstsq(x, np.ones(4)), np.eye(3)),
    (lambda x: linalg.lstsq(x, np.ones((1, 1, 1))), np.eye(3)),
    (lambda x: linalg.matrix_power(x, -1), np.zeros((2, 2))),
    (lambda x: linalg.cond(x), np.zeros((0, 2))),
    (lambda x: linalg.pinv(x, rcond=1.0, rtol=1.0), np.eye(2)),
    (lambda x: linalg.matrix_rank(x, tol=1.0, rtol=1.0), np.eye(2)),
    (lambda x: linalg.tensorinv(x, 0), np.eye(2)),
    (lambda x: linalg.tensorsolve(x, np.ones(3)), np.eye(2).reshape(2, 2, 1)),
    (lambda x: linalg.inv(x), np.ones((2, 2), np.float16)),
]


def message_of(call: Callable[..., Any], *given: Any) -> tuple[type[BaseException], str]:
    """The class among NumPy's and Python's, and the first line of an error."""
    try:
        result = call(*given)
    except Exception as error:
        kinds = type(error).__mro__
        return next(kind for kind in kinds if "weft" not in kind.__module__), str(error).partition("\n")[0]
    raise AssertionError(f"no error, but {result}")


@pytest.mark.parametrize(("mistake", "array"), MISTAKES)
def test_errors_are_numpys(mistake: Callable[..., Any], array: Any) -> None:
    expected = message_of(mistake, array)
    assert message_of(weft.function(mistake), array) == expected


DEGENERATE = [
    np.zeros((3, 3)), np.full((3, 3), np.nan), np.full((2, 2), np.inf), np.ones((2, 3)), np.zeros((0, 3, 3)),
    np.zeros((0, 0)), np.zeros((2, 0, 0)), np.zeros((0, 3)), np.ones(3), np.array(2.0),
]  # fmt: skip
"""Singular matrices, those of no numbers, matrices that are not square, empty ones, and what is no matrix."""

OF_ANY: list[Callable[..., Any]] = [
    *(linalg.inv, linalg.det, linalg.slogdet, linalg.cholesky, linalg.svdvals, linalg.eigvalsh, linalg.pinv),
    *(linalg.matrix_rank, linalg.cond),
    lambda x: linalg.solve(x, x),
    lambda x: linalg.qr(x)[1],
    lambda x: linalg.svd(x)[1],
    lambda x: linalg.eigh(x)[0],
    lambda x: linalg.matrix_power(x, -1),
    lambda x: linalg.matrix_power(x, 3),
    *(lambda x, order=order: linalg.norm(x, order) for order in (1, -1, 2, -2, np.inf, "nuc")),
    *(lambda x, name=name: getattr(np.fft, name)(x) for name in ("fft", "rfft", "irfft", "hfft", "ihfft")),
    lambda x: np.fft.fft(x, 0),
    lambda x: np.fft.irfft(x, -1),
    lambda x: np.fft.fft2(x),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", OF_ANY)
def test_degenerate_arrays(function: Callable[..., Any]) -> None:
    """Each function gives of bad input what NumPy gives, or raises what NumPy raises."""
    for array in DEGENERATE:
        expected, error = outcome(function, [array.copy()])
        got, raised = outcome(interpreted(lambda x: function(x)), [array.copy()])
        if error is None:
            assert raised is None, f"{raised!r} of {array!r}"
            most = 1e15 if function is linalg.cond else np.inf  # beyond that it is what rounding has left
            np.testing.assert_allclose(
                np.minimum(got, most), np.minimum(expected, most), rtol=1e-9, atol=1e-12
            )
            assert type(got) is type(expected)
        else:
            kind = next(k for k in type(error).__mro__ if k.__module__ in ("builtins", "numpy.linalg"))
            assert isinstance(raised, kind), f"{raised!r} and not {error!r} of {array!r}"


def test_extents_of_run_time_are_checked() -> None:
    square = weft.function(
        lambda x: linalg.inv(x), input_signature=[weft.TensorSpec((None, None), "float64")]
    )
    with pytest.raises(linalg.LinAlgError, match="must be square"):
        square(np.ones((2, 3)))
    solve = weft.function(
        lambda x, y: linalg.solve(x, y),
        input_signature=[weft.TensorSpec((None, None), "float64"), weft.TensorSpec((None,), "float64")],
    )
    with pytest.raises(ValueError, match=r"solve1: .* \(size 4 is different from 3\)"):
        solve(np.eye(3), np.ones(4))


def test_what_fails_is_caught_and_effects_before_it_stay() -> None:
    def program(x: Any, log: Any) -> Any:
        log[0] += 1
        try:
            return linalg.inv(x)
        except linalg.LinAlgError:
            return np.zeros_like(x)

    log, compiled = np.zeros(1), weft.function(program)
    np.testing.assert_array_equal(compiled(np.zeros((2, 2)), log), np.zeros((2, 2)))
    np.testing.assert_allclose(compiled(2 * np.eye(2), log), np.eye(2) / 2)
    assert log[0] == 2


def test_eigenvalues_of_real_matrices_are_complex_numbers_in_compiled_code() -> None:
    values, vectors = weft.function(lambda x: linalg.eig(x))(np.diag([3.0, 1.0]))
    assert values.dtype == vectors.dtype == np.complex128
    np.testing.assert_array_equal(values, [3, 1])


def test_gradients_go_through_factorisations_and_transforms() -> None:
    def loss(x: Any) -> Any:
        positive = x @ x.T + 3 * np.eye(3)
        return (
            linalg.slogdet(positive)[1]
            + np.sum(linalg.solve(positive, x) ** 2)
            + linalg.eigvalsh(positive)[0]
        )

    x, step = numbers("float64", 3, 3), 1e-6
    gradient = weft.function(weft.grad(loss))(x)
    differences = np.zeros((3, 3))
    for place in np.ndindex(3, 3):
        move = np.zeros((3, 3))
        move[place] = step
        differences[place] = (loss(x + move) - loss(x - move)) / (2 * step)
    np.testing.assert_allclose(gradient, differences, atol=1e-6)
    np.testing.assert_allclose(weft.grad(loss)(x), gradient)
    with pytest.raises(
        weft.DifferentiationError, match=r"weft\.svd has no derivative: that of singular values"
    ):
        weft.grad(lambda x: np.sum(linalg.svd(x)[0]))(x)
