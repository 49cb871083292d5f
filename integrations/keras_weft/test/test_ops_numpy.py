"""The functions of `keras.ops.numpy`: the same in compiled functions, with the dtypes that Keras foresees."""

from __future__ import annotations

import numpy as np
import pytest
from op_calls import differences, evaluate, flat, mistaken, words

_rng = np.random.default_rng(5)

ARRAYS = {
    "f": _rng.normal(size=(3, 4)).astype("float32"),
    "g": _rng.uniform(0.1, 0.9, (3, 4)).astype("float32"),
    "h": _rng.normal(size=(3, 4)).astype("float16"),
    "n": np.array([[1, np.nan, 3, 2], [np.nan] * 4, [4, 4, 0, -0.0]], "float32"),
    "i": _rng.integers(1, 6, (3, 4)).astype("int32"),
    "j": _rng.integers(1, 6, (3, 4)).astype("int8"),
    "b": _rng.integers(0, 2, (3, 4)).astype("bool"),
    "v": np.sort(_rng.normal(size=4).astype("float32")),
    "w": np.array([0, 2, 1, 2], "int32"),
    "s": _rng.normal(size=(3, 3)).astype("float32"),
    "q": _rng.normal(size=(3, 3)).astype("float32"),
    "p": np.array([3, 1], "float32"),
    "z": np.array([-0.0, 0.0], "float32"),
    "c": _rng.normal(size=(2, 3, 4)).astype("float32"),
}

OF_ONE = words("""
abs absolute angle arcsin arcsinh arccos arctan arctanh cbrt ceil conj conjugate cos cosh deg2rad exp
exp2 expm1 fabs floor i0 isfinite isinf isnan isneginf isposinf isreal log log10 log1p log2 logical_not
nan_to_num rad2deg real imag reciprocal round sign signbit sin sinc sinh sqrt square tan tanh trunc
""")
OF_INTEGERS = words("""
absolute bitwise_not bitwise_invert cos exp floor isfinite log negative sign signbit sqrt square trunc
arctan deg2rad cbrt
""")
OF_TWO = words("""
add arctan2 divide divide_no_nan equal floor_divide fmax fmin fmod greater greater_equal heaviside hypot
isclose less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod
multiply nextafter not_equal subtract true_divide
""")
OF_TWO_INTEGERS = words("""
add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor divide equal floor_divide
gcd hypot lcm left_shift maximum mod multiply power right_shift
""")
REDUCTIONS = words("""
all amax amin any argmax argmin count_nonzero max mean median min nanargmax nanargmin nanmax nanmean
nanmedian nanmin nanprod nanstd nansum nanvar prod ptp std sum var
""")
RUNNING = ("cumprod", "cumsum", "nancumprod", "nancumsum")

ELEMENTWISE = [
    *(f"ops.{name}(g)" for name in OF_ONE),
    *(f"ops.{name}(i)" for name in OF_INTEGERS),
    *(f"ops.{name}(f, g)" for name in OF_TWO),
    *(f"ops.{name}(i, i + 1)" for name in OF_TWO_INTEGERS),
    "ops.add(f, 1)",
    "ops.add(i, 1.5)",
    "ops.add(j, i)",
    "ops.add(h, f)",
    "ops.multiply(b, 2)",
    "ops.divide(i, 2)",
    "ops.power(g, 2)",
    "ops.power(g, f)",
    "ops.maximum(f, 0)",
    "ops.arccosh(i)",
    "ops.clip(f, -0.5, 0.5)",
    "ops.clip(i, 2, 3)",
    "ops.clip(f, -0.5, g)",
    "ops.ldexp(f, i)",
    "ops.round(f, 1)",
    "ops.view(f, 'int32')",
    "ops.where(b, f, g)",
    "ops.where(b, i, 1.5)",
    "ops.where(f > 0, f, 0.0)",
    "ops.select([f > 1, f > 0], [f, g], 2)",
    "ops.nan_to_num(n, nan=7.0)",
]

