"""Buffer plans are right and small: followed without machine code, and held against what a program must hold."""

from __future__ import annotations

import random

import numpy as np
import pytest

import weft
from support.plan_check import WrongPlan, check_plan, least_bytes
from weft.backend.planning import packing, plan_attributes
from weft.backend.planning.plan import Plan

F32 = np.float32


def spec(*shape, dtype="float32"):
    return weft.TensorSpec(shape, dtype)


def repeated(x, y, z, n, swaps):
    for _ in range(n):
        x, y = (np.tanh(x @ y) + z, x) if swaps else (np.tanh(x @ y) + z, y)
    return x


def random_program(seed):
    """A program on three square matrices of two sizes, made of kernels with one and several uses of their results."""
    generator = random.Random(seed)
    steps = [
        (
            generator.choice(["product", "chain", "products", "joined", "update", "loop", "sum"]),
            *generator.choices(range(99), k=3),
        )
        for _ in range(generator.randint(2, 9))
    ]
    outputs = [generator.randrange(99) for _ in range(generator.randint(1, 3))]

    def function(a, b, c, n):
        large, small = [a, b], [c]
        values = []
        for kind, i, j, k in steps:
            group = large if i % 3 else small
            x, y, z = group[i % len(group)], group[j % len(group)], group[k % len(group)]
            if kind == "product":
                value = x @ y
            elif kind == "chain":
                value = np.tanh(x + y) * z
            elif kind == "products":
                value = x @ np.exp(y) @ z
            elif kind == "joined":
                value = np.concatenate([x[:8], np.sin(y)[8:]]) @ z
            elif kind == "update":
                value = x @ y
                value[2:5] = z[1:4] + 1
            elif kind == "loop":
                value = repeated(x, y, z, n, swaps=bool(k % 2))
            else:
                value = x - np.sum(y, axis=0, keepdims=True) + np.max(z)
            group.append(value)
            values.append(value)
        return tuple(values[-1 - index % len(values)] for index in outputs)

    return function


def random_function(seed):
    """A compiled random program."""
    return weft.function(random_program(seed)).get_concrete_function(
        spec(40, 40), spec(40, 40), spec(16, 16), spec(dtype="int64")
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed, monkeypatch):
    monkeypatch.setattr(packing, "_FEW_BYTES", 1)
    compiled = random_function(seed)
    for trips in (0, 1, 3):
        assert check_plan(compiled, trips) or not trips


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_of_unknown_sizes(seed):
    program = random_program(seed)
    unknown = [spec(None, None, dtype="float64")] * 3
    compiled = weft.function(program, input_signature=[*unknown, spec(dtype="int64")])
    generator = np.random.default_rng(seed)
    for large, small, trips in [(40, 16, 3), (20, 90, 1), (33, 33, 0), (16, 20, 2)]:
        a, b = generator.uniform(-0.1, 0.1, (2, large, large))
        c = generator.uniform(-0.1, 0.1, (small, small))
        with np.errstate(all="ignore"):
            wanted = program(a, b, c, trips)
        for mine, theirs in zip(compiled(a, b, c, trips), wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-6 * np.max(np.abs(theirs)))


def test_a_wrong_plan_is_found(monkeypatch):
    monkeypatch.setattr(packing, "_best_fit", lambda ranges: ([0] * len(ranges), 1 << 20))
    monkeypatch.setattr(packing, "_MOST_REPACKED", 0)
    monkeypatch.setattr(packing, "share", lambda ranges, holders: [None] * len(ranges))

    def both(a, b):
        x = a @ b
        y = b @ a
        return x @ y @ x

    with pytest.raises(WrongPlan):
        check_plan(weft.function(both).get_concrete_function(spec(40, 40), spec(40, 40)))


def mlp(x, weights, biases):
    for w, b in zip(weights, biases, strict=True):
        x = np.maximum(x @ w + b, 0)
    return x


