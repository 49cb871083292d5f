"""The workloads in JAX: `jax.jit` on arrays that are on the device already."""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false " + os.environ.get("XLA_FLAGS", "")

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from peers import numpy_programs

F32 = np.float32


def _unrolled(a: Any, b: Any) -> Any:
    for _ in range(100):
        a = a @ b
    return a


def _loop(a: Any, b: Any, count: Any) -> Any:
    return lax.fori_loop(0, count, lambda _, product: product @ b, a)


def _deep_mlp(x: Any, weights: Any, biases: Any, last_weight: Any, last_bias: Any) -> Any:
    for weight, bias in zip(weights, biases, strict=True):
        x = jnp.maximum(x @ weight + bias, 0)
    return x @ last_weight + last_bias


def _small_mlp(x: Any, weight: Any, bias: Any, last_weight: Any, last_bias: Any) -> Any:
    return jnp.maximum(x @ weight + bias, 0) @ last_weight + last_bias


def _lstm_step(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    gates = x @ into + state @ recurrent + bias
    enter, forget, candidate, leave = jnp.split(gates, 4, axis=1)
    memory = jax.nn.sigmoid(forget) * memory + jax.nn.sigmoid(enter) * jnp.tanh(candidate)
    return jax.nn.sigmoid(leave) * jnp.tanh(memory), memory


def _lstm_loop(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any, steps: Any) -> Any:
    return lax.fori_loop(
        0, steps, lambda _, pair: _lstm_step(x, *pair, into, recurrent, bias), (state, memory)
    )


def _conv(image: Any, kernel: Any) -> Any:
    return lax.conv_general_dilated(
        image, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def _chain(x: Any, a: Any, b: Any) -> Any:
    return jnp.tanh(x * a + b) * jnp.exp(-x * x) + jnp.where(x > 0, x, F32(0.1) * x)


def _layernorm(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred**2, axis=-1, keepdims=True)
    return centred * lax.rsqrt(variance + F32(1e-5)) * scale + shift


def _collatz(limit: Any) -> Any:
    def steps(start: Any) -> Any:
        def advance(pair: Any) -> Any:
            n, count = pair
            return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1

        return lax.while_loop(lambda pair: pair[0] != 1, advance, (start, jnp.int64(0)))[1]

    def better(start: Any, best: Any) -> Any:
        count = steps(start)
        return lax.cond(count > best[0], lambda: (count, start), lambda: best)

    return lax.fori_loop(jnp.int64(1), limit, better, (jnp.int64(0), jnp.int64(0)))[1]


def _mandelbrot(size: int) -> Callable[[Any], Any]:
    def program(iterations: Any) -> Any:
        real = jnp.broadcast_to(-2.0 + 3.0 * jnp.arange(size, dtype=jnp.float64) / size, (size, size))
        imaginary = real.T + 0.5

        def pixel(cr: Any, ci: Any) -> Any:
            def inside(state: Any) -> Any:
                x, y, count = state
                return (count < iterations) & (x * x + y * y <= 4.0)

            def advance(state: Any) -> Any:
                x, y, count = state
                return x * x - y * y + cr, 2.0 * x * y + ci, count + 1

            return lax.while_loop(inside, advance, (jnp.float64(0), jnp.float64(0), jnp.int64(0)))[2]

        return jax.vmap(jax.vmap(pixel))(real, imaginary)

    return program


def _training_step(parameters: Any, first: Any, second: Any, x: Any, labels: Any, step: Any) -> Any:
    w1, b1, w2, b2, w3, b3 = parameters
    hidden1 = jnp.maximum(x @ w1 + b1, 0)
    hidden2 = jnp.maximum(hidden1 @ w2 + b2, 0)
    gradient3 = (jax.nn.softmax(hidden2 @ w3 + b3) - labels) / F32(100)
    gradient2 = (gradient3 @ w3.T) * (hidden2 > 0)
    gradient1 = (gradient2 @ w2.T) * (hidden1 > 0)
    gradients = []
    for below, gradient in ((x, gradient1), (hidden1, gradient2), (hidden2, gradient3)):
        gradients += [below.T @ gradient, jnp.sum(gradient, axis=0)]
    first = [F32(0.9) * m + F32(0.1) * g for m, g in zip(first, gradients, strict=True)]
    second = [F32(0.999) * v + F32(0.001) * g * g for v, g in zip(second, gradients, strict=True)]
    mean, scale = F32(1) - F32(0.9) ** step, F32(1) - F32(0.999) ** step
    parameters = [
        p - F32(1e-3) * (m / mean) / (jnp.sqrt(v / scale) + F32(1e-8))
        for p, m, v in zip(parameters, first, second, strict=True)
    ]
    return parameters, first, second


def _diffusion(field: Any, coefficient: Any) -> Any:
    n, m = coefficient.shape[0], coefficient.shape[1]
    around = field[2 : n + 4, 1 : m + 3] + field[0 : n + 2, 1 : m + 3]
    around = around + field[1 : n + 3, 2 : m + 4] + field[1 : n + 3, 0 : m + 2]
    curvature = 4.0 * field[1 : n + 3, 1 : m + 3] - around
    x = curvature[1:, 1 : m + 1] - curvature[:-1, 1 : m + 1]
    x = jnp.where(x * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0, x)
    y = curvature[1 : n + 1, 1:] - curvature[1 : n + 1, :-1]
    y = jnp.where(y * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0, y)
    return field[2 : n + 2, 2 : m + 2] - coefficient * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])


