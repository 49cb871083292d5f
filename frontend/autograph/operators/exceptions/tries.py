"""`try` statements: exceptions are taken as Python takes them, when the function is traced and when it runs.

What Python raises while tracing, with nothing in front of it that may raise at run time, is handled right away.
Otherwise the body is recorded with a `Catching`, and the handlers become the sides of branches behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from .....dialect.records import dataclass
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from ..branches.branches import Path, stage_if
from ..branches.diverging import Diverged, refuses, require_own
from ..branches.exits import Exit
from ..branches.retry_recording import recorded
from ..statements.statements import continued
from ..values.control_flow_state import control_flow
from ..values.own_variables import Variables, own_variables, variables_named
from ..values.program_locations import Snapshot
from .catching import Arrival, Catching, Handler
from .caught_exceptions import as_in_programs

Body = Callable[[], Exit]


def try_(
    body: Body,
    handlers: Sequence[Handler] = (),
    orelse: Body | None = None,
    finalbody: Body | None = None,
    dead: str = "",
) -> Exit:
    """`try: body() except ...: handler() else: orelse() finally: finalbody()`."""
    trace = current_trace()
    if trace is None:
        return _in_python(body, handlers, orelse, finalbody)
    functions = (body, *(block for _, _, block in handlers), orelse, finalbody)
    return record_try(trace, body, handlers, orelse, finalbody, variables_named(dead, functions))


def record_try(
    trace: Recorder,
    body: Body,
    handlers: Sequence[Handler],
    orelse: Body | None,
    finalbody: Body | None,
    dead: Variables,
) -> Exit:
    """Record a `try` statement; nothing looks at the variables in `dead` behind it."""
    blocks = (*(block for _, _, block in handlers), orelse)
    functions = (body, *blocks)
    unread = _unread(dead, (*blocks, finalbody))
    if finalbody is None:
        return _Try(trace, body, handlers, functions, dead, unread).run(orelse)
    inner = _Try(trace, body, handlers, functions, {}, unread)
    inside = (lambda: inner.run(orelse)) if handlers else body
    unread = _unread(dead, (finalbody,))
    return _Try(trace, inside, (), functions, dead, unread).run_finally(finalbody)


def _unread(dead: Variables, readers: Sequence[Callable[..., Any] | None]) -> frozenset[Any]:
    """The variables that nothing looks at behind the body but what runs when no exception came."""
    return frozenset(dead.keys() - own_variables(readers).keys())


def _in_python(body: Body, handlers: Sequence[Handler], orelse: Body | None, finalbody: Body | None) -> Exit:
    exit_: Exit = None
    try:
        try:
            exit_ = body()
        except BaseException as error:
            for types, name, handler in handlers:
                if types is None or isinstance(error, types()):
                    exit_ = handler(as_in_programs(error)) if name else handler()
                    break
            else:
                raise
        else:
            if exit_ is None and orelse is not None:
                exit_ = orelse()
    except BaseException:  # not a `return` in `finally`, of which Python 3.14 warns
        left = None if finalbody is None else finalbody()
        if left is None:
            raise
        return left  # what Python does: the exception is gone
    left = None if finalbody is None else finalbody()
    return exit_ if left is None else left


@dataclass
class _Outcome:
    """How the body of a `try` ended."""

    path: Path
    error: BaseException | None = None
    """What Python raised while tracing, when nothing else could come."""
    pending: Any = None
    """Which exception came, where one may have come."""
    number: Any = None


@dataclass
class _Try:
    """A `try` statement that is being recorded."""

    trace: Recorder
    body: Body
    handlers: Sequence[Handler]
    functions: tuple[Callable[..., Any] | None, ...]
    dead: Variables
    unread: frozenset[Any]

    def run(self, orelse: Body | None) -> Exit:
        """Record the body, the handlers and the `else` block."""
        outcome = self._record()

        def completed() -> Exit:
            exit_ = outcome.path.exit
            return exit_ if orelse is None else continued(exit_, orelse, (orelse,))

        if outcome.error is not None:
            for types, name, handler in self.handlers:
                if types is None or isinstance(outcome.error, types()):
                    return self._handle(handler, name, outcome.error)
            raise_(outcome.error)
        return self._after(outcome, completed)

    def run_finally(self, finalbody: Body) -> Exit:
        """Record the body, and the `finally` block behind whatever happens in it."""
        state = control_flow(self.trace)
        state.read_at_exits.append(own_variables((finalbody,)).keys())
        try:
            outcome = self._record()
        finally:
            state.read_at_exits.pop()
        state.finishing += 1
        try:
            left = finalbody()
        finally:
            state.finishing -= 1

        def resume() -> Exit:
            if outcome.error is not None:
                raise_(outcome.error)
            return self._after(outcome, lambda: outcome.path.exit)

        return continued(left, resume, self.functions, self.dead)

    def _record(self) -> _Outcome:
        """Record the body."""
        trace = self.trace
        self.catching = Catching(trace, self.handlers, self.unread)

        def record(snapshot: Snapshot) -> _Outcome:
            outer, trace.catcher = trace.catcher, self.catching
            try:
                return self._recorded()
            finally:
                trace.catcher = outer
                self.catching.forget(0)

        return recorded(trace, self.functions, record, self.catching.slots)

    def _recorded(self) -> _Outcome:
        catching, path = self.catching, Path(self.trace.region)
        try:
            path.exit = self.body()
        except Diverged:
            path.raises = True
        except BaseException as error:
            if refuses(error):
                raise
            require_own(self.trace, error)
            if not catching.mark():
                return _Outcome(path, error)
            catching.arrive(error)
            path.raises = True
        catching.close(path, 0, False)
        if not catching.may_have_raised():
            if path.raises:
                raise Diverged  # into a function of which nothing is known yet
            return _Outcome(path)
        outcome = _Outcome(path, None, catching.pending.get(), catching.number.get())
        for slot in catching.slots:
            slot.set(np.int64(0))
        return outcome

    def _after(self, outcome: _Outcome, completed: Body) -> Exit:
        """What follows the body: one side for each exception, and one where none came."""
        if outcome.pending is None:
            return completed()

        def no_exception() -> Exit:
            if outcome.path.joined is not None:
                outcome.path.joined.settle()
            return completed()

        sides: list[tuple[int, Body]] = []
        if not outcome.path.raises:
            sides.append((0, no_exception))
        for code, arrival in enumerate(self.catching.arrivals, 1):
            sides.append((code, lambda arrival=arrival: self._take(arrival, outcome.number)))  # type: ignore[misc]
        return self._choose(outcome.pending, sides, self.dead)

    def _choose(self, pending: Any, sides: list[tuple[int, Body]], dead: Variables) -> Exit:
        (code, side), *others = sides
        if not others:
            return side()
        if isinstance(pending, np.generic):
            return side() if pending == code else self._choose(pending, others, dead)
        bodies = (side, lambda: self._choose(pending, others, {}))
        return stage_if(self.trace, np.equal(pending, code), bodies, self.functions, dead)[0]

    def _take(self, arrival: Arrival, number: Any) -> Exit:
        """Run the handler that takes an exception; without one it goes on."""
        error = self.catching.caught(arrival, number)
        if arrival.handler is None:
            raise_(error)
        _, name, handler = self.handlers[arrival.handler]
        return self._handle(handler, name, error)

    def _handle(self, handler: Callable[..., Exit], name: str | None, error: BaseException) -> Exit:
        error = as_in_programs(error)
        handled = control_flow(self.trace).handled
        handled.append(error)
        try:
            return handler(error) if name else handler()
        except Exception as raised:
            # Python notes this where a handler raises; here the exception is not being handled for Python.
            if raised.__context__ is None and raised is not error:
                raised.__context__ = error
            raise
        finally:
            handled.pop()


def raise_(error: BaseException) -> NoReturn:
    """Raise what the user's program raises."""
    raise error
