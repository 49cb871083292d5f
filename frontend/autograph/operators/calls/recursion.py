"""Functions that call themselves under a run-time condition: recorded once as a function of the program, and called.

A call is recorded as `func.call` when the function is being recorded already with arguments of the same abstract types
and a staged branch or loop lies between: Python would follow it without end. What the function returns is found as
loops find what they carry: the first recording takes the recursive call for one that never returns.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from .....dialect.errors import TraceRecursionError, UnrollingWarning, UnsupportedError
from .....dialect.mlir import Value, dialect, ir
from .....dialect.register import context
from .....dialect.types import TensorType
from ....runtime_values.values import traced_in
from ....settings import settings
from ....tracing.array import TracedArray, wrap
from ....tracing.current import current_trace
from ....tracing.may_alias import all_aliases, connect
from ....tracing.recorder import CapturedArray, Join, Recorder
from ....tracing.regions import Region, Section
from ....tracing.staging import value_of
from ..branches import diverging, paths
from ..exceptions import catching
from ..values.abstract import (
    ArrayKind,
    Container,
    Kind,
    absent_values,
    as_arrays,
    carried_types,
    flatten,
    join,
    kind_of,
    parts_of,
    unflatten,
)
from ..values.aliases import present
from ..values.control_flow_state import Activation, StagedFunction, control_flow, snapshot_of
from ..values.program_locations import Snapshot

MAX_RECORDINGS = 12
"""A function whose result types still grow after so many recordings is refused."""


def activate(original: FunctionType, converted: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a converted function, or record a call of it where it is recorded already."""
    trace = current_trace()
    if trace is None:
        return converted(*args, **kwargs)
    values = [*args, *kwargs.values()]
    kinds = [
        as_arrays(kind_of(value)) if isinstance(value, TracedArray) else kind_of(value) for value in values
    ]
    flow, catches = control_flow(trace), trace.catcher is not None
    key = (
        original.__code__,
        tuple(map(id, original.__closure__ or ())),
        tuple(kwargs),
        tuple(kinds),
        catches,
    )
    if key in flow.functions:
        return _call(trace, flow.functions[key], values)
    earlier = next((a for a in flow.activations if a.key == key), None)
    if earlier is not None and trace.region is not earlier.region:
        function = _define(trace, original, converted, key, values, kinds, tuple(kwargs))
        return _call(trace, function, values)
    around = (
        trace.enter_recording()
    )  # so that finding a place takes no longer in a call inside of many others
    _warn_of_size(trace, original)
    flow.activations.append(Activation(key, trace.region, trace.op_count))
    try:
        return _record_call(converted, args, kwargs)
    finally:
        flow.activations.pop()
        trace.leave_recording(around)


def _warn_of_size(trace: Recorder, original: FunctionType) -> None:
    """Warn, once in a trace, when a function that calls itself under no run-time condition has recorded very much."""
    flow, most = control_flow(trace), settings.unrolled_ops_warning
    first = next((a for a in flow.activations if a.key[0] is original.__code__), None)
    if first is None or flow.has_warned or not 0 < most < trace.op_count - first.ops_before:
        return
    flow.has_warned = True
    place = trace.user_location()
    message = (
        f"{original.__name__} calls itself, and has recorded {trace.op_count - first.ops_before} operations so far: "
        "compiling them takes long. Calls whose depth is known while tracing are recorded one by one; let them end on "
        "larger arrays that NumPy's functions work on as a whole, write a loop, or let a value decide that is known "
        "only at run time, which compiles one call"
    )
    warnings.warn_explicit(
        message, UnrollingWarning, place.file if place else "<unknown>", place.line if place else 1
    )