def training_step(params, moments, x, y):
    w1, b1, w2, b2 = params
    h = np.maximum(x @ w1 + b1, 0)
    z = h @ w2 + b2
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    d = (e / np.sum(e, axis=1, keepdims=True) - y) / F32(100)
    back = (d @ w2.T) * (h > 0)
    gradients = [x.T @ back, np.sum(back, axis=0), h.T @ d, np.sum(d, axis=0)]
    moments = [F32(0.9) * m + F32(0.1) * g for m, g in zip(moments, gradients, strict=True)]
    return [p - F32(0.01) * m for p, m in zip(params, moments, strict=True)], moments


def stencil(u, n):
    for _ in range(n):
        v = u.copy()
        v[1:-1, 1:-1] = u[1:-1, 1:-1] + F32(0.1) * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u = v
    return u


def recurrent(x, h, c, wx, wh, b, n):
    for _ in range(n):
        z = x @ wx + h @ wh + b
        i, f, g, o = z[:, :32], z[:, 32:64], z[:, 64:96], z[:, 96:]
        c = np.tanh(f) * c + np.tanh(i) * np.tanh(g)
        h = np.tanh(o) * np.tanh(c)
    return h, c


def convolutions(x, w1, w2):
    for w in (w1, w2):
        height, width = x.shape[0] - 2, x.shape[1] - 2
        total = np.zeros((height, width, w.shape[-1]), F32)
        for i in range(3):
            for j in range(3):
                total = total + x[i : i + height, j : j + width] @ w[i, j]
        x = np.maximum(total, 0)
    return x


def concatenated(a, b):
    return np.concatenate([a @ b, np.sin(a), np.stack([a, b]).sum(0)], axis=1)


def many_sizes(a, b):
    x = a @ b  # 60x80
    y = x @ b.T  # 60x60
    z = np.sin(y) @ y.T
    return z @ x + x, np.sum(y)


PROGRAMS = {
    "chain of products": (lambda a, b: a @ b @ b @ b @ b, spec(64, 64), spec(64, 64)),
    "MLP": (mlp, spec(32, 64), [spec(64, 64)] * 6, [spec(64)] * 6),
    "training step": (
        training_step,
        [spec(784, 100), spec(100), spec(100, 10), spec(10)],
        [spec(784, 100), spec(100), spec(100, 10), spec(10)],
        spec(100, 784),
        spec(100, 10),
    ),
    "stencil": (stencil, spec(100, 100), spec(dtype="int64")),
    "recurrent": (
        recurrent,
        spec(32, 32),
        spec(32, 32),
        spec(32, 32),
        spec(32, 128),
        spec(32, 128),
        spec(128),
        spec(dtype="int64"),
    ),
    "convolutions": (convolutions, spec(40, 40, 8), spec(3, 3, 8, 16), spec(3, 3, 16, 8)),
    "concatenated": (concatenated, spec(64, 64), spec(64, 64)),
    "many sizes": (many_sizes, spec(60, 60), spec(60, 80)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_peak_is_what_the_program_must_hold(name):
    function, *specs = PROGRAMS[name]
    concrete = weft.function(function).get_concrete_function(*specs)
    memory = concrete.memory_analysis()
    must = memory.argument_bytes + least_bytes(concrete)
    assert memory.peak_bytes <= 1.1 * must


def test_all_fields_of_plans_have_a_form():
    assert plan_attributes._FORMS.keys() == set(Plan._fields) - plan_attributes._ELSEWHERE


def test_what_is_stretched_to_a_number_that_a_loop_computes():
    """The size of what is added is told by a number, and by no axis of a tensor."""

    def f(x, v):
        for i in range(1, x.shape[0]):
            row = x[i].copy()
            row[:4] = v[:4]
            x[i] = row
            x[i - 1, :4] += row[:4]
            v[0] += row[5]

    sizes = [weft.TensorSpec((None, None), "float64"), weft.TensorSpec((None,), "float64")]
    compiled = weft.function(f, input_signature=sizes)
    x = np.arange(48.0).reshape(6, 8)
    v = x[2] * 3
    expected = x.copy(), v.copy()
    f(*expected)
    compiled(x, v)
    np.testing.assert_array_equal(x, expected[0])
    np.testing.assert_array_equal(v, expected[1])
