"""Calls `f(*items)` of as many items as only the program knows."""

from __future__ import annotations

import inspect
import itertools
import math
import types
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from .....dialect.records import dataclass
from ....runtime_values.values import RuntimeValue
from ....source.modules import told
from ....tracing.array import TracedArray
from ....tracing.staging import raise_where
from ..builtins.unpacking import Spread, list_display
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..lists.grown_tuples import GrownTuple
from ..statements.expressions import if_exp
from ..values import iterables
from ..values.kinds import ArrayKind
from ..values.sequence_iterators import iterator_over
from .calls import call, converted
from .gathered_arguments import Gathered


def call_spread(function: Any, /, *parts: Any, **named: Any) -> Any:
    """`function(a, *items, **named)`."""
    known: list[Any] = []
    for place, part in enumerate(parts):
        if isinstance(part, Spread) and _is_open(part.items):
            return _call_open(function, known, list_display(*parts[place:]), named)
        known.extend(part.items if isinstance(part, Spread) else (part,))
    return call(function, *known, **named)


def _is_open(items: Any) -> bool:
    return (
        isinstance(items, GrowingList)
        and items.known_length is None
        and isinstance(items.length, TracedArray)
    )


def _call_open(function: Any, known: list[Any], items: GrowingList, named: dict[str, Any]) -> Any:
    """A call with some arguments that are known one by one, and as many more as only the program knows."""
    if function is print:
        return _print(known, items, named)
    whole = _WHOLE.get(function) if isinstance(function, (type, types.BuiltinFunctionType)) else None
    if whole is not None:
        return whole(items if not known else [*known] + items, **named)
    found = _parameters(function, len(known), named)
    if found is None:
        return call(function, *known, *items, **named)  # which refuses it
    names, gathers = found
    if len(known) > len(names):
        known, items = known[: len(names)], known[len(names) :] + items
    _require_number(function, names, len(known), items.length, gathers)
    given = [items[place] for place in range(len(names) - len(known))]
    rest = (Gathered(GrownTuple(items[len(given) :])),) if gathers else ()
    return call(function, *known, *given, *rest, **named)


def _parameters(function: Any, count: int, named: dict[str, Any]) -> tuple[list[str], bool] | None:
    """The parameters that take one argument each, and whether others are gathered; None where that is not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    gathers = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    taking = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    taking = list(itertools.takewhile(lambda each: each.name not in named, taking))
    if any(each.default is not each.empty for each in taking[count:]):
        return None
    if gathers and not _takes_gathered(_plain(function)):
        return None
    return [each.name for each in taking], gathers


def _plain(function: Any) -> Any:
    """The function that gets the arguments of a call."""
    if isinstance(function, type):
        return getattr(function, "__new__" if function.__init__ is object.__init__ else "__init__")  # type: ignore[misc]
    return told(function, "__func__", function)


def _takes_gathered(function: Any) -> bool:
    """Whether a function is converted to one that asks what its `*args` holds, as those of `def` are."""
    is_function = isinstance(function, types.FunctionType) and function.__name__ != "<lambda>"
    return is_function and converted(function) is not function


def _require_number(function: Any, names: Sequence[str], known: int, length: Any, gathers: bool) -> None:
    """Raise what Python raises for another number of arguments than a function takes."""
    name = getattr(_plain(function), "__qualname__", "function")
    own = isinstance(function, (type, types.MethodType))
    if isinstance(function, type) and _plain(function).__name__ == "__new__":
        name = f"{function.__qualname__}.__new__"
    for there in range(len(names) - known):
        missing = [f"'{each}'" for each in names[known + there :]]
        listed = missing[0] if len(missing) == 1 else " and ".join([", ".join(missing[:-1]), missing[-1]])
        listed = listed.replace(" and ", ", and ") if len(missing) > 2 else listed
        plural = "s" if len(missing) > 1 else ""
        message = f"{name}() missing {len(missing)} required positional argument{plural}: {listed}"
        raise_where(np.equal(length, there), TypeError, message)
    if not gathers:
        taken = len(names) + own
        plural = "s" if taken != 1 else ""
        message = f"{name}() takes {taken} positional argument{plural} but {{0}} were given"
        raise_where(length + known > len(names), TypeError, message, length + (known + own))


class _Printed(RuntimeValue):
    """The text of all arguments of `print`."""

    def __init__(self, known: list[Any], items: GrowingList, between: Any) -> None:
        self._parts = known, items, between

    def at_run_time(self) -> tuple[Any, Callable[[Any], str]]:
        return self._parts, lambda parts: str(parts[2]).join(map(str, [*parts[0], *parts[1]]))


def _print(known: list[Any], items: GrowingList, named: dict[str, Any]) -> None:
    between = named.pop("sep", None)
    call(print, _Printed(known, items, " " if between is None else between), **named)


def _extreme(function: Callable[..., Any], items: GrowingList, **named: Any) -> Any:
    """`max` or `min`: of one argument it would be what that holds."""
    if not isinstance(items.kind, ArrayKind) or items.kind.type.rank:
        items.refuse(f"{function.__name__}(*items) of other things than numbers")
    at_least = f"{function.__name__} expected at least 1 argument, got 0"
    raise_where(np.equal(items.length, 0), TypeError, at_least)
    kind = items.kind.number or items.kind.type.dtype.type
    raise_where(np.equal(items.length, 1), TypeError, f"'{_name_of(kind)}' object is not iterable")
    return call(function, items, **named)


def _name_of(kind: type) -> str:
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _reduced(function: Callable[..., Any], start: int, items: GrowingList) -> Any:
    return call(reduce, function, items, start)


def _zip(items: GrowingList, strict: bool = False) -> Any:
    if strict:
        items.refuse("zip(*items, strict=True)")
    return iterator_over(Transposed(items), zip)


_WHOLE: dict[Any, Callable[..., Any]] = {
    max: partial(_extreme, max),
    min: partial(_extreme, min),
    zip: _zip,
    math.gcd: partial(_reduced, math.gcd, 0),
    math.lcm: partial(_reduced, math.lcm, 1),
    itertools.chain: lambda items: call(
        iter, operators().comprehension("list", items, lambda row: row, flat=True)
    ),
}
"""The functions that take all arguments as they take the items of a list."""


@dataclass(frozen=True)
class Transposed(iterables.Sequence):
    """`zip(*rows)`: the first items of all rows, the second ones, and so on."""

    rows: GrowingList

    @property
    def length(self) -> Any:
        kind = self.rows.kind
        if kind is None:
            return 0
        return if_exp(
            np.greater(self.rows.length, 0),
            lambda: call(min, call(map, partial(call, len), self.rows)),
            lambda: 0,
        )

    def item(self, position: Any) -> Any:
        column = operators().comprehension("list", self.rows, lambda row: operators().item(row, position))
        return GrownTuple.of(column) if isinstance(column, GrowingList) else tuple(column)
