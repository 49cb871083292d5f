"""Recurrent layers, as loops over the steps of sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..namespace import weft
from ..table import Refused, rule
from .control_flow import scanned_rows
from .elementwise import hard_sigmoid, leaky_relu, scalar, sigmoid, softplus, softsign, thresholded_relu

Activation = Callable[[Any], Any]


def _activation(name: str, alpha: float | None, beta: float | None) -> Activation:
    """A function of elements by its name; with ONNX's numbers where there are none."""

    def affine(x: Any) -> Any:
        return x * scalar(1.0 if alpha is None else alpha, x) + scalar(0.0 if beta is None else beta, x)

    def elu(x: Any) -> Any:
        below = weft.expm1(weft.minimum(x, scalar(0, x))) * scalar(1.0 if alpha is None else alpha, x)
        return weft.where(weft.less(x, scalar(0, x)), below, x)

    def scaled_tanh(x: Any) -> Any:
        outer, inner = 1.0 if alpha is None else alpha, 1.0 if beta is None else beta
        return scalar(outer, x) * weft.tanh(scalar(inner, x) * x)

    known: dict[str, Activation] = {
        "sigmoid": sigmoid,
        "tanh": lambda x: weft.tanh(x),
        "relu": lambda x: weft.maximum(x, scalar(0, x)),
        "affine": affine,
        "elu": elu,
        "scaledtanh": scaled_tanh,
        "softsign": softsign,
        "softplus": softplus,
        "leakyrelu": lambda x: leaky_relu(x, alpha=0.01 if alpha is None else alpha),
        "thresholdedrelu": lambda x: thresholded_relu(x, alpha=1.0 if alpha is None else alpha),
        "hardsigmoid": lambda x: hard_sigmoid(
            x, alpha=0.2 if alpha is None else alpha, beta=0.5 if beta is None else beta
        ),
    }
    if name.lower() not in known:
        raise Refused(f"has the activation {name!r}, which is not read")
    return known[name.lower()]


class _Layer:
    """What all recurrent layers share: weights, directions, layouts, lengths of sequences, activations."""

    def __init__(
        self,
        gates: int,
        defaults: Sequence[str],
        x: Any,
        w: Any,
        r: Any,
        b: Any,
        *,
        activation_alpha: Sequence[float] | None = None,
        activation_beta: Sequence[float] | None = None,
        activations: Sequence[str] | None = None,
        clip: float | None = None,
        direction: str,
        hidden_size: int | None = None,
        layout: int = 0,
    ) -> None:
        self.hidden = int(r.shape[-1])
        size, count = gates * self.hidden, w.shape[0]
        # The biases of inputs and states (directions, gates * hidden).
        none = np.zeros((count, size), w.dtype)
        self.of_input: Any
        self.of_state: Any
        self.of_input, self.of_state = (none, none) if b is None else (b[:, :size], b[:, size:])
        batch = x.shape[0 if layout else 1]
        self.first = (batch, count, self.hidden) if layout else (count, batch, self.hidden)
        self.x = x
        self.directions = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]
        self.layout = layout
        self.clip = clip
        self.names = list(activations or [*defaults] * len(self.directions))
        self.each = len(defaults)
        # Only those activations that take numbers have an entry.
        takes = {
            "affine": 2,
            "elu": 1,
            "scaledtanh": 2,
            "leakyrelu": 1,
            "thresholdedrelu": 1,
            "hardsigmoid": 2,
        }
        given, more = list(activation_alpha or ()), list(activation_beta or ())
        self.functions = []
        for name in self.names:
            count = takes.get(name.lower(), 0)
            alpha = given.pop(0) if count >= 1 and given else None
            beta = more.pop(0) if count >= 2 and more else None
            self.functions.append(_activation(name, alpha, beta))

    def bounded(self, x: Any) -> Any:
        """What activations get."""
        if self.clip is None:
            return x
        return weft.minimum(weft.maximum(x, scalar(-self.clip, x)), scalar(self.clip, x))

    def gates(self, x: Any, count: int) -> list[Any]:
        """The parts of what was computed for several gates."""
        return [x[:, place * self.hidden : (place + 1) * self.hidden] for place in range(count)]

    def chosen(self, number: int) -> list[Activation]:
        """The activations of a direction."""
        return self.functions[number * self.each : (number + 1) * self.each]

    def run(
        self,
        lengths: Any,
        given: Sequence[Any],
        cell: Callable[[int, Any, tuple[Any, ...]], tuple[Any, ...]],
    ) -> Any:
        """All outputs (steps, directions, batch, hidden), and the last states (directions, batch, hidden).

        The first states are zeros where none are given. `cell` takes the direction's number, the input of one step and
        the states, and returns the states.
        """
        x = self.x
        states = [weft.zeros(self.first, dtype=x.dtype) if each is None else each for each in given]
        if self.layout:
            x = weft.permute_dims(x, (1, 0, 2))
            states = [weft.permute_dims(each, (1, 0, 2)) for each in states]
        steps = x.shape[0]
        line = weft.reshape(weft.arange(steps), (-1, 1))
        outputs, last = [], []
        for number, is_reversed in enumerate(self.directions):
            rows = [x]
            if lengths is not None:
                count = weft.reshape(weft.astype(weft.asarray(lengths), np.int64), (1, -1))
                places = weft.where(weft.less(line, count), count - 1 - line, line)
                rows.append(weft.astype(weft.less(line, count), np.bool_))
                turned = weft.take_along_axis(
                    x, weft.broadcast_to(weft.expand_dims(places, axis=2), x.shape), axis=0
                )
            else:
                turned = weft.flip(x, axis=0)
            rows[0] = turned if is_reversed else x

            def step(carried: tuple[Any, ...], parts: list[Any], number: int = number) -> list[Any]:
                made = cell(number, parts[0], carried)
                if len(parts) == 1:
                    return [*made, made[0]]
                goes_on = weft.expand_dims(parts[1], axis=1)
                kept = [weft.where(goes_on, new, old) for new, old in zip(made, carried, strict=True)]
                return [*kept, weft.where(goes_on, made[0], scalar(0, made[0]))]

            final, (found,) = scanned_rows(step, tuple(each[number] for each in states), rows, 1)
            if is_reversed and lengths is not None:
                spread = weft.broadcast_to(weft.expand_dims(places, axis=2), found.shape)
                found = weft.take_along_axis(found, spread, axis=0)
            elif is_reversed:
                found = weft.flip(found, axis=0)
            outputs.append(found)
            last.append(final)
        y = weft.stack(outputs, axis=1)
        ends = [weft.stack(list(each)) for each in zip(*last, strict=True)]
        if self.layout:
            y = weft.permute_dims(y, (2, 0, 1, 3))
            ends = [weft.permute_dims(each, (1, 0, 2)) for each in ends]
        return (y, *ends)


