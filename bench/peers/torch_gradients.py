"""The losses in PyTorch that it has kernels for: `torch.compile`, or autograd where loops are Python's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gradient_workloads import GRADIENT, workload
from torch import nn

torch.set_num_threads(1)


def _cross_entropy(scores: Any, labels: Any) -> Any:
    return -torch.mean(torch.sum(labels * torch.log_softmax(scores, 1), 1))


def _mlp(params: Any, x: Any, labels: Any) -> Any:
    w1, b1, w2, b2, w3, b3 = params
    hidden = torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2)
    return _cross_entropy(hidden @ w3 + b3, labels)


def _lstm(x: Any, state: Any, memory: Any, into: Any, recurrent: Any, bias: Any) -> Any:
    for _ in range(100):
        enter, forget, candidate, leave = (x @ into + state @ recurrent + bias).chunk(4, 1)
        memory = torch.sigmoid(forget) * memory + torch.sigmoid(enter) * torch.tanh(candidate)
        state = torch.sigmoid(leave) * torch.tanh(memory)
    return torch.sum(state * state)


def _convolutional(params: Any, images: Any, labels: Any) -> Any:
    k1, b1, k2, b2, w, b = params
    maps = nn.functional.max_pool2d(torch.relu(nn.functional.conv2d(images, k1, b1)), 2)
    maps = nn.functional.max_pool2d(torch.relu(nn.functional.conv2d(maps, k2, b2)), 2)
    return _cross_entropy(maps.permute(0, 2, 3, 1).reshape(len(images), -1) @ w + b, labels)


def _normalized(x: Any) -> Any:
    return nn.functional.layer_norm(x, (x.shape[-1],))


def _attention(params: Any, x: Any, wanted: Any) -> Any:
    into, out, w1, w2 = params
    batch, length, size = x.shape
    q, k, v = (_normalized(x) @ into).reshape(batch, length, 3, 4, size // 4).permute(2, 0, 3, 1, 4)
    mixed = nn.functional.scaled_dot_product_attention(q, k, v)
    x = x + mixed.transpose(1, 2).reshape(batch, length, size) @ out
    x = x + torch.relu(_normalized(x) @ w1) @ w2
    return torch.mean((x - wanted) ** 2)


def _tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    if isinstance(value, np.generic):
        return value.item()
    return type(value)(map(_tensors, value))


def _bind(function: Callable[..., Any], compiled: bool = True) -> Callable[..., Callable[[], Any]]:
    def make(*arguments: Any) -> Callable[[], Any]:
        call, placed = torch.compile(function, dynamic=False) if compiled else function, _tensors(arguments)
        return lambda: call(*placed)

    return make


def _gradient(name: str, loss: Callable[..., Any], compiled: bool = True) -> Callable[..., Callable[[], Any]]:
    by = workload(name).by
    both = torch.func.grad_and_value(loss, by if len(by) > 1 else by[0])

    def value_and_gradient(*arguments: Any) -> Any:
        gradient, value = both(*arguments)
        return value, gradient

    return _bind(value_and_gradient, compiled)


def _adam(params: Any, means: Any, squares: Any, x: Any, labels: Any) -> Callable[[], Any]:
    def step(params: Any, means: Any, squares: Any, x: Any, labels: Any, rate: Any) -> Any:
        gradients, loss = torch.func.grad_and_value(_mlp)(params, x, labels)
        for p, m, v, g in zip(params, means, squares, gradients, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            p -= rate * m / (torch.sqrt(v) + 1e-7)
        return loss

    compiled, placed, number = torch.compile(step, dynamic=False), _tensors((params, means, squares)), 0
    x, labels = _tensors((x, labels))

    def run() -> Any:
        nonlocal number
        number += 1
        rate = torch.tensor(1e-3 * (1 - 0.999**number) ** 0.5 / (1 - 0.9**number))
        return compiled(*placed, x, labels, rate), placed[0]

    return run


def _descent(loss: Callable[..., Any], place: Callable[[Any], Any]) -> Callable[..., Callable[[], Any]]:
    """A training that goes on from call to call; the loss and the parameters."""

    def make(params: Any, x: Any, wanted: Any) -> Callable[[], Any]:
        def step(params: Any, x: Any, wanted: Any) -> Any:
            gradients, value = torch.func.grad_and_value(loss)(params, x, wanted)
            for p, g in zip(params, gradients, strict=True):
                p -= 0.01 * g
            return value

        compiled, arguments = torch.compile(step, dynamic=False), _tensors((list(params), x, wanted))
        arguments = [[place(p) for p in arguments[0]], place(arguments[1]), arguments[2]]

        def run() -> Any:
            return compiled(*arguments), arguments[0]

        return run

    return make


def _channels_last(tensor: Any) -> Any:
    """Images (N, H, W, C) and filters (H, W, C, F) as torch wants them, in memory channel by channel."""
    if tensor.ndim != 4:
        return tensor
    filters = tensor.shape[0] == 3
    moved = tensor.permute(3, 2, 0, 1) if filters else tensor.permute(0, 3, 1, 2)
    return moved.contiguous(memory_format=torch.channels_last)


def _convolutions(*arguments: Any) -> Callable[[], Any]:
    run = _descent(_convolutional, _channels_last)(*arguments)

    def step() -> Any:
        loss, params = run()
        return loss, [p.permute(2, 3, 1, 0) if p.ndim == 4 else p for p in params]

    return step


PROGRAMS: dict[str, Callable[..., Callable[[], Any]]] = {
    "mlp": _bind(_mlp),
    "mlp" + GRADIENT: _gradient("mlp", _mlp),
    "lstm": _bind(_lstm, compiled=False),
    "lstm" + GRADIENT: _gradient("lstm", _lstm, compiled=False),
    "adam_step": _adam,
    "convolutional": _convolutions,
    "attention": _descent(_attention, lambda tensor: tensor),
}


def to_numpy(result: Any) -> Any:
    """The tensors as arrays."""
    if isinstance(result, torch.Tensor):
        return result.detach().numpy()
    return result if isinstance(result, np.ndarray) else type(result)(map(to_numpy, result))
