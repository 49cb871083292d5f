"""Programs that are saved and loaded, with what they are saved for and called with, and what a call comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import weft
from support.exported_programs import lu, softmax, stencil

Program = Callable[..., Any]


def grown(x: Any, limit: Any) -> Any:
    """Appends while a sum is small."""
    x = x.copy()
    total, count = x.sum(), 0
    while total < limit and count < 50:
        x = np.concatenate([x, x * 1.5])[: len(x) + 1]
        total = x.sum()
        count += 1
    return x, total, count


def kept(x: Any) -> Any:
    """Sizes that data decides."""
    return x[x > 0], np.sort(x)


def recursive(n: Any) -> Any:
    """Calls itself."""
    return n if n < 2 else recursive(n - 1) + recursive(n - 2)


def nested(batch: Any, *, scale: float = 2.0, name: str = "a") -> Any:
    """Containers in and out."""
    first, (second, third) = batch["a"], batch["b"]
    return {"r": [first * scale, second + third], "n": (name, 3, None)}


def shares(x: Any) -> Any:
    """Results that are arguments, or views of one another."""
    y = x + 1
    return x, x[1:], x.T, y, y[::2], x[0]


FLOATS = np.linspace(-3, 3, 20)
CASES: list[tuple[Program, list[Any], tuple[Any, ...]]] = [
    (softmax, [weft.TensorSpec([None, None], "float32")], (FLOATS.reshape(4, 5).astype("f4"),)),
    (
        stencil,
        [weft.TensorSpec([None, None]), weft.TensorSpec([None, None]), weft.TensorSpec([], "int64")],
        (FLOATS.reshape(4, 5), FLOATS.reshape(4, 5) * 0, np.int64(3)),
    ),
    (lu, [weft.TensorSpec([None, None])], (np.random.default_rng(0).normal(size=(5, 5)),)),
    (lu, [weft.TensorSpec([None, None])], (np.zeros((3, 3)),)),
    (grown, [weft.TensorSpec([None]), weft.TensorSpec([])], (np.array([1.0, 2.0]), np.float64(40))),
    (kept, [weft.TensorSpec([None])], (FLOATS,)),
    (recursive, [weft.TensorSpec([], "int64")], (np.int64(9),)),
    (kept, [weft.TensorSpec([None])], (FLOATS[:0],)),
    (nested, [{"a": weft.TensorSpec([None]), "b": [weft.TensorSpec([2], "int32"), weft.TensorSpec([])]}],
     ({"a": FLOATS, "b": [np.array([1, 2], "int32"), np.float64(3)]},)),
    (shares, [weft.TensorSpec([None, None])], (FLOATS.reshape(4, 5),)),
]  # fmt: skip


def copied(value: Any) -> Any:
    """With arrays of its own."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def outcome(function: Program, args: tuple[Any, ...]) -> str:
    """The result, or the error, and the arguments afterwards."""
    args = copied(args)
    try:
        result = function(*args)
    except Exception as error:
        result = type(error), str(error)
    return repr((result, args))


class Model:
    """Methods that share arrays, a count, and a generator."""

    def __init__(self) -> None:
        self.w = np.arange(3.0)
        self.steps = 0
        self.rng = np.random.default_rng(7)

    @weft.function
    def fit(self, x: Any, rate: float = 0.5) -> Any:
        """Change the weights in place."""
        self.steps += 1
        self.w -= rate * x
        return self.w

    @weft.function
    def predict(self, x: Any) -> Any:
        """Read what `fit` has changed."""
        return x @ self.w * self.steps

    @weft.function
    def noisy(self, x: Any) -> Any:
        """Draw from the generator."""
        return x + self.rng.normal(size=3)
