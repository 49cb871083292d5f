"""Functions that compute with plain Python values alone: they run as Python runs them while a function is traced.

Converted code asks at each step whether a value is traced, which takes a hundred times as long. A function runs plainly
if its arguments are Python's own values, which nothing but the program knows where they can be changed, and all that it
reads besides are constants, modules of Python that compute, and other functions and classes like it, which are guarded
as those of converted code. What raises, what runs for too long and what returns anything else is converted as ever:
what it has changed is taken back.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ....guards.unbound import UNBOUND
from ....tracing.recorder import Recorder
from ..values.control_flow_state import control_flow
from ..values.plain_contents import PlainContents
from .plain_code import SCALARS, TICK, is_constant
from .plain_worlds import GivenUp, PlainWorld, may_be_plain, plain_world

_MOST_STEPS = 1 << 20
"""Iterations and calls: a fifth of a second of Python, which is about what compiling takes."""

_MOST_WHERE_UNROLLED = 1 << 23
"""The same where a function calls itself, or has a `while`: what is known of them is recorded step by step."""

_WORTH_RECORDING = 4_000
"""So many operations of a function that could run plainly, were its numbers known: two seconds of recording."""

_WORTH_RECURSION = 1_000
"""The same of a function that calls itself, which is seldom faster as it is compiled."""

_MOST_NUMBERS = 100
"""Lists of more numbers stay data, however much is recorded: as constants each would be compared at each call, some
microseconds a number, and another list would be traced again."""


class Plain:
    """The functions that a trace has found to be plain."""

    def __init__(self) -> None:
        self.found: dict[FunctionType, PlainWorld | None] = {}


def plain_call(trace: Recorder, function: FunctionType, args: Any, kwargs: Any) -> tuple[Any] | None:
    """What a function returns that runs plainly; None for one that is to be converted."""
    given = [*args, *kwargs.values()]
    found, is_all_numbers = trace.state(Plain).found, _are_all_numbers(trace)
    if function not in found and (is_all_numbers or all(map(may_be_plain, given))):
        found[function] = plain_world(trace, function)
    prepared = found.get(function)
    if prepared is None:
        return None
    names = function.__globals__
    if any(names.get(name, UNBOUND) is not value for name, value in prepared.read.items()):
        return None
    given = [value for value in given if not is_constant(value)]
    contents = PlainContents(trace, given, prepared.containers)
    if not contents.is_known:
        if is_all_numbers:
            trace.worth_recording = _WORTH_RECURSION if prepared.is_called_again else _WORTH_RECORDING
        return None
    prepared.namespace[TICK] = functools.partial(
        next, _ticks(_MOST_WHERE_UNROLLED if prepared.is_unrolled else _MOST_STEPS)
    )
    try:
        result = prepared.run(*args, **kwargs)
        if _is_plain(result, 8) and contents.are_plain() and prepared.is_as_before():
            return (result,)
    except (Exception, GivenUp):
        pass
    contents.restore()
    found[function] = None
    return None


def _are_all_numbers(trace: Recorder) -> bool:
    """Whether a function is called that is compiled, with few of Python's numbers alone, some of them as data."""
    count, types = len(set(trace.numbers.values())), [argument.type for argument in trace.arguments]
    is_few = (
        all(type.is_static for type in types)
        and sum(math.prod(type.shape) for type in types) <= _MOST_NUMBERS
    )
    return is_few and 0 < count == len(types) and not control_flow(trace).activations


def _ticks(most: int) -> Iterator[bool]:
    yield from itertools.repeat(True, most)
    raise GivenUp


def _is_plain(value: Any, depth: int) -> bool:
    """Whether a result is made of plain values."""
    if is_constant(value):
        return True
    kind = type(value)
    if kind is dict:
        return _is_plain([*value, *value.values()], depth)
    if kind not in (list, tuple, set, frozenset, range) or depth == 0:
        return False
    return set(map(type, value)) <= SCALARS or all(_is_plain(item, depth - 1) for item in value)
