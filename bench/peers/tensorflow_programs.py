"""The workloads in TensorFlow: `tf.function` with XLA (`jit_compile=True`) on tensors."""

from __future__ import annotations

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from peers import numpy_programs

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def _unrolled(a: Any, b: Any) -> Any:
    for _ in range(100):
        a = a @ b
    return a


def _loop(a: Any, b: Any, count: Any) -> Any:
    for _ in tf.range(count):
        a = a @ b
    return a


def _deep_mlp(x: Any, weights: Any, biases: Any, last_weight: Any, last_bias: Any) -> Any:
    for weight, bias in zip(weights, biases, strict=True):
        x = tf.nn.relu(x @ weight + bias)
    return x @ last_weight + last_bias


def _small_mlp(x: Any, weight: Any, bias: Any, last_weight: Any, last_bias: Any) -> Any:
    return tf.nn.relu(x @ weight + bias) @ last_weight + last_bias


def _lstm_step(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    gates = x @ into + state @ recurrent + bias
    enter, forget, candidate, leave = tf.split(gates, 4, axis=1)
    memory = tf.sigmoid(forget) * memory + tf.sigmoid(enter) * tf.tanh(candidate)
    return tf.sigmoid(leave) * tf.tanh(memory), memory


def _lstm_loop(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any, steps: Any) -> Any:
    for _ in tf.range(steps):
        state, memory = _lstm_step(x, state, memory, into, recurrent, bias)
    return state, memory


def _conv(image: Any, kernel: Any) -> Any:
    return tf.nn.conv2d(image, kernel, 1, "VALID")


def _chain(x: Any, a: Any, b: Any) -> Any:
    return tf.tanh(x * a + b) * tf.exp(-x * x) + tf.where(x > 0, x, 0.1 * x)


def _layernorm(x: Any, scale: Any, shift: Any) -> Any:
    mean, variance = tf.nn.moments(x, -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * scale + shift


def _training_step(parameters: Any, first: Any, second: Any, x: Any, labels: Any, step: Any) -> Any:
    w1, b1, w2, b2, w3, b3 = parameters
    hidden1 = tf.nn.relu(x @ w1 + b1)
    hidden2 = tf.nn.relu(hidden1 @ w2 + b2)
    gradient3 = (tf.nn.softmax(hidden2 @ w3 + b3) - labels) / 100.0
    gradient2 = tf.matmul(gradient3, w3, transpose_b=True) * tf.cast(hidden2 > 0, tf.float32)
    gradient1 = tf.matmul(gradient2, w2, transpose_b=True) * tf.cast(hidden1 > 0, tf.float32)
    gradients = []
    for below, gradient in ((x, gradient1), (hidden1, gradient2), (hidden2, gradient3)):
        gradients += [tf.matmul(below, gradient, transpose_a=True), tf.reduce_sum(gradient, 0)]
    first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients, strict=True)]
    second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients, strict=True)]
    mean, scale = 1.0 - 0.9**step, 1.0 - 0.999**step
    parameters = [
        p - 1e-3 * (m / mean) / (tf.sqrt(v / scale) + 1e-8)
        for p, m, v in zip(parameters, first, second, strict=True)
    ]
    return parameters, first, second


def _bind(function: Callable[..., Any], compile: bool = True) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = tf.function(function, jit_compile=compile)
        placed = tf.nest.map_structure(tf.constant, arguments)
        return lambda: compiled(*placed)

    return make


def _from_numpy(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled = tf.function(function)
        return lambda: compiled(*map(tf.constant, arguments)).numpy()

    return make


PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    "matmuls_unrolled": _bind(_unrolled),
    "matmuls_loop": _bind(_loop),
    "deep_mlp": _bind(_deep_mlp),
    "small_mlp": _bind(_small_mlp),
    **{name: _bind(lambda a, b: tf.reduce_mean((a - b) ** 2)) for name in ("mse_1e3", "mse_1e6")},
    "lstm_step": _bind(_lstm_step),
    "lstm_loop": _bind(_lstm_loop),
    "conv": _bind(_conv, compile=False),  # oneDNN's, which is faster than XLA's
    "chain": _bind(_chain),
    "softmax": _bind(lambda x: tf.nn.softmax(x)),
    "layernorm": _bind(_layernorm),
    "column_sum": _bind(lambda x: tf.reduce_sum(x, 0)),
    "row_max": _bind(lambda x: tf.reduce_max(x, 1)),
    **{f"matmul_{n}": _bind(lambda a, b: a @ b) for n in (64, 128, 256, 512, 1024)},
    "matmul_bias_relu": _bind(lambda a, b, bias: tf.nn.relu(a @ b + bias)),
    "few_rows": _bind(lambda a, b: a @ b),
    "symmetric": _bind(lambda x: tf.matmul(x, x, transpose_a=True)),
    "scaled": _bind(
        lambda a, b, x, alpha, beta: tf.linalg.matvec(alpha * a, x) + tf.linalg.matvec(beta * b, x)
    ),
    "paired": _bind(lambda a, p, r: (tf.linalg.matvec(a, p), tf.linalg.matvec(a, r, transpose_a=True))),
    "shifted_conv": _bind(numpy_programs.shifted_conv),
    "training_step": _bind(_training_step),
    "add_one": _from_numpy(lambda x: x + 1),
    "matmul_10": _from_numpy(lambda a, b: a @ b),
}


def to_numpy(result: Any) -> Any:
    """The tensors as arrays."""
    return tf.nest.map_structure(np.asarray, result)
