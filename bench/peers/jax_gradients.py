"""The losses in JAX, with their gradients: `jax.jit` of loops as `lax.scan`; trainings give back what they take."""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false " + os.environ.get("XLA_FLAGS", "")

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gradient_workloads import GRADIENT, workload
from jax import lax

jax.config.update("jax_enable_x64", True)
F32 = np.float32


def _cross_entropy(scores: Any, labels: Any) -> Any:
    return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(scores, axis=1), axis=1))


def _mlp(params: Any, x: Any, labels: Any) -> Any:
    w1, b1, w2, b2, w3, b3 = params
    hidden = jax.nn.relu(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
    return _cross_entropy(hidden @ w3 + b3, labels)


def _lstm(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    def step(carried: Any, _: Any) -> Any:
        state, memory = carried
        enter, forget, candidate, leave = jnp.split(x @ into + state @ recurrent + bias, 4, axis=1)
        memory = jax.nn.sigmoid(forget) * memory + jax.nn.sigmoid(enter) * jnp.tanh(candidate)
        return (jax.nn.sigmoid(leave) * jnp.tanh(memory), memory), None

    (state, _), _ = lax.scan(step, (state, memory), None, length=100)
    return jnp.sum(state * state)


def _steps(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def loss(u: Any) -> Any:
        u, _ = lax.scan(lambda u, _: (u.at[1:-1].set(change(u)), None), u, None, length=1000)
        return jnp.sum(u * u)

    return loss


def _heat(u: Any) -> Any:
    return u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])


def _burgers(u: Any) -> Any:
    return _heat(u) - 0.01 * u[1:-1] * (u[2:] - u[:-2])


def _triangle(matrix: Any, b: Any) -> Any:
    def step(x: Any, i: Any) -> Any:  # there are no slices of a length that is known at run time only
        row = matrix[i]
        return x.at[i].set((b[i] - jnp.where(jnp.arange(len(b)) < i, row, 0.0) @ x) / row[i]), None

    x, _ = lax.scan(step, jnp.zeros_like(b), jnp.arange(len(b)))
    return jnp.sum(x * x)


def _recurrence(x: Any) -> Any:
    return lax.scan(lambda s, e: (jnp.sin(s) * e + e * e, None), jnp.zeros((), x.dtype), x)[0]


def _table(x: Any) -> Any:
    def step(p: Any, i: Any) -> Any:
        return p.at[i].set(jnp.sin(p[i - 1]) * x[i]), None

    p, _ = lax.scan(step, jnp.zeros_like(x).at[0].set(x[0]), jnp.arange(1, len(x)))
    return jnp.sum(p * p)


def _adam_step(state: Any, x: Any, labels: Any, step: Any) -> Any:
    params, means, squares = state
    loss, gradients = jax.value_and_grad(_mlp)(params, x, labels)
    rate = F32(1e-3) * jnp.sqrt(1 - F32(0.999) ** step) / (1 - F32(0.9) ** step)
    means = [m + F32(0.1) * (g - m) for m, g in zip(means, gradients, strict=True)]
    squares = [v + F32(0.001) * (g * g - v) for v, g in zip(squares, gradients, strict=True)]
    params = [
        p - rate * m / (jnp.sqrt(v) + F32(1e-7)) for p, m, v in zip(params, means, squares, strict=True)
    ]
    return (params, means, squares), loss


def _adam_loop(state: Any, x: Any, labels: Any) -> Any:
    numbers = jnp.arange(1, 101, dtype=jnp.float32)
    state, losses = lax.scan(lambda state, step: _adam_step(state, x, labels, step), state, numbers)
    return state, losses[-1]


def _conv(image: Any, kernel: Any) -> Any:
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(image, kernel, (1, 1), "VALID", dimension_numbers=layout)


def _pool(x: Any) -> Any:
    return lax.reduce_window(x, F32(-np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def _convolutional(params: Any, images: Any, labels: Any) -> Any:
    k1, b1, k2, b2, w, b = params
    maps = _pool(jax.nn.relu(_conv(images, k1) + b1))
    maps = _pool(jax.nn.relu(_conv(maps, k2) + b2))
    return _cross_entropy(maps.reshape(len(images), -1) @ w + b, labels)


def _normalized(x: Any) -> Any:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred * lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + F32(1e-5))


def _attention(params: Any, x: Any, wanted: Any) -> Any:
    into, out, w1, w2 = params
    batch, length, size = x.shape
    q, k, v = jnp.moveaxis((_normalized(x) @ into).reshape(batch, length, 3, 4, size // 4), (2, 3), (0, 2))
    weights = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) * F32(32**-0.5), axis=-1)
    x = x + jnp.moveaxis(weights @ v, 1, 2).reshape(batch, length, size) @ out
    x = x + jax.nn.relu(_normalized(x) @ w1) @ w2
    return jnp.mean((x - wanted) ** 2)


def _descent(loss: Callable[..., Any]) -> Callable[..., Any]:
    def step(params: Any, x: Any, wanted: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(params, x, wanted)
        return jax.tree.map(lambda p, g: p - F32(0.01) * g, params, gradients), value

    return step


LOSSES: dict[str, Callable[..., Any]] = {
    "mlp": _mlp,
    "lstm": _lstm,
    "heat": _steps(_heat),
    "burgers": _steps(_burgers),
    "triangle": _triangle,
    "recurrence": _recurrence,
    "table": _table,
}


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = jax.jit(function)
        placed = jax.tree.map(jnp.asarray, arguments)
        return lambda: jax.block_until_ready(compiled(*placed))

    return make


def _gradient(name: str) -> Callable[..., Callable[[], Any]]:
    by = workload(name).by
    return _bind(jax.value_and_grad(LOSSES[name], by if len(by) > 1 else by[0]))


def _training(step: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    """A training that goes on from call to call, in memory that it gives back; the loss and the parameters."""

    def make(params: Any, *arguments: Any) -> Callable[[], Any]:
        compiled = jax.jit(step, donate_argnums=0)
        state, placed = jax.tree.map(jnp.array, params), jax.tree.map(jnp.asarray, arguments)

        def run() -> Any:
            nonlocal state
            state, loss = jax.block_until_ready(compiled(state, *placed))
            return loss, state

        return run

    return make


def _adam_loops(params: Any, means: Any, squares: Any, x: Any, labels: Any, _: Any) -> Callable[[], Any]:
    run = _training(_adam_loop)((params, means, squares), x, labels)

    def loop() -> Any:
        loss, (params, _, _) = run()
        return loss, params

    return loop


def _adam(params: Any, means: Any, squares: Any, x: Any, labels: Any) -> Callable[[], Any]:
    compiled = jax.jit(_adam_step, donate_argnums=0)
    state, number = jax.tree.map(jnp.array, (params, means, squares)), F32(0)
    x, labels = jnp.asarray(x), jnp.asarray(labels)

    def run() -> Any:
        nonlocal state, number
        number += F32(1)
        state, loss = jax.block_until_ready(compiled(state, x, labels, number))
        return loss, state[0]

    return run


PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    **{name: _bind(function) for name, function in LOSSES.items()},
    **{name + GRADIENT: _gradient(name) for name in LOSSES},
    "adam_step": _adam,
    "adam_loop": _adam_loops,
    "convolutional": _training(_descent(_convolutional)),
    "attention": _training(_descent(_attention)),
}


def to_numpy(result: Any) -> Any:
    """The arrays as NumPy's."""
    return jax.tree.map(np.asarray, result)
