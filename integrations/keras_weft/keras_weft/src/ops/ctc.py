"""Connectionist temporal classification: the loss, and decoding by the best path or by a beam of prefixes."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import backend

import weft

from ..conversion import cast, convert_to_tensor
from .activations import log_softmax
from .categories import one_hot

LOWEST = -1e5
"""The logarithm of a probability that is as good as zero."""


def ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0) -> Any:
    """The negative logarithm of the probability of labels (batch, places), by the forward algorithm."""
    target = convert_to_tensor(target, "int32")
    output = convert_to_tensor(output)
    target_length = convert_to_tensor(target_length, "int32")
    output_length = convert_to_tensor(output_length, "int32")
    output = cast(output, backend.result_type(output.dtype, "float32"))
    log_probabilities = log_softmax(output, axis=-1)
    places = np.clip(target, 0, output.shape[2] - 1)[:, None, :]
    labels = np.take_along_axis(log_probabilities, places, axis=2)  # (batch, steps, places)
    blanks = log_probabilities[:, :, mask_index, None]
    repeated = np.pad((target[:, :-1] == target[:, 1:]).astype(output.dtype), ((0, 0), (0, 1)))
    ended = np.arange(output.shape[1])[:, None] >= output_length[None, :]
    between, within = _forward(
        np.swapaxes(labels, 0, 1), np.swapaxes(blanks, 0, 1), ended[:, :, None], repeated
    )
    between = _joined(between, within)
    last = one_hot(target_length, target.shape[1] + 1, dtype="bool")
    return -np.sum(np.where(last, between, between.dtype.type(0)), axis=1)


def _joined(between: Any, added: Any) -> Any:
    """The states between labels with what comes to those behind a label."""
    return np.concatenate([between[:, :1], np.logaddexp(between[:, 1:], added)], axis=1)


@weft.autograph.convert
def _forward(labels: Any, blanks: Any, ended: Any, repeated: Any) -> tuple[Any, Any]:
    """The logarithms of the probabilities of having read n labels and a blank, and of being within label n."""
    steps, batch, places = labels.shape
    number = labels.dtype.type
    between = weft.full((batch, places + 1), number(LOWEST), dtype=labels.dtype)
    between[:, 0] = number(0)
    within = weft.full((batch, places), number(LOWEST), dtype=labels.dtype)
    for step in range(steps):
        # A label ends without a blank, unless the next is the same.
        left = _joined(between, within + number(LOWEST) * repeated)
        stayed = np.logaddexp(left[:, :-1], within) + labels[step]
        waited = _joined(left + blanks[step], within + blanks[step] + number(LOWEST) * (number(1) - repeated))
        between = np.where(ended[step], between, waited)
        within = np.where(ended[step], within, stayed)
    return between, within


def ctc_decode(
    inputs: Any,
    sequence_lengths: Any,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int | None = 0,
) -> tuple[Any, Any]:
    inputs = convert_to_tensor(inputs)
    inputs = cast(inputs, backend.result_type(inputs.dtype, "float32"))
    lengths = convert_to_tensor(sequence_lengths, "int32")
    blank = inputs.shape[2] - 1 if mask_index is None else mask_index
    ended = np.arange(inputs.shape[1]) >= lengths[:, None]
    if strategy == "greedy":
        return _best_labels(inputs, ended, merge_repeated, blank)
    if strategy == "beam_search":
        steps = np.swapaxes(log_softmax(inputs, axis=-1), 0, 1)
        paths, scores = _beam(steps, ended.T, beam_width, blank)
        return np.swapaxes(paths[:, :top_paths], 0, 1), scores[:, :top_paths]
    raise ValueError(f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'.")


def _best_labels(inputs: Any, ended: Any, merge_repeated: bool, blank: int) -> tuple[Any, Any]:
    """The likeliest label of each step, without blanks; -1 behind the last."""
    labels = np.where(ended, np.int32(blank), np.argmax(inputs, axis=-1).astype(np.int32))
    scores = np.where(ended, inputs.dtype.type(0), np.max(inputs, axis=-1))
    left_out = labels == blank
    if merge_repeated:
        left_out = np.logical_or(left_out, np.pad(labels[:, 1:] == labels[:, :-1], ((0, 0), (1, 0))))
    labels = np.where(left_out, np.int32(-1), labels)
    order = np.argsort(left_out, axis=1, kind="stable")
    return np.take_along_axis(labels, order, axis=1)[None], -np.sum(scores, axis=1)[:, None]


FACTOR = np.uint64(6364136223846793005)
"""What the number of a path is multiplied by before its next label is added."""


@weft.autograph.convert
def _beam(steps: Any, ended: Any, width: int, blank: int) -> tuple[Any, Any]:
    """The likeliest paths (batch, width, steps), best first, and the logarithms of their probabilities.

    A path is its labels, -1 behind the last. Of each, the probabilities of those alignments that end with a blank and
    those that end with its last label are kept. A step leaves a path as it is (by a blank, or by its last label once
    more) or adds a label; what is added to one path may make another one that is there, with which it is joined. That
    is found by numbers made of the labels, and then compared label by label.
    """
    count, batch, classes = steps.shape
    lowest = steps.dtype.type(-np.inf)
    first = np.arange(width) == 0
    paths = weft.full((batch, width, count), -1, dtype=np.int32)
    lengths = weft.zeros((batch, width), np.int32)
    numbers = weft.zeros((batch, width), np.uint64)
    parents = weft.full((batch, width), 1, dtype=np.uint64)
    by_blank = np.where(first, steps.dtype.type(0), lowest) + weft.zeros((batch, 1), steps.dtype)
    by_label = weft.full((batch, width), lowest, dtype=steps.dtype)
    rows, places = weft.arange(batch)[:, None], np.arange(count)
    labels = np.arange(classes, dtype=np.int32)
    for step in range(count):
        scores = steps[step]  # (batch, classes)
        last = np.take_along_axis(paths, np.maximum(lengths - 1, 0)[:, :, None], axis=2)[:, :, 0]
        known = np.maximum(last, 0)
        both = np.logaddexp(by_blank, by_label)
        kept_blank = both + scores[:, blank, None]
        kept_label = np.where(lengths > 0, by_label + np.take_along_axis(scores, known, axis=1), lowest)
        repeats = np.logical_and(labels == last[:, :, None], lengths[:, :, None] > 0)
        longer = np.where(repeats, by_blank[:, :, None], both[:, :, None]) + scores[:, None, :]
        longer = np.where(labels == blank, lowest, longer).reshape(batch, width * classes)
        # where path j without its last label is path i
        same = numbers[:, :, None] == parents[:, None, :]
        shorter = np.argmax(same, axis=1)
        without = np.where(places == lengths[:, :, None] - 1, np.int32(-1), paths)
        found = np.all(paths[rows, shorter] == without, axis=2)
        found = np.logical_and(found, lengths > 0)
        entry = shorter * classes + known
        joined = np.take_along_axis(longer, entry, axis=1)
        kept_label = np.where(found, np.logaddexp(kept_label, joined), kept_label)
        # one column more, for what is not joined
        spare = np.concatenate([longer, weft.full((batch, 1), lowest, dtype=longer.dtype)], axis=1)
        spare[rows, np.where(found, entry, width * classes)] = lowest
        longer = spare[:, :-1]
        totals = np.concatenate([np.logaddexp(kept_blank, kept_label), longer], axis=1)
        best = np.argsort(-totals, axis=1, kind="stable")[:, :width]
        is_kept = best < width
        source = np.where(is_kept, best, (best - width) // classes)
        label = np.where(is_kept, 0, (best - width) % classes).astype(np.int32)
        old = paths[rows, source]
        old_lengths = np.take_along_axis(lengths, source, axis=1)
        old_numbers = np.take_along_axis(numbers, source, axis=1)
        added = np.logical_and(places == old_lengths[:, :, None], np.logical_not(is_kept)[:, :, None])
        going = np.logical_not(ended[step])[:, None]
        best_score = np.take_along_axis(totals, best, axis=1)
        paths = np.where(going[:, :, None], np.where(added, label[:, :, None], old), paths)
        new_lengths = np.where(is_kept, old_lengths, old_lengths + 1)
        new_numbers = np.where(is_kept, old_numbers, old_numbers * FACTOR + (label + 1).astype(np.uint64))
        new_parents = np.where(is_kept, np.take_along_axis(parents, source, axis=1), old_numbers)
        new_blank = np.where(is_kept, np.take_along_axis(kept_blank, source, axis=1), lowest)
        new_label = np.where(is_kept, np.take_along_axis(kept_label, source, axis=1), best_score)
        lengths = np.where(going, new_lengths, lengths)
        numbers = np.where(going, new_numbers, numbers)
        parents = np.where(going, new_parents, parents)
        by_blank = np.where(going, new_blank, by_blank)
        by_label = np.where(going, new_label, by_label)
    total = np.logaddexp(by_blank, by_label)
    order = np.argsort(-total, axis=1, kind="stable")
    return paths[rows, order], np.take_along_axis(total, order, axis=1)


__all__ = ["ctc_decode", "ctc_loss"]
