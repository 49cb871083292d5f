"""Reading and writing `x[index]` of traced arrays: plans carried out, and writes taken back to the base."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import WeftIndexError, WeftTypeError, WeftValueError
from ...dialect.ops.arrangement import Diagonal
from ...dialect.ops.casts import Bitcast
from ...dialect.ops.comparison import NotEqual
from ...dialect.ops.complex_parts import Complex, Imag, Real
from ...dialect.ops.indexing import FindOutOfBounds, Gather, Scatter
from ...dialect.ops.selection import Select
from ...dialect.ops.shape import BroadcastTo, Dim, Squeeze
from ...dialect.types import MAX_RANK, TensorType, broadcast_shapes, compatible_shapes, format_shape
from ..tracing.array import wrap
from ..tracing.behaviour import behaviour
from ..tracing.current import current_trace
from ..tracing.element_stores import (
    bounded_index,
    cast_element,
    cast_elements,
    cast_flat_item,
    only_element,
    require_index,
    require_single,
)
from ..tracing.flat_items import FlatItems
from ..tracing.known_elements import note_copied
from ..tracing.learned_sizes import need_all_sizes
from ..tracing.staging import (
    apply,
    asarray,
    cast,
    is_traced,
    raise_if,
    trace_of,
    type_of_operand,
    value_of,
)
from ..tracing.view_steps import ViewStep
from . import python_sequences
from .entries import NonzeroOfMask, OnePlace
from .plan import AdvancedIndex, BoundsCheck, ExtentCheck, IndexPlan, MaskIndex, plan_index
from .plan import write_back as plan_write_back
from .selections import SelectedArray, nonzero_places, select
from .stepped_slices import take_steps

if TYPE_CHECKING:
    from ..tracing.array import TracedArray
    from ..tracing.recorder import Recorder

_INT64 = np.dtype(np.int64)


def get_item(container: Any, index: Any) -> Any:
    """`container[index]` of anything that Python can index; of traced arrays, see `read_item`."""
    return (
        read_item(container, index) if is_traced(container) else python_sequences.get_item(container, index)
    )


def set_item(container: Any, index: Any, value: Any) -> None:
    """`container[index] = value` of anything that Python can index; of traced arrays, see `write_item`."""
    write = write_item if is_traced(container) else python_sequences.set_item
    write(container, index, value)


def read_item(x: TracedArray, index: Any) -> TracedArray:
    """`x[index]`: a view of x, or a new array where NumPy makes one; a selection for a traced mask."""
    if isinstance(x._python_type, type):
        raise WeftTypeError(f"'{x._class_name}' object is not subscriptable")
    if isinstance(x, FlatItems):
        x.begin_again()
    x, index = take_steps(x, _with_arrays(index))
    plan, view = _prepare(x, index)
    _check_arrays(x, plan)
    if isinstance(plan.advanced, MaskIndex):
        return select(view, plan.advanced, _mask_beside(view, plan.advanced))
    if plan.advanced is not None:
        gathered: TracedArray = apply(Gather, view, *_index_arrays(plan.advanced), **plan.advanced.attributes)
        return gathered
    # A full set of integers gives a NumPy scalar, which is a copy; x[...] stays a view.
    gives_scalar = view.ndim == 0 and not _has_ellipsis(index)
    if plan.copies or gives_scalar or x.items_are_copies:
        item = view.copy()._as_array(not gives_scalar)
        note_copied(view, item)
        return item
    return _whole_view(x) if view is x else view


def _whole_view(x: TracedArray) -> TracedArray:
    """Another object that shows the same elements, as `x[:]` does."""
    from ..tracing.array import TracedArray

    return x._view_of_all() if type(x) is TracedArray else x


def write_item(x: TracedArray, index: Any, value: Any) -> None:
    """`x[index] = value`: the value is cast to x's dtype and broadcast to the place it goes to."""
    if isinstance(x, FlatItems):
        x.begin_again()
    if x._is_number:
        raise WeftTypeError(f"'{x._class_name}' object does not support item assignment")
    x, index = take_steps(x, _with_arrays(index))
    plan, view = _prepare(x, index)
    if isinstance(value, SelectedArray) and _assign_selection(view, plan, value):
        return
    if plan.advanced is None and view.ndim == 0 and not (x.items_are_copies or _has_ellipsis(index)):
        require_single(value, x.dtype)
        if is_traced(value) and None in value.type.shape:
            value = only_element(value)  # a bool takes the truth of an array of one
    converted = _converter(x, plan, view)(value, x.dtype)
    if plan.advanced is None:
        view._write(_broadcast(converted, view))
    elif isinstance(plan.advanced, MaskIndex):
        mask, filling = _mask_beside(view, plan.advanced), _traced(view, converted)
        if is_traced(index) and index.ndim == x.ndim and filling.ndim > 1:
            raise WeftTypeError(
                "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has "
                f"{filling.ndim} dimensions"
            )
        steps = plan.advanced.value_steps(view.ndim, filling.type)
        if steps is None:
            _write_each(x, index, filling, plan.advanced)
            return
        for step in steps:
            filling = filling._view(step)
        filling = _fitted(filling, view, *_ADVANCED_MISFIT)
        view._write(apply(Select, mask, filling, view))
    else:
        indices = _index_arrays(plan.advanced)
        place = _place_of(view, indices, plan.advanced.attributes)
        update = _broadcast(converted, place, *_ADVANCED_MISFIT)
        _check_arrays(x, plan)
        view._write(apply(Scatter, view, update, *indices, **plan.advanced.attributes, mode="set"))


