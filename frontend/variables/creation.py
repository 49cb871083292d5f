"""Variables that compiled functions make: once for each place in the program and owner."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import UnsupportedError
from ...dialect.types import format_shape
from ..signature.signature import IdentityKey
from ..source.locations import user_frames
from ..tracing.array import TracedArray
from ..tracing.external_state import ExternalState
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


_made: dict[int, tuple[weakref.ref[Any], dict[Any, Any]]] = {}
"""By its identity the variables of each owner: the function that is compiled, or the object whose method it is."""


def _variables_of(owner: Any) -> dict[Any, Any]:
    """The variables of an owner; owners may be equal, or compare as arrays do, and are told apart all the same."""
    known = _made.get(id(owner))
    if known is None or known[0]() is not owner:
        number = id(owner)
        known = _made[number] = weakref.ref(owner, lambda _: _made.pop(number, None)), {}
    variables = known[1]
    for key in [key for key in variables if any(one.reference() is None for one in key[2])]:
        del variables[key]
    return variables


def _objects_around(state: ExternalState) -> tuple[IdentityKey, ...]:
    """The objects from outside that the functions around got: what is made for one of them is not another's."""
    found: dict[int, Any] = {}
    for frame in user_frames():
        code = frame.f_code
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            value = frame.f_locals.get(name)
            if value is not None and state.attributes_before(value) is not None:
                found[id(value)] = value
    return tuple(map(IdentityKey, found.values()))


def created(trace: Recorder, make: Make, initial: Any) -> tuple[Any, bool]:
    """The variable that is made at this place of the program, and whether it has its initial value already."""
    state = trace.python_state
    assert state is not None
    variables = _variables_of(state.owner)
    place, objects = trace.place_chain(), _objects_around(state)
    key = place, trace.state(_Places).number((place, objects), trace.region.sections_around), objects
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
