"""Functions of elements: arithmetic, comparisons, logic, activations, casts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....tracing.array import TracedArray
from ..namespace import weft
from ..table import Refused, Visit, rule
from ..tensors import dtype_of

_OF_ONE = {
    "Acos": "arccos",
    "Acosh": "arccosh",
    "Asin": "arcsin",
    "Asinh": "arcsinh",
    "Atan": "arctan",
    "Atanh": "arctanh",
    "BitwiseNot": "bitwise_invert",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "IsNaN": "isnan",
    "Log": "log",
    "Not": "logical_not",
    "Reciprocal": "reciprocal",
    "Round": "rint",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}
"""The ops that are a function of the namespace, of one array."""

_OF_TWO = {
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Or": "logical_or",
    "Xor": "logical_xor",
}
"""Those of two arrays."""

_OF_SIZES = {"Abs": "abs", "Neg": "negative", "Sign": "sign"}
_OF_TWO_SIZES = {
    "Add": "add",
    "Equal": "equal",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "Less": "less",
    "LessOrEqual": "less_equal",
    "Mul": "multiply",
    "Sub": "subtract",
}
"""Those that shapes are computed with, too."""


def _of_one(name: str) -> Any:
    def apply(x: Any) -> Any:
        return getattr(weft, name)(x)

    apply.__doc__ = f"`weft.{name}`."
    return apply


def _of_two(name: str) -> Any:
    def apply(a: Any, b: Any, *, axis: int | None = None, broadcast: int = 0) -> Any:
        return getattr(weft, name)(a, aligned(a, b, axis))

    apply.__doc__ = f"`weft.{name}`."
    return apply


def aligned(a: Any, b: Any, axis: int | None) -> Any:
    """An array whose axes are those of another one from some axis on, as ONNX broadcast before version 7."""
    behind = 0 if axis is None else a.ndim - axis % a.ndim - b.ndim
    return b if behind <= 0 else weft.reshape(b, (*b.shape, *(1,) * behind))


for _table, _made, _follows in (
    (_OF_ONE, _of_one, False),
    (_OF_TWO, _of_two, False),
    (_OF_SIZES, _of_one, True),
    (_OF_TWO_SIZES, _of_two, True),
):
    for _op, _name in _table.items():
        rule(_op, by_element=_follows)(_made(_name))


def is_float(x: Any) -> bool:
    """Whether an array has elements that are real numbers, not integers."""
    return bool(x.dtype.kind == "f" or x.dtype.name == "bfloat16")


def scalar(value: Any, like: Any) -> Any:
    """A number as one of the dtype of an array."""
    if isinstance(value, TracedArray):
        return weft.astype(value, like.dtype)
    return np.asarray(value).astype(like.dtype)[()]


@rule("Div", by_element=True)
def div(a: Any, b: Any, *, axis: int | None = None, broadcast: int = 0) -> Any:
    """`weft.divide`; of integers, rounded towards zero."""
    b = aligned(a, b, axis)
    if is_float(a):
        return weft.divide(a, b)
    quotient = weft.floor_divide(a, b)
    if a.dtype.kind == "u":
        return quotient
    is_low = weft.logical_and(
        weft.not_equal(quotient * b, a), weft.not_equal(weft.less(a, 0), weft.less(b, 0))
    )
    return quotient + weft.astype(is_low, a.dtype)


@rule("Mod", by_element=True)
def mod(a: Any, b: Any, *, fmod: int) -> Any:
    """`weft.remainder`, with the sign of the divisor; `weft.fmod` with `fmod=1`."""
    return weft.fmod(a, b) if fmod else weft.remainder(a, b)


@rule("Pow")
def pow_(a: Any, b: Any, *, axis: int | None = None, broadcast: int = 0) -> Any:
    """`weft.power`, in the dtype of the base."""
    b = aligned(a, b, axis)
    wide = (
        np.result_type(a.dtype, b.dtype)
        if "bfloat16" not in (a.dtype.name, b.dtype.name)
        else np.dtype("float64")
    )
    if is_float(a) or is_float(b):
        wide = a.dtype if is_float(a) and not (is_float(b) and b.dtype.itemsize > a.dtype.itemsize) else wide
        return weft.astype(weft.power(weft.astype(a, wide), weft.astype(b, wide)), a.dtype)
    return weft.astype(weft.power(weft.astype(a, wide), weft.astype(b, wide)), a.dtype)


@rule("BitCast")
def bit_cast(x: Any, *, to: int) -> Any:
    """The bits of elements as others of the same size."""
    wanted = dtype_of(to, "the result")
    if wanted.itemsize != x.dtype.itemsize:
        raise Refused(f"makes elements of {wanted} of those of {x.dtype}, which have another size")
    if wanted == np.bool_ or x.dtype == np.bool_:
        return weft.astype(x, wanted) if x.dtype.kind in "bu" else weft.not_equal(x, 0)
    return x.view(wanted)


def _folded(name: str) -> Any:
    def of_several(first: Any, *others: Any) -> Any:
        for other in others:
            first = getattr(weft, name)(first, other)
        return first

    of_several.__doc__ = f"`weft.{name}` of one array after the other."
    return of_several


rule("Max", by_element=True)(_folded("maximum"))
rule("Min", by_element=True)(_folded("minimum"))
rule("Sum")(_folded("add"))


def saturated(x: Any, dtype: Any) -> Any:
    """Elements of another dtype; floats become bools where they are not zero."""
    return (
        weft.not_equal(x, scalar(0, x))
        if dtype == np.bool_ and x.dtype != np.bool_
        else weft.astype(x, dtype)
    )


@rule("Cast", by_element=True)
def cast(x: Any, *, to: int, saturate: int = 1, round_mode: str = "up") -> Any:
    """`weft.astype`."""
    return saturated(x, dtype_of(to, "the result"))


@rule("IsInf")
def is_inf(x: Any, *, detect_negative: int, detect_positive: int) -> Any:
    """`weft.isinf`, of one sign or both."""
    found = weft.isinf(x)
    if not detect_negative:
        found = weft.logical_and(found, weft.greater(x, scalar(0, x)))
    return found if detect_positive else weft.logical_and(found, weft.less(x, scalar(0, x)))


@rule("Clip")
def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """`weft.maximum` of the lower limit, then `weft.minimum` of the upper one."""
    if min is not None:
        x = weft.maximum(x, weft.astype(weft.asarray(min), x.dtype))
    return x if max is None else weft.minimum(x, weft.astype(weft.asarray(max), x.dtype))


# Activations


@rule("LeakyRelu")
def leaky_relu(x: Any, *, alpha: float) -> Any:
    """Negative elements times alpha."""
    return weft.where(weft.less(x, scalar(0, x)), x * scalar(alpha, x), x)


@rule("PRelu", since=7)
def prelu(x: Any, slope: Any) -> Any:
    """Negative elements times a slope, which broadcasts."""
    return weft.where(weft.less(x, scalar(0, x)), x * slope, x)


@rule("Elu")
def elu(x: Any, *, alpha: float) -> Any:
    """alpha * (e^x - 1) for negative elements."""
    below = weft.expm1(weft.minimum(x, scalar(0, x))) * scalar(alpha, x)
    return weft.where(weft.less(x, scalar(0, x)), below, x)


@rule("ThresholdedRelu")
def thresholded_relu(x: Any, *, alpha: float) -> Any:
    """Elements above alpha, else 0."""
    return weft.where(weft.greater(x, scalar(alpha, x)), x, scalar(0, x))


@rule("Shrink")
def shrink(x: Any, *, bias: float, lambd: float) -> Any:
    """Elements outside of a range, moved to zero by the bias; those inside are 0."""
    inside = weft.where(weft.less(x, scalar(-lambd, x)), x + scalar(bias, x), scalar(0, x))
    return weft.where(weft.greater(x, scalar(lambd, x)), x - scalar(bias, x), inside)


@rule("Sigmoid")
def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    one = scalar(1, x)
    power = weft.exp(-weft.abs(x))
    return weft.where(weft.less(x, scalar(0, x)), power, one) / (one + power)


@rule("HardSigmoid")
def hard_sigmoid(x: Any, *, alpha: float, beta: float) -> Any:
    """alpha * x + beta, between 0 and 1."""
    line = x * scalar(alpha, x) + scalar(beta, x)
    return weft.maximum(scalar(0, x), weft.minimum(scalar(1, x), line))


@rule("Softplus")
def softplus(x: Any) -> Any:
    """log(1 + e^x), `weft.logaddexp` of 0."""
    return weft.logaddexp(x, scalar(0, x))


@rule("Softsign")
def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return x / (scalar(1, x) + weft.abs(x))


@rule("Gelu")
def gelu(x: Any, *, approximate: str) -> Any:
    """x times the normal distribution up to it; with tanh, if it is approximated."""
    half, one = scalar(0.5, x), scalar(1, x)
    if approximate == "tanh":
        inner = scalar(math.sqrt(2 / math.pi), x) * (x + scalar(0.044715, x) * x * x * x)
        return half * x * (one + weft.tanh(inner))
    return half * x * (one + weft.erf(x * scalar(math.sqrt(0.5), x)))


@rule("Dropout", since=12)
def dropout(
    x: Any, ratio: Any = None, training_mode: Any = None, *, node: Visit, seed: int | None = None
) -> Any:
    """The input: nothing is dropped where a model is not trained."""
    if training_mode is not None and bool(np.any(_constant(training_mode))):
        raise Refused("drops elements at random: training_mode is set")
    return _kept(x, node)


def _constant(value: Any) -> Any:
    from ..table import known

    return known(value, "training_mode")


def _kept(x: Any, node: Visit) -> Any:
    return (x, weft.ones(x.shape, dtype=np.bool_)) if node.is_asked(1) else x


rule("BitShift", says="`weft.left_shift` or `weft.right_shift`; by the width or more, 0.")(
    lambda a, b, *, direction: (weft.left_shift if direction == "LEFT" else weft.right_shift)(a, b)
)
rule("Mean", says="The mean of several arrays.")(
    lambda *parts: _folded("add")(*parts) / scalar(len(parts), parts[0])
)
rule("Where", moves=(1, 2), by_element=True, says="`weft.where`.")(
    lambda condition, a, b: weft.where(condition, a, b)
)
rule("Identity", takes_sizes=True, says="The value itself.")(lambda x: x)
rule("CastLike", says="`weft.astype`, to the dtype of another array.")(
    lambda x, like, *, saturate=1, round_mode="up": saturated(x, like.dtype)
)
rule("Relu", says="`weft.maximum` with 0.")(lambda x: weft.maximum(x, scalar(0, x)))
rule("PRelu", says="Negative elements times a slope: one, or one for each channel.")(
    lambda x, slope: prelu(x, weft.reshape(slope, (-1, *(1,) * (x.ndim - 2))) if x.ndim > 1 else slope)
)
rule("Selu", says="`Elu` times gamma.")(lambda x, *, alpha, gamma: elu(x, alpha=alpha) * scalar(gamma, x))
rule("Celu", says="`Elu` of x / alpha, times alpha for negative elements.")(
    lambda x, *, alpha: elu(x / scalar(alpha, x), alpha=1.0) * scalar(alpha, x)
)
rule("HardSwish", says="x times `HardSigmoid` of it.")(lambda x: x * hard_sigmoid(x, alpha=1 / 6, beta=0.5))
rule("Swish", says="x times the sigmoid of alpha * x.")(lambda x, *, alpha: x * sigmoid(x * scalar(alpha, x)))
rule("Mish", says="x times tanh of `Softplus`.")(lambda x: x * weft.tanh(softplus(x)))
rule("Dropout", says="The input: nothing is dropped where a model is not trained.")(
    lambda x, *, node, ratio=0.5, is_test=1: _kept(x, node)
)
