"""Six programs that are exported to C: a layer, a softmax, a stencil, training with a state, an index, LU."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft

Array = np.ndarray[Any, Any]


def mlp(x: Array, w1: Array, b1: Array, w2: Array, b2: Array) -> Array:
    """Two layers."""
    hidden: Array = np.maximum(x @ w1 + b1, 0) @ w2 + b2
    return hidden


def softmax(x: Array) -> Array:
    """Of rows."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    quotient: Array = e / e.sum(axis=1, keepdims=True)
    return quotient


def stencil(a: Array, b: Array, steps: int) -> None:
    """Five points, forth and back, in place."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])


class Net:
    """Trained with momentum; it counts its steps."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.w, self.v = rng.normal(size=(8, 16)), rng.normal(size=16)
        self.m = np.zeros((8, 16))
        self.steps = 0

    def train(self, x: Array, y: Array) -> Any:
        """One step: the loss before it."""

        def loss(w: Array, v: Array) -> Any:
            return np.mean((np.tanh(x @ w) @ v - y) ** 2)

        value, (gw, gv) = weft.value_and_grad(loss, argnums=(0, 1))(self.w, self.v)
        self.m[:] = 0.9 * self.m + gw
        self.w -= 0.1 * self.m
        self.v -= 0.1 * gv
        self.steps += 1
        return value


def pick(x: Array, i: int) -> Any:
    """One element, doubled."""
    return x[i] * 2


def lu(a: Array) -> Array:
    """A factorisation in place; the rows by which they were exchanged."""
    n = len(a)
    p = np.arange(n)
    for k in range(n):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if a[pivot, k] == 0:
            raise ZeroDivisionError("matrix is singular")
        if pivot != k:
            row = a[k].copy()
            a[k] = a[pivot]
            a[pivot] = row
            place = p[k]
            p[k] = p[pivot]
            p[pivot] = place
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return p


def _spec(*texts: str) -> list[weft.TensorSpec]:
    return [weft.TensorSpec.from_string(text) for text in texts]


SPECS = {
    "mlp": ("f32[?,8]", "f32[8,16]", "f32[16]", "f32[16,4]", "f32[4]"),
    "softmax": ("f32[?,?]",),
    "stencil": ("f64[?,?]", "f64[?,?]", "i64"),
    "train": ("f64[?,8]", "f64[?]"),
    "pick": ("f64[?]", "i64"),
    "lu": ("f64[?,?]",),
}


def functions(net: Net) -> dict[str, Any]:
    """The programs, those that keep something by a net."""
    return {
        "mlp": mlp,
        "softmax": softmax,
        "stencil": stencil,
        "train": net.train,
        "pick": pick,
        "lu": lu,
    }


def concretes(net: Net, *names: str) -> dict[str, Any]:
    """The compiled functions of some names, or of all."""
    chosen = {name: f for name, f in functions(net).items() if not names or name in names}
    return {name: weft.function(f).get_concrete_function(*_spec(*SPECS[name])) for name, f in chosen.items()}
