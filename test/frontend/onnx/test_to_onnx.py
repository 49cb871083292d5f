"""`concrete.to_onnx()`: programs written as models of ONNX, checked and run by ONNX's reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import weft

F32 = np.float32


def normal(*shape: int) -> Any:
    """The same numbers at each call."""
    return np.random.default_rng(3).standard_normal(shape).astype(F32)


def run(model: Any, *arguments: Any) -> list[Any]:
    """The outputs of a model that is right, for arguments in the order of its inputs."""
    onnx.checker.check_model(model, full_check=True)
    names = [given.name for given in model.graph.input]
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, dict(zip(names, map(np.asarray, arguments), strict=True)))


def require_same(found: Sequence[Any], wanted: Any, tolerance: float = 1e-5) -> None:
    """Require equal dtypes and shapes, and values that are near."""
    several = wanted if isinstance(wanted, (tuple, list)) else [wanted]
    assert len(found) == len(several)
    for got, expected in zip(found, map(np.asarray, several), strict=True):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def written(program: Callable[..., Any], *specs: Any, **options: Any) -> Any:
    """The model of a program."""
    return weft.function(program).get_concrete_function(*specs).to_onnx(**options)


def mlp(w1: Any, b1: Any, w2: Any, x: Any) -> Any:
    hidden = np.maximum(x @ w1 + b1, 0)
    scores = np.tanh(hidden) @ w2
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def trained(w1: Any, b1: Any, w2: Any, x: Any) -> Any:
    loss, gradients = weft.value_and_grad(
        lambda a, b, c: (mlp(a, b, c, x)[:, 0] ** 2).mean(), argnums=(0, 1, 2)
    )(w1, b1, w2)
    return w1 - F32(0.1) * gradients[0], b1 - F32(0.1) * gradients[1], w2 - F32(0.1) * gradients[2], loss


def looped(x: Any, n: Any) -> Any:
    total = np.zeros(3, F32)
    count = 0
    for i in range(1, n, 2):
        total = total + x * i
        if total[0] > 4:
            count = count + 1
    while np.abs(total).sum() > 1:
        total = total / 2
    return total, count


def nested(x: Any, n: Any) -> Any:
    best = x
    for i in range(n):
        step = x * 0
        for j in range(i):
            if j % 2 == 0:
                step = step + best * j
            else:
                step = step - x
        best = best + step * F32(0.1) if step.sum() < 100 else x
    return best


def indexed(x: Any, places: Any) -> Any:
    y = x.copy()
    y[:, 1] = 7
    y[::2, ::-2] = 1
    y[places, 2] = places.astype(F32)
    return (
        y, x.T, np.sort(x, axis=1), np.argsort(x, axis=0), np.where(x > 0, x, 0).cumsum(axis=1),
        np.argmax(x, axis=1), x.std(axis=0), np.roll(x, 1, axis=1), np.tril(x), x.astype(np.int32) % 3, x.mean(),
        np.maximum.accumulate(x, axis=0), np.pad(x, 2, mode="reflect"),
    )  # fmt: skip


def convolved(x: Any, k: Any) -> Any:
    images = weft.conv2d(x, k, padding="same")
    return weft.max_pool2d(images, 2), weft.avg_pool2d(images, 2)


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(F32(q.shape[-1]))
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.einsum("bhqk,bhkd->bqhd", weights, v).reshape(q.shape[0], q.shape[2], -1)


CASES: list[tuple[Callable[..., Any], list[Any]]] = [
    (mlp, [normal(4, 8), normal(8), normal(8, 3), normal(5, 4)]),
    (trained, [normal(4, 8), normal(8), normal(8, 3), normal(5, 4)]),
    (looped, [normal(3), np.int64(6)]),
    (nested, [normal(3), np.int64(5)]),
    (indexed, [normal(4, 5), np.array([3, 0, -1])]),
    (convolved, [normal(2, 6, 6, 3), normal(3, 3, 3, 4)]),
    (attention, [normal(2, 3, 4, 5), normal(2, 3, 4, 5), normal(2, 3, 4, 5)]),
]


@pytest.mark.parametrize(("program", "arguments"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_programs(program: Callable[..., Any], arguments: Sequence[Any]) -> None:
    model = written(program, *arguments, checks=False)
    wanted = program(*arguments)
    require_same(run(model, *arguments), wanted, 1e-4 if program is nested else 1e-5)