MOVING = [
    "ops.broadcast_to(v, (2, 4))",
    "ops.copy(f)",
    "ops.diag(v, k=1)",
    "ops.diag(f)",
    "ops.diagflat(v)",
    "ops.diagonal(f, offset=1)",
    "ops.diff(f)",
    "ops.diff(f, n=2, axis=0)",
    "ops.expand_dims(f, (0, -1))",
    "ops.flip(f)",
    "ops.flip(f, axis=1)",
    "ops.fliplr(f)",
    "ops.flipud(f)",
    "ops.moveaxis(c, 0, -1)",
    "ops.ravel(f)",
    "ops.repeat(f, 2, axis=1)",
    "ops.repeat(f, 2)",
    "ops.reshape(f, (2, -1))",
    "ops.roll(f, 1)",
    "ops.roll(f, 2, axis=1)",
    "ops.rot90(f, 3)",
    "ops.squeeze(ops.expand_dims(f, 1))",
    "ops.squeeze(ops.expand_dims(f, 1), axis=1)",
    "ops.swapaxes(c, 0, 2)",
    "ops.tile(v, (2, 3))",
    "ops.transpose(c)",
    "ops.transpose(c, axes=[1, 0, 2])",
    "ops.tril(f)",
    "ops.triu(f, k=1)",
    "ops.pad(f, ((1, 0), (0, 2)))",
    "ops.pad(f, 1, mode='reflect')",
    "ops.pad(f, ((1, 1), (2, 2)), mode='symmetric')",
    "ops.pad(f, 1, constant_values=3)",
    "ops.append(f, g, axis=1)",
    "ops.append(f, i)",
    "ops.concatenate([f, i])",
    "ops.concatenate([f, g], axis=-1)",
    "ops.stack([f, g], axis=1)",
    "ops.dstack([f, g])",
    "ops.hstack([f, g])",
    "ops.vstack([f, g, i])",
    "ops.split(f, 2, axis=1)",
    "ops.split(f, [1, 3], axis=1)",
    "ops.array_split(f, 2)",
    "ops.hsplit(f, 2)",
    "ops.vsplit(f, [1])",
    "ops.dsplit(c, 2)",
    "ops.meshgrid(v, v)",
]

MAKING = [
    "ops.zeros_like(f)",
    "ops.ones_like(f, dtype='int32')",
    "ops.full_like(f, 3)",
    "ops.full_like(i, 2.5, dtype='float32')",
    "ops.linspace(f, g, 5)",
    "ops.linspace(v, 3.0, 4, endpoint=False, axis=-1)",
    "ops.logspace(v, 1.0, 4)",
    "ops.geomspace(g, 4.0, 5)",
    "ops.geomspace(g, 4.0, 5, endpoint=False, axis=1)",
    "ops.vander(v)",
    "ops.vander(v, 3, increasing=True)",
]

REDUCING = [
    *(f"ops.{name}(f)" for name in REDUCTIONS),
    *(f"ops.{name}(n, axis=1)" for name in REDUCTIONS if name not in ("argmax", "argmin", "max", "min")),
    *(f"ops.{name}(i, axis=0)" for name in REDUCTIONS),
    *(f"ops.{name}(f, axis=0)" for name in RUNNING),
    *(f"ops.{name}(i)" for name in RUNNING),
    "ops.sum(f, axis=[0, 1], keepdims=True)",
    "ops.sum(j)",
    "ops.sum(b, axis=-1)",
    "ops.mean(h, axis=0)",
    "ops.sum(h)",
    "ops.prod(j, axis=0)",
    "ops.prod(f, dtype='float32')",
    "ops.max(f, initial=2.0)",
    "ops.min(f, axis=1, keepdims=True)",
    "ops.argmax(z)",
    "ops.cumsum(f, dtype='int32')",
    "ops.average(f)",
    "ops.average(f, axis=0, weights=g)",
    "ops.average(i, axis=1, weights=v)",
    "ops.quantile(f, 0.3)",
    "ops.quantile(f, v * 0 + 0.5, axis=1)",
    "ops.percentile(f, 30.0, axis=0, method='nearest')",
    "ops.nanquantile(n, 0.5, axis=0)",
    "ops.nanpercentile(n, 25.0, axis=1)",
    "ops.allclose(f, f)",
]