def _jacobi(field: Any) -> Any:
    def half(a: Any, b: Any) -> Any:
        around = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        return b.at[1:-1, 1:-1].set(0.2 * around)

    def step(_: Any, pair: Any) -> Any:
        b = half(*pair)
        return half(b, pair[0]), b

    return lax.fori_loop(0, 20, step, (field, field))[0]


def _triangular_solve(lower: Any, right: Any) -> Any:
    return jax.scipy.linalg.solve_triangular(lower, right, lower=True)


def _tridiagonal(below: Any, diagonal: Any, above: Any, right: Any) -> Any:
    def down(carried: Any, row: Any) -> Any:
        factor, x = carried
        lower, middle, upper, value = row
        pivot = middle - lower * factor
        factor, x = upper / pivot, (value - lower * x) / pivot
        return (factor, x), (factor, x)

    def up(x: Any, row: Any) -> Any:
        x = row[1] - row[0] * x
        return x, x

    first = above[0] / diagonal[0], right[0] / diagonal[0]
    last, (factors, values) = lax.scan(down, first, (below[1:], diagonal[1:], above[1:], right[1:]))
    factors, values = (jnp.concatenate([a[None], b]) for a, b in zip(first, (factors, values), strict=True))
    rest = lax.scan(up, last[1], (factors[:-1], values[:-1]), reverse=True)[1]
    return jnp.concatenate([rest, last[1][None]])


def _gauss_seidel(field: Any) -> Any:
    def row(a: Any, i: Any) -> Any:
        above, here, below = a[i - 1], a[i], a[i + 1]
        known = (
            here[1:-1]
            + (above[:-2] + above[1:-1] + above[2:] + here[2:])
            + below[:-2]
            + below[1:-1]
            + below[2:]
        )
        _, values = lax.scan(lambda left, rest: ((rest + left) / 9.0,) * 2, here[0], known)
        return a.at[i, 1:-1].set(values), None

    def sweep(_: Any, a: Any) -> Any:
        return lax.scan(row, a, jnp.arange(1, field.shape[0] - 1))[0]

    return lax.fori_loop(0, 7, sweep, field)


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = jax.jit(function)
        placed = jax.tree.map(jnp.asarray, arguments)
        return lambda: jax.block_until_ready(compiled(*placed))

    return make


def _from_numpy(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = jax.jit(function)
        return lambda: np.asarray(compiled(*arguments))

    return make


def _wide(make: Callable[..., Callable[[], Any]]) -> Callable[..., Callable[[], Any]]:
    """With 64-bit numbers, which JAX has to be asked for."""

    def program(*arguments: Any) -> Callable[[], Any]:
        with jax.enable_x64(True):
            call = make(*arguments)
            call()

        def run() -> Any:
            with jax.enable_x64(True):
                return call()

        return run

    return program


PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    "matmuls_unrolled": _bind(_unrolled),
    "matmuls_loop": _bind(_loop),
    "deep_mlp": _bind(_deep_mlp),
    "small_mlp": _bind(_small_mlp),
    **{name: _bind(lambda a, b: jnp.mean((a - b) ** 2)) for name in ("mse_1e3", "mse_1e6")},
    "lstm_step": _bind(_lstm_step),
    "lstm_loop": _bind(_lstm_loop),
    "conv": _bind(_conv),
    "chain": _bind(_chain),
    "softmax": _bind(lambda x: jax.nn.softmax(x, axis=-1)),
    "layernorm": _bind(_layernorm),
    "column_sum": _bind(lambda x: jnp.sum(x, axis=0)),
    "row_max": _bind(lambda x: jnp.max(x, axis=1)),
    **{f"matmul_{n}": _bind(lambda a, b: a @ b) for n in (64, 128, 256, 512, 1024)},
    "matmul_bias_relu": _bind(lambda a, b, bias: jnp.maximum(a @ b + bias, 0)),
    "few_rows": _bind(lambda a, b: a @ b),
    "symmetric": _bind(numpy_programs.symmetric),
    "scaled": _bind(numpy_programs.scaled),
    "paired": _bind(numpy_programs.paired),
    "shifted_conv": _bind(numpy_programs.shifted_conv),
    "diffusion": _wide(_bind(_diffusion)),
    "jacobi": _wide(_bind(_jacobi)),
    "triangular_solve": _wide(_bind(_triangular_solve)),
    "tridiagonal": _wide(_bind(_tridiagonal)),
    "gauss_seidel": _wide(_bind(_gauss_seidel)),
    "collatz": _wide(_bind(_collatz)),
    "mandelbrot": _wide(lambda size, iterations: _bind(_mandelbrot(int(size)))(iterations)),
    "training_step": _bind(_training_step),
    "add_one": _from_numpy(lambda x: x + 1),
    "matmul_10": _from_numpy(lambda a, b: a @ b),
}


def to_numpy(result: Any) -> Any:
    """The arrays as NumPy's."""
    return jax.tree.map(np.asarray, result)
