"""Control flow of `keras.ops`, which compiles where an array decides and is Python's where a number does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common.backend_utils import slice_along_axis

import weft

from .conversion import convert_to_tensor
from .scopes import Assignments


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """What one of two functions returns."""
    return weft.cond(pred, true_fn, false_fn)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """What the branch of a number returns for operands; numbers outside choose the first or last one."""
    return weft.switch(convert_to_tensor(index, "int32"), branches, *operands)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    """Repeat `body` on the variables of the loop while `cond` of them is true, and a number of times at most."""
    is_several = isinstance(loop_vars, (tuple, list))
    first = tree.map_structure(convert_to_tensor, tuple(loop_vars) if is_several else (loop_vars,))
    test, step = weft.autograph.convert(cond), weft.autograph.convert(body)

    def goes_on(carry: Any) -> Any:
        count, values = carry
        met = test(*values)
        return met if maximum_iterations is None else np.logical_and(met, count < maximum_iterations)

    def next_carry(carry: Any) -> Any:
        count, values = carry
        made = step(*values)
        return count + 1, tuple(made) if isinstance(made, (list, tuple)) else (made,)

    _, result = weft.while_loop(goes_on, next_carry, (0, first))
    return result if is_several else result[0]


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """What `body_fun(index, value)` makes of a value, for each index in turn."""
    return weft.fori_loop(lower, upper, body_fun, init_val)


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
    init = tree.map_structure(convert_to_tensor, init)
    rows = None if xs is None else tree.map_structure(convert_to_tensor, xs)
    return weft.scan(f, init, rows, length, reverse, 1 if unroll is False else unroll)


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """`f` of each row, as rows."""
    return weft.map(f, tree.map_structure(convert_to_tensor, xs))


def vectorized_map(function: Callable[[Any], Any], elements: Any) -> Any:
    """`function` of each row, as rows; in compiled code once, of all rows.

    What does something for each row runs row by row: it draws random numbers, prints, assigns to variables.
    """
    if not weft.is_tracing():
        return map(function, elements)
    rows = tree.map_structure(convert_to_tensor, elements)
    assigned: list[Any] = []

    def aside(row: Any) -> Any:
        scope = Assignments()
        with scope:
            made = function(row)
        assigned.extend(scope.assigned)
        return made

    try:
        found = weft.vmap(aside)(rows)
    except weft.UnsupportedError:
        return map(function, rows)
    return map(function, rows) if assigned else found


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
