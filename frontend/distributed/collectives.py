"""The functions of `weft.distributed`: what the ranks of a mesh do together, and where a program runs.

In compiled functions they are recorded, elsewhere they are done at once. Which ranks there are is known when the
program runs: those of the mesh that the thread is in.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.collectives import REDUCTIONS
from ...dialect.errors import AxisError, UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops.distributed import (
    AllGather,
    AllReduce,
    AllToAll,
    BroadcastRank,
    Local,
    Rank,
    RankBarrier,
    RankCount,
    ReduceScatter,
    Replicated,
    RequireSame,
    SendReceive,
    Together,
    Vary,
)
from ..autograph.marks import do_not_convert
from ..function import Function
from ..tracing.array import wrap
from ..tracing.current import current_trace
from ..tracing.staging import as_operand, emit, is_traced, raise_where, type_of_operand, value_of
from .places import eager_place

OF_BOOLS = {"any": "max", "all": "min"}
"""Reductions of conditions, and what they are of booleans."""


def _where_it_lies(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is compiled where its array lies on a GPU, so that it stays there."""

    @functools.wraps(function)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(x, OnDevice) and current_trace() is None:
            return _compiled(function, args, tuple(kwargs.items()), eager_place())(x)
        return function(x, *args, **kwargs)

    return call


@functools.lru_cache(maxsize=1024)
def _compiled(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...], place: str
) -> Callable[[Any], Any]:
    """What a function does of one array; for each place of the program, which messages name."""
    return Function(lambda x: function(x, *args, **dict(kwargs)), None, None)


@do_not_convert
def rank(over: str | tuple[str, ...] | None = None) -> Any:
    """The number of the rank that runs the program, from 0 on: an int64 that is known when it runs.

    With `over`, an axis of the mesh or several, the number among the ranks that differ in these only. Raises
    `ValueError` for an axis that is not there.

    >>> weft.distributed.rank()
    np.int64(0)
    """
    return _applied(Rank, over=_axes(over))


@do_not_convert
def size(over: str | tuple[str, ...] | None = None) -> Any:
    """How many ranks there are: an int64 that is known when the program runs; see `rank`.

    >>> weft.distributed.size()
    np.int64(1)
    """
    return _applied(RankCount, over=_axes(over))


@do_not_convert
@_where_it_lies
def all_reduce(x: Any, op: str = "sum", over: str | tuple[str, ...] | None = None) -> Any:
    """Combine the elements at each place of the arrays of all ranks; all ranks get the result, of the same dtype.

    `op` is "sum", "prod", "min", "max", or, for booleans, "any" or "all". Arrays have the same shape and dtype on all
    ranks. Elements are combined as by NumPy's ufuncs, in an order that depends on the number of ranks. The derivative
    of sums is known: all ranks have the same result, and its cotangent is that of what each of them gives.

    >>> together = weft.distributed
    >>> together.Mesh.simulated(3).run(lambda: together.all_reduce(np.arange(2) + together.rank()))
    [array([3, 6]), array([3, 6]), array([3, 6])]
    """
    x, reduction = _reduced("all_reduce", x, op)
    return _applied(AllReduce, x, reduction=reduction, over=_axes(over))


@do_not_convert
@_where_it_lies
def all_gather(x: Any, axis: int | None = 0, over: str | tuple[str, ...] | None = None) -> Any:
    """The arrays of all ranks, joined along an axis in the order of the ranks; stacked along a new first axis if None.

    Arrays have the same shape and dtype on all ranks. Raises `AxisError` for an axis that is not there.

    >>> together = weft.distributed
    >>> together.Mesh.simulated(2).run(lambda: together.all_gather(np.ones(2) * together.rank()))
    [array([0., 0., 1., 1.]), array([0., 0., 1., 1.])]
    """
    x, over = as_operand(x), _axes(over)
    place = None if axis is None else _axis_of("all_gather", x, axis)
    stacked = _applied(AllGather, x, _applied(RankCount, over=over), over=over, count=-1)
    if place is None:
        return stacked
    joined = np.moveaxis(stacked, 0, place)
    shape = joined.shape
    return joined.reshape((*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :]))


