"""Settings of the process that a function or a block changes and puts back: warnings, NumPy's floating-point errors.

Compiled code computes on with infinities and NaN, without a word, so that what NumPy is to do then means nothing to it.
What a function leaves changed is changed at each call, at its end.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError
from ....runtime_values.deferred_calls import call_later
from ....runtime_values.values import RuntimeValue
from ....runtime_values.warning_filters import change_filters, own_filters
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from ..values.control_flow_state import control_flow, follow_from_now

_ERRORS = ("divide", "over", "under", "invalid")
_SILENT = ("ignore", "warn", None)
"""What NumPy may be told to do: it warns unless it is told, and compiled code never does."""


class FormerState(RuntimeValue):
    """What NumPy did about one kind of error before the function was called: it can be put back, and nothing else."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def _refuse(self) -> NoReturn:
        raise UnsupportedError(
            f"what np.seterr and np.geterr tell about {self.name!r} is a setting of the process, known when the "
            "function runs: it can be put back (old = np.seterr(...); np.seterr(**old)); what else is done with it, do "
            "outside of the compiled function"
        )

    def at_run_time(self) -> NoReturn:
        """Refuse to hand it on."""
        self._refuse()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FormerState):
            self._refuse()
        return self is other

    def __str__(self) -> str:
        self._refuse()

    __hash__ = object.__hash__


_FORMER: dict[str, Any] = {name: FormerState(name) for name in _ERRORS}


class _FloatingErrors:
    """What NumPy is to do about errors, as the program has told at the present point of the recording."""

    def __init__(self) -> None:
        self.states = dict(_FORMER)


def _states(trace: Recorder) -> dict[str, Any]:
    """The states, which branches and loops follow as they follow dicts."""
    states = trace.state(_FloatingErrors).states
    flow = control_flow(trace)
    if not any(states is followed for followed, *_ in flow.followed):
        name = "np.geterr()"
        flow.followed.append((states, name, ()))
        follow_from_now(trace, states, name)
    return states


def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, Any]:
    """`np.seterr`: what was the case before."""
    trace = current_trace()
    if trace is None:
        return dict(np.seterr(all, divide, over, under, invalid))
    states = _states(trace)
    before = dict(states)
    given = dict(zip(_ERRORS, (divide, over, under, invalid), strict=True))
    require_silence("np.seterr", {"all": all, **given})
    for name, state in given.items():
        wanted = all if state is None else state
        if wanted is not None and states[name] is not wanted:
            states[name] = wanted
    return before


def geterr() -> dict[str, Any]:
    """`np.geterr`."""
    trace = current_trace()
    return dict(np.geterr() if trace is None else _states(trace))


def require_silence(name: str, states: dict[str, Any]) -> None:
    """Refuse to do more about errors than to warn: compiled code does not look for them."""
    for error, state in states.items():
        if isinstance(state, FormerState) or state in _SILENT:
            continue
        if state in ("raise", "call", "print", "log") or not isinstance(state, str):
            raise UnsupportedError(
                f"{name}({error}={state!r}) is not followed: compiled code computes on with infinities and NaN, in "
                "silence. Test for them, and raise (if not np.isfinite(y).all(): raise FloatingPointError), or write "
                f"{name}({error}='ignore')"
            )
        raise ValueError(f"invalid error mode {state!r}")


def settle(trace: Recorder) -> None:
    """Record, at the end of a function, what it leaves changed."""
    states = trace.state(_FloatingErrors).states
    changed = {name: state for name, state in states.items() if state is not _FORMER[name]}
    if changed:
        call_later(trace, np.seterr, (), changed, None)


@contextmanager
def _own_errors(trace: Recorder, manager: np.errstate) -> Iterator[None]:
    """What is told to NumPy in a block is forgotten at its end."""
    states = _states(trace)
    before = dict(states)
    told = {name: getattr(manager, f"_{name}", None) for name in ("all", *_ERRORS)}
    seterr(**told)
    try:
        yield
    finally:
        states.update(before)


@contextmanager
def _own_filters(trace: Recorder, manager: Any) -> Iterator[None]:
    """The filters that a block changes are what they were at its end."""
    with own_filters(trace):
        if getattr(manager, "_filter", None) is not None:  # which Python 3.10 does not have
            change_filters(trace, (warnings.simplefilter, manager._filter, {}))
        yield


def settings_of(trace: Recorder, manager: Any) -> Any:
    """What a block is recorded under whose context manager changes settings; None for other managers."""
    if isinstance(manager, np.errstate):
        return _own_errors(trace, manager)
    if not isinstance(manager, warnings.catch_warnings):
        return None
    if manager._record or manager._module is not warnings:  # type: ignore[attr-defined]
        raise UnsupportedError(
            "warnings.catch_warnings(record=True) collects what is warned of, and compiled code gives no warnings of "
            "its own: catch them outside of the compiled function"
        )
    return _own_filters(trace, manager)


def _changing(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """One of the functions that change filters: of the block around, or of the process whenever the program runs."""

    def change(*args: Any, **kwargs: Any) -> None:
        trace = current_trace()
        if trace is None or change_filters(trace, (theirs, args, kwargs)):
            theirs(*args, **kwargs)
        else:
            call_later(trace, theirs, args, kwargs, None)

    change.__name__ = theirs.__name__
    return change


simplefilter = _changing(warnings.simplefilter)
filterwarnings = _changing(warnings.filterwarnings)
resetwarnings = _changing(warnings.resetwarnings)
