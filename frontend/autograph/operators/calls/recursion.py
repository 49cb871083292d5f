"""Functions that call themselves under a run-time condition: recorded once as a function of the program, and called.

So are those whose copies in the places of their calls have become many: helpers that call helpers in two places would
make a program twice as large at each level.

A call is recorded as `func.call` when the function is being recorded already with arguments of the same abstract types
and a staged branch or loop lies between: Python would follow it without end. What the function returns is found as
loops find what they carry: the first recording takes the recursive call for one that never returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .....dialect.attributes import STAYS
from .....dialect.errors import (
    TraceRecursionError,
    TraceSizeError,
    UnrollingWarning,
    UnsupportedError,
    WeftError,
)
from .....dialect.mlir import Value, dialect, ir
from .....dialect.records import dataclass, replace
from .....dialect.register import context
from .....dialect.types import TensorType
from ....guards.inputs import BeginsAgain
from ....runtime_values.results import RuntimeContainer
from ....settings import settings
from ....source.locations import warn_at
from ....tracing.array import TracedArray, wrap
from ....tracing.current import current_trace
from ....tracing.needed_numbers import need_all_numbers
from ....tracing.recorder import CapturedArray, Recorder
from ....tracing.regions import Region
from ....tracing.staging import value_of
from ..branches import diverging, paths
from ..branches.checkpoints import Checkpoint
from ..exceptions import catching
from ..values.abstract import (
    absent_values,
    as_arrays,
    as_promoted_kind,
    carried_types,
    flatten,
    kind_of,
    texts_grow,
    unflatten,
)
from ..values.aliases import is_available
from ..values.control_flow_state import Activation, Copies, StagedFunction, control_flow
from ..values.joins import join
from ..values.kinds import ArrayKind, Container, Kind, Mismatch, Static, Text
from ..values.program_locations import Snapshot
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.shared_containers import widened_kind
from .recursive_arrays import (
    arrays_of,
    handed_on,
    require_all_known,
    require_apart,
    seen_inside,
    with_arguments,
)

if TYPE_CHECKING:
    from .recursive_state import Places, State

MAX_RECORDINGS = 20
"""A function whose result types still grow after so many recordings is refused."""


def activate(original: FunctionType, converted: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a converted function, or record a call of it where it is recorded already."""
    trace = current_trace()
    if trace is None:
        return converted(*args, **kwargs)
    values = [*args, *kwargs.values()]
    exact = list(map(kind_of, values))
    kinds = [
        as_promoted_kind(kind) if isinstance(value, TracedArray) else kind
        for value, kind in zip(values, exact, strict=True)
    ]
    flow, catches = control_flow(trace), trace.catcher is not None
    cells, names = tuple(map(id, original.__closure__ or ())), tuple(kwargs)
    key = (original.__code__, cells, names, tuple(kinds), catches)
    definition = _Definition(trace, original, converted, key, names)
    if key in flow.functions:
        return _call(trace, _brought_up_to_date(definition, flow.functions[key], values), values)
    digest, active = hash(key), flow.activations.get(original.__code__, ())
    earlier = next((a for a in active if a.digest == digest and a.key == key), None)
    if earlier is not None and trace.region is not earlier.region:
        return _call(trace, definition.record(_given(earlier.values, values, kinds)), values)
    if (wider := _wider(trace, definition, active, values)) is not None:
        return _call(trace, wider, values)
    copies = flow.copies.setdefault((id(original.__code__), cells, names), Copies())
    if copies.are_too_many and not active:
        given = list(map(_held, values, exact))
        exactly = replace(definition, key=(*key, tuple(given)), is_for_copies=True)
        if (result := _called(exactly, copies, values, given)) is not None:
            return result[0]
    place, recorded_before = hash(str(trace.location())), flow.recorded()
    ops_before = trace.op_count + flow.ops_called
    around = trace.enter_recording()  # finding a place takes no longer in a call inside of many others then
    _count_call(trace, original, kinds)
    active = flow.activations.setdefault(original.__code__, [])
    active.append(Activation(key, digest, trace.region, values, trace.op_count))
    try:
        result = _record_call(converted, args, kwargs)
        if flow.recorded() > recorded_before:
            copies.note(place, trace.op_count + flow.ops_called - ops_before)
        copies.stay = copies.stay or (copies.are_too_many and not _is_by_value(kind_of(result)))
        return result
    finally:
        active.pop()
        if not active:
            del flow.activations[original.__code__]
        trace.leave_recording(around)


