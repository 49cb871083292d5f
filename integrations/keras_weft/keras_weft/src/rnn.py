"""Recurrent layers: any cell over the steps of a sequence, and LSTM and GRU with one product for all inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from keras.src import tree

import weft

from .conversion import cast, convert_to_tensor


def rnn(
    step_function: Callable[..., Any],
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: int | None = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> tuple[Any, Any, Any]:
    """Call a function on each time of sequences: the last output, all outputs, and the last states.

    Where the mask of a time is false, the states stay as they are, and the output is the one before, or zeros if
    `zero_output_for_mask`.
    """
    rows = [convert_to_tensor(x) for x in tree.flatten(inputs)]
    rows = rows if time_major else [np.swapaxes(x, 0, 1) for x in rows]
    states = [convert_to_tensor(state) for state in tree.flatten(initial_states)]
    if unroll and not rows[0].shape[0]:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    fixed = tuple(constants or ())
    shown: dict[str, Any] = {}
    """The structure of the outputs."""

    def step(held: list[Any], row: tuple[list[Any], Any]) -> tuple[list[Any], list[Any]]:
        x, seen = row
        packed = tree.pack_sequence_as(initial_states, held)
        given = (*packed, *fixed) if fixed else packed
        made, after = step_function(
            tree.pack_sequence_as(inputs, x) if tree.is_nested(inputs) else x[0], given
        )
        shown["output"] = made
        outputs = [convert_to_tensor(output) for output in tree.flatten(made)]
        # A state that a loop carries keeps its dtype.
        after = [cast(new, old.dtype) for new, old in zip(tree.flatten(after), held, strict=True)]
        if seen is None:
            return after, outputs
        if zero_output_for_mask:
            before = [np.zeros_like(output) for output in outputs]
        else:
            is_stacked = any(map(tree.is_nested, packed))  # cells, the last of which makes the output
            before = [tree.flatten(packed[-1] if is_stacked else packed)[0] for _ in outputs]
        return _chosen(seen, after, held), _chosen(seen, outputs, before)

    seen = _mask_of_rows(mask, time_major)
    states, outputs = weft.scan(
        step, states, (rows, seen), reverse=go_backwards, unroll=True if unroll else 1
    )
    outputs = [np.flip(output, 0) for output in outputs] if go_backwards else outputs
    last = [output[-1] for output in outputs]
    if not return_all_outputs:
        outputs = [output[-1:] for output in outputs]
    outputs = outputs if time_major else [np.swapaxes(output, 0, 1) for output in outputs]
    structure = shown["output"]
    return (
        tree.pack_sequence_as(structure, last),
        tree.pack_sequence_as(structure, outputs),
        tree.pack_sequence_as(initial_states, states),
    )


def _mask_of_rows(mask: Any, time_major: bool) -> Any:
    """The mask with the time in front, and one axis for features at least."""
    if mask is None:
        return None
    if tree.is_nested(mask):
        raise ValueError(f"mask_t is expected to be tensor, but got {mask}")
    mask = cast(mask, "bool")
    if mask.ndim == 2:
        mask = mask[:, :, None]
    return mask if time_major else np.swapaxes(mask, 0, 1)


def _chosen(seen: Any, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
    """New arrays for the rows whose mask is true, old ones for the others."""
    seen = np.any(seen.reshape(seen.shape[0], -1), axis=1)
    return [
        np.where(np.reshape(seen, (-1, *(1,) * (after.ndim - 1))), after, before)
        for after, before in zip(new, old, strict=True)
    ]


def lstm(
    inputs: Any,
    initial_state_h: Any,
    initial_state_c: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Callable[[Any], Any],
    recurrent_activation: Callable[[Any], Any],
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    time_major: bool = False,
) -> tuple[Any, Any, list[Any]]:
    """The layer LSTM: the last output, all outputs, and the last states; masked times change none of them."""
    _require_loop(unroll)
    rows = _projected(inputs, kernel, bias, time_major)
    output, carried, outputs = _lstm_steps(
        rows,
        _mask_of_rows(mask, time_major),
        cast(initial_state_h, rows.dtype),
        cast(initial_state_c, rows.dtype),
        cast(recurrent_kernel, rows.dtype),
        activation,
        recurrent_activation,
        go_backwards,
        return_sequences,
    )
    return output, _in_order(output, outputs, return_sequences, time_major), [output, carried]


@weft.autograph.convert
def _lstm_steps(
    rows: Any,
    seen: Any,
    output: Any,
    carried: Any,
    recurrent: Any,
    activation: Callable[[Any], Any],
    recurrent_activation: Callable[[Any], Any],
    backwards: bool,
    every: bool,
) -> tuple[Any, Any, Any]:
    count, units = rows.shape[0], recurrent.shape[0]
    outputs = weft.zeros((count if every else 0, rows.shape[1], units), rows.dtype)
    for number in range(count):
        time = count - 1 - number if backwards else number
        gates = rows[time] + np.matmul(output, recurrent)
        taken = recurrent_activation(gates[:, :units])
        kept = recurrent_activation(gates[:, units : 2 * units])
        new = activation(gates[:, 2 * units : 3 * units])
        shown = recurrent_activation(gates[:, 3 * units :])
        after = kept * carried + taken * new
        made = shown * activation(after)
        if seen is None:
            output, carried = made, after
        else:
            output, carried = np.where(seen[time], made, output), np.where(seen[time], after, carried)
        if every:
            outputs[number] = output
    return output, carried, outputs


def gru(
    inputs: Any,
    initial_state: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Callable[[Any], Any],
    recurrent_activation: Callable[[Any], Any],
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    time_major: bool = False,
    reset_after: bool = True,
) -> tuple[Any, Any, list[Any]]:
    """The layer GRU: the last output, all outputs, and the last state; masked times change none of them."""
    _require_loop(unroll)
    bias = None if bias is None else convert_to_tensor(bias)
    inner = None
    if reset_after and bias is not None:
        bias, inner = bias[0], bias[1]
    rows = _projected(inputs, kernel, bias, time_major)
    output, outputs = _gru_steps(
        rows,
        _mask_of_rows(mask, time_major),
        cast(initial_state, rows.dtype),
        cast(recurrent_kernel, rows.dtype),
        inner,
        activation,
        recurrent_activation,
        reset_after,
        go_backwards,
        return_sequences,
    )
    return output, _in_order(output, outputs, return_sequences, time_major), [output]


@weft.autograph.convert
def _gru_steps(
    rows: Any,
    seen: Any,
    output: Any,
    recurrent: Any,
    bias: Any,
    activation: Callable[[Any], Any],
    recurrent_activation: Callable[[Any], Any],
    reset_after: bool,
    backwards: bool,
    every: bool,
) -> tuple[Any, Any]:
    count, units = rows.shape[0], recurrent.shape[0]
    outputs = weft.zeros((count if every else 0, rows.shape[1], units), rows.dtype)
    for number in range(count):
        time = count - 1 - number if backwards else number
        row = rows[time]
        inner = np.matmul(output, recurrent if reset_after else recurrent[:, : 2 * units])
        inner = inner if bias is None else inner + bias
        kept = recurrent_activation(row[:, :units] + inner[:, :units])
        used = recurrent_activation(row[:, units : 2 * units] + inner[:, units : 2 * units])
        if reset_after:
            past = used * inner[:, 2 * units :]
        else:
            past = np.matmul(used * output, recurrent[:, 2 * units :])
        new = activation(row[:, 2 * units :] + past)
        made = kept * output + (rows.dtype.type(1) - kept) * new
        output = made if seen is None else np.where(seen[time], made, output)
        if every:
            outputs[number] = output
    return output, outputs


def _require_loop(unroll: bool) -> None:
    """Let a layer that is to be unrolled call `rnn`, which does."""
    if unroll:
        raise NotImplementedError


def _projected(inputs: Any, kernel: Any, bias: Any, time_major: bool) -> Any:
    """The part of the gates that comes of the inputs, (times, batch, gates): one product for all times."""
    x, kernel = convert_to_tensor(inputs), convert_to_tensor(kernel)
    x = x if time_major else np.swapaxes(x, 0, 1)
    count, batch, features = x.shape
    rows = np.matmul(np.reshape(x, (count * batch, features)), kernel)
    if bias is not None:
        rows = rows + convert_to_tensor(bias)
    return np.reshape(rows, (count, batch, kernel.shape[1]))


def _in_order(output: Any, outputs: Any, every: bool, time_major: bool) -> Any:
    axis = 0 if time_major else 1
    return np.moveaxis(outputs, 0, axis) if every else np.expand_dims(output, axis)


def bidirectional_lstm(*args: Any, **kwargs: Any) -> NoReturn:
    """Keras runs the two directions one after the other."""
    raise NotImplementedError


bidirectional_gru = bidirectional_lstm


def cudnn_ok(*args: Any, **kwargs: Any) -> bool:
    """Whether cuDNN runs a layer: no."""
    return False


def unstack(x: Any, axis: int = 0) -> list[Any]:
    """The slices of an array along an axis."""
    x = np.moveaxis(convert_to_tensor(x), axis, 0)
    return [x[index] for index in range(x.shape[0])]


__all__ = ["bidirectional_gru", "bidirectional_lstm", "cudnn_ok", "gru", "lstm", "rnn", "unstack"]
