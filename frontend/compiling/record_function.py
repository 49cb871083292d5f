"""A function is called on traced arrays, for one signature, and what it does is recorded in a module."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ...backend.cpu.dispatch.turns import turn
from ...backend.gpu.devices.on_device import ARRAYS, memory_of
from ...dialect.call_depth import deeper_calls
from ...dialect.errors import InternalError, TraceRecursionError, WeftError, WeftTypeError
from ...dialect.imports import is_loaded
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..autograph.operators.branches import diverging
from ..autograph.operators.builtins import process_settings
from ..autograph.operators.lists.kept_items import require_unchanged
from ..autograph.operators.tables import object_pools
from ..autograph.operators.values.made_objects import attributes_of_result
from ..autograph.operators.values.object_handles import pool_objects, refusal_of
from ..autograph.operators.values.resolve_grown_lists import resolve_result
from ..guards.inputs import BeginsAgain, Decisions
from ..python_state.early_stores import StoringState
from ..python_state.generators import DrawnMeanwhile, Watch, state_of_functions
from ..python_state.outside_deques import OutsideDeques
from ..python_state.state import PythonState
from ..python_state.updates import copies_in
from ..python_state.write_back import WriteBack
from ..runtime_values.outputs import Outputs
from ..runtime_values.result_spec import Result
from ..runtime_values.values import holds_traced
from ..signature.feeds import feeds_in
from ..signature.signature import constants, packed_leaves, signature_of, unflatten
from ..source.own_failures import as_internal, in_users_words, is_endless_recursion, is_own_failure
from ..tracing.array import USE_WEFT_ARRAYS
from ..tracing.current import set_current_trace
from ..tracing.feed_arguments import FeedArguments
from ..tracing.layouts import layout_of, row_major
from ..tracing.packed_items import items_of
from ..tracing.trace import Trace
from .diagnostics import explain
from .program import CallSignature


@dataclass(frozen=True)
class Recorded:
    """What tracing found besides the ops."""

    result: Result
    portable_result: Result
    """The result with copies of what was there before, for other processes."""
    write_back: WriteBack
    computed_types: list[TensorType]
    state: PythonState


def record_function(
    function: Callable[..., Any],
    convert: Callable[[], Callable[..., Any]],
    signature: CallSignature,
    leaves: Sequence[Any],
    decisions: Decisions,
) -> tuple[Trace, Recorded]:
    """Trace the function; again when it turns out to do what has to be known from the beginning.

    `convert` makes the function that is called, with its control flow staged; `leaves` are arguments of the signature.
    """
    is_watched = False
    while True:
        try:
            run = contextvars.copy_context().run  # what is set of the context is set at each call
            with (
                turn(),
                deeper_calls(),
            ):  # the function is traced on Python's state itself, which is as it was afterwards
                return run(_record, function, convert, signature, leaves, decisions, is_watched)
        except DrawnMeanwhile:
            is_watched = True
        except BeginsAgain as again:
            decisions.choices = decisions.choices._replace(**again.choices)
        except WeftError as error:
            if decisions.choices.recursive:
                decisions.choices = decisions.choices._replace(recursive=None)
                continue
            if (refusal := refusal_of(decisions.choices, error)) is error:
                raise
            _raise_explained(refusal, signature.name)


def _record(
    function: Callable[..., Any],
    convert: Callable[[], Callable[..., Any]],
    signature: CallSignature,
    leaves: Sequence[Any],
    decisions: Decisions,
    is_watched: bool,
) -> tuple[Trace, Recorded]:
    trace = _trace_of(function, signature, leaves)
    trace.choices = decisions.choices
    trace.attributes_of = attributes_of_result
    distinct = _places_of_distinct(signature)
    arguments = [trace.arguments[distinct[first]] for first in signature.aliases]
    packed = dict(packed_leaves(signature.structure))
    bound = unflatten(
        signature.structure,
        lambda i: items_of(arguments[i], packed[i]) if i in packed else arguments[i],
        constant=trace.state(OutsideDeques).stand_in,
    )
    feeds = trace.state(FeedArguments)
    feeds.constants = {id(value) for value in constants(signature.structure)}
    feeds.numbers = {id(value): arguments[leaf] for value, leaf in feeds_in(signature.structure)}
    known = [
        known
        for known in zip(leaves, arguments, signature.aliases, strict=True)
        if isinstance(known[0], ARRAYS)
    ]
    copies = copies_in(bound, lambda value: id(value) in feeds.constants)
    state = StoringState(trace, bound, copies, known, _named(function, bound), decisions)
    trace.python_state = state
    decisions.needed = {}
    previous = set_current_trace(trace)
    try:
        returned = _call_on_traced(function, convert, trace, state, bound, is_watched)
        trace.has_returned = True
        outputs = Outputs(trace, signature.position_of)
        outputs.meet((returned,))
        write_back = WriteBack(state, outputs)
        result, portable = outputs.returned(returned, state.locate_returned)
        recorded = Recorded(result, portable, write_back, outputs.types, state)
        require_unchanged(trace)
        for check in trace.at_end:
            check()  # while containers from outside hold what the function has put into them
        if is_loaded(process_settings):
            process_settings.settle(trace)
        state.settle()
    except Exception as error:
        pool_objects(trace, error)
        decisions.needed = state.needed_by(error)
        _raise_explained(error, signature.name)
    finally:
        decisions.has_data = bool(trace.extra)
        try:
            state.restore()
        finally:
            set_current_trace(previous)
            trace.active = False
    trace.finish(outputs.values)
    return trace, recorded


def _trace_of(function: Callable[..., Any], signature: CallSignature, leaves: Sequence[Any]) -> Trace:
    """A trace without ops, whose arguments have the types, names and layouts of a call's arrays."""
    distinct = _places_of_distinct(signature)
    types = [signature.types[argument] for argument in distinct]
    names = [signature.names[argument] for argument in distinct]
    scalars = {place for argument, place in distinct.items() if argument in signature.scalars}
    layouts = []
    for argument, place in distinct.items():
        array, sources = memory_of(leaves[argument]), frozenset([place])
        layouts.append(
            layout_of(array, sources)
            if isinstance(array, np.ndarray)
            else row_major(types[place].rank, sources)
        )
    code = getattr(function, "__code__", None)
    defined_at = ("", 0) if code is None else (code.co_filename, code.co_firstlineno)
    trace = Trace(signature.name, types, names, scalars, layouts, defined_at)
    for argument, number in signature.numbers.items():
        trace.make_number(distinct[argument], number, argument)
    for argument, _ in packed_leaves(signature.structure):
        trace.make_packed(distinct[argument], argument)
    return trace


