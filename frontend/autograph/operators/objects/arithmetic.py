"""Operators of converted code: what they make of arrays that are known while tracing are arrays of the trace."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .....backend.gpu.devices.on_device import ARRAYS
from ....numpy_api.long_ints import require_64_bits
from ....runtime_values.results import RuntimeTable
from ....signature.foreign_arrays import require_numpy_rules
from ....signature.traced_value import COMPARISONS, held
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.exact_numbers import refuse_exact_number
from ..calls.calls import call
from ..interface import operators
from ..lists import computed_lengths
from ..tables import becoming, table_walks
from ..tables.python_classes import PythonClass
from ..values.hidden_state import of_own
from ..values.identities import told_by_class
from ..values.known_arrays import compute, writable, write_followed
from ..values.optional import Chosen, Optional
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.special_methods import NAMES, call_operator, has_users_operator, users_unary, users_update

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    **{symbol: getattr(operator, f"__{name}__") for symbol, name in NAMES.items()},
    **COMPARISONS,
}

_UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}

_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    f"{symbol}=": getattr(operator, f"__i{name}__") for symbol, name in NAMES.items()
}

_ARRAYS = (np.ndarray, TracedArray)


def binary(symbol: str, left: Any, right: Any) -> Any:
    """`left symbol right`, comparisons too."""
    if symbol == "%" and type(left) is str:
        return operators().percent(left, right)
    left, right = held(resolve_grown_list(left)), held(resolve_grown_list(right))
    if isinstance(left, _ARRAYS) or isinstance(right, _ARRAYS):
        if (never := told_by_class(_BINARY[symbol], left, right)) is not None:
            return never
        for one, other in ((left, right), (right, left)):
            if isinstance(one, TracedArray):
                refuse_exact_number(symbol, other)
        if symbol == "*" and (repeated := _repeated(left, right)) is not None:
            return repeated
        trace = current_trace()
        if trace is not None and _is_operand(left) and _is_operand(right):
            require_64_bits(symbol, left, right)
            return compute(trace, _BINARY[symbol], (left, right), {})
    left, right = table_walks.as_sets(left, right)
    for value in (left, right):
        if type(value) not in _NUMBERS:
            require_numpy_rules("an operand", value)
    if has_users_operator(symbol, left, right) and current_trace() is not None:
        return call_operator(symbol, left, right)
    return of_own(current_trace(), _BINARY[symbol], left, right)


def _repeated(left: Any, right: Any) -> Any:
    """A list or tuple beside a number that is known at run time, repeated; None for other operands of `*`."""
    computed_lengths.require_count(left, right)
    items, times = (left, right) if type(left) in (list, tuple) else (right, left)
    if type(items) in (list, tuple) and computed_lengths.is_count(times):
        return computed_lengths.repeated(items, times)
    return None


_NUMBERS = frozenset({int, float, bool, complex, str, list, tuple})
"""Types that operators are applied to most often."""


def _is_operand(value: Any) -> bool:
    """Whether NumPy would compute with a value: other objects have operators of their own."""
    return isinstance(value, (*_ARRAYS, np.generic, int, float, complex, list, tuple))


def unary(symbol: str, value: Any) -> Any:
    """`symbol value`."""
    value = held(resolve_grown_list(value))
    if isinstance(value, _ARRAYS):
        trace = current_trace()
        if trace is not None:
            require_64_bits(f"unary {symbol}", value)
            return compute(trace, _UNARY[symbol], (value,), {})
    require_numpy_rules("an operand", value)
    method = users_unary(symbol, value)
    if method is not None and current_trace() is not None:
        return call(method, value)
    return _UNARY[symbol](value)


def _require_ufuncs(target: Any, value: Any) -> None:
    """Refuse what takes part in operators by a method of its own alone, where an array is updated."""
    is_array = isinstance(target, TracedArray) and not target._is_number
    if is_array and getattr(type(value), "__array_ufunc__", value) is None:
        raise TypeError(f"operand {type(value).__name__!r} does not support ufuncs (__array_ufunc__=None)")


def _written_with(symbol: str, target: Any, value: Any) -> Any:
    """What an array is written with in place; the call of the program ends with an error where that is None."""
    if not isinstance(target, _ARRAYS) or not target.ndim:
        return value
    if isinstance(value, Chosen) and value.held:
        raise value._refusal(f"an array is changed in place with it ({symbol})")
    return value.written_with(symbol, target) if isinstance(value, Optional) else value


def update(symbol: str, target: Any, value: Any) -> Any:
    """What `target symbol value` makes of the target, as in `x += 1`: an array is written in place."""
    target, value = resolve_grown_list(target), resolve_grown_list(value)
    is_number = isinstance(target, TracedArray) and target._is_scalar
    if type(target) is str or (symbol == "*=" and is_number and type(value) in (list, tuple)):
        return binary(symbol.removesuffix("="), target, value)
    return _updated(symbol, target, value)


def _updated(symbol: str, target: Any, value: Any) -> Any:
    if isinstance(target, Optional):
        target = target.operand(symbol, value)
    value = _written_with(symbol, target, value)
    if isinstance(target, Chosen) and target.held:  # an array or list among them is changed in place
        return target.with_others(partial(update, symbol), value)
    if isinstance(target, ARRAYS):
        trace = current_trace()
        if trace is not None:
            target = writable(trace, target)
    elif current_trace() is not None:
        _, value = table_walks.as_sets(target, value)
        if PythonClass.of(target) is not None and isinstance(value, (RuntimeTable, table_walks.TableView)):
            target = becoming.become_table(target)
        if symbol == "*=" and type(target) is list and computed_lengths.is_count(value):
            target = computed_lengths.growing(target, value)
        if symbol == "+=" and computed_lengths.is_extended(target, value):
            computed_lengths.extend(target, value)
            return resolve_grown_list(target)
        _require_ufuncs(target, value)
        method = users_update(symbol, target)
        if method is not None and (result := call(method, target, value)) is not NotImplemented:
            return result
        if method is not None or has_users_operator(symbol.removesuffix("="), target, value):
            return binary(symbol.removesuffix("="), target, value)
    require_64_bits(symbol.removesuffix("="), target, value)
    if isinstance(target, TracedArray) and (trace := current_trace()) is not None:
        return write_followed(trace, _IN_PLACE[symbol], target, value)
    return of_own(current_trace(), _IN_PLACE[symbol], target, value)