def _record_call(converted: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run a function; frames above this one are known already (see `locations.RECORDING`)."""
    return converted(*args, **kwargs)


def _call(trace: Recorder, function: StagedFunction, values: list[Any]) -> Any:
    """Record a call."""
    if function.result is None:
        raise diverging.Diverged  # as far as is known it never returns
    operands = [
        v for value, kind in zip(values, function.kinds, strict=True) for v in flatten(trace, value, kind)
    ]
    operands += [array._value() for array in function.captured]
    arrays = [*_arrays(values, function.kinds), *function.captured]
    types = carried_types(function.result)
    types += [t for i in function.written for t in carried_types(ArrayKind(arrays[i].type))]
    types += carried_types(_NUMBER) * function.catches
    trace.has_effects = True
    with context():
        callee = ir.FlatSymbolRefAttr.get(function.symbol)
    results = iter(trace.create_upstream("func.call", operands, types, {"callee": callee}))
    result = unflatten(trace, function.result, results)
    _require_apart(function.written, arrays)
    for index in function.written:
        arrays[index]._write(wrap(trace, next(results), arrays[index].type))
    if function.catches:
        catcher = paths.catcher_of(trace)
        assert catcher is not None
        catcher.raise_kept(wrap(trace, next(results), _NUMBER.type))
    return _with_arguments(result, function.result, iter(function.handed_on), arrays)


def _arrays(values: list[Any], kinds: list[Kind]) -> list[TracedArray]:
    """The arguments that are arrays, and the arrays in others, which a function may write in place."""
    return [array for value, kind in zip(values, kinds, strict=True) for array in _arrays_in(value, kind)]


def _arrays_in(value: Any, kind: Kind) -> list[TracedArray]:
    if isinstance(kind, ArrayKind):
        return [value] if kind.type.rank else []
    parts = parts_of(value) if isinstance(kind, Container) and kind.kind is not slice else None
    if parts is None or not isinstance(kind, Container):
        return []
    keys, children = parts
    named = dict(zip(keys, children, strict=True)) if keys != kind.keys else {}
    children = [named[key] for key in kind.keys] if named else children
    return _arrays(children, list(kind.children))


def _require_apart(written: Sequence[int], arrays: list[TracedArray]) -> None:
    """Refuse one array in two places: a function of the program has a copy for each."""
    storages = [array._storage for array in arrays]
    if any(storages.count(storages[index]) > 1 for index in written):
        raise UnsupportedError(
            "a function that calls itself under a run-time condition writes an array that it is given twice, by two "
            "names or as a view of the other: pass it once"
        )


def _handed_on(result: Any, kind: Kind, arrays: list[TracedArray]) -> list[frozenset[int | None]]:
    """Which of the parameters each array in a result may be, of which views are some; None is another one."""
    storages = [array._storage for array in arrays]
    found = []
    for leaf in _arrays([result], [kind]):
        own = {storages.index(s) for s in (leaf._storage, *all_aliases(leaf._storage)) if s in storages}
        is_itself = leaf._storage in storages and not leaf._path
        found.append(frozenset(own if is_itself else {*own, None}))
    return found


def _with_arguments(
    result: Any, kind: Kind, handed_on: Iterator[frozenset[int | None]], arrays: list[TracedArray]
) -> Any:
    """The result of a call, in which arrays that it takes are these themselves.

    What may be one of them, or a view, is not written while that can be seen.
    """
    if isinstance(kind, ArrayKind) and kind.type.rank:
        sources = next(handed_on)
        places = [place for place in sources if place is not None]
        if len(places) == len(sources) == 1:
            return arrays[places[0]]
        if places:
            connect(result._storage, Join(any), [*(arrays[place]._storage for place in places), None])
        return result
    parts = parts_of(result) if isinstance(kind, Container) and kind.kind is not slice else None
    if parts is None or not isinstance(kind, Container):
        return result
    children = [
        _with_arguments(*pair, handed_on, arrays) for pair in zip(parts[1], kind.children, strict=True)
    ]
    if kind.kind in (tuple, list):
        return kind.kind(children)
    return kind.kind(*children) if issubclass(kind.kind, tuple) else result


def _require_all_known(given: list[Any], arrays: list[TracedArray]) -> None:
    """Refuse writes of arrays that are held by what the caller cannot look into."""
    known = {id(array._storage) for array in arrays}
    for value in traced_in(given, depth=8):
        value = present(value)
        storage = value._storage if isinstance(value, TracedArray) else None
        if storage is not None and storage.ref is not None and id(storage) not in known:
            raise UnsupportedError(
                "a function that calls itself under a run-time condition writes an array that may be missing where it "
                "is called: pass the array itself"
            )


def _define(
    trace: Recorder,
    original: FunctionType,
    converted: Callable[..., Any],
    key: Any,
    values: list[Any],
    kinds: list[Kind],
    names: tuple[str, ...],
) -> StagedFunction:
    """Record a function until the types of its results are known."""
    functions = control_flow(trace).functions
    function = StagedFunction(trace.fresh_symbol(original.__name__), kinds, catches=trace.catcher is not None)
    functions[key] = function
    snapshot = snapshot_of(trace, (converted,))
    try:
        for _ in range(MAX_RECORDINGS):
            known = set(functions)
            if _record(trace, function, converted, names, snapshot):
                return function
            # What was defined meanwhile may rely on what was not known yet of this function.
            for other in functions.keys() - known:
                functions.pop(other).op.operation.erase()
    finally:
        snapshot.restore()
    raise TraceRecursionError(
        f"{original.__name__} calls itself on every path, or its results never agree in type"
    )


def _record(
    trace: Recorder,
    function: StagedFunction,
    converted: Callable[..., Any],
    names: tuple[str, ...],
    snapshot: Snapshot,
) -> bool:
    """Record the body once with what is known; returns whether nothing new was learned."""
    captured_types = [t for array in function.captured for t in carried_types(ArrayKind(array.type))]
    types = [*(t for kind in function.kinds for t in carried_types(kind)), *captured_types]
    with context(), ir.Location.unknown(), ir.InsertionPoint(trace.module.body):
        op = dialect("func").FuncOp(function.symbol, ir.FunctionType.get(types, []), visibility="private")
        block = op.add_entry_block()
    function.op = op
    known = function.result, function.written, function.handed_on
    try:
        with _recording(trace, Region(block, None)) as region:
            parameters = iter(list(block.arguments))
            given = [unflatten(trace, kind, parameters) for kind in function.kinds]
            with _seen_inside(function.captured, region, parameters):
                arrays = [*_arrays(given, function.kinds), *function.captured]
                run = partial(_run, converted, given, names)
                inside = Snapshot()
                inside.follow(given, "an argument")
                result, number = _kept(trace, run, converted) if function.catches else (_plain(run), None)
                _require_no_state(function, snapshot)
                _require_unchanged(inside)
                _require_all_known(given, arrays)
                if result is not _NEVER:
                    found = as_arrays(kind_of(result))
                    function.result = found if function.result is None else join(function.result, found)
                function.written = tuple(
                    i for i, array in enumerate(arrays) if array._storage.ref is not None
                )
                if result is not _NEVER and function.result is not None:
                    _note_handed_on(function, result, arrays)
                if function.result is not None and known == (
                    function.result,
                    function.written,
                    function.handed_on,
                ):
                    returned = _returned(trace, result, function)
                    returned += [arrays[i]._value() for i in function.written]
                    if function.catches:
                        returned.append(value_of(trace, number))
                    _finish(op, block, returned)
                    return True
    except CapturedArray as found_array:
        function.captured.append(TracedArray(found_array.storage))
    except UnsupportedError:  # what is recorded in another way then has no half of it
        op.operation.erase()
        control_flow(trace).functions = {
            key: known for key, known in control_flow(trace).functions.items() if known is not function
        }
        raise
    op.operation.erase()
    return False


def _note_handed_on(function: StagedFunction, result: Any, arrays: list[TracedArray]) -> None:
    assert function.result is not None
    found = _handed_on(result, function.result, arrays)
    known = function.handed_on if len(function.handed_on) == len(found) else [frozenset()] * len(found)
    function.handed_on = tuple(one | other for one, other in zip(known, found, strict=True))


def _returned(trace: Recorder, result: Any, function: StagedFunction) -> list[Value]:
    """The SSA values of a result; any, where there is none because an exception always comes."""
    assert function.result is not None
    if result is _NEVER:
        return absent_values(trace, function.result)
    return flatten(trace, result, function.result)


_NUMBER = ArrayKind(TensorType((), np.dtype(np.int64)))
"""The abstract type of the number of an exception."""

_NEVER: Any = object()
"""Stands for the result of a function that always raises."""


def _run(converted: Callable[..., Any], given: list[Any], names: tuple[str, ...]) -> Any:
    positional = len(given) - len(names)
    return converted(*given[:positional], **dict(zip(names, given[positional:], strict=True)))


def _plain(run: Callable[[], Any]) -> Any:
    """The result of a function whose exceptions end the call."""
    try:
        return run()
    except diverging.Diverged:
        return _NEVER


def _kept(trace: Recorder, run: Callable[[], Any], converted: Callable[..., Any]) -> tuple[Any, Any]:
    """The result of a function whose exceptions are the caller's to take, and the number of one."""
    returns, result, number = catching.run_keeping(trace, run, (converted,))
    return (result if returns else _NEVER), number


def _finish(op: Any, block: Any, returned: list[Value]) -> None:
    with context(), ir.Location.unknown(), ir.InsertionPoint(block):
        dialect("func").ReturnOp(returned)
        inputs = [argument.type for argument in block.arguments]
        signature = ir.FunctionType.get(inputs, [value.type for value in returned])
        op.attributes["function_type"] = ir.TypeAttr.get(signature)


def _require_no_state(function: StagedFunction, snapshot: Snapshot) -> None:
    """Refuse changes of Python state, which a call of the program cannot make."""
    changed = [place.name for place, _ in snapshot.changes().values()]
    if changed:
        raise UnsupportedError(
            f"a function that calls itself under a run-time condition changes {', '.join(changed)}, which lives "
            "outside of it: return the new value, or write into an array"
        )


def _require_unchanged(inside: Snapshot) -> None:
    """Refuse changes of lists and dicts among the arguments: a function of the program has copies of them."""
    if inside.changes():
        raise UnsupportedError(
            "a function that calls itself under a run-time condition changes a list, dict or object that it takes: "
            "pass an array (np.array(items)), which it can write into, or return the new one"
        )


@contextmanager
def _recording(trace: Recorder, region: Region) -> Iterator[Region]:
    """Record into another function of the program; what the outer ones computed is not visible there."""
    outer: list[Region] = []
    around: Region | None = trace.region
    while around is not None:
        outer.append(around)
        around = around.parent
    flow = control_flow(trace)
    saved = trace.region, flow.snapshots, flow.unrolled, trace.catcher, flow.handled
    opened = [r for r in outer if r.is_open]
    for r in opened:
        r.is_open = False
    trace.suspended.append(set(map(id, opened)))
    trace.region, flow.snapshots, flow.unrolled, trace.catcher, flow.handled = region, [], 1, None, []
    with trace.own_captures():
        try:
            yield region
        finally:
            region.is_open = False
            trace.suspended.pop()
            for r in opened:
                r.is_open = True
            trace.region, flow.snapshots, flow.unrolled, trace.catcher, flow.handled = saved


@contextmanager
def _seen_inside(arrays: list[TracedArray], region: Region, parameters: Iterator[Value]) -> Iterator[None]:
    """Let arrays of the functions around stand for parameters."""
    storages = list({id(array._storage): array._storage for array in arrays}.values())
    saved = [(s, s.value, s.ref, s.section, s.argument, s.version) for s in storages]
    inside = Section(region)
    for storage in storages:
        storage.value, storage.ref, storage.section, storage.argument = next(parameters), None, inside, None
        storage.version += 1
    try:
        yield
    finally:
        for storage, value, ref, around, argument, version in saved:
            storage.value, storage.ref, storage.section, storage.argument = value, ref, around, argument
            storage.version = version + 1


__all__ = ["activate"]