def _places_of_distinct(signature: CallSignature) -> dict[int, int]:
    """The arguments that differ from those before them, with their places among the arguments of the trace."""
    return {argument: place for place, argument in enumerate(signature.distinct)}


def _call_on_traced(
    function: Callable[..., Any],
    convert: Callable[[], Callable[..., Any]],
    trace: Trace,
    state: StoringState,
    bound: Any,
    is_watched: bool,
) -> Any:
    """What the user's function returns for traced arguments."""
    state.meet_callable(function)
    state.replace_numbers()
    if trace.choices.pooled:
        object_pools.begin_pools(trace)
    traced = convert()
    if traced is not function:
        return resolve_result(trace, _returned(trace, traced, bound))
    state.meet_plain(function)
    trace.dependencies.refuse(f"{trace.name}, which is traced as it is")
    if is_watched:
        with Watch() as watch:
            returned = resolve_result(trace, _returned(trace, traced, bound))
        watch.require_no_draws()
        return returned
    returned = resolve_result(trace, _returned(trace, traced, bound))
    if state_of_functions() != state.functions_before:
        raise DrawnMeanwhile
    return returned


def _raise_explained(error: Exception, name: str) -> NoReturn:
    """Raise what went wrong, in the words of the function that is traced and with the user's line."""
    raised: BaseException
    if isinstance(error, RecursionError) and is_endless_recursion(error):
        raised = TraceRecursionError(
            f"{name} recursed without end while it was traced, as it would in Python, where nothing ends it: return "
            "without a call of itself in some case. Where an array decides that, the function must be converted "
            "(without autograph=False). Calls that end are traced some hundreds deep: write a loop for more"
        )
    elif isinstance(error.__cause__, WeftTypeError):
        # NumPy asked a traced array for its value and hides our answer behind a message of its own.
        raised = error.__cause__
        raised.args = (f"{error} {raised}; {USE_WEFT_ARRAYS}",)
    elif is_own_failure(error) and not isinstance(error, InternalError):
        raised = as_internal(error)
        explain(raised.with_traceback(error.__traceback__))
        raise raised from error
    else:
        in_users_words(error)
        explain(error)
        raise error
    explain(raised.with_traceback(error.__traceback__))
    raise raised from None


def _named(function: Callable[..., Any], bound: Any) -> list[tuple[str, Any]]:
    """The arguments with the names of their parameters."""
    args, kwargs = bound
    parameters = signature_of(function, as_called=False).parameters
    return [*zip(parameters, args, strict=False), *kwargs.items()]


def _returned(trace: Trace, function: Callable[..., Any], bound: Any) -> Any:
    """What the user's function returns; None where it always raises when it runs."""
    args, kwargs = bound
    try:
        return _run_user_function(function, args, kwargs)
    except diverging.Diverged:
        return None
    except BaseException as error:
        state = trace.python_state
        does_something = (
            trace.has_effects or holds_traced(error, depth=3) or bool(state and state.has_changed())
        )
        if diverging.refuses(error) or isinstance(error.__cause__, WeftTypeError) or not does_something:
            raise
        diverging.require_own(trace, error)
        diverging.record_raise(trace, error)  # after what the call does before
        return None


def _run_user_function(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call the user's function; frames above this one belong to the caller (see `locations.TRACE_ENTRY`)."""
    return function(*args, **kwargs)
