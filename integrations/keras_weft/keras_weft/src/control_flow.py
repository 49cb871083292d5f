"""Control flow of `keras.ops`, which compiles where an array decides and is Python's where a number does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common.backend_utils import slice_along_axis

import weft

from .conversion import convert_to_tensor
from .recording import converted, is_traced


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """What one of two functions returns."""
    pred = convert_to_tensor(pred) if hasattr(pred, "value") else pred
    return _cond(pred, true_fn, false_fn) if is_traced(pred) else true_fn() if pred else false_fn()


@converted
def _cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    if pred:
        result = true_fn()
    else:
        result = false_fn()
    return result


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    """Repeat `body` on the variables of the loop while `cond` of them is true."""
    is_several = isinstance(loop_vars, (tuple, list))
    values = tree.map_structure(convert_to_tensor, tuple(loop_vars) if is_several else (loop_vars,))

    def step(*values: Any) -> tuple[Any, ...]:
        made = body(*values)
        return tuple(made) if isinstance(made, (list, tuple)) else (made,)

    result = _while_loop(cond, weft.do_not_convert(step), values, maximum_iterations)
    return result if is_several else result[0]


@converted
def _while_loop(
    test: Callable[..., Any], step: Callable[..., Any], values: tuple[Any, ...], limit: int | None
) -> Any:
    count = 0
    while test(*values) and (limit is None or count < limit):
        values = step(*values)
        count += 1
    return values


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """What `body_fun(index, value)` makes of a value, for each index in turn."""
    return _fori_loop(lower, upper, body_fun, init_val)


@converted
def _fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], value: Any) -> Any:
    for index in weft.range(lower, upper):
        value = body(index, value)
    return value


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> Any:
    """Carry a value over the rows of `xs`: the last value, and all results of `f` as rows."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}")
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    rows = [convert_to_tensor(x) for x in tree.flatten(xs)] if xs is not None else []
    count = int(length) if length is not None else rows[0].shape[0]
    carry = tree.map_structure(convert_to_tensor, init)
    carry, results = _scanned(f, carry, xs, rows, count, reverse)
    return carry, results


def _scanned(
    f: Callable[[Any, Any], Any], carry: Any, xs: Any, rows: list[Any], count: int, reverse: bool
) -> Any:
    """One step after the other."""
    made = []
    for index in reversed(range(count)) if reverse else range(count):
        x = tree.pack_sequence_as(xs, [row[index] for row in rows]) if rows else None
        carry, y = f(carry, x)
        made.append([np.zeros_like(c) for c in tree.flatten(carry)] if y is None else y)
    if reverse:
        made.reverse()
    return carry, tree.map_structure(lambda *ys: np.stack(ys), *made) if made else None


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """`f` of each row, as rows."""
    return scan(lambda _, x: ((), f(x)), (), xs)[1]


def vectorized_map(function: Callable[[Any], Any], elements: Any) -> Any:
    """`function` of each row, as rows."""
    count = tree.flatten(elements)[0].shape[0]
    results = [function(tree.map_structure(lambda x: x[i], elements)) for i in range(count)]  # noqa: B023
    return tree.map_structure(lambda *rows: np.stack(rows), *results)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """What the branch of a number returns for operands; numbers outside choose the first or last one."""
    index = np.clip(convert_to_tensor(index, "int32"), 0, len(branches) - 1)
    if not is_traced(index):
        return branches[int(index)](*operands)

    def choose(number: int) -> Any:
        if number == len(branches) - 1:
            return branches[number](*operands)
        return cond(index == number, lambda: branches[number](*operands), lambda: choose(number + 1))

    return choose(0)


def associative_scan(f: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """The partial results of an associative function, by halves, in a number of steps that is a logarithm."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    flat = [convert_to_tensor(elem) for elem in tree.flatten(elems)]
    axis = axis if axis >= 0 else axis + flat[0].ndim
    if len({elem.shape[axis] for elem in flat}) > 1:
        raise ValueError(
            "Array inputs to associative_scan must have the same first dimension. "
            f"(saw: {[elem.shape for elem in flat]})"
        )

    def combine(left: list[Any], right: list[Any]) -> list[Any]:
        flattened: list[Any] = tree.flatten(
            f(tree.pack_sequence_as(elems, left), tree.pack_sequence_as(elems, right))
        )
        return flattened

    if reverse:
        flat = [np.flip(elem, axis) for elem in flat]
    flat = _partial_results(combine, flat, axis)
    if reverse:
        flat = [np.flip(elem, axis) for elem in flat]
    return tree.pack_sequence_as(elems, flat)


def _partial_results(
    combine: Callable[[list[Any], list[Any]], list[Any]], elems: list[Any], axis: int
) -> list[Any]:
    count = elems[0].shape[axis]
    if count < 2:
        return elems

    def part(arrays: list[Any], start: int, stop: int | None, step: int = 1) -> list[Any]:
        return [slice_along_axis(array, start, stop, step=step, axis=axis) for array in arrays]

    odd = _partial_results(combine, combine(part(elems, 0, -1, 2), part(elems, 1, None, 2)), axis)
    before = odd if count % 2 else part(odd, 0, -1)
    even = combine(before, part(elems, 2, None, 2))
    even = [np.concatenate([first, rest], axis) for first, rest in zip(part(elems, 0, 1), even, strict=True)]
    return [_interleaved(a, b, axis) for a, b in zip(even, odd, strict=True)]


def _interleaved(even: Any, odd: Any, axis: int) -> Any:
    """The elements of two arrays in turn, of which the first has as many as the other or one more."""
    extra = even.shape[axis] - odd.shape[axis]
    paired = np.stack([slice_along_axis(even, 0, odd.shape[axis], axis=axis), odd], axis + 1)
    shape = (*even.shape[:axis], 2 * odd.shape[axis], *even.shape[axis + 1 :])
    paired = np.reshape(paired, shape)
    if not extra:
        return paired
    return np.concatenate([paired, slice_along_axis(even, -1, None, axis=axis)], axis)


__all__ = [
    "associative_scan",
    "cond",
    "fori_loop",
    "map",
    "scan",
    "switch",
    "vectorized_map",
    "while_loop",
]
