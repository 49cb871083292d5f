"""Makes the files beside it: programs that `jax.export` wrote, with arguments, results and gradients that JAX computed.

    pip install jax && python test/frontend/stablehlo/programs/make.py

Each is a NumPy archive: `artifact`, the bytes; `argument_0`, ... and `result_0`, ...; `gradient`, that of the sum of
the squares of the first result by the first argument, where it has one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

FOLDER = Path(__file__).parent
draw = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return draw.standard_normal(shape).astype(np.float32) * np.float32(0.5)


def write(name: str, program: Any, *arguments: Any, shapes: Any = None, differentiates: bool = True) -> None:
    """Write a program."""
    specs = shapes or [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in map(np.asarray, arguments)]
    exported = export.export(jax.jit(program))(*specs)
    given = list(map(jnp.asarray, arguments))
    results = jax.tree.leaves(program(*given))
    found = {f"argument_{i}": np.asarray(a) for i, a in enumerate(arguments)}
    found |= {f"result_{i}": np.asarray(r) for i, r in enumerate(results)}
    if differentiates:

        def squared(*values: Any) -> Any:
            return (jax.tree.leaves(program(*values))[0] ** 2).sum()

        found["gradient"] = np.asarray(jax.grad(squared)(*given))
    artifact = np.frombuffer(exported.mlir_module_serialized, np.uint8)
    np.savez_compressed(FOLDER / f"{name}.npz", artifact=artifact, **found)


def mlp(w1: Any, b1: Any, w2: Any, x: Any) -> Any:
    return jax.nn.log_softmax(jnp.tanh(jax.nn.relu(x @ w1 + b1)) @ w2)


def attention(x: Any, wq: Any, wk: Any, wv: Any, scale: Any) -> Any:
    normed = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale
    q, k, v = (jnp.einsum("btc,chd->bhtd", normed, w) for w in (wq, wk, wv))
    scores = jnp.einsum("bhtd,bhsd->bhts", q, k) / np.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)
    return jax.nn.gelu(jnp.einsum("bhts,bhsd->bthd", weights, v), approximate=True)


def predicted(filters: Any, weights: Any, images: Any) -> Any:
    convolved = lax.conv_general_dilated(
        images, filters, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    pooled = lax.reduce_window(jax.nn.relu(convolved), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return pooled.reshape(pooled.shape[0], -1) @ weights


def cnn_step(filters: Any, weights: Any, images: Any, labels: Any) -> Any:
    def loss(filters: Any, weights: Any) -> Any:
        scores = jax.nn.log_softmax(predicted(filters, weights, images))
        return -jnp.take_along_axis(scores, labels[:, None], axis=1).mean()

    value, gradients = jax.value_and_grad(loss, (0, 1))(filters, weights)
    return filters - 0.1 * gradients[0], weights - 0.1 * gradients[1], value


def scanned(w: Any, xs: Any) -> Any:
    def step(state: Any, x: Any) -> Any:
        state = jnp.tanh(state @ w + x)
        return state, state.sum(-1)

    last, sums = lax.scan(step, jnp.zeros(xs.shape[1:]), xs)
    return last, sums


def indexed(x: Any, rows: Any, columns: Any) -> Any:
    return (
        x[rows, columns],
        x[:, rows][1:3],
        x.at[rows].add(1.0),
        x.at[rows, columns].set(0.0),
        x.at[:, columns].max(0.25),
        jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1),
        jnp.argmax(x, axis=1),
        jnp.argmin(x, axis=0),
        lax.top_k(x, 2),
        jnp.sort(x, axis=0),
        jnp.cumsum(x, axis=1),
        jnp.searchsorted(x[0], x[1]),
        jnp.lexsort((rows, columns)),
        jnp.roll(x, 1, axis=0),
        jnp.where(x > 0, x, 0.0)[::-1, ::2],
        x[-1],
    )


def control(x: Any, n: Any) -> Any:
    y = lax.fori_loop(0, n, lambda i, v: v * 1.5 - i, x)
    z = lax.while_loop(lambda v: v.sum() < 100, lambda v: v * v + 1, jnp.abs(x))
    c = lax.switch(n, [lambda v: v, lambda v: v + 1, lambda v: v * 3], x)
    return y, z, c, lax.cond(x[0] > 0, lambda v: v.sum(), lambda v: v.prod(), x)


def randoms(seed: Any) -> Any:
    key = jax.random.wrap_key_data(seed)
    one, other = jax.random.split(key)
    return (
        jax.random.uniform(one, (5,)),
        jax.random.normal(other, (3, 2)),
        jax.random.randint(one, (4,), 0, 10),
        jax.random.bernoulli(other, 0.5, (6,)),
        jax.random.permutation(one, 7),
    )


def halves(x: Any, y: Any) -> Any:
    return jnp.exp(x.astype(jnp.bfloat16)).sum(0).astype(jnp.float32), (
        x.astype(jnp.float16) @ y.astype(jnp.float16)
    )


def numbers(x: Any, z: Any) -> Any:
    return (
        jnp.fft.rfft(x).real,
        jnp.fft.ifft(z),
        jax.scipy.special.erf(x),
        jax.scipy.special.erfinv(x / 4),
        jax.scipy.special.gammaln(jnp.abs(x) + 1),
        jax.scipy.special.logsumexp(x, axis=0),
        jnp.arcsinh(x),
        jnp.round(x * 10),
        jnp.sign(x) * jnp.floor_divide(x, 0.3),
        jnp.remainder(x, 0.3),
        jnp.sinc(x),
        jnp.power(jnp.abs(x), 1.5),
        jnp.nextafter(x, x + 1),
        jnp.conj(z) * jnp.abs(z),
        jnp.std(x, axis=1),
        jnp.median(x, axis=1),
        jnp.interp(x[0], jnp.linspace(-1, 1, 5), jnp.arange(5.0)),
        jnp.convolve(x[0], x[1]),
        jnp.kron(x[:2, :2], x[:2, :2]),
        jnp.histogram(x, 4, (-1, 1))[0],
    )


def polymorphic(x: Any, w: Any) -> Any:
    mean = x.mean(axis=0)
    return (
        jax.nn.softmax((x - mean) @ w, axis=-1),
        jnp.concatenate([x, x]).reshape(-1),
        jnp.arange(x.shape[0]),
    )


if __name__ == "__main__":
    write("mlp", mlp, normal(4, 8), normal(8), normal(8, 3), normal(5, 4))
    write("attention", attention, normal(2, 5, 6), *(normal(6, 2, 3) for _ in range(3)), normal(6))
    labels = np.array([0, 2], np.int32)
    write("cnn", predicted, normal(3, 3, 2, 4), normal(24, 3), normal(2, 8, 6, 2))
    write(
        "cnn_step",
        cnn_step,
        normal(3, 3, 2, 4),
        normal(24, 3),
        normal(2, 8, 6, 2),
        labels,
        differentiates=False,
    )
    write("scanned", scanned, normal(3, 3), normal(4, 2, 3))
    rows, columns = np.array([3, 0, -1, 3], np.int32), np.array([1, 1, 2, 0], np.int32)
    write("indexed", indexed, normal(4, 5), rows, columns)
    write("control", control, normal(3), np.int32(2), differentiates=False)
    write("randoms", randoms, np.array([3, 7], np.uint32), differentiates=False)
    write("halves", halves, normal(3, 4), normal(4, 2))
    z = (normal(4) + 1j * normal(4)).astype(np.complex64)
    write("numbers", numbers, normal(3, 6), z, differentiates=False)
    (batch,) = export.symbolic_shape("b")
    shapes = [jax.ShapeDtypeStruct((batch, 4), np.float32), jax.ShapeDtypeStruct((4, 3), np.float32)]
    write("polymorphic", polymorphic, normal(5, 4), normal(4, 3), shapes=shapes)