CONTRACTING = [
    "ops.corrcoef(s)",
    "ops.correlate(v, p)",
    "ops.correlate(v, w, mode='full')",
    "ops.cross(s, q)",
    "ops.dot(f, v)",
    "ops.einsum('ij,j->i', f, v)",
    "ops.einsum('aij,kj->aik', c, f)",
    "ops.einsum('ij,ij->ij', j, j)",
    "ops.inner(f, v)",
    "ops.kron(f, s)",
    "ops.matmul(s, f)",
    "ops.matmul(j, ops.transpose(j))",
    "ops.outer(v, w)",
    "ops.slogdet(s)",
    "ops.tensordot(f, g, axes=[[1], [1]])",
    "ops.tensordot(s, f, axes=1)",
    "ops.trace(s)",
    "ops.trace(j)",
    "ops.trapezoid(f)",
    "ops.trapezoid(f, x=v)",
    "ops.vdot(f, g)",
]

CHOOSING = [
    "ops.take(f, w, axis=1)",
    "ops.take(f, -1)",
    "ops.take(f, [[0, 1]], axis=0)",
    "ops.take_along_axis(f, ops.argsort(f, axis=1), axis=1)",
    "ops.unravel_index(w, (2, 3))",
    "ops.argpartition(p, 1)",
    "ops.argsort(f)",
    "ops.argsort(f, axis=0)",
    "ops.sort(f)",
    "ops.sort(f, axis=0)",
    "ops.searchsorted(v, f)",
    "ops.searchsorted(v, f, side='right')",
    "ops.digitize(f, v)",
    "ops.isin(w, [1, 0])",
    "ops.isin(i, w, invert=True)",
]

OF_DATA = [
    "ops.bincount(w)",
    "ops.bincount(w, weights=v, minlength=6)",
    "ops.bincount(i, minlength=9)",
    "ops.bincount(i, weights=f)",
    "ops.histogram(f[0], bins=4)",
    "ops.histogram(f[0], bins=3, range=(-1, 1))",
    "ops.nonzero(b)",
    "ops.where(b)",
    "ops.unique(w)",
    "ops.unique(w, return_inverse=True, return_counts=True)",
    "ops.unique(w, size=5, fill_value=-1, return_index=True)",
    "ops.unique(w, size=2)",
    "ops.vectorize(lambda a, b: a + 2 * b)(f, v)",
    "ops.vectorize(ops.sum, signature='(k)->()')(f)",
    "ops.argpartition(v, 1)",
]
"""Whose shapes depend on numbers, or of which Keras foresees nothing."""

GROUPS = {
    "elementwise": ELEMENTWISE,
    "moving": MOVING,
    "making": MAKING,
    "reducing": REDUCING,
    "contracting": CONTRACTING,
    "choosing": CHOOSING,
}


@pytest.mark.parametrize("calls", [*GROUPS.values(), OF_DATA], ids=[*GROUPS, "of data"])
def test_a_compiled_function_computes_the_same(calls: list[str]) -> None:
    with np.errstate(all="ignore"):
        assert differences(calls, ARRAYS) == []


@pytest.mark.parametrize("calls", GROUPS.values(), ids=GROUPS)
def test_shapes_and_dtypes_are_those_that_keras_foresees(calls: list[str]) -> None:
    with np.errstate(all="ignore"):
        assert mistaken(calls, ARRAYS) == []


# Dtypes

DTYPES = ("bool", "uint8", "uint16", "uint32", "int8", "int16", "int32", "bfloat16", "float16", "float32")

OTHERS = {
    "ops.floor_divide(x_bool, x_bool)": "int32",
    "ops.heaviside(x_bool, x_bool)": "float32",
    "ops.hypot(x_bool, x_bool)": "float32",
    "ops.power(x_bool, x_bool)": "int32",
    **{f"ops.reciprocal({dtype})": dtype for dtype in ("bfloat16", "float16")},
}
"""Where results are of other dtypes than Keras foresees: truth values are no numbers, and halves stay halves."""