def _wider(
    trace: Recorder, definition: _Definition, active: Sequence[Activation], values: list[Any]
) -> StagedFunction | None:
    """The function of the calls that are like one that is being recorded, but for constants and lengths of lists.

    None where such calls are recorded one by one: as long as that ends.
    """
    if (
        not active
        or trace.region is active[-1].region
        or _place_of(definition.original) not in (trace.choices.recursive or ())
    ):
        return None
    before = active[-1].values
    if len(before) != len(values):
        return None
    try:
        kinds = list(map(_wider_kind, before, values))
    except Mismatch:
        return None
    code, cells, names, _, catches = definition.key
    wider = replace(definition, key=(code, cells, names, tuple(kinds), catches))
    functions = control_flow(trace).functions
    if (known := functions.get(wider.key)) is not None:
        return _brought_up_to_date(wider, known, values)
    return wider.record(kinds)


def _wider_kind(before: Any, value: Any) -> Kind:
    """The abstract type of an argument in a call and in one inside of it."""
    now = resolve_grown_list(value)
    if _is_same_container(before, now):
        return Static(now)
    kind = as_arrays(widened_kind(as_arrays(kind_of(before)), before, value, lambda _: False))
    return Text() if texts_grow(kind, kind) else kind


def _place_of(function: FunctionType) -> tuple[str, int, str]:
    code = function.__code__
    return code.co_filename, code.co_firstlineno, code.co_name


def _called(
    definition: _Definition, copies: Copies, values: list[Any], kinds: list[Kind]
) -> tuple[Any] | None:
    """The result of a call of a function that is recorded for that, as there are many copies of it already.

    None where that cannot be: it is recorded in the place of the call then, as before.
    """
    if any(isinstance(resolve_grown_list(value), (list, dict, set)) for value in values):
        return None  # which is known item by item, as long as it does not grow
    if not all(isinstance(kind, Static) or _is_by_value(kind) for kind in kinds):
        copies.stay = True
        return None
    trace = definition.trace
    checkpoint = Checkpoint.take(trace, (definition.converted, lambda: values))
    functions = dict(control_flow(trace).functions)
    try:
        known = functions.get(definition.key)
        function = _brought_up_to_date(definition, known, values) if known else definition.record(kinds)
        if function.result is not None and not _is_by_value(function.result):
            raise UnsupportedError("a call gives a copy of what lies in other places, too")
        result = _call(trace, function, values)
        control_flow(trace).ops_called += copies.size
        return (result,)
    except TraceSizeError:
        raise
    except WeftError:
        checkpoint.roll_back()
        _forget(control_flow(trace).functions, functions)
        copies.stay = True
    return None


def _held(value: Any, kind: Kind) -> Kind:
    """The abstract type of an argument; what grows at run time is told by itself, and its state is handed on."""
    now = resolve_grown_list(value)
    return Static(now) if isinstance(now, RuntimeContainer) else kind


def _is_by_value(kind: Kind) -> bool:
    """Whether a value is nothing but arrays and numbers, so that a function may take or return it."""
    if isinstance(kind, ArrayKind):
        return True
    if isinstance(kind, Static):
        return kind.value is None
    return isinstance(kind, Container) and kind.kind is tuple and all(map(_is_by_value, kind.children))


_UNDER_CONDITION = 8
"""As so many calls counts one under a run-time condition, unless constants alone are handed on, which end it."""


MOST_ONE_BY_ONE = 12
"""So many calls are recorded one by one before it is tried to record one for all of them.

Values decide whether they are made, and each has other constants, or lists of other lengths.
"""


