"""The losses in weft, with their gradients: the NumPy programs. Steps of trainings write to their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gradient_workloads import GRADIENT, workload

import weft
from peers.numpy_gradients import F32, FUNCTIONS, cross_entropy, mlp


def adam_step(params: Any, means: Any, squares: Any, x: Any, labels: Any, step: Any) -> Any:
    """Gradient and Adam's rule, in place; the loss."""
    loss, gradients = weft.value_and_grad(mlp)(params, x, labels)
    rate = F32(1e-3) * np.sqrt(1 - F32(0.999) ** step) / (1 - F32(0.9) ** step)
    for p, m, v, g in zip(params, means, squares, gradients, strict=True):
        m += F32(0.1) * (g - m)
        v += F32(0.001) * (g * g - v)
        p -= rate * m / (np.sqrt(v) + F32(1e-7))
    return loss


def adam_loop(params: Any, means: Any, squares: Any, x: Any, labels: Any, steps: Any) -> Any:
    """Steps with Adam from the beginning; the last loss."""
    loss = F32(0)
    for step in range(1, steps + 1):
        loss = adam_step(params, means, squares, x, labels, np.float32(step))
    return loss


def convolutional(params: Any, images: Any, labels: Any) -> Any:
    """Two convolutions with pooling, and a dense layer."""
    k1, b1, k2, b2, w, b = params
    maps = weft.max_pool(np.maximum(weft.conv(images, k1) + b1, 0), 2)
    maps = weft.max_pool(np.maximum(weft.conv(maps, k2) + b2, 0), 2)
    return cross_entropy(maps.reshape(len(images), -1) @ w + b, labels)


def _normalized(x: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + F32(1e-5))


def attention(params: Any, x: Any, wanted: Any) -> Any:
    """A block of a transformer: four heads of 32, two dense layers, both with layer norm in front."""
    into, out, w1, w2 = params
    batch, length, size = x.shape
    heads = (_normalized(x) @ into).reshape(batch, length, 3, 4, size // 4)
    q, k, v = np.moveaxis(heads, (2, 3), (0, 2))
    scores = q @ np.swapaxes(k, -1, -2) * F32(32**-0.5)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    mixed = weights / np.sum(weights, axis=-1, keepdims=True) @ v
    x = x + np.moveaxis(mixed, 1, 2).reshape(batch, length, size) @ out
    x = x + np.maximum(_normalized(x) @ w1, 0) @ w2
    return np.mean((x - wanted) ** 2)


def descent(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A step of gradient descent, in place; the loss."""

    def step(params: Any, x: Any, wanted: Any) -> Any:
        value, gradients = weft.value_and_grad(loss)(params, x, wanted)
        for p, g in zip(params, gradients, strict=True):
            p -= F32(0.01) * g
        return value

    return step


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = weft.function(function)
        return lambda: compiled(*arguments)

    return make


def _gradient(name: str) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        by = workload(name).by
        compiled = weft.value_and_grad(FUNCTIONS[name], by if len(by) > 1 else by[0])
        return lambda: compiled(*arguments)

    return make


def _training(step: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    """A training that goes on from call to call; the loss and the parameters."""

    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = weft.function(step)

        def run() -> Any:
            return compiled(*arguments), arguments[0]

        return run

    return make


def _adam(*arguments: Any) -> Callable[[], Any]:
    compiled, number = weft.function(adam_step), F32(0)

    def run() -> Any:
        nonlocal number
        number += F32(1)
        return compiled(*arguments, number), arguments[0]

    return run


def _drawing(method: str) -> Callable[[], Callable[[], Any]]:
    def make() -> Callable[[], Any]:
        rng = np.random.default_rng(0)
        compiled = weft.function(lambda: getattr(rng, method)(1_000_000))
        return lambda: compiled()

    return make


PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    **{name: _bind(function) for name, function in FUNCTIONS.items()},
    **{name + GRADIENT: _gradient(name) for name in FUNCTIONS},
    "adam_step": _adam,
    "adam_loop": _training(adam_loop),
    "convolutional": _training(descent(convolutional)),
    "attention": _training(descent(attention)),
    "random": _drawing("random"),
    "normal": _drawing("standard_normal"),
}


def to_numpy(result: Any) -> Any:
    """The result itself."""
    return result
