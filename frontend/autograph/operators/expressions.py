"""What the expressions of converted code do: choices, logic and comparisons whose operands may be arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...array import TracedArray
from ...staging import asarray
from .branches import stage_if
from .conditions import is_staged, truth_of
from .growing import GrowingList
from .iterables import Sequence
from .latest import latest
from .optional import Chosen, MaybeUnbound, Optional
from .places import UNBOUND
from .statements import current

Thunk = Callable[[], Any]


def if_exp(test: Any, body: Thunk, orelse: Thunk) -> Any:
    """`body() if test else orelse()`."""
    if not is_staged(test):
        return body() if test else orelse()
    return stage_if(current(), truth_of(test), (body, orelse), (body, orelse), wants_result=True)[1]


def and_(left: Any, *others: Thunk) -> Any:
    """`left and others[0]() and ...`: the value of the operand that decides, as in Python."""
    if not others:
        return left
    if not is_staged(left):
        return and_(others[0](), *others[1:]) if left else left
    return stage_if(
        current(),
        truth_of(left),
        (lambda: and_(others[0](), *others[1:]), lambda: left),
        others,
        wants_result=True,
    )[1]


def or_(left: Any, *others: Thunk) -> Any:
    """`left or others[0]() or ...`."""
    if not others:
        return left
    if not is_staged(left):
        return left if left else or_(others[0](), *others[1:])
    return stage_if(
        current(),
        truth_of(left),
        (lambda: left, lambda: or_(others[0](), *others[1:])),
        others,
        wants_result=True,
    )[1]


def not_(value: Any) -> Any:
    """`not value`."""
    return as_bool(np.logical_not(truth_of(value))) if is_staged(value) else not value


def as_bool(truth: Any) -> TracedArray:
    """A truth that was just computed, a traced one, as Python's bool."""
    number: TracedArray = truth._like_python(bool)
    return number


def is_(left: Any, right: Any) -> Any:
    """`left is right`; whether a value that may be None is None is known at run time."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Optional) and other is None:
            return as_bool(one.is_none.copy())
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Chosen) and not isinstance(other, Chosen):
            return one._any(_is(other))
    return latest(left) is latest(right)


def is_not_(left: Any, right: Any) -> Any:
    """`left is not right`."""
    return not_(is_(left, right))


def in_(item: Any, container: Any) -> Any:
    """`item in container`; among arrays whether any element is equal, as in NumPy."""
    if isinstance(container, TracedArray):
        return np.any(np.equal(container, item))
    if isinstance(container, GrowingList):
        return container.holds(item)
    if isinstance(container, Sequence):
        container = list(container)
    if isinstance(item, TracedArray) and isinstance(container, np.ndarray):
        return np.any(np.equal(asarray(container), item))
    if isinstance(container, (list, tuple, range, set, frozenset)) and _mixes_arrays(item, container):
        found: Any = False
        for candidate in container:
            equal = item is candidate or candidate == item
            found = or_(found, _truth(equal))
        return as_bool(found.copy()) if isinstance(found, TracedArray) else found
    return item in container


def not_in_(item: Any, container: Any) -> Any:
    """`item not in container`."""
    return not_(in_(item, container))


def _is(value: Any) -> Callable[[Any], bool]:
    return lambda other: other is value


def _truth(equal: Any) -> Thunk:
    return lambda: truth_of(equal) if is_staged(equal) else bool(equal)


def _mixes_arrays(item: Any, container: Any) -> bool:
    return isinstance(item, TracedArray) or any(isinstance(candidate, TracedArray) for candidate in container)


def load(read: Thunk, name: str) -> Any:
    """The value of a variable that may be unbound; `UnboundLocalError` where it is."""
    try:
        value = read()
    except NameError as error:
        if isinstance(error, UnboundLocalError) or getattr(error, "name", name) != name:
            raise
        raise UnboundLocalError(unbound_message(name)) from None
    if not isinstance(value, MaybeUnbound):
        return value
    current().raise_if(value.unbound, "UnboundLocalError", unbound_message(name).replace("{", "{{"))
    return value.value


def unbound_message(name: str) -> str:
    """What Python says about a variable without a value."""
    try:
        _unbound()
    except UnboundLocalError as error:
        return str(error).replace("variable_", name)
    raise AssertionError("reading an unbound variable raises")


def _unbound() -> Any:
    if UNBOUND is None:
        variable_ = None
    return variable_


__all__ = ["and_", "if_exp", "in_", "is_", "is_not_", "load", "not_", "not_in_", "or_", "unbound_message"]