def _converter(x: TracedArray, plan: IndexPlan, view: TracedArray) -> Callable[..., Any]:
    """How numbers become elements at a place."""
    if plan.advanced is not None:
        return cast_elements
    if x.items_are_copies:
        return cast_elements if view.ndim else cast_flat_item
    return cast_element


def _write_each(x: TracedArray, index: Any, values: TracedArray, place: MaskIndex) -> None:
    """`x[mask] = values`, a value for each element that the mask selects."""
    places = with_places(index)
    if values.ndim == 1 and place.mask.type.rank == x.ndim:
        message = (
            "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where the "
            "mask is true"
        )
        hits = next(entry for entry in places if isinstance(entry, NonzeroOfMask)).hits
        given, selected = (_traced(x, array.shape[0]) for array in (values, hits))
        differ: Any = np.logical_and(apply(NotEqual, given, selected), np.not_equal(given, 1))
        raise_if(differ, "ValueError", message, given, selected)
    write_item(x, places, values)


def _mask_beside(view: TracedArray, place: MaskIndex) -> TracedArray:
    """The mask in a shape that broadcasts against the view."""
    mask: TracedArray = place.mask
    for step in place.mask_steps(view.ndim):
        mask = mask._view(step)
    return mask.copy()


def _assign_selection(view: TracedArray, plan: IndexPlan, selection: SelectedArray) -> bool:
    """`x[mask] = f(y[mask])`: over the whole arrays, as long as both are the same mask."""
    place, whole = plan.advanced, selection.whole()
    if whole is None or not isinstance(place, MaskIndex) or not selection.has_mask(_mask_beside(view, place)):
        return False
    update = _broadcast(cast(whole, view.dtype), view, *_ADVANCED_MISFIT)
    view._write(apply(Select, _mask_beside(view, place), update, view))
    return True


