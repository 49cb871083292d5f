"""Variables that compiled functions make: once for each place in the program and owner."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import UnsupportedError
from ...dialect.types import format_shape
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder
from ..tracing.regions import Section

Make: TypeAlias = Callable[[np.ndarray[Any, Any], bool], Any]
"""Makes a variable of an array, and of whether that has the initial value."""


class _Places:
    """How often the trace came to each place where variables are made; what is erased, as it is recorded again, is not
    counted."""

    def __init__(self) -> None:
        self._points: dict[Any, list[tuple[Section, ...]]] = {}

    def number(self, place: Any, point: tuple[Section, ...]) -> int:
        """How often the trace came there before."""
        points = [p for p in self._points.get(place, ()) if not any(section.is_erased for section in p)]
        self._points[place] = [*points, point]
        return len(points)


_made: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()
"""The variables of each owner: the function that is compiled, or the object whose method it is."""


def created(trace: Recorder, make: Make, initial: Any) -> tuple[Any, bool]:
    """The variable that is made at this place of the program, and whether it has its initial value already."""
    state = trace.python_state
    assert state is not None
    variables = _made.setdefault(state.owner, {})
    place = trace.place_chain()
    key = place, trace.state(_Places).number(place, trace.region.sections_around)
    if key not in variables:
        elements = _elements(initial._value()) if isinstance(initial, TracedArray) else initial
        if elements is None:
            variables[key] = make(_zeros_of(trace, initial), False)
        else:
            variables[key] = make(np.array(elements, initial.dtype), True)
    variable = variables[key]
    state.hold(variable, "a variable")
    is_set = state.attribute(variable, "_is_set", variable._is_set)
    if not is_set and trace.region.parent is not None:
        raise UnsupportedError(
            "a Variable is made in a branch or loop that run-time values decide, of an initial value that is computed "
            "there: make it in front of that, or of constants"
        )
    return variable, is_set


def _elements(value: Any) -> Any:
    """The elements of an SSA value that is computed of constants; None for another one."""
    from ...dialect.mlir import ir  # which variables outside of compiled functions do not need
    from ...dialect.ops.creation import Constant
    from ...dialect.register import decode_attributes, op_class_of

    known: dict[Any, Any] = {}

    def find(value: Any) -> Any:
        if value not in known:
            known[value] = computed(value)
        return known[value]

    def computed(value: Any) -> Any:
        operation = value.owner
        op_class = None if isinstance(value, ir.BlockArgument) else op_class_of(operation)
        if op_class is None or op_class.opaque or not op_class.is_pure() or len(operation.results) != 1:
            return None
        attributes = decode_attributes(op_class, operation)
        if op_class is Constant:
            return attributes["value"]
        operands = [find(operand) for operand in operation.operands]
        is_known = all(operand is not None for operand in operands)
        return op_class.compute(operands, attributes)[0] if is_known else None

    return find(value)


def _zeros_of(trace: Recorder, initial: TracedArray) -> np.ndarray[Any, Any]:
    """An array for an initial value that is known when the program runs."""
    shape = initial.type.shape
    extents = [extent for extent in shape if extent is not None]
    if len(extents) != len(shape):
        raise UnsupportedError(
            f"a Variable is made of an array of shape {format_shape(shape)}, whose extents only the running program "
            "knows: make it outside of the compiled function"
        )
    return np.zeros(extents, initial.dtype)


__all__ = ["created"]
