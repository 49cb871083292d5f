"""Native code: contiguous copies of arrays that are not, in memory of the pool; transposed ones square by square."""

from __future__ import annotations

from ..memory.limit import POOLED_BYTES
from ..native_python.intrinsics import api, call, call_int, call_void, half, set_word, stack, word
from ..native_python.layout import (
    ARRAY_DATA,
    ARRAY_RANK,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    ARRAY_TYPE,
    TYPE_SIZE,
    WORD,
)


class CopyApi:
    """The words of the table that this code gets when it is linked."""

    NEW_COPY, NEW_RESULT, COPY_INTO, DECREF, SQUARES, EDGES = range(6)
    LENGTH = 6
    WIDTHS = 5
    """Elements have 1, 2, 4, 8 or 16 bytes: there are so many functions for squares, and edges of squares."""


def weft_new_copy(array: int, order: int) -> int:
    """As PyArray_NewCopy, for numbers in the byte order of this machine and C order; 0 after an exception."""
    kind = word(array + ARRAY_TYPE)
    rank = half(array + ARRAY_RANK)
    shape = word(array + ARRAY_SHAPE)
    size = word(kind + TYPE_SIZE)
    for axis in range(rank):
        size *= word(shape + WORD * axis)
    if size < POOLED_BYTES:
        return call(api(CopyApi.NEW_COPY), array, order)
    copy = call(api(CopyApi.NEW_RESULT), kind, rank, shape, size)
    if copy == 0:
        return 0
    strides = word(array + ARRAY_STRIDES)
    if copied_by_squares(
        word(copy + ARRAY_DATA), word(array + ARRAY_DATA), rank, shape, strides, word(kind + TYPE_SIZE)
    ):
        return copy
    if call_int(api(CopyApi.COPY_INTO), copy, array) < 0:
        call_void(api(CopyApi.DECREF), copy)
        return 0
    return copy


def copied_by_squares(target: int, source: int, rank: int, shape: int, strides: int, width: int) -> int:
    """Copy an array whose elements are neighbours along another axis than the last one; 0 if it is not like that."""
    last = rank - 1
    while last > 0 and word(shape + WORD * last) == 1:
        last -= 1
    near = 0
    while near < last and (word(strides + WORD * near) != width or word(shape + WORD * near) == 1):
        near += 1
    number = 0
    while number < CopyApi.WIDTHS and 1 << number != width:
        number += 1
    if near >= last or number == CopyApi.WIDTHS:
        return 0
    edge = word(api(CopyApi.EDGES) + WORD * number)
    if word(shape + WORD * near) < edge or word(shape + WORD * last) < edge:
        return 0
    steps = stack(rank)
    step = width
    axis = rank
    while axis > 0:
        axis -= 1
        set_word(steps + WORD * axis, step)
        step *= word(shape + WORD * axis)
    copy_axes(target, source, 0, rank, shape, strides, steps, near, last, number)
    return 1


def copy_axes(
    target: int,
    source: int,
    axis: int,
    rank: int,
    shape: int,
    strides: int,
    steps: int,
    near: int,
    last: int,
    number: int,
) -> int:
    """Copy all planes of two axes, along the axes from one on."""
    if (axis - near) * (axis - last) == 0:
        return copy_axes(target, source, axis + 1, rank, shape, strides, steps, near, last, number)
    if axis == rank:
        rows = word(shape + WORD * near)
        columns = word(shape + WORD * last)
        return copy_plane(
            target, word(steps + WORD * near), source, word(strides + WORD * last), rows, columns, number
        )
    for index in range(word(shape + WORD * axis)):
        inner = source + index * word(strides + WORD * axis)
        outer = target + index * word(steps + WORD * axis)
        copy_axes(outer, inner, axis + 1, rank, shape, strides, steps, near, last, number)
    return 0


def copy_plane(
    target: int, target_step: int, source: int, source_step: int, rows: int, columns: int, number: int
) -> int:
    """Write the rows of the transpose of a matrix; the last squares overlap those before."""
    square = word(api(CopyApi.SQUARES) + WORD * number)
    edge = word(api(CopyApi.EDGES) + WORD * number)
    row = 0
    while row < rows:
        first = row if row + edge <= rows else rows - edge
        column = 0
        while column < columns:
            begin = column if column + edge <= columns else columns - edge
            to = target + first * target_step + (begin << number)
            call_void(square, to, target_step, source + begin * source_step + (first << number), source_step)
            column += edge
        row += edge
    return 0