def write_back(trace: Recorder, step: ViewStep, base: Any, value: Any) -> Any:
    """The SSA value of a base with what one view step shows of it replaced by `value`."""
    if step.op_class is Real:
        return trace.create(Complex, [value, trace.create(Imag, [base], {})[0]], {})[0]
    if step.op_class is Bitcast:
        return trace.create(Bitcast, [value], {"dtype": trace.type_of(base).dtype})[0]
    if step.op_class is Imag:
        return trace.create(Complex, [trace.create(Real, [base], {})[0], value], {})[0]
    if step.op_class is Diagonal:
        return _with_diagonal(wrap(trace, base), wrap(trace, value), step.attributes["offset"])
    plan = plan_write_back(step, trace.type_of(base))
    operands = [base, value] if plan.takes_base else [value]
    operands += [trace.create(Dim, [base], {"axis": axis})[0] for axis in plan.extents]
    if plan.takes_base:
        operands += [operand._value() for operand in step.operands]
    return trace.create(plan.op_class, operands, plan.attributes)[0]


def _with_diagonal(base: TracedArray, value: TracedArray, offset: int) -> Any:
    """The matrices in the last two axes with other diagonals."""
    places = asarray(behaviour().namespace_function("arange")(value.shape[-1]))
    rows, columns = (places + max(-offset, 0), places + max(offset, 0))
    first = base.ndim - 2
    return apply(
        Scatter, base, value, rows, columns, axes=(first, first + 1), position=first, mode="set"
    )._value()


def _prepare(x: TracedArray, index: Any) -> tuple[IndexPlan, TracedArray]:
    """Plan an index, record its run-time checks, but for those of index arrays, and take the view steps."""
    if _masks_meet_others(index):
        index = with_places(index)
    plan = plan_index(x.type.shape, index)
    _require_few_axes(x, index)
    for check in plan.checks:
        if not _is_of_array(check):
            _record_check(x, check)
    view = x
    for step in plan.steps:
        view = view._view(_frozen(view, step))
    return plan, view


def _require_few_axes(x: TracedArray, index: Any) -> None:
    """Raise NumPy's error for an index that makes more axes than arrays have."""
    entries = index if isinstance(index, tuple) else (index,)
    if x.ndim + sum(entry is None for entry in entries) <= MAX_RANK:
        return
    left = sum(is_traced(entry) or isinstance(entry, (int, np.integer)) for entry in entries)
    rank = x.ndim + sum(entry is None for entry in entries) - left
    if rank > MAX_RANK:
        raise WeftIndexError(
            f"number of dimensions must be within [0, {MAX_RANK}], indexing result would have {rank}"
        )


def _check_arrays(x: TracedArray, plan: IndexPlan) -> None:
    """Record the run-time checks of index arrays."""
    for check in filter(_is_of_array, plan.checks):
        _record_check(x, check)


def _is_of_array(check: BoundsCheck | ExtentCheck) -> bool:
    return isinstance(check, BoundsCheck) and check.is_array


def _frozen(view: TracedArray, step: ViewStep) -> ViewStep:
    """The step with its traced operands as they are now: a view does not follow later writes to its index."""
    if not step.operands:
        return step
    operands = tuple(_traced(view, _as_index(operand)).copy() for operand in step.operands)
    return ViewStep(step.op_class, step.attributes, operands, step.writable)


def _record_check(x: TracedArray, check: BoundsCheck | ExtentCheck) -> None:
    from ..tracing.extent_keys import extent_key, scalar_key
    from ..tracing.extents import is_new_fact

    trace = x._storage.trace
    if isinstance(check, BoundsCheck) and check.is_decided:
        check.decide()
    elif isinstance(check, BoundsCheck):
        if is_traced(check.index):
            require_index(check.index)
        index = _traced(x, _as_index(check.index))
        size = check.extent if check.extent is not None else extent_key(x._value(), check.axis)
        if index.ndim == 0 and not is_new_fact(
            trace, ("bounds", scalar_key(index._value()), size, check.is_slice)
        ):
            return
        if check.is_slice and check.extent is None:
            need_all_sizes("whether a slice of one element is empty")
        extent = apply(Dim, x, axis=check.axis)
        outside, offender = apply(FindOutOfBounds, index, extent)
        if check.is_slice and is_traced(check.index):  # x[-1:0] is empty
            outside, offender = np.logical_or(outside, np.equal(index, -1)), index
        raise_if(outside, check.error, check.message, offender, extent)
    else:
        extent = apply(Dim, x, axis=check.axis)
        other = apply(Dim, _traced(x, check.mask), axis=check.mask_axis)
        raise_if(apply(NotEqual, extent, other), check.error, check.message, extent, other)