@rule("RNN", shared=_Layer)
def rnn(
    x: Any, w: Any, r: Any, b: Any = None, sequence_lens: Any = None, initial_h: Any = None, **more: Any
) -> Any:
    """f(x W' + h R' + b) for each step."""
    layer = _Layer(1, ("Tanh",), x, w, r, b, **more)

    def cell(number: int, part: Any, carried: tuple[Any, ...]) -> tuple[Any, ...]:
        total = weft.matmul(part, w[number].T) + weft.matmul(carried[0], r[number].T)
        total = total + (layer.of_input[number] + layer.of_state[number])
        return (layer.chosen(number)[0](layer.bounded(total)),)

    return layer.run(sequence_lens, [initial_h], cell)


@rule("GRU", shared=_Layer)
def gru(
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    *,
    linear_before_reset: int = 0,
    **more: Any,
) -> Any:
    """A state that gates keep or replace."""
    layer = _Layer(3, ("Sigmoid", "Tanh"), x, w, r, b, **more)

    def cell(number: int, part: Any, carried: tuple[Any, ...]) -> tuple[Any, ...]:
        (h,) = carried
        f, g = layer.chosen(number)
        inner = layer.gates(weft.matmul(part, w[number].T) + layer.of_input[number], 3)
        gated, of_state = 2 * layer.hidden, layer.of_state[number]
        outer = layer.gates(weft.matmul(h, r[number][:gated].T) + of_state[:gated], 2)
        z, reset = f(layer.bounded(inner[0] + outer[0])), f(layer.bounded(inner[1] + outer[1]))
        last, bias = r[number][gated:].T, of_state[gated:]
        if linear_before_reset:
            candidate = g(layer.bounded(inner[2] + reset * (weft.matmul(h, last) + bias)))
        else:
            candidate = g(layer.bounded(inner[2] + weft.matmul(reset * h, last) + bias))
        return ((scalar(1, z) - z) * candidate + z * h,)

    return layer.run(sequence_lens, [initial_h], cell)


@rule("LSTM", shared=_Layer)
def lstm(
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    initial_c: Any = None,
    p: Any = None,
    *,
    input_forget: int = 0,
    **more: Any,
) -> Any:
    """A state and a memory that gates write, forget and read."""
    layer = _Layer(4, ("Sigmoid", "Tanh", "Tanh"), x, w, r, b, **more)
    hidden = layer.hidden
    peepholes = np.zeros((w.shape[0], 3 * hidden), w.dtype) if p is None else p

    def cell(number: int, part: Any, carried: tuple[Any, ...]) -> tuple[Any, ...]:
        h, c = carried
        f, g, last = layer.chosen(number)
        total = (
            weft.matmul(part, w[number].T)
            + weft.matmul(h, r[number].T)
            + (layer.of_input[number] + layer.of_state[number])
        )
        i, o, forget, new = layer.gates(total, 4)
        to_i, to_o, to_f = (peepholes[number][place * hidden : (place + 1) * hidden] for place in range(3))
        if p is not None:
            i, forget = i + to_i * c, forget + to_f * c
        written = f(layer.bounded(i))
        kept = scalar(1, written) - written if input_forget else f(layer.bounded(forget))
        memory = kept * c + written * g(layer.bounded(new))
        o = o + to_o * memory if p is not None else o
        return f(layer.bounded(o)) * last(memory), memory

    return layer.run(sequence_lens, [initial_h, initial_c], cell)
