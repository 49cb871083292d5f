"""The workloads in NumPy: what weft compiles, and what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

F32 = np.float32


def matmuls(a: Any, b: Any, count: Any = 100) -> Any:
    """Chained matrix products."""
    for _ in range(count):
        a = a @ b
    return a


def unrolled_matmuls(a: Any, b: Any) -> Any:
    """A hundred chained matrix products."""
    for _ in range(100):
        a = a @ b
    return a


def deep_mlp(x: Any, weights: Any, biases: Any, last_weight: Any, last_bias: Any) -> Any:
    """Hidden layers with relu, and a linear one."""
    for weight, bias in zip(weights, biases, strict=True):
        x = np.maximum(x @ weight + bias, 0)
    return x @ last_weight + last_bias


def small_mlp(x: Any, weight: Any, bias: Any, last_weight: Any, last_bias: Any) -> Any:
    """One hidden layer."""
    return np.maximum(x @ weight + bias, 0) @ last_weight + last_bias


def mean_squared_error(a: Any, b: Any) -> Any:
    """The mean of the squared differences."""
    return np.mean((a - b) ** 2)


def sigmoid(x: Any) -> Any:
    """The logistic function."""
    return F32(1) / (F32(1) + np.exp(-x))


def lstm_step(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    """One step of a long short-term memory cell."""
    gates = x @ into + state @ recurrent + bias
    enter, forget, candidate, leave = gates[:, :10], gates[:, 10:20], gates[:, 20:30], gates[:, 30:]
    memory = sigmoid(forget) * memory + sigmoid(enter) * np.tanh(candidate)
    return sigmoid(leave) * np.tanh(memory), memory


def lstm_loop(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any, steps: Any) -> Any:
    """Steps of the cell on the same input."""
    for _ in range(steps):
        state, memory = lstm_step(x, state, memory, into, recurrent, bias)
    return state, memory


def conv(image: Any, kernel: Any) -> Any:
    """A 3x3 convolution as nine matrix products."""
    height, width = image.shape[1] - 2, image.shape[2] - 2
    result = np.zeros((1, height, width, kernel.shape[3]), F32)
    for i in range(3):
        for j in range(3):
            result += image[:, i : i + height, j : j + width] @ kernel[i, j]
    return result


def chain(x: Any, a: Any, b: Any) -> Any:
    """An elementwise chain."""
    return np.tanh(x * a + b) * np.exp(-x * x) + np.where(x > 0, x, F32(0.1) * x)


def softmax(x: Any) -> Any:
    """Softmax of rows."""
    exponential = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exponential / np.sum(exponential, axis=-1, keepdims=True)


def layernorm(x: Any, scale: Any, shift: Any) -> Any:
    """Rows of mean 0 and variance 1, scaled and shifted."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred**2, axis=-1, keepdims=True)
    return centred / np.sqrt(variance + F32(1e-5)) * scale + shift


def column_sum(x: Any) -> Any:
    """Sums of columns."""
    return np.sum(x, axis=0)


def row_max(x: Any) -> Any:
    """The largest of every row."""
    return np.max(x, axis=1)


def matmul(a: Any, b: Any) -> Any:
    """A matrix product."""
    return a @ b


def matmul_bias_relu(a: Any, b: Any, bias: Any) -> Any:
    """A dense layer."""
    return np.maximum(a @ b + bias, 0)


def symmetric(x: Any) -> Any:
    """The products of all pairs of columns."""
    return x.T @ x


def scaled(a: Any, b: Any, x: Any, alpha: Any, beta: Any) -> Any:
    """The sum of two scaled matrices times a vector."""
    return (alpha * a) @ x + (beta * b) @ x


def paired(a: Any, p: Any, r: Any) -> Any:
    """A matrix times a vector, and a vector times the matrix."""
    return a @ p, r @ a


def shifted_conv(image: Any, kernel: Any) -> Any:
    """A 3x3 convolution by a product for each position of the window."""
    height, width = image.shape[1] - 2, image.shape[2] - 2
    result = image[:, :height, :width] @ kernel[0, 0]
    for i in range(3):
        for j in range(3):
            if i + j > 0:
                result = result + image[:, i : i + height, j : j + width] @ kernel[i, j]
    return result


def diffusion(field: Any, coefficient: Any) -> Any:
    """Horizontal diffusion with a limiter: four stages, which read each other at shifted places."""
    n, m = coefficient.shape[0], coefficient.shape[1]
    around = field[2 : n + 4, 1 : m + 3] + field[0 : n + 2, 1 : m + 3]
    around = around + field[1 : n + 3, 2 : m + 4] + field[1 : n + 3, 0 : m + 2]
    curvature = 4.0 * field[1 : n + 3, 1 : m + 3] - around
    x = curvature[1:, 1 : m + 1] - curvature[:-1, 1 : m + 1]
    x = np.where(x * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0, x)
    y = curvature[1 : n + 1, 1:] - curvature[1 : n + 1, :-1]
    y = np.where(y * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0, y)
    return field[2 : n + 2, 2 : m + 2] - coefficient * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])


def jacobi(field: Any) -> Any:
    """Means of five neighbours, on two arrays in turns."""
    a, b = field.copy(), field.copy()
    for _ in range(20):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a


