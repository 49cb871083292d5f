"""The workloads in PyTorch: `torch.compile`, or the eager function of the library where that is the faster one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from peers import numpy_programs

torch.set_num_threads(1)
torch.set_grad_enabled(False)


def _unrolled(a: Any, b: Any) -> Any:
    for _ in range(100):
        a = a @ b
    return a


def _deep_mlp(x: Any, weights: Any, biases: Any, last_weight: Any, last_bias: Any) -> Any:
    for weight, bias in zip(weights, biases, strict=True):
        x = torch.relu(x @ weight + bias)
    return x @ last_weight + last_bias


def _small_mlp(x: Any, weight: Any, bias: Any, last_weight: Any, last_bias: Any) -> Any:
    return torch.relu(x @ weight + bias) @ last_weight + last_bias


def _lstm_step(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    gates = x @ into + state @ recurrent + bias
    enter, forget, candidate, leave = gates.chunk(4, 1)
    memory = torch.sigmoid(forget) * memory + torch.sigmoid(enter) * torch.tanh(candidate)
    return torch.sigmoid(leave) * torch.tanh(memory), memory


def _lstm_loop(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    for _ in range(100):
        state, memory = _lstm_step(x, state, memory, into, recurrent, bias)
    return state, memory


def _chain(x: Any, a: Any, b: Any) -> Any:
    return torch.tanh(x * a + b) * torch.exp(-x * x) + torch.where(x > 0, x, 0.1 * x)


def _layernorm(x: Any, scale: Any, shift: Any) -> Any:
    return nn.functional.layer_norm(x, (x.shape[-1],), scale, shift)


def _training_step(
    parameters: Any, first: Any, second: Any, x: Any, labels: Any, mean: Any, scale: Any
) -> Any:
    w1, b1, w2, b2, w3, b3 = parameters
    hidden1 = torch.relu(x @ w1 + b1)
    hidden2 = torch.relu(hidden1 @ w2 + b2)
    gradient3 = (torch.softmax(hidden2 @ w3 + b3, -1) - labels) / 100
    gradient2 = (gradient3 @ w3.T) * (hidden2 > 0)
    gradient1 = (gradient2 @ w2.T) * (hidden1 > 0)
    gradients = []
    for below, gradient in ((x, gradient1), (hidden1, gradient2), (hidden2, gradient3)):
        gradients += [below.T @ gradient, gradient.sum(0)]
    first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients, strict=True)]
    second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients, strict=True)]
    parameters = [
        p - 1e-3 * (m / mean) / (torch.sqrt(v / scale) + 1e-8)
        for p, m, v in zip(parameters, first, second, strict=True)
    ]
    return parameters, first, second


def _tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, np.generic):
        return value.item()
    return type(value)(map(_tensors, value))


def _compiled(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        compiled, placed = torch.compile(function, dynamic=False), _tensors(arguments)
        return lambda: compiled(*placed)

    return make


def _eager(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        placed = _tensors(arguments)
        return lambda: function(*placed)

    return make


def _conv(image: Any, kernel: Any) -> Callable[[], Any]:
    channels_last = torch.from_numpy(image).permute(0, 3, 1, 2)  # NHWC in memory
    filters = torch.from_numpy(np.ascontiguousarray(kernel.transpose(3, 2, 0, 1)))
    filters = filters.contiguous(memory_format=torch.channels_last)
    return lambda: nn.functional.conv2d(channels_last, filters).permute(0, 2, 3, 1)


def _diffusion(field: Any, coefficient: Any) -> Any:
    n, m = coefficient.shape[0], coefficient.shape[1]
    around = field[2 : n + 4, 1 : m + 3] + field[0 : n + 2, 1 : m + 3]
    around = around + field[1 : n + 3, 2 : m + 4] + field[1 : n + 3, 0 : m + 2]
    curvature = 4.0 * field[1 : n + 3, 1 : m + 3] - around
    x = curvature[1:, 1 : m + 1] - curvature[:-1, 1 : m + 1]
    x = torch.where(x * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0, x)
    y = curvature[1 : n + 1, 1:] - curvature[1 : n + 1, :-1]
    y = torch.where(y * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0, y)
    return field[2 : n + 2, 2 : m + 2] - coefficient * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])


def _jacobi(field: Any) -> Any:
    a, b = field.clone(), field.clone()
    for _ in range(20):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a


def _triangular_solve(lower: Any, right: Any) -> Any:
    return torch.linalg.solve_triangular(lower, right[:, None], upper=False)[:, 0]


def _training(parameters: Any, first: Any, second: Any, x: Any, labels: Any, step: Any) -> Callable[[], Any]:
    mean, scale = 1 - 0.9 ** float(step), 1 - 0.999 ** float(step)
    make = _compiled(_training_step)
    return make(parameters, first, second, x, labels, np.float32(mean), np.float32(scale))


def _add_one(x: Any) -> Callable[[], Any]:
    return lambda: (torch.from_numpy(x) + 1).numpy()


def _matmul_10(a: Any, b: Any) -> Callable[[], Any]:
    return lambda: (torch.from_numpy(a) @ torch.from_numpy(b)).numpy()


PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    "matmuls_unrolled": _eager(_unrolled),
    "deep_mlp": _compiled(_deep_mlp),
    "small_mlp": _compiled(_small_mlp),
    **{name: _compiled(lambda a, b: torch.mean((a - b) ** 2)) for name in ("mse_1e3", "mse_1e6")},
    "lstm_step": _compiled(_lstm_step),
    "lstm_loop": lambda *arguments: _eager(_lstm_loop)(*arguments[:6]),
    "conv": _conv,
    "chain": _compiled(_chain),
    "softmax": _compiled(lambda x: torch.softmax(x, -1)),
    "layernorm": _compiled(_layernorm),
    "column_sum": _eager(lambda x: torch.sum(x, 0)),
    "row_max": _eager(lambda x: torch.amax(x, 1)),
    **{f"matmul_{n}": _eager(torch.matmul) for n in (64, 128, 256, 512, 1024)},
    "matmul_bias_relu": _compiled(lambda a, b, bias: torch.relu(a @ b + bias)),
    "few_rows": _eager(torch.matmul),
    "symmetric": _eager(numpy_programs.symmetric),
    "scaled": _compiled(numpy_programs.scaled),
    "paired": _eager(numpy_programs.paired),
    "shifted_conv": _compiled(numpy_programs.shifted_conv),
    "diffusion": _compiled(_diffusion),
    "jacobi": _compiled(_jacobi),
    "triangular_solve": _eager(_triangular_solve),
    "training_step": _training,
    "add_one": _add_one,
    "matmul_10": _matmul_10,
}


def to_numpy(result: Any) -> Any:
    """The tensors as arrays."""
    if isinstance(result, torch.Tensor):
        return result.numpy()
    return result if isinstance(result, np.ndarray) else type(result)(map(to_numpy, result))