@do_not_convert
@_where_it_lies
def reduce_scatter(x: Any, op: str = "sum", axis: int = 0, over: str | tuple[str, ...] | None = None) -> Any:
    """Combine the arrays of all ranks as `all_reduce` does, and give each rank one part of the result.

    The axis is cut in as many equal parts as there are ranks. Raises `ValueError` where it cannot be.

    >>> together = weft.distributed
    >>> together.Mesh.simulated(2).run(lambda: together.reduce_scatter(np.arange(4)))
    [array([0, 2]), array([4, 6])]
    """
    x, reduction = _reduced("reduce_scatter", x, op)
    over = _axes(over)
    parts = _in_parts("reduce_scatter", x, axis, over)
    return np.moveaxis(
        _applied(ReduceScatter, parts, reduction=reduction, over=over), 0, _axis_of("", x, axis)
    )


@do_not_convert
@_where_it_lies
def all_to_all(
    x: Any, split_axis: int = 0, join_axis: int = 0, over: str | tuple[str, ...] | None = None
) -> Any:
    """Cut an axis in as many equal parts as there are ranks, send part k to rank k, and join what comes along an axis.

    Raises `ValueError` where the axis cannot be cut so.

    >>> together = weft.distributed
    >>> together.Mesh.simulated(2).run(lambda: together.all_to_all(np.arange(2) + 10 * together.rank()))
    [array([ 0, 10]), array([ 1, 11])]
    """
    x, over = as_operand(x), _axes(over)
    split, join = _axis_of("all_to_all", x, split_axis), _axis_of("all_to_all", x, join_axis)
    received = _applied(AllToAll, _in_parts("all_to_all", x, split_axis, over), over=over)
    # (ranks, split, the others in order): split goes back to its place, and ranks in front of the axis that grows.
    received = np.moveaxis(received, 1, split + 1)
    received = np.moveaxis(received, 0, join)
    shape = received.shape
    return received.reshape((*shape[:join], shape[join] * shape[join + 1], *shape[join + 2 :]))


@do_not_convert
@_where_it_lies
def broadcast(x: Any, root: int = 0, over: str | tuple[str, ...] | None = None) -> Any:
    """The array of one rank, on all of them; they all give one of its shape and dtype.

    >>> together = weft.distributed
    >>> together.Mesh.simulated(2).run(lambda: together.broadcast(2.0 * together.rank(), root=1))
    [np.float64(2.0), np.float64(2.0)]
    """
    root = _index("broadcast", "root", root)
    if root < 0:
        raise WeftValueError(f"broadcast: there is no rank {root}")
    return _applied(BroadcastRank, as_operand(x), root=root, over=_axes(over))


@do_not_convert
@_where_it_lies
def send_receive(
    x: Any, shift: int = 1, wrap: bool = False, over: str | tuple[str, ...] | None = None
) -> Any:
    """Send an array to the rank that is `shift` above this one; returns what came from that `shift` below.

    Where there is none, nothing is sent, and zeros come; with `wrap` the last ranks send to the first ones.

    >>> together = weft.distributed
    >>> together.Mesh.simulated(3).run(lambda: together.send_receive(together.rank() + 1))
    [np.int64(0), np.int64(1), np.int64(2)]
    """
    shift = _index("send_receive", "shift", shift)
    return _applied(SendReceive, as_operand(x), shift=shift, wraps=bool(wrap), over=_axes(over))


@do_not_convert
def barrier(over: str | tuple[str, ...] | None = None) -> None:
    """Wait until all ranks are there.

    >>> weft.distributed.barrier()
    """
    _applied(RankBarrier, over=_axes(over))


@do_not_convert
def vary(x: Any, over: str | tuple[str, ...] | None = None) -> Any:
    """Arrays that are the same on all ranks, as arrays that each rank computes with for itself: no message is sent.

    Gradients by them are the sums of what all ranks find: those of the whole function, on all ranks. weft does this
    where it knows that an array is the same on all ranks, as `replicated` says. Containers are gone through.

    >>> weft.distributed.vary(np.float64(2.0))
    np.float64(2.0)
    """
    return _marked(Vary, x, _axes(over))


@do_not_convert
def replicated(x: Any, over: str | tuple[str, ...] | None = None) -> Any:
    """Say that arrays, or those in a container, are the same on all ranks, as parameters of a model are.

    Gradients by them are those of the whole function then, on all ranks; and they may decide what all ranks do. Ranks
    of a simulated mesh, and those that ask each other (`Mesh(checked=True)`), raise `weft.CommunicationError` where it
    is not so; others believe it.

    >>> weft.distributed.replicated({"weights": np.ones(2)})
    {'weights': array([1., 1.])}
    """
    return _marked(Replicated, x, _axes(over))