_MISFIT = ("could not broadcast input array from shape ", " into shape ")
_ADVANCED_MISFIT = (
    "shape mismatch: value array of shape ",
    " could not be broadcast to indexing result of shape ",
)
"""What NumPy says in front of the shape of a value, and between it and that of the place."""


def _place_of(view: TracedArray, indices: Sequence[Any], attributes: dict[str, Any]) -> TracedArray:
    """What has the shape of the elements that indices select, but reads none of them.

    NumPy says that a value does not fit before it looks where the indices are.
    """
    operands = [view, *indices]
    types = [type_of_operand(operand) for operand in operands]
    dims = []
    shape = Gather.infer(types[0], tuple(types[1:]), **attributes).shape
    for axis, extent in enumerate(shape):
        source = None if extent is not None else Gather.extent_source(types, attributes, axis)
        if source is not None:
            dims.append(operands[source[0]]._extent(source[1]))
    attribute = tuple(-1 if extent is None else extent for extent in shape)
    place: TracedArray = apply(BroadcastTo, _traced(view, view.dtype.type()), *dims, shape=attribute)
    return place


def _broadcast(value: Any, place: TracedArray, *misfit: str) -> TracedArray:
    """The value in the shape of the place that it is assigned to, without superfluous leading axes."""
    traced = _without_leading_axes(_traced(place, value), place, *(misfit or _MISFIT))
    if traced.type.shape == place.type.shape and place.type.is_static:
        return traced
    traced = _fitted(traced, place, *(misfit or _MISFIT))
    shape = tuple(-1 if extent is None else extent for extent in place.type.shape)
    dims = [place._extent(axis) for axis, extent in enumerate(place.type.shape) if extent is None]
    broadcast: TracedArray = apply(BroadcastTo, traced, *dims, shape=shape)
    return broadcast


def _without_leading_axes(value: TracedArray, place: TracedArray, before: str, between: str) -> TracedArray:
    """The value without the axes that it has more than the place; that they have extent 1 is checked at run time."""
    from ..tracing.stretching import Misfit

    extra = value.ndim - place.ndim
    leading = value.type.shape[: max(0, extra)]
    if not leading or any(extent not in (1, None) for extent in leading):
        return value
    unknown = [np.not_equal(value._extent(axis), 1) for axis, extent in enumerate(leading) if extent is None]
    if unknown:
        Misfit(before, between, "").raise_if(functools.reduce(np.logical_or, unknown), (value, place))
        left: TracedArray = value.reshape(tuple(value._extent(axis) for axis in range(extra, value.ndim)))
    else:
        left = apply(Squeeze, value, axes=tuple(range(extra)))
    return left


def _fitted(value: TracedArray, place: TracedArray, before: str, between: str) -> TracedArray:
    """The value, with unknown extents of 1 stretched to those of the place.

    Raises unless it broadcasts to the place: now, or at run time where an extent is not known.
    """
    from ..tracing.stretching import Misfit, fit

    if not _fits(value.type, place.type):
        shapes = format_shape(value.type.shape), format_shape(place.type.shape)
        raise WeftValueError(f"{before}{shapes[0]}{between}{shapes[1]}")
    if value.type.is_static and place.type.is_static:
        return value
    fitted: TracedArray = fit(place._storage.trace, value, place, Misfit(before, between, ""))
    return fitted


def _fits(value: TensorType, place: TensorType) -> bool:
    try:
        return value.rank <= place.rank and compatible_shapes(
            broadcast_shapes([value.shape, place.shape]), place.shape
        )
    except WeftValueError:
        return False


