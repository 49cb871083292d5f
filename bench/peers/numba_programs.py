"""The workloads in Numba: loops where Numba is best at loops, NumPy where it calls BLAS (through SciPy)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from peers import numpy_programs

F32 = np.float32
ONE, TENTH, EPSILON = F32(1), F32(0.1), F32(1e-5)


@njit
def _product(a: Any, b: Any) -> Any:
    rows, inner = a.shape
    columns = b.shape[1]
    result = np.zeros((rows, columns), a.dtype)
    for i in range(rows):
        for k in range(inner):
            for j in range(columns):
                result[i, j] += a[i, k] * b[k, j]
    return result


@njit
def _matmuls(a: Any, b: Any, count: Any) -> Any:
    for _ in range(count):
        a = _product(a, b)
    return a


@njit
def _deep_mlp(x: Any, first: Any, weights: Any, biases: Any, last_weight: Any, last_bias: Any) -> Any:
    x = np.maximum(x @ first + biases[0], F32(0))
    for i in range(len(weights)):
        x = np.maximum(x @ weights[i] + biases[i + 1], F32(0))
    return x @ last_weight + last_bias


def _make_deep_mlp(x: Any, weights: Any, biases: Any, last_weight: Any, last_bias: Any) -> Callable[[], Any]:
    stacked, offsets = np.stack(weights[1:]), np.stack(biases)
    return lambda: _deep_mlp(x, weights[0], stacked, offsets, last_weight, last_bias)


@njit
def _small_mlp(x: Any, weight: Any, bias: Any, last_weight: Any, last_bias: Any) -> Any:
    return np.maximum(x @ weight + bias, F32(0)) @ last_weight + last_bias


@njit
def _mean_squared_error(a: Any, b: Any) -> Any:
    total = 0.0
    for i in range(a.size):
        difference = a[i] - b[i]
        total += difference * difference
    return F32(total / a.size)


@njit
def _sigmoid(x: Any) -> Any:
    return ONE / (ONE + np.exp(-x))


@njit
def _lstm_step(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    gates = x @ into + state @ recurrent
    rows, units = memory.shape
    new_state, new_memory = np.empty_like(state), np.empty_like(memory)
    for i in range(rows):
        for j in range(units):
            enter = _sigmoid(gates[i, j] + bias[j])
            forget = _sigmoid(gates[i, units + j] + bias[units + j])
            candidate = math.tanh(gates[i, 2 * units + j] + bias[2 * units + j])
            leave = _sigmoid(gates[i, 3 * units + j] + bias[3 * units + j])
            new_memory[i, j] = forget * memory[i, j] + enter * candidate
            new_state[i, j] = leave * math.tanh(new_memory[i, j])
    return new_state, new_memory


@njit
def _lstm_loop(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any, steps: Any) -> Any:
    for _ in range(steps):
        state, memory = _lstm_step(x, state, memory, into, recurrent, bias)
    return state, memory


@njit
def _conv(image: Any, kernel: Any) -> Any:
    height, width, channels = image.shape[1] - 2, image.shape[2] - 2, image.shape[3]
    filters = kernel.shape[3]
    result = np.zeros((1, height, width, filters), F32)
    for y in range(height):
        for x in range(width):
            for i in range(3):
                for j in range(3):
                    for c in range(channels):
                        value = image[0, y + i, x + j, c]
                        for f in range(filters):
                            result[0, y, x, f] += value * kernel[i, j, c, f]
    return result


@njit
def _chain(x: Any, a: Any, b: Any) -> Any:
    result = np.empty_like(x)
    for i in range(x.size):
        v = x[i]
        result[i] = math.tanh(v * a + b) * math.exp(-v * v) + (v if v > 0 else TENTH * v)
    return result


@njit
def _softmax(x: Any) -> Any:
    result = np.empty_like(x)
    for i in range(x.shape[0]):
        largest = x[i, 0]
        for j in range(x.shape[1]):
            largest = max(largest, x[i, j])
        total = F32(0)
        for j in range(x.shape[1]):
            result[i, j] = math.exp(x[i, j] - largest)
            total += result[i, j]
        for j in range(x.shape[1]):
            result[i, j] /= total
    return result


@njit
def _layernorm(x: Any, scale: Any, shift: Any) -> Any:
    result = np.empty_like(x)
    columns = F32(x.shape[1])
    for i in range(x.shape[0]):
        mean = F32(0)
        for j in range(x.shape[1]):
            mean += x[i, j]
        mean /= columns
        variance = F32(0)
        for j in range(x.shape[1]):
            variance += (x[i, j] - mean) * (x[i, j] - mean)
        factor = ONE / np.sqrt(variance / columns + EPSILON)
        for j in range(x.shape[1]):
            result[i, j] = (x[i, j] - mean) * factor * scale[j] + shift[j]
    return result


@njit
def _column_sum(x: Any) -> Any:
    result = np.zeros(x.shape[1], x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            result[j] += x[i, j]
    return result


@njit
def _row_max(x: Any) -> Any:
    result = np.empty(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        largest = x[i, 0]
        for j in range(x.shape[1]):
            largest = max(largest, x[i, j])
        result[i] = largest
    return result


@njit
def _matmul(a: Any, b: Any) -> Any:
    return a @ b


@njit
def _matmul_bias_relu(a: Any, b: Any, bias: Any) -> Any:
    return np.maximum(a @ b + bias, F32(0))


@njit
def _update(p: Any, m: Any, v: Any, g: Any, mean: Any, scale: Any) -> Any:
    new_p, new_m, new_v = np.empty_like(p), np.empty_like(p), np.empty_like(p)
    for i in range(p.size):
        gradient = g.flat[i]
        new_m.flat[i] = F32(0.9) * m.flat[i] + F32(0.1) * gradient
        new_v.flat[i] = F32(0.999) * v.flat[i] + F32(0.001) * gradient * gradient
        step = (new_m.flat[i] / mean) / (np.sqrt(new_v.flat[i] / scale) + F32(1e-8))
        new_p.flat[i] = p.flat[i] - F32(1e-3) * step
    return new_p, new_m, new_v


@njit
def _gradients(w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, x: Any, labels: Any) -> Any:
    hidden1 = np.maximum(x @ w1 + b1, F32(0))
    hidden2 = np.maximum(hidden1 @ w2 + b2, F32(0))
    g3 = (_softmax(hidden2 @ w3 + b3) - labels) / F32(100)
    g2 = (g3 @ w3.T) * (hidden2 > 0)
    g1 = (g2 @ w2.T) * (hidden1 > 0)
    return x.T @ g1, _column_sum(g1), hidden1.T @ g2, _column_sum(g2), hidden2.T @ g3, _column_sum(g3)


def _training_step(parameters: Any, first: Any, second: Any, x: Any, labels: Any, step: Any) -> Any:
    gradients = _gradients(*parameters, x, labels)
    mean, scale = F32(1) - F32(0.9) ** step, F32(1) - F32(0.999) ** step
    updated = [
        _update(p, m, v, g, mean, scale)
        for p, m, v, g in zip(parameters, first, second, gradients, strict=True)
    ]
    return tuple([u[i] for u in updated] for i in range(3))


@njit
def _curvature(field: Any) -> Any:
    n, m, depth = field.shape
    result = np.empty((n - 2, m - 2, depth))
    for i in range(n - 2):
        for j in range(m - 2):
            for k in range(depth):
                around = field[i + 2, j + 1, k] + field[i, j + 1, k]
                around = around + field[i + 1, j + 2, k] + field[i + 1, j, k]
                result[i, j, k] = 4.0 * field[i + 1, j + 1, k] - around
    return result


@njit
def _limited(flux: Any, gradient: Any) -> Any:
    return 0.0 if flux * gradient > 0.0 else flux


@njit
def _diffusion(field: Any, coefficient: Any) -> Any:
    n, m, depth = coefficient.shape
    c, f, out = _curvature(field), field[1:-1, 1:-1], np.empty((n, m, depth))
    for i in range(n):
        for j in range(m):
            for k in range(depth):
                here, value = c[i + 1, j + 1, k], f[i + 1, j + 1, k]
                east = _limited(c[i + 2, j + 1, k] - here, f[i + 2, j + 1, k] - value)
                west = _limited(here - c[i, j + 1, k], value - f[i, j + 1, k])
                north = _limited(c[i + 1, j + 2, k] - here, f[i + 1, j + 2, k] - value)
                south = _limited(here - c[i + 1, j, k], value - f[i + 1, j, k])
                out[i, j, k] = value - coefficient[i, j, k] * (east - west + north - south)
    return out


@njit
def _half_step(a: Any, b: Any) -> None:
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


@njit
def _jacobi(field: Any) -> Any:
    a, b = field.copy(), field.copy()
    for _ in range(20):
        _half_step(a, b)
        _half_step(b, a)
    return a


@njit
def _tridiagonal(below: Any, diagonal: Any, above: Any, right: Any) -> Any:
    factor, x = np.empty_like(right), np.empty_like(right)
    rows, columns = right.shape
    for j in range(columns):
        factor[0, j] = above[0, j] / diagonal[0, j]
        x[0, j] = right[0, j] / diagonal[0, j]
    for i in range(1, rows):
        for j in range(columns):
            pivot = diagonal[i, j] - below[i, j] * factor[i - 1, j]
            factor[i, j] = above[i, j] / pivot
            x[i, j] = (right[i, j] - below[i, j] * x[i - 1, j]) / pivot
    for i in range(rows - 2, -1, -1):
        for j in range(columns):
            x[i, j] -= factor[i, j] * x[i + 1, j]
    return x


@njit
def _add_one(x: Any) -> Any:
    return x + F32(1)


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    return lambda *arguments: lambda: function(*arguments)


PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    "matmuls_unrolled": lambda a, b: lambda: _matmuls(a, b, 100),
    "matmuls_loop": _bind(_matmuls),
    "deep_mlp": _make_deep_mlp,
    "small_mlp": _bind(_small_mlp),
    "mse_1e3": _bind(_mean_squared_error),
    "mse_1e6": _bind(_mean_squared_error),
    "lstm_step": _bind(_lstm_step),
    "lstm_loop": _bind(_lstm_loop),
    "conv": _bind(_conv),
    "chain": _bind(_chain),
    "softmax": _bind(_softmax),
    "layernorm": _bind(_layernorm),
    "column_sum": _bind(_column_sum),
    "row_max": _bind(_row_max),
    **{f"matmul_{n}": _bind(_matmul) for n in (10, 64, 128, 256, 512, 1024)},
    "matmul_bias_relu": _bind(_matmul_bias_relu),
    "few_rows": _bind(_matmul),
    "symmetric": _bind(njit(numpy_programs.symmetric)),
    "scaled": _bind(njit(numpy_programs.scaled)),
    "paired": _bind(njit(numpy_programs.paired)),
    "shifted_conv": _bind(_conv),  # products of arrays with four axes are not supported
    "diffusion": _bind(_diffusion),
    "jacobi": _bind(_jacobi),
    "triangular_solve": _bind(njit(numpy_programs.triangular_solve)),
    "tridiagonal": _bind(_tridiagonal),
    "gauss_seidel": _bind(njit(numpy_programs.gauss_seidel)),
    "collatz": _bind(njit(numpy_programs.collatz)),
    "mandelbrot": _bind(njit(numpy_programs.mandelbrot)),
    "training_step": _bind(_training_step),
    "add_one": _bind(_add_one),
}


def to_numpy(result: Any) -> Any:
    """The result itself."""
    return result
