"""Categories as vectors, and the losses of predicted probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import backend

import weft

from ..conversion import cast, convert_to_tensor, may_be_equal
from .activations import log_sigmoid, log_softmax


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    """1 at the place that each number names; nothing for numbers that are no class."""
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with weft backend")
    x = convert_to_tensor(x)
    if not num_classes:
        num_classes = int(np.max(x)) + 1
    if axis < 0:
        axis += x.ndim + 1
    classes = np.arange(
        num_classes, dtype=x.dtype if x.dtype.kind in "iu" and x.dtype.itemsize >= 4 else "int64"
    )
    places = classes.reshape(-1, *(1,) * (x.ndim - axis))
    return cast(np.expand_dims(x, axis) == places, dtype or "float32")


def multi_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with weft backend")
    x = convert_to_tensor(x)
    rows = one_hot(cast(x, "int32"), num_classes, axis=axis, dtype=dtype)
    return np.max(rows, axis=1 if x.ndim > 1 else 0)


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    target, output = convert_to_tensor(target), convert_to_tensor(output)
    _require_equal_shapes(target, output)
    if output.ndim < 1:
        raise ValueError(
            "Arguments `target` and `output` must be at least rank 1. "
            f"Received: target.shape={target.shape}, output.shape={output.shape}"
        )
    return -np.sum(target * _log_probabilities(output, from_logits, axis), axis=axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    given, output = convert_to_tensor(target), convert_to_tensor(output)
    target = convert_to_tensor(given, "int32")
    if output.ndim < 1:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}")
    if target.ndim == output.ndim and target.shape[-1] == 1:
        target = np.squeeze(target, axis=-1)
    if not may_be_equal(target.shape, output.shape[:-1]):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    _require_classes(given, output.shape[axis])
    log_probabilities = _log_probabilities(output, from_logits, axis)
    chosen = one_hot(target, output.shape[axis], axis=axis, dtype="bool")
    return -np.sum(np.where(chosen, log_probabilities, log_probabilities.dtype.type(0)), axis=axis)


@weft.autograph.convert
def _require_classes(labels: Any, count: int) -> None:
    """Refuse labels that no class has, in compiled code, too: the loss would be that of no label, or of another."""
    wrong = np.logical_or(labels < 0, labels >= count)
    if not np.issubdtype(labels.dtype, np.integer):
        wrong = np.logical_or(wrong, labels != np.trunc(labels))
    if np.any(wrong):
        raise ValueError(
            f"Labels must be whole numbers in the range [0, {count}), as `output` has {count} classes; those received "
            f"are from {np.min(labels)} to {np.max(labels)}. For labels that mean no class, see `ignore_class` of "
            "SparseCategoricalCrossentropy; for probabilities of classes, CategoricalCrossentropy."
        )


@weft.autograph.convert
def require_rows(name: str, places: Any, count: int) -> None:
    """Refuse numbers that a layer has no row for, in compiled code, too."""
    if places.size and np.any(np.logical_or(places < 0, places >= count)):
        raise IndexError(
            f"the layer {name!r} has rows for numbers in [0, {count}), and those received are from "
            f"{int(np.min(places))} to {int(np.max(places))}"
        )


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    target, output = convert_to_tensor(target), convert_to_tensor(output)
    _require_equal_shapes(target, output)
    one = output.dtype.type(1)
    if from_logits:
        return -target * log_sigmoid(output) - (one - target) * log_sigmoid(-output)
    output = _within(output)
    return -(target * np.log(output) + (one - target) * np.log(one - output))


def _require_equal_shapes(target: Any, output: Any) -> None:
    if not may_be_equal(target.shape, output.shape):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. "
            f"Received: target.shape={target.shape}, output.shape={output.shape}"
        )


def _log_probabilities(output: Any, from_logits: bool, axis: int) -> Any:
    if from_logits:
        return log_softmax(output, axis=axis)
    return np.log(_within(output / np.sum(output, axis=axis, keepdims=True)))


def _within(probabilities: Any) -> Any:
    """Probabilities a little away from 0 and 1."""
    number = probabilities.dtype.type
    return np.minimum(np.maximum(probabilities, number(backend.epsilon())), number(1 - backend.epsilon()))


__all__ = [
    "binary_crossentropy",
    "categorical_crossentropy",
    "multi_hot",
    "one_hot",
    "require_rows",
    "sparse_categorical_crossentropy",
]
