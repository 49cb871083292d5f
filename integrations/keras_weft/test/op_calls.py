"""Calls of `keras.ops` on arrays, on the same arrays in a compiled function, and on symbolic ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import keras
import numpy as np
from keras import ops

import weft


def words(text: str) -> list[str]:
    """The names in a text."""
    return text.split()


def evaluate(call: str, arrays: Mapping[str, Any]) -> Any:
    """What a call gives for arrays."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # of numbers that are not finite
        return eval(call, {"ops": ops, "np": np, **arrays})


def flat(value: Any) -> list[Any]:
    """The arrays of a result."""
    return list(keras.tree.flatten(value))


def differences(
    calls: Iterable[str],
    arrays: Mapping[str, np.ndarray],
    *,
    tolerance: float = 1e-5,
    constants: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> list[str]:
    """Where calls give others in one compiled function of arrays than as they are."""
    calls = list(calls)

    @weft.do_not_convert
    def program(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        return {call: evaluate(call, {**constants, **arrays}) for call in calls}

    found = []
    for call, made in weft.function(program)(dict(arrays)).items():
        wanted = evaluate(call, {**constants, **arrays})
        found += [
            f"{call}: {text}"
            for a, b in zip(flat(made), flat(wanted), strict=True)
            if (text := _difference(np.asarray(a), np.asarray(b), tolerance))
        ]
    return found


def _difference(made: np.ndarray, wanted: np.ndarray, tolerance: float) -> str:
    if (made.dtype, made.shape) != (wanted.dtype, wanted.shape):
        return f"{made.dtype}{made.shape} in a compiled function, {wanted.dtype}{wanted.shape} as it is"
    if made.dtype.kind not in "biu":
        made, wanted = (x.astype("complex128" if x.dtype.kind == "c" else "float64") for x in (made, wanted))
    if not np.allclose(made, wanted, tolerance, tolerance, equal_nan=True):
        return f"{made.tolist()} in a compiled function, {wanted.tolist()} as it is"
    return ""


def mistaken(calls: Iterable[str], arrays: Mapping[str, np.ndarray]) -> list[str]:
    """Where the shapes and dtypes that Keras foresees are others than those of the results."""
    symbols = {name: keras.KerasTensor(x.shape, str(x.dtype)) for name, x in arrays.items()}
    found = []
    for call in calls:
        wanted = [(tuple(x.shape), str(x.dtype)) for x in flat(evaluate(call, symbols))]
        made = [(np.shape(x), str(np.asarray(x).dtype)) for x in flat(evaluate(call, arrays))]
        if wanted != made:
            found.append(f"{call}: {made}, and Keras foresees {wanted}")
    return found