def _count_call(trace: Recorder, original: FunctionType, kinds: Sequence[Kind]) -> None:
    """Refuse a function that calls itself very often, each call of which is recorded by itself."""
    flow, code = control_flow(trace), original.__code__
    active = flow.activations.get(code)
    if active is None:
        return
    first = active[0]
    is_decided = trace.region is first.region or all(isinstance(kind, Static) for kind in kinds)
    if is_decided and flow.ops_at_call.get(code) == trace.op_count:
        return  # walking over what is known while tracing, it has recorded nothing since the call before
    flow.ops_at_call[code] = trace.op_count
    flow.recursive_calls[code] += 1 if is_decided else _UNDER_CONDITION
    # Of calls none of which has returned Python's own limit is the limit: they may never end.
    is_descent = is_decided and flow.recursive_calls[code] <= len(active)
    depth, count = len(active), flow.recursive_calls[code]
    are_many = depth > MOST_ONE_BY_ONE or (depth > 4 and count > MOST_ONE_BY_ONE * _UNDER_CONDITION)
    known, place = trace.choices.recursive, _place_of(original)
    if are_many and trace.region is not first.region and known is not None and place not in known:
        raise BeginsAgain(recursive=known | {place})
    if flow.recursive_calls[code] <= settings.max_recursion or is_descent:
        _warn_of_size(trace, original, first)
        return
    need_all_numbers(trace, "a recording that would be too large")
    why = (
        "as sizes or constants decide on it: let it end on larger parts, which NumPy's functions work on as a whole"
        if is_decided
        else "as each takes or gives values of another type or structure (lists, dicts or objects that it makes longer "
        "or deeper), and values decide how many there are: let it take and return arrays and numbers of the same types "
        "in each call, keep trees in arrays (left = np.full(n, -1), and the places of nodes in place of the nodes)"
    )
    raise TraceSizeError(
        f"{original.__name__}() calls itself, and more calls of it were recorded one by one than "
        f"weft.settings.max_recursion ({settings.max_recursion}) allows, {why}, write a loop with a stack, or call it "
        "outside of the compiled function"
    )


def _warn_of_size(trace: Recorder, original: FunctionType, first: Activation) -> None:
    """Warn, once in a trace, when a function that calls itself under no run-time condition has recorded very much."""
    flow, most = control_flow(trace), settings.unrolled_ops_warning
    if flow.has_warned or not 0 < most < trace.op_count - first.ops_before:
        return
    flow.has_warned = True
    message = (
        f"{original.__name__} calls itself, and has recorded {trace.op_count - first.ops_before} operations so far: "
        "compiling them takes long. Calls whose depth is known while tracing are recorded one by one; let them end on "
        "larger arrays that NumPy's functions work on as a whole, write a loop, or let a value decide that is known "
        "only at run time, which compiles one call"
    )
    warn_at(trace.user_location(), message, UnrollingWarning)