@do_not_convert
def local(x: Any, over: str | tuple[str, ...] | None = None) -> Any:
    """Say that each rank has arrays, or a container of arrays, of its own, as the data of a block are.

    The gradient of a function of all ranks by them is, on each rank, that by its own.

    >>> weft.distributed.local(np.ones(2))
    array([1., 1.])
    """
    return _marked(Local, x, _axes(over))


def _marked(op_class: type[Op], x: Any, over: str) -> Any:
    if isinstance(x, dict):
        return {key: _marked(op_class, value, over) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        entries = [_marked(op_class, entry, over) for entry in x]
        if isinstance(x, tuple):
            return type(x)(*entries) if hasattr(x, "_fields") else tuple(entries)
        return entries
    if isinstance(x, OnDevice) and current_trace() is None:
        return _compiled(_marked_array, (op_class, over), (), eager_place())(x)
    return _marked_array(x, op_class, over)


def _marked_array(x: Any, op_class: type[Op], over: str) -> Any:
    x = as_operand(x)
    if op_class is Replicated:
        _applied(RequireSame, x, over=over)
    return _applied(op_class, x, over=over)


def _applied(op_class: type[Op], *operands: Any, **attributes: Any) -> Any:
    """Record an op where a function is traced, else do it."""
    trace = current_trace()
    if trace is None and any(map(is_traced, operands)):
        raise UnsupportedError(
            f"derivatives through {op_class.name}, which all ranks do together, are made in compiled functions: put "
            "weft.function around what asks for them"
        )
    if trace is None:
        results = op_class.compute([np.asarray(operand) for operand in operands], attributes)
        values = tuple(result[()] if result.ndim == 0 else result for result in results)
        return values[0] if op_class.results == 1 else None
    if issubclass(op_class, Together):
        trace.has_effects = True
    made = emit(trace, op_class, operands, attributes)
    return made if op_class.results == 1 else None


def _axes(over: str | tuple[str, ...] | None) -> str:
    """Names of axes as ops have them."""
    if not isinstance(over, (str, tuple, list, type(None))):
        raise WeftTypeError(f"`over` names axes of the mesh by strings, not {over!r}")
    names = () if over is None else (over,) if isinstance(over, str) else tuple(over)
    for name in names:
        if not isinstance(name, str):
            raise WeftTypeError(f"`over` names axes of the mesh by strings, not {name!r}")
        if not name or "," in name or "\n" in name:
            raise WeftValueError(f"{name!r} is no name of an axis of a mesh")
    return ",".join(names)


def _reduced(what: str, x: Any, op: str) -> tuple[Any, str]:
    """The operand of a reduction, and what it is in the dialect."""
    if op in OF_BOOLS:
        x = as_operand(x)
        is_bool = type_of_operand(x).dtype == bool
        return x if is_bool else np.not_equal(x, 0), OF_BOOLS[op]
    if op not in REDUCTIONS:
        known = ", ".join(map(repr, (*REDUCTIONS, *OF_BOOLS)))
        raise WeftValueError(f"{what}: op is one of {known}, not {op!r}")
    return as_operand(x), op


def _index(what: str, name: str, value: Any) -> int:
    """A number that is part of the program, and no data."""
    try:
        return operator.index(value)
    except TypeError:
        raise WeftTypeError(
            f"{what}: {name} is an integer that is known when functions are compiled, not {value!r}"
        ) from None


def _axis_of(what: str, x: Any, axis: int) -> int:
    ndim = type_of_operand(x).rank
    place = _index(what, "axis", axis)
    if not -ndim <= place < ndim:
        raise AxisError(f"{what}: axis {place} is out of bounds for array of dimension {ndim}")
    return place % ndim


def _in_parts(what: str, x: Any, axis: int, over: str) -> Any:
    """The array with the parts of an axis along a new first one."""
    place, count = _axis_of(what, x, axis), _applied(RankCount, over=over)
    trace = current_trace()
    if trace is not None and not is_traced(x):  # a constant, which is cut as only the run tells
        x = wrap(trace, value_of(trace, x))
    x = np.moveaxis(x, place, 0)
    extent = x.shape[0]
    raise_where(
        extent % count != 0,
        WeftValueError,
        f"{what}: axis {place} has {{0}} elements, which cannot be cut in {{1}} equal parts, one for each rank",
        extent,
        count,
        is_own=True,
    )
    return x.reshape((count, extent // count, *x.shape[1:]))