def dtypes_that_differ(calls: list[str], arrays: dict[str, np.ndarray]) -> list[str]:
    """Where the dtypes are neither those that Keras foresees, nor those of the table."""
    found = mistaken([call for call in calls if call not in OTHERS], arrays)
    return found + [call for call in calls if call in OTHERS and evaluate(call, arrays).dtype != OTHERS[call]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_of_functions_of_one_array(dtype: str) -> None:
    arrays = {dtype: np.array([[1, 0], [1, 1]], dtype)}
    without = {"ptp", "sign"} if dtype == "bool" else set()
    names = [
        *OF_ONE,
        *REDUCTIONS,
        *RUNNING,
        "argsort",
        "average",
        "corrcoef",
        "sort",
        "square",
        "trace",
        "trapezoid",
    ]
    assert dtypes_that_differ([f"ops.{name}({dtype})" for name in names if name not in without], arrays) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_of_functions_of_two_arrays(dtype: str) -> None:
    arrays = {f"x_{other}": np.array([[1, 0], [1, 1]], other) for other in DTYPES}
    names = [*OF_TWO, "append", "dot", "inner", "kron", "matmul", "outer", "power", "vdot"]
    calls = [f"ops.{name}(x_{dtype}, x_{other})" for name in names for other in DTYPES]
    assert (
        dtypes_that_differ([call for call in calls if call != "ops.subtract(x_bool, x_bool)"], arrays) == []
    )


def test_halves_in_a_compiled_function() -> None:
    arrays = {name: ARRAYS[name].astype("bfloat16") for name in "fgsv"}
    calls = [
        *(f"ops.{name}(f, v)" for name in ("add", "dot", "inner", "outer")),
        "ops.matmul(s, s)",
        "ops.mean(f)",
    ]
    calls += [
        "ops.einsum('ij,kj', f, g)",
        "ops.sum(f, axis=0)",
        "ops.vdot(f, g)",
        "ops.multiply(f, 0.5)",
        "ops.exp(f)",
    ]
    calls += [
        "ops.tensordot(f, g, axes=[[1], [1]])",
        "ops.std(f)",
        "ops.quantile(f, 0.3)",
        "ops.cumsum(f, axis=1)",
    ]
    assert differences(calls, arrays, tolerance=2e-2) == []
    assert all(x.dtype == "bfloat16" for call in calls for x in flat(evaluate(call, arrays)))


# What is not data of the function

LATER = [
    "ops.take(table, w, axis=0)",
    "ops.take_along_axis(table, w[:, None], axis=1)",
    "ops.repeat(table, w, axis=0)",
    "ops.roll(table, w[1], axis=0)",
    "ops.pad(table, 1, constant_values=v[0])",
    "ops.clip(table, v[0], v[1])",
    "ops.where(table > 2, v[0], table)",
    "ops.searchsorted(row, v)",
    "ops.full((2, 3), v[0])",
    "ops.full_like(table, v[0])",
    "ops.linspace(0.0, v[0], 3)",
    "ops.arange(w[1])",
    "ops.hanning(w[1])",
    "ops.stack([1.0, v[0]])",
    "ops.concatenate([table, f])",
    "ops.add([1, 2, 3, 4], v)",
    "ops.einsum('ij,j', table, v)",
    "ops.unravel_index(w, (2, 3))",
    "ops.broadcast_to(row, (w[1], 4))",
    "ops.reshape(row, (w[1], -1))",
    "ops.bincount(w, weights=row, minlength=4)",
    "ops.select([v > 0], [row], v)",
    "ops.quantile(table, g[0, 0])",
    "ops.split(row, w[1:3])",
    "ops.split(table, [w[2]])",
]
"""Calls on constants, of which something is known only when the program runs."""


def test_of_constants_by_what_is_known_later() -> None:
    row = np.arange(4, dtype="float32")
    constants = {"row": row, "table": row + 4 * row[:, None]}
    assert differences(LATER, ARRAYS, constants=constants) == []
