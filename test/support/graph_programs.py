"""Programs that are written in other graph formats."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft

F32 = np.float32


def normal(*shape: int) -> Any:
    """The same numbers at each call."""
    return np.random.default_rng(3).standard_normal(shape).astype(F32)


def mlp(w1: Any, b1: Any, w2: Any, x: Any) -> Any:
    """The logarithms of probabilities."""
    hidden = np.maximum(x @ w1 + b1, 0)
    scores = np.tanh(hidden) @ w2
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def trained(w1: Any, b1: Any, w2: Any, x: Any) -> Any:
    """Weights after a step of training, and the loss before it."""
    loss, gradients = weft.value_and_grad(
        lambda a, b, c: (mlp(a, b, c, x)[:, 0] ** 2).mean(), argnums=(0, 1, 2)
    )(w1, b1, w2)
    return w1 - F32(0.1) * gradients[0], b1 - F32(0.1) * gradients[1], w2 - F32(0.1) * gradients[2], loss


def convolved(x: Any, k: Any) -> Any:
    """Images, pooled in two ways."""
    images = weft.conv(x, k, padding="same")
    return weft.max_pool(images, 2), weft.avg_pool(images, 2)


__all__ = ["F32", "convolved", "mlp", "normal", "trained"]