def triangular_solve(lower: Any, right: Any) -> Any:
    """Forward substitution: each sum needs the element before it."""
    x = np.zeros_like(right)
    for i in range(x.shape[0]):
        x[i] = (right[i] - np.dot(lower[i, :i], x[:i])) / lower[i, i]
    return x


def tridiagonal(below: Any, diagonal: Any, above: Any, right: Any) -> Any:
    """Thomas' algorithm for systems side by side: recurrences down and up the columns."""
    factor, x = np.empty_like(right), np.empty_like(right)
    rows = right.shape[0]
    factor[0] = above[0] / diagonal[0]
    x[0] = right[0] / diagonal[0]
    for i in range(1, rows):
        pivot = diagonal[i] - below[i] * factor[i - 1]
        factor[i] = above[i] / pivot
        x[i] = (right[i] - below[i] * x[i - 1]) / pivot
    for i in range(rows - 2, -1, -1):
        x[i] = x[i] - factor[i] * x[i + 1]
    return x


def gauss_seidel(field: Any) -> Any:
    """Sweeps in place: each element waits for the division of the one before."""
    a = field.copy()
    for _ in range(7):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                above = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j + 1]
                below = a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                a[i, j] = (a[i, j] + above + below + a[i, j - 1]) / 9.0
    return a


def collatz(limit: Any) -> Any:
    """Where below a limit the longest Collatz sequence starts."""
    best = 0
    start_of_best = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > best:
            best = steps
            start_of_best = start
    return start_of_best


def mandelbrot(size: Any, iterations: Any) -> Any:
    """How many iterations every pixel stays within reach."""
    counts = np.zeros((size, size), np.int64)
    for i in range(size):
        for j in range(size):
            real = -2.0 + 3.0 * j / size
            imaginary = -1.5 + 3.0 * i / size
            x = 0.0
            y = 0.0
            count = 0
            while count < iterations and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real, 2.0 * x * y + imaginary
                count += 1
            counts[i, j] = count
    return counts


def training_step(parameters: Any, first: Any, second: Any, x: Any, labels: Any, step: Any) -> Any:
    """Forward, gradient by hand, and Adam."""
    w1, b1, w2, b2, w3, b3 = parameters
    hidden1 = np.maximum(x @ w1 + b1, 0)
    hidden2 = np.maximum(hidden1 @ w2 + b2, 0)
    gradient3 = (softmax(hidden2 @ w3 + b3) - labels) / F32(100)
    gradient2 = (gradient3 @ w3.T) * (hidden2 > 0)
    gradient1 = (gradient2 @ w2.T) * (hidden1 > 0)
    gradients = []
    for below, gradient in ((x, gradient1), (hidden1, gradient2), (hidden2, gradient3)):
        gradients += [below.T @ gradient, np.sum(gradient, axis=0)]
    first = [F32(0.9) * m + F32(0.1) * g for m, g in zip(first, gradients, strict=True)]
    second = [F32(0.999) * v + F32(0.001) * g * g for v, g in zip(second, gradients, strict=True)]
    mean, scale = F32(1) - F32(0.9) ** step, F32(1) - F32(0.999) ** step
    parameters = [
        p - F32(1e-3) * (m / mean) / (np.sqrt(v / scale) + F32(1e-8))
        for p, m, v in zip(parameters, first, second, strict=True)
    ]
    return parameters, first, second


def add_one(x: Any) -> Any:
    """One more."""
    return x + 1


def random(seed: Any) -> Any:
    """Uniform numbers of NumPy's default generator."""
    return np.random.default_rng(seed).random(10**6)


def normal(seed: Any) -> Any:
    """Normal numbers of NumPy's default generator."""
    return np.random.default_rng(seed).standard_normal(10**6)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "matmuls_unrolled": unrolled_matmuls,
    "matmuls_loop": matmuls,
    "deep_mlp": deep_mlp,
    "small_mlp": small_mlp,
    "mse_1e3": mean_squared_error,
    "mse_1e6": mean_squared_error,
    "lstm_step": lstm_step,
    "lstm_loop": lstm_loop,
    "conv": conv,
    "chain": chain,
    "softmax": softmax,
    "layernorm": layernorm,
    "column_sum": column_sum,
    "row_max": row_max,
    **{f"matmul_{n}": matmul for n in (10, 64, 128, 256, 512, 1024)},
    "matmul_bias_relu": matmul_bias_relu,
    "few_rows": matmul,
    "symmetric": symmetric,
    "scaled": scaled,
    "paired": paired,
    "shifted_conv": shifted_conv,
    "diffusion": diffusion,
    "jacobi": jacobi,
    "triangular_solve": triangular_solve,
    "tridiagonal": tridiagonal,
    "gauss_seidel": gauss_seidel,
    "collatz": collatz,
    "mandelbrot": mandelbrot,
    "training_step": training_step,
    "random": random,
    "normal": normal,
    "add_one": add_one,
}


def _bind(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    return lambda *arguments: lambda: function(*arguments)


PROGRAMS = {name: _bind(function) for name, function in FUNCTIONS.items()}


def to_numpy(result: Any) -> Any:
    """The result itself."""
    return result
