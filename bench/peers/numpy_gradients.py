"""The losses in NumPy: what weft differentiates. NumPy itself has no gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

F32 = np.float32


def cross_entropy(scores: Any, labels: Any) -> Any:
    """The mean cross-entropy of scores and rows of probabilities."""
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    logarithms = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(labels * logarithms, axis=1))


def mlp(params: Any, x: Any, labels: Any) -> Any:
    """Two hidden layers."""
    w1, b1, w2, b2, w3, b3 = params
    hidden = np.maximum(np.maximum(x @ w1 + b1, 0) @ w2 + b2, 0)
    return cross_entropy(hidden @ w3 + b3, labels)


def _sigmoid(x: Any) -> Any:
    return F32(1) / (F32(1) + np.exp(-x))


def lstm(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    """Steps of a long short-term memory cell on the same input."""
    for _ in range(100):
        gates = x @ into + state @ recurrent + bias
        enter, forget = _sigmoid(gates[:, :10]), _sigmoid(gates[:, 10:20])
        candidate, leave = np.tanh(gates[:, 20:30]), _sigmoid(gates[:, 30:])
        memory = forget * memory + enter * candidate
        state = leave * np.tanh(memory)
    return np.sum(state * state)


def heat(u: Any) -> Any:
    """Steps of the heat equation, in place."""
    u = u.copy()
    for _ in range(1000):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def burgers(u: Any) -> Any:
    """Steps of Burgers' equation, in place."""
    u = u.copy()
    for _ in range(1000):
        drift = 0.01 * u[1:-1] * (u[2:] - u[:-2])
        u[1:-1] = u[1:-1] - drift + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def triangle(matrix: Any, b: Any) -> Any:
    """Forward substitution."""
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - matrix[i, :i] @ x[:i]) / matrix[i, i]
    return np.sum(x * x)


def recurrence(x: Any) -> Any:
    """A number that is computed from all elements in turn."""
    s = 0.0
    for i in range(len(x)):
        s = np.sin(s) * x[i] + x[i] * x[i]
    return s


def table(x: Any) -> Any:
    """A table that is filled from its own last entry."""
    p = np.zeros_like(x)
    p[0] = x[0]
    for i in range(1, len(x)):
        p[i] = np.sin(p[i - 1]) * x[i]
    return np.sum(p * p)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (mlp, lstm, heat, burgers, triangle, recurrence, table)
}


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    return lambda *arguments: lambda: function(*arguments)


def _drawing(method: str) -> Callable[[], Callable[[], Any]]:
    def make() -> Callable[[], Any]:
        rng = np.random.default_rng(0)
        return lambda: getattr(rng, method)(1_000_000)

    return make


PROGRAMS = {name: _bind(function) for name, function in FUNCTIONS.items()} | {
    "random": _drawing("random"),
    "normal": _drawing("standard_normal"),
}


def to_numpy(result: Any) -> Any:
    """The result itself."""
    return result
