"""What is recorded in the body of a `try` statement where an exception may come.

An exception is data: a number that says which one came, 0 for none. Where one may come, the rest of the block is
recorded as the other side of a branch,

    scf.if %is_out_of_bounds { what the places hold here, 1 } else { the rest; what they hold at its end, 0 }

so that behind the body everything has the value that it had when the exception came. A branch that was left that way
makes one of what follows it in turn, and a loop is left as by `break`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .....dialect.callbacks import Callback
from .....dialect.errors import PythonNumberError
from .....dialect.mlir import Value
from .....dialect.ops.state import exception_type
from .....dialect.records import dataclass, replace
from .....dialect.types import TensorType
from ....runtime_values.exception_callbacks import catching_call, find_handler, keep_checked, keep_raised
from ....runtime_values.kept_exceptions import UnknownException, held_of, number_of, stand_in
from ....runtime_values.objects import agreed, held_by
from ....runtime_values.values import Frozen, FrozenException, holds_traced
from ....source.code_parts import all_codes
from ....source.locations import user_places
from ....source.tracebacks import traceback_through
from ....tracing.array import TracedArray, wrap
from ....tracing.drafts import Draft
from ....tracing.recorder import Recorder
from ....tracing.regions import Region
from ....tracing.staging import host_call, value_of
from ..branches.branches import join_paths, record_path
from ..branches.conditions import condition_of
from ..branches.exits import RAISE, Exit, codes_of, exit_from, status_of
from ..branches.paths import BodyCatcher, Path
from ..branches.retry_recording import recorded
from ..values.control_flow_state import control_flow
from ..values.program_locations import UNBOUND, Changes, Slot, Snapshot
from ..values.resolve_grown_lists import changes_of, join_successors
from .caught_exceptions import as_in_programs

Handler = tuple["Callable[[], Any] | None", "str | None", "Callable[..., Exit]"]
"""The classes that it takes, the name it gives to the exception, and the block."""

_NOTHING = np.int64(0)
_NUMBER = TensorType((), np.dtype(np.int64))


@dataclass(frozen=True)
class Arrival:
    """An exception that may come."""

    handler: int | None
    """The position of the handler that takes it; None when it goes on."""
    kind: type[BaseException] | None = None
    """Its class, where that is known and matters."""
    error: BaseException | None = None
    """The exception itself, where all of it is known while tracing."""
    held: tuple[Any, ...] = ()
    """What is known of its arguments and attributes."""


@dataclass
class _Point:
    """A place where the body may be left: the rest is recorded in a region of its own."""

    draft: Draft
    raised: Path
    rest: Region
    around: Region
    snapshot: Snapshot


class Catching(BodyCatcher):
    """Takes the exceptions of the body of one `try` statement while it is recorded."""

    def __init__(
        self,
        trace: Recorder,
        handlers: Sequence[Handler],
        unread: frozenset[Any] = frozenset(),
        *,
        keeps_all: bool = False,
    ) -> None:
        self._trace = trace
        self.handlers = handlers
        self._keeps_all = keeps_all
        """Whether each exception gets a number."""
        self.unread = unread
        """The keys of the variables of the body that nothing looks at after an exception."""
        self.pending = Slot("exception", [_NOTHING])
        """Which exception came: 0 for none, else the position in `arrivals` from 1."""
        self.number = Slot("exception", [_NOTHING])
        """What it is kept as at run time, where that is needed."""
        self.slots: Sequence[Slot] = (self.pending, self.number)
        self.arrivals: list[Arrival] = []
        self._keys: dict[Any, int] = {}
        self._points: list[_Point] = []
        self._types: dict[int, Any] = {}
        self._notes: list[Callable[[], None]] = []
        self._outer = len(control_flow(trace).handled)

    # Where exceptions come

    def raise_if(self, condition: Value, error: str, message: str, *values: Value) -> None:
        """Leave the body where the condition holds."""
        kind = exception_type(error)
        handler = self._handler_of(kind)

        def arrive() -> tuple[Any, Any]:
            if not self._is_looked_at(handler):
                return self._code(handler), _NOTHING
            places = user_places()
            if not values and not self._keeps_all:
                made = kind(message.format()).with_traceback(traceback_through(places, None))
                return self._code(handler, error=made), _NOTHING

            (number,) = host_call(self._trace, keep_checked(kind, message, places), values, [_NUMBER])
            return self._code(handler, kind), number

        self._leave(wrap(self._trace, condition), arrive)

    def raise_kept(self, number: TracedArray) -> None:
        """Leave the body with an exception that has a number; 0 is none."""
        self._leave(np.not_equal(number, 0), lambda: (self._found_out(number), number))

    def host_call(
        self, callback: Callback, operands: Sequence[Value], results: Sequence[TensorType]
    ) -> list[Value]:
        """Call Python; what it raises leaves the body."""
        choices = [(self._types_of(i), self._dynamic_code(i)) for i in range(len(self.handlers))]
        goes_on = self._dynamic_code(None)
        shapes = [([extent or 0 for extent in result.shape], result.dtype) for result in results]

        call = catching_call(callback, choices, goes_on, shapes)
        with self._paused():
            *values, code, number = self._trace.host_call(call, operands, [*results, _NUMBER, _NUMBER])
        raised, kept = wrap(self._trace, code), wrap(self._trace, number)
        self._leave(np.not_equal(raised, 0), lambda: (raised, kept))
        return values

    def arrive(self, error: BaseException) -> None:
        """Note that the body is left here."""
        error = as_in_programs(error)
        with self._paused():
            code, number = self._arrival(error)
        self.pending.set(code)
        self.number.set(number)

    def _arrival(self, error: BaseException) -> tuple[Any, Any]:
        number = number_of(error)
        if isinstance(error, UnknownException) and number is not None:
            return self._found_out(number), number
        handler = self._handler_of(type(error))
        if not self._is_looked_at(handler):
            return self._code(handler), _NOTHING
        held = held_by(error) if number is None else tuple(held_of(error).items())
        if number is not None and error.__cause__ is None:
            return self._code(handler, type(error), held=held), number
        if not holds_traced(error, depth=3) and number is None and not self._keeps_all:
            return self._code(handler, error=error), _NOTHING
        frozen = Frozen(self._trace, (FrozenException(error),))
        make = keep_raised(frozen.thaw, user_places(error.__traceback__))
        (number,) = host_call(self._trace, make, frozen.operands, [_NUMBER])
        return self._code(handler, type(error), held=held), number

    def _found_out(self, number: Any) -> Any:
        """Which handler takes an exception whose class is known at run time."""
        choices = [(self._types_of(i), self._dynamic_code(i)) for i in range(len(self.handlers))]
        find = find_handler(choices, self._dynamic_code(None))
        (code,) = host_call(self._trace, find, [value_of(self._trace, number)], [_NUMBER])
        return code

    def caught(self, arrival: Arrival, number: Any) -> BaseException:
        """What a handler gets: of an exception that Python raises, it is expected to hold what others there do."""
        if arrival.error is not None:
            return arrival.error
        if arrival.kind is not UnknownException:
            return stand_in(arrival.kind, number, arrival.held)
        others = [one for one in self.arrivals if one.handler == arrival.handler and one is not arrival]
        held = agreed(one.held if one.error is None else held_by(one.error) for one in others)
        return stand_in(arrival.kind, number, held, is_sure=False)

    # Handlers

    def _types_of(self, position: int) -> Any:
        if position not in self._types:
            types = self.handlers[position][0]
            with self._paused():
                self._types[position] = BaseException if types is None else types()
        return self._types[position]

    def _handler_of(self, kind: type[BaseException]) -> int | None:
        for position in range(0 if issubclass(kind, PythonNumberError) else len(self.handlers)):
            if issubclass(kind, self._types_of(position)):
                return position
        return None

    def _is_looked_at(self, handler: int | None) -> bool:
        """Whether more is needed than that the exception came: it has a name, or is raised again."""
        if handler is None:
            return True
        _, name, block = self.handlers[handler]
        # The exception may be raised again that the block handles.
        return name is not None or any("raise_" in code.co_names for code in all_codes(block.__code__))

    def _code(
        self,
        handler: int | None,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        held: tuple[Any, ...] = (),
    ) -> np.int64:
        """The number of an exception; it is the same when the body is recorded again."""
        key: Any = (handler, kind, held)
        if error is not None:
            place = str(self._trace.location(error.__traceback__))
            key = (handler, type(error), repr(error.args), repr(error.__cause__), place)
        if key not in self._keys:
            self.arrivals.append(Arrival(handler, kind, error, held))
            self._keys[key] = len(self.arrivals)
        number: np.int64 = np.int64(self._keys[key])
        return number

    def _dynamic_code(self, handler: int | None) -> int:
        kind = UnknownException if self._is_looked_at(handler) else None
        return int(self._code(handler, kind))

    # The rest of a block

    def _leave(self, condition: Any, arrive: Callable[[], tuple[Any, Any]]) -> None:
        """Record what follows as the side of a branch where no exception came."""
        trace, snapshot = self._trace, control_flow(self._trace).snapshots[-1]
        with self._paused():
            join_successors(trace, snapshot)
        draft = Draft(trace, "scf.if", [condition_of(trace, condition)], regions=2)
        raised = Path(draft.add_region(0), raises=True, unread=self.unread)
        with draft.recording(raised.region), self._paused():
            code, number = arrive()
            self.pending.set(code)
            self.number.set(number)
            raised.note(self._changes(snapshot))
        self.pending.set(_NOTHING)
        self.number.set(_NOTHING)
        point = _Point(draft, raised, draft.add_region(1), trace.region, snapshot)
        self._points.append(point)
        point.rest.is_open, trace.region = True, point.rest
        for checked in self._notes:
            checked()
        self._notes.clear()

    def _changes(self, snapshot: Snapshot) -> Changes:
        """The changes up to now, as an exception leaves them.

        Lists and dicts that are new are copied, as the rest may change them; handlers that are left unbind the names
        of their exceptions.
        """
        handled = control_flow(self._trace).handled[self._outer :]
        changes = {}
        for key, (place, value) in changes_of(self._trace, snapshot).items():
            is_name = place.is_variable and any(value is error for error in handled)
            changes[key] = (place, UNBOUND if is_name else _copied(value, snapshot))
        return changes

    def note(self, checked: Callable[[], None]) -> None:
        """Call a function where the rest begins behind the next check."""
        self._notes.append(checked)

    def go_on(self, condition: TracedArray | None = None) -> None:
        """What follows a statement that may have been left is recorded as the side where it was not."""
        pending, number = self.pending.get(), self.number.get()
        self._leave(np.not_equal(pending, 0) if condition is None else condition, lambda: (pending, number))

    def close(self, path: Path, mark: int, wants_result: bool) -> None:
        """At the end of a path join what it leaves with what is there where it may be left."""
        trace = self._trace
        while len(self._points) > mark:
            point = self._points.pop()
            path.unread = self.unread
            end = replace(path, region=point.rest)
            with self._paused():
                join_successors(trace, point.snapshot)
            end.note(changes_of(self._trace, point.snapshot))
            point.snapshot.restore()
            point.rest.is_open, trace.region = False, point.around
            _agree(point.raised, end)
            with self._paused():
                paths = [point.raised, end]
                path.joined = join_paths(trace, point.draft, point.snapshot, paths, {}, wants_result)
            path.exit, path.result = path.joined.exit, path.joined.result

    def mark(self) -> int:
        """How many places there are so far where the body may be left."""
        return len(self._points)

    def forget(self, mark: int) -> None:
        """Drop the places behind a mark."""
        for point in self._points[mark:]:
            point.rest.is_open = False
        self._notes.clear()
        del self._points[mark:]

    def may_have_raised(self) -> bool:
        """Whether the path that just ended may have been left."""
        return self.pending.get() is not _NOTHING

    def goes_on(self) -> TracedArray:
        """Where the path that just ended was not left."""
        truth: TracedArray = np.equal(self.pending.get(), 0)
        return truth

    def exit_of(self, path: Path) -> Exit:
        """How an iteration ends that may be left with an exception."""
        if path.raises:
            return RAISE
        status = np.where(self.goes_on(), status_of(path.exit), np.int64(RAISE))
        return exit_from(status, codes_of(path.exit) | {RAISE})

    @contextmanager
    def _paused(self) -> Iterator[None]:
        """What is recorded here raises as if there was no `try`."""
        catcher, self._trace.catcher = self._trace.catcher, None
        try:
            yield
        finally:
            self._trace.catcher = catcher


def run_keeping(
    trace: Recorder, run: Callable[[], Any], watched: tuple[Callable[..., Any], ...]
) -> tuple[bool, Any, Any]:
    """Record a function whose exceptions are the caller's to take.

    Returns whether it may return, its result, and the number of the exception that came, or 0.
    """
    catching = Catching(trace, (), keeps_all=True)

    def record(snapshot: Snapshot) -> tuple[bool, Any, Any]:
        outer, trace.catcher = trace.catcher, catching
        path = Path(trace.region)
        try:
            record_path(trace, path, run, True)
        finally:
            trace.catcher = outer
            catching.forget(0)
        return not path.raises, path.result, catching.number.get()

    return recorded(trace, watched, record, catching.slots)


def _copied(value: Any, snapshot: Snapshot) -> Any:
    if type(value) not in (list, tuple, dict) or snapshot.knows(value):
        return value
    if isinstance(value, dict):
        return {key: _copied(item, snapshot) for key, item in value.items()}
    return type(value)(_copied(item, snapshot) for item in value)


def _agree(raised: Path, end: Path) -> None:
    """Let a list that did not change between an exception and the end be one object again."""
    for key, (place, value) in list(raised.changes.items()):
        if key in end.changes and _is_same(value, end.changes[key][1]):
            raised.changes[key] = (place, end.changes[key][1])


def _is_same(one: Any, other: Any) -> bool:
    if type(one) is not type(other) or type(one) not in (list, tuple, dict):
        return one is other
    if len(one) != len(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    return all(map(_is_same, one, other))
