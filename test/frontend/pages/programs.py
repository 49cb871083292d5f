"""Functions whose pages are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft


@weft.function
def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def norm(x: Any) -> Any:
    return np.sqrt((x * x).sum())


@weft.function
def shrink(x: Any, limit: Any) -> Any:
    steps = 0
    while norm(x) > limit:
        x = x * 0.5
        steps += 1
    if steps > 10:
        x = -x
    return x, steps


def loss(weights: Any, x: Any, y: Any) -> Any:
    hidden = np.tanh(x @ weights["first"] + weights["bias"])
    return np.mean((hidden @ weights["second"] - y) ** 2)


@weft.function
def train(weights: Any, momentum: Any, x: Any, y: Any) -> Any:
    value, gradients = weft.value_and_grad(loss)(weights, x, y)
    for name in weights:
        momentum[name][:] = 0.9 * momentum[name] + gradients[name]
        weights[name] -= 0.1 * momentum[name]
    return value
