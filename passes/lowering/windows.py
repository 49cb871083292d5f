"""Lowerings of the reductions of windows: generics over the places of the window, then over what it sees."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Value, dialect
from ...dialect.op import Op
from ...dialect.ops.complex_parts import part_dtype
from ...dialect.ops.elementwise import Maximum, Minimum
from ...dialect.ops.windows import WindowMax, WindowMean, WindowMin, WindowReduction, WindowSum
from ...dialect.sliding import Slide
from ...dialect.types import TensorType
from ..index_arithmetic import IndexArithmetic
from .accumulators import (
    add,
    computing_dtype,
    convert_scalar,
    extremum,
    extremum_identity,
    round_once,
)
from .conversion import Conversion, OpInstance, linalg_index, lowers, scalar_type
from .sliding import places, slide_over, surrounded

arith = dialect("arith")

_CHOICES: Mapping[type[Op], type[Op]] = {WindowMax: Maximum, WindowMin: Minimum}


def _reduced(c: Conversion, op: OpInstance) -> tuple[Value, TensorType]:
    """What is in every window, combined in the computing dtype."""
    (x,) = op.operands
    dtype = op.result_type.dtype
    slides = WindowReduction.slides(op.attributes)
    choice = _CHOICES.get(op.op_class)
    initial = 0 if choice is None else extremum_identity(choice, dtype)
    accumulator = op.result_type.with_dtype(computing_dtype(dtype))
    combine = (
        partial(add, c, accumulator.dtype)
        if choice is None
        else partial(extremum, c, choice, accumulator.dtype)
    )
    x = surrounded(c, x, dtype, dict(enumerate(slides)), initial)
    extents = [
        places(c, c.extent(x, axis), op.attributes["window"][axis], s) for axis, s in enumerate(slides)
    ]
    names = [f"place {axis}" for axis in range(len(slides))]
    elements = {axis: f"element {axis}" for axis, slide in enumerate(slides) if slide.window != 1}
    moved = {name: (elements.get(axis, ""), slides[axis]) for axis, name in enumerate(names)}
    destination = c.fill(c.constant(initial, accumulator.dtype), accumulator, extents)
    sizes = [op.attributes["window"][axis] for axis in elements]
    window = c.empty(
        TensorType(tuple(sizes), accumulator.dtype), sizes
    )  # of which the shape is all that counts

    def body(element: Value, _: Value, out: Value) -> Value:
        return combine(out, convert_scalar(c, element, dtype, accumulator.dtype))

    labels = names, list(elements.values()), names
    return slide_over(c, labels, moved, [x, window], destination, body), accumulator


@lowers(WindowMax, WindowMin, WindowSum)
def lower_window_reduction(c: Conversion, op: OpInstance) -> Value:
    """Combine what is in every window; what surrounds the tensor changes nothing."""
    reduced, accumulator = _reduced(c, op)
    return round_once(c, reduced, accumulator, op.result_type)


@lowers(WindowMean)
def lower_window_mean(c: Conversion, op: OpInstance) -> Value:
    """Divide the sum in every window by the number of elements of the tensor in it."""
    total, accumulator = _reduced(c, op)
    result, math = op.result_type, IndexArithmetic()
    slides = WindowReduction.slides(op.attributes)
    extents = [c.index(extent) for extent in c.extents(op.operands[0])]

    def covered(axis: int, slide: Slide) -> Value:
        """The number of elements in the window at the current place along an axis."""
        begin = math.subtract(math.multiply(linalg_index(axis), slide.stride), slide.low)
        window = slide.window or 0
        first = math.maximum(math.steps(math.subtract(0, begin), slide.dilation), 0)
        last = math.minimum(math.steps(math.subtract(extents[axis], begin), slide.dilation), window)
        return c.index(math.maximum(math.subtract(last, first), 0))

    def divide(sum_: Value) -> Value:
        whole, counts = 1, []
        for axis, slide in enumerate(slides):
            if slide.low > 0 or slide.high > 0:
                counts.append(covered(axis, slide))
            else:
                whole *= slide.window or 0
        count = math.product([whole, *counts])
        integer = arith.IndexCastOp(scalar_type(np.dtype(np.int64)), c.index(count)).result
        return convert_scalar(
            c, _quotient(c, sum_, integer, accumulator.dtype), accumulator.dtype, result.dtype
        )

    return c.map_elements([total], [accumulator], [result], divide, c.extents(total))[0]


def _quotient(c: Conversion, total: Value, count: Value, dtype: np.dtype[Any]) -> Value:
    """A sum divided by an integer."""
    part = part_dtype(dtype) if kind(dtype) == "c" else dtype
    divisor = c.operation("arith.sitofp", [count], [scalar_type(part)])
    if kind(dtype) != "c":
        return arith.DivFOp(total, divisor).result
    parts = [
        arith.DivFOp(c.operation(name, [total], [scalar_type(part)]), divisor).result
        for name in ("complex.re", "complex.im")
    ]
    return c.operation("complex.create", parts, [scalar_type(dtype)])
