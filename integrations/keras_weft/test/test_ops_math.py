"""The functions of `keras.ops.math`: the same in compiled functions, with the shapes and dtypes that Keras foresees."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keras import ops
from op_calls import differences, evaluate, mistaken

import weft

_rng = np.random.default_rng(7)

ARRAYS = {
    "f": _rng.normal(size=(3, 8)).astype("float32"),
    "g": _rng.uniform(-0.95, 0.95, (3, 8)).astype("float32"),
    "h": _rng.normal(size=(3, 8)).astype("float16"),
    "i": _rng.integers(-4, 9, (3, 8)).astype("int32"),
    "s": np.array([[4, 1], [1, 3]], "float32"),
    "v": _rng.normal(size=32).astype("float32"),
    "e": np.array([0, 2, -1], "int32"),
    "t": np.array([1, 0, 7], "int32"),
}

FORESEEN = [
    "ops.cdist(f, g)",
    "ops.erf(f)",
    "ops.erf(h)",
    "ops.erfc(f)",
    "ops.erfc(h)",
    "ops.erfinv(g)",
    "ops.extract_sequences(v, 8, 3)",
    "ops.fft((f, g))",
    "ops.fft2((f, g))",
    "ops.ifft2((f, g))",
    "ops.in_top_k(t, f, 3)",
    "ops.irfft((f, g))",
    "ops.irfft((f, g), fft_length=6)",
    "ops.istft((f, f), 14, 4, 14)",
    "ops.istft((f, f), 12, 4, 14, length=9, window='hamming', center=False)",
    "ops.istft((f, f), 14, 4, 14, window=None)",
    "ops.logdet(s)",
    "ops.logsumexp(f)",
    "ops.logsumexp(f, axis=1, keepdims=True)",
    "ops.logsumexp(f, axis=[0, 1])",
    "ops.rfft(f)",
    "ops.rfft(f, fft_length=5)",
    "ops.rsqrt(ops.abs(f))",
    "ops.segment_max(f, e, num_segments=3)",
    "ops.segment_min(f, e, num_segments=3)",
    "ops.segment_sum(f, e, num_segments=3)",
    "ops.segment_sum(i, e, num_segments=4)",
    "ops.segment_prod(f, e, num_segments=3)",
    "ops.segment_max(i, e, num_segments=3)",
    "ops.stft(v, 8, 4, 8)",
    "ops.stft(v, 6, 4, 8, window='hamming', center=False)",
    "ops.stft(v, 8, 4, 9, window=None)",
    "ops.top_k(f, 3)",
    "ops.top_k(i, 2, sorted=False)",
]

OF_DATA = ["ops.segment_sum(f, e)", "ops.segment_max(i, e)"]
"""Whose shapes depend on numbers."""


def test_a_compiled_function_computes_the_same() -> None:
    assert differences([*FORESEEN, *OF_DATA], ARRAYS) == []


def test_shapes_and_dtypes_are_those_that_keras_foresees() -> None:
    assert mistaken([call for call in FORESEEN if "istft" not in call], ARRAYS) == []


# Numbers


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("ops.segment_sum(a, k)", [3, 0, 3]),
        ("ops.segment_max(a, k)", [2, -np.inf, 3]),
        ("ops.segment_min(a, k)", [1, np.inf, 3]),
        ("ops.segment_prod(a, k)", [2, 1, 3]),
        ("ops.segment_max(n, k)", [2, np.iinfo("int32").min, 3]),
        ("ops.top_k(ties, 3)[0]", [2, 2, 1]),
        ("ops.top_k(ties, 3)[1]", [1, 3, 0]),
        ("ops.in_top_k([0, 1, 2], [[3.0, 1, 2], [3, 1, 2], [3, 1, np.nan]], 2)", [True, False, False]),
    ],
)
def test_numbers(call: str, wanted: list[float]) -> None:
    arrays = {
        "a": np.array([1, 2, 3, 9], "float32"),
        "n": np.array([1, 2, 3, 9], "int32"),
        "k": np.array([0, 0, 2, -1], "int32"),
        "ties": np.array([1, 2, 0, 2], "float32"),
    }
    made = evaluate(call, arrays)
    assert made.tolist() == wanted


def test_a_segment_that_is_not_there_is_an_error() -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        ops.segment_sum(np.ones(3, "float32"), np.array([0, 1, 5], "int32"), num_segments=3)


def test_the_inverse_of_erf_inverts_it() -> None:
    x = np.concatenate([np.linspace(-4, 4, 101), [1e-6, -1e-20, 0.0]])
    y = np.array([math.erf(value) for value in x], "float32")
    inside = np.abs(y) < 0.9999
    assert np.allclose(ops.erfinv(y)[inside], x[inside], rtol=2e-4, atol=1e-7)
    assert ops.erfinv(np.array([1, -1], "float32")).tolist() == [np.inf, -np.inf]
    assert np.isnan(ops.erfinv(np.array([1.5, np.nan], "float32"))).all()


@pytest.mark.parametrize(("length", "stride", "fft_length"), [(8, 2, 8), (6, 2, 8), (5, 2, 7)])
def test_istft_inverts_stft(length: int, stride: int, fft_length: int) -> None:
    signal = _rng.normal(size=(2, 64)).astype("float32")
    pieces = ops.stft(signal, length, stride, fft_length)
    made = ops.istft(pieces, length, stride, fft_length, length=60)
    assert made.dtype == np.float32
    assert np.allclose(made, signal[:, :60], atol=1e-5)


def test_gradients() -> None:
    @weft.function
    def slope(x: np.ndarray, ids: np.ndarray) -> np.ndarray:
        def total(x: np.ndarray) -> np.ndarray:
            sums = ops.segment_sum(x, ids, num_segments=2)
            largest = ops.segment_max(x, ids, num_segments=2)
            return (
                ops.sum(ops.square(sums))
                + ops.sum(largest)
                + ops.sum(ops.erfinv(x))
                + ops.sum(ops.top_k(x, 2)[0])
            )

        made: np.ndarray = weft.grad(total)(x)
        return made

    x, ids = np.array([0.1, 0.5, -0.3], "float32"), np.array([0, 1, 1], "int32")
    sums = np.array([0.1, 0.2])
    inverse = np.sqrt(np.pi) / 2 * np.exp(np.square(ops.erfinv(x)))
    assert np.allclose(slope(x, ids), 2 * sums[ids] + inverse + [2, 2, 0], atol=1e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ops.fft((f, f[0]))", "same shape"),
        ("ops.fft((f.astype('int32'), f))", "not of type float"),
        ("ops.stft(f, 8, 2, 4)", "must equal or larger"),
        ("ops.stft(f, 8, 2, 8, window='other')", "must be one of"),
        ("ops.stft(f, 8, 2, 8, window=np.ones(3))", "shape of `window`"),
        ("ops.stft(f.astype('float16'), 8, 2, 8)", "Invalid input type"),
    ],
)
def test_what_does_not_fit_is_refused(call: str, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        evaluate(call, {"f": ARRAYS["f"]})