def _record_call(converted: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run a function; frames above this one are known already (see `locations.RECORDING`)."""
    return converted(*args, **kwargs)


def _call(trace: Recorder, function: StagedFunction, values: list[Any]) -> Any:
    """Record a call."""
    state: State = function.state
    state.learn(trace)
    function.is_asked = function.is_asked or not function.is_final
    function.kinds = _given(_constants(function.kinds), values, function.kinds)
    if function.result is None:
        raise diverging.Diverged  # as far as is known it never returns
    operands = [
        v for value, kind in zip(values, function.kinds, strict=True) for v in flatten(trace, value, kind)
    ]
    operands += [array._value() for array in function.captured]
    operands += state.values(trace)
    arrays = [*arrays_of(values, function.kinds), *function.captured]
    types = carried_types(function.result)
    types += [t for i in function.written for t in carried_types(ArrayKind(arrays[i].type))]
    types += state.types()
    types += carried_types(_NUMBER) * function.catches
    trace.has_effects = True
    with context():
        callee = ir.FlatSymbolRefAttr.get(function.symbol)
    results = iter(trace.create_upstream("func.call", operands, types, {"callee": callee}))
    result = unflatten(trace, function.result, results)
    require_apart(function.written, arrays)
    for index in function.written:
        arrays[index]._write(wrap(trace, next(results), arrays[index].type))
    state.take(trace, results)
    if function.catches:
        catcher = paths.catcher_of(trace)
        assert catcher is not None
        catcher.raise_kept(wrap(trace, next(results), _NUMBER.type))
    return with_arguments(result, function.result, iter(function.handed_on), arrays)


def _given(earlier: Sequence[Any], values: Sequence[Any], kinds: Sequence[Kind]) -> list[Kind]:
    """The abstract types of arguments; a container that is the same object as in an earlier call is a constant."""
    return [
        Static(now) if _is_same_container(before, now := resolve_grown_list(value)) else _by_value(kind)
        for before, value, kind in zip(earlier, values, kinds, strict=True)
    ]


def _is_same_container(before: Any, now: Any) -> bool:
    return isinstance(now, (list, dict, set, RuntimeContainer)) and resolve_grown_list(before) is now


def _by_value(kind: Kind) -> Kind:
    if isinstance(kind, Static) and isinstance(kind.value, (list, dict, set, RuntimeContainer)):
        return kind_of(kind.value)
    return kind


def _constants(kinds: Sequence[Kind]) -> list[Any]:
    """The arguments that are the same objects in each call, and None for the others."""
    return [kind.value if isinstance(kind, Static) else None for kind in kinds]


def _brought_up_to_date(
    definition: _Definition, function: StagedFunction, values: Sequence[Any]
) -> StagedFunction:
    """The function, defined anew where what it found outside of it when it was is not there any more."""
    if not function.is_final:
        return function
    kinds = _given(_constants(function.kinds), values, function.kinds)
    is_there = all(map(is_available, function.captured))
    if is_there and kinds == function.kinds and not function.state.learn(definition.trace):
        return function
    return definition.record(kinds, function.state.places)


@dataclass(frozen=True)
class _Definition:
    """A function that is to be recorded until the types of its results are known."""

    trace: Recorder
    original: FunctionType
    converted: Callable[..., Any]
    key: Any
    names: tuple[str, ...]
    is_for_copies: bool = False

    def record(self, kinds: list[Kind], places: Places | None = None) -> StagedFunction:
        """Record it, with what is known of the places outside of it that differ from call to call."""
        from ..branches.retry_recording import recorded  # few programs call themselves
        from .recursive_state import State

        before = dict(control_flow(self.trace).functions)
        arguments = [
            value for value in _constants(kinds) if isinstance(value, (list, dict, set, RuntimeContainer))
        ]
        try:
            return recorded(
                self.trace,
                (self.converted, lambda: arguments),
                lambda snapshot: self._record(kinds, State(snapshot, dict(places or {}))),
            )
        except BaseException:
            _forget(control_flow(self.trace).functions, before)
            raise

    def _record(self, kinds: list[Kind], state: State) -> StagedFunction:
        trace, flow = self.trace, control_flow(self.trace)
        before = dict(flow.functions)
        function = StagedFunction(
            trace.fresh_symbol(self.original.__name__),
            kinds,
            catches=trace.catcher is not None,
            state=state,
            is_for_copies=self.is_for_copies,
        )
        flow.functions[self.key] = function
        known = dict(flow.functions)
        try:
            for _ in range(MAX_RECORDINGS):
                if _record(trace, function, self.converted, self.names):
                    function.is_final = True
                    return function
                if function.is_asked:  # what was defined meanwhile may rely on what was not known of it then
                    _forget(flow.functions, known)
                state.snapshot.restore()
                if state.has_learned:
                    function.captured, function.handed_on = [], ()  # what a place held is a parameter now
        except BaseException:
            _forget(flow.functions, before)
            raise
        finally:
            state.snapshot.restore()
        raise TraceRecursionError(
            f"{self.original.__name__} calls itself on every path, or its results never agree in type"
        )


def _forget(functions: dict[Any, StagedFunction], known: dict[Any, StagedFunction]) -> None:
    """Take the functions away that were not known, and erase them."""
    for key, function in list(functions.items()):
        if known.get(key) is not function:
            functions.pop(key)
            if function.op is not None:
                function.op.operation.erase()
                function.op = None
    functions.update(known)


def _record(
    trace: Recorder,
    function: StagedFunction,
    converted: Callable[..., Any],
    names: tuple[str, ...],
) -> bool:
    """Record the body once with what is known; returns whether nothing new was learned."""
    captured_types = [t for array in function.captured for t in carried_types(ArrayKind(array.type))]
    state: State = function.state
    types = [*(t for kind in function.kinds for t in carried_types(kind)), *captured_types, *state.types()]
    with context(), ir.Location.unknown(), ir.InsertionPoint(trace.module.body):
        op = dialect("func").FuncOp(function.symbol, ir.FunctionType.get(types, []), visibility="private")
        block = op.add_entry_block()
    function.op = op
    kinds = list(function.kinds)
    known = function.result, function.written, function.handed_on, kinds
    try:
        with _recording(trace, Region(block, None), state.snapshot) as region:
            parameters = iter(list(block.arguments))
            given = [unflatten(trace, kind, parameters) for kind in kinds]
            with seen_inside(function.captured, region, parameters):
                state.begin(trace, parameters)
                arrays = [*arrays_of(given, kinds), *function.captured]
                run = partial(_run, converted, given, names)
                inside = Snapshot()
                inside.follow(
                    [v for v, k in zip(given, kinds, strict=True) if not isinstance(k, Static)], "an argument"
                )
                result, number = _kept(trace, run, converted) if function.catches else (_plain(run), None)
                state.learn(trace)
                state.end(result, function.is_for_copies)
                _require_unchanged(inside)
                require_all_known(given, arrays)
                if result is not _NEVER:
                    found = kind_of(result)
                    found = found if function.is_for_copies else as_arrays(found)
                    earlier = function.result
                    function.result = found if earlier is None else join(earlier, found, True)
                function.written = tuple(
                    i for i, array in enumerate(arrays) if array._storage.ref is not None
                )
                if result is not _NEVER and function.result is not None:
                    _note_handed_on(function, result, arrays)
                now = function.result, function.written, function.handed_on, function.kinds
                is_known = known == now or (not function.is_asked and known[3] == now[3])
                if function.result is not None and is_known and not state.has_learned:
                    returned = _returned(trace, result, function)
                    returned += [arrays[i]._value() for i in function.written]
                    returned += state.values(trace)
                    if function.catches:
                        returned.append(value_of(trace, number))
                    _finish(op, block, returned)
                    return True
    except CapturedArray as found_array:
        function.captured.append(TracedArray(found_array.storage))
    op.operation.erase()
    function.op = None
    return False


def _note_handed_on(function: StagedFunction, result: Any, arrays: list[TracedArray]) -> None:
    assert function.result is not None
    found = handed_on(result, function.result, arrays)
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
        op.attributes[STAYS] = ir.UnitAttr.get()


def _require_unchanged(inside: Snapshot) -> None:
    """Refuse changes of lists and dicts among the arguments: a function of the program has copies of them."""
    if inside.changes():
        raise UnsupportedError(
            "a function that calls itself under a run-time condition changes a list, dict or object that it takes: "
            "pass an array (np.array(items)), which it can write into, or return the new one"
        )


@contextmanager
def _recording(trace: Recorder, region: Region, snapshot: Snapshot) -> Iterator[Region]:
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
    trace.region, flow.snapshots, flow.unrolled, trace.catcher, flow.handled = region, [snapshot], 1, None, []
    with trace.own_captures():
        try:
            yield region
        finally:
            region.is_open = False
            trace.suspended.pop()
            for r in opened:
                r.is_open = True
            trace.region, flow.snapshots, flow.unrolled, trace.catcher, flow.handled = saved