def _traced(like: TracedArray, value: Any) -> TracedArray:
    """The value as a traced array of the same trace."""
    from ..tracing.array import TracedArray

    if isinstance(value, TracedArray):
        return value
    trace = like._storage.trace
    return wrap(trace, value_of(trace, np.asarray(value)))


def _as_index(index: Any) -> Any:
    """An index array as the gather and scatter ops take it: int64."""
    return bounded_index(index) if is_traced(index) else cast(index, _INT64)


def _index_arrays(advanced: AdvancedIndex) -> Sequence[Any]:
    """The indices as the gather and scatter ops take them: int64, of one shape."""
    from ..tracing.stretching import Misfit, broadcast_together
    from .broadcasting import broadcast_arrays

    indices: Sequence[Any] = [_as_index(index) for index in advanced.indices]
    trace = trace_of(indices)
    if trace is not None:
        message = "shape mismatch: indexing arrays could not be broadcast together with shapes "
        indices = broadcast_together(trace, indices, Misfit(message, error="IndexError"))
    shapes = {type_of_operand(index).shape for index in indices}
    same = len(indices) == 1 or (len(shapes) == 1 and None not in next(iter(shapes)))
    return indices if same else broadcast_arrays(*indices)


def _with_arrays(index: Any) -> Any:
    """The index with lists that hold traced values made arrays, and slices of one element found."""
    return tuple(map(_with_array, index)) if isinstance(index, tuple) else _with_array(index)


def _with_array(index: Any) -> Any:
    """An entry of an index; a list, or a tuple inside of the index, that holds traced values as an array."""
    if is_traced(index) and index._storage.trace.is_eager:
        return index._known()[()]  # where elements are known, it is known what they select
    if isinstance(index, slice) and is_traced(index.start) and is_traced(index.stop):
        return _with_one_place(index)
    if isinstance(index, (list, tuple)) and current_trace() is not None and _holds_traced(index):
        return asarray(index)
    return index


def _is_mask(item: Any) -> bool:
    """Whether an entry of an index is a traced mask."""
    return is_traced(item) and item.dtype == np.bool_


def _masks_meet_others(index: Any) -> bool:
    """Whether a traced mask stands beside another index array."""
    entries = index if isinstance(index, tuple) else ()
    arrays = sum(
        isinstance(i, (np.ndarray, list, tuple, range, bool)) or (is_traced(i) and i.ndim > 0)
        for i in entries
    )
    return arrays > 1 and any(map(_is_mask, entries))


def with_places(index: Any) -> tuple[Any, ...]:
    """The index with the places where traced masks are true instead of the masks."""
    entries: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        if _is_mask(item):
            entries += [NonzeroOfMask(h, item, axis) for axis, h in enumerate(nonzero_places(item))]
        else:
            entries.append(item)
    return tuple(entries)


def _with_one_place(index: slice) -> slice | OnePlace:
    """The start, as the place of one element that a loop counts, where the stop is computed as the start plus 1.

    Others may be behind the array: then the slice is empty.
    """
    from ..tracing.extent_keys import is_counted, scalar_key

    start, stop = index.start, index.stop
    if (
        is_traced(index.step)
        or index.step not in (None, 1)
        or start.ndim
        or stop.ndim
        or start.dtype.kind not in "iu"
    ):
        return index
    is_one = scalar_key(stop._value()) - scalar_key(start._value()) == 1
    return OnePlace(start) if is_one and is_counted(start._value()) else index


def _holds_traced(items: Sequence[Any]) -> bool:
    from ..tracing.array import TracedArray

    return any(
        _holds_traced(item) if isinstance(item, (list, tuple)) else isinstance(item, TracedArray)
        for item in items
    )


def _has_ellipsis(index: Any) -> bool:
    return any(item is Ellipsis for item in (index if isinstance(index, tuple) else (index,)))
