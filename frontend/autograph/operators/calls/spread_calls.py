"""Calls `f(*items)` of as many items as only the program knows."""

from __future__ import annotations

import inspect
import itertools
import math
import re
import string
import types
from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any

import numpy as np

from .....dialect.records import NamedTuple, dataclass
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
    if isinstance(told(function, "__self__"), str) and function.__name__ == "format":
        return _format(function, known, items, named)
    found = _parameters(function, named)
    if found is None:
        return call(function, *known, *items, **named)  # which refuses it
    names = found.names
    if len(known) > len(names):
        known, items = known[: len(names)], known[len(names) :] + items
    _require_number(function, found, len(known), items.length)
    given = [_given(items, place, found.defaults.get(name)) for place, name in enumerate(names[len(known) :])]
    rest = (Gathered(GrownTuple(items[len(given) :])),) if found.gathers else ()
    return call(function, *known, *given, *rest, **named)


def _given(items: GrowingList, place: int, default: tuple[Any] | None) -> Any:
    """The argument at a place, or the default in its place, where the parameter has one."""
    if default is None:
        return items[place]
    return if_exp(np.greater(items.length, place), lambda: items[place], lambda: default[0])


def _format(function: Any, known: list[Any], items: GrowingList, named: dict[str, Any]) -> Any:
    """`text.format(*items)`, which looks at as many items as the text has places for."""
    places = list(dict.fromkeys(_places_in(function.__self__, itertools.count())))
    for place in places:
        message = f"Replacement index {place} out of range for positional args tuple"
        raise_where(np.less_equal(items.length, place - len(known)), IndexError, message)
    count = max([place + 1 for place in places], default=0) - len(known)
    return call(function, *known, *(items[place] for place in range(count)), **named)


def _places_in(text: str, numbers: Iterator[int]) -> Iterator[int]:
    """The numbers of the arguments that are shown by the fields of a text, and by those in what they say."""
    for _, field, how, _ in string.Formatter().parse(text):
        if field is not None:
            name = re.split(r"[.\[]", field)[0]
            if not name or name.isdigit():
                yield int(name) if name else next(numbers)
            yield from _places_in(how or "", numbers)


class _Parameters(NamedTuple):
    """What a function takes by place."""

    names: list[str]
    """Those that take one argument each."""
    defaults: dict[str, tuple[Any]]
    gathers: bool
    """Whether others are gathered, by `*args`."""
    named: str | None
    """The next one, which is given by its name."""


def _parameters(function: Any, named: dict[str, Any]) -> _Parameters | None:
    """The parameters of a function, of which some are given by name; None where they are not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    gathers = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    taking = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    by_name = next((each.name for each in taking if each.name in named), None)
    taking = list(itertools.takewhile(lambda each: each.name not in named, taking))
    if gathers and not _takes_gathered(_plain(function)):
        return None
    defaults = {each.name: (each.default,) for each in taking if each.default is not each.empty}
    return _Parameters([each.name for each in taking], defaults, gathers, by_name)


def _plain(function: Any) -> Any:
    """The function that gets the arguments of a call."""
    if isinstance(function, type):
        return getattr(function, "__new__" if function.__init__ is object.__init__ else "__init__")  # type: ignore[misc]
    return told(function, "__func__", function)


def _takes_gathered(function: Any) -> bool:
    """Whether a function is converted to one that asks what its `*args` holds, as those of `def` are."""
    is_function = isinstance(function, types.FunctionType) and function.__name__ != "<lambda>"
    return is_function and converted(function) is not function


def _require_number(function: Any, taken: _Parameters, known: int, length: Any) -> None:
    """Raise what Python raises for another number of arguments than a function takes."""
    names, defaults = taken.names, len(taken.defaults)
    needed = names[: len(names) - defaults]
    name = getattr(_plain(function), "__qualname__", "function")
    own = isinstance(function, (type, types.MethodType))
    if isinstance(function, type) and _plain(function).__name__ == "__new__":
        name = f"{function.__qualname__}.__new__"
    for there in range(len(needed) - known):
        missing = [f"'{each}'" for each in needed[known + there :]]
        listed = missing[0] if len(missing) == 1 else " and ".join([", ".join(missing[:-1]), missing[-1]])
        listed = listed.replace(" and ", ", and ") if len(missing) > 2 else listed
        plural = "s" if len(missing) > 1 else ""
        message = f"{name}() missing {len(missing)} required positional argument{plural}: {listed}"
        raise_where(np.equal(length, there), TypeError, message)
    if taken.named is not None:
        message = f"{name}() got multiple values for argument {taken.named!r}"
        raise_where(length + known > len(names), TypeError, message)
    elif not taken.gathers:
        most = len(names) + own
        plural = "s" if most != 1 else ""
        takes = f"from {most - defaults} to {most}" if defaults else f"{most}"
        message = f"{name}() takes {takes} positional argument{plural} but {{0}} were given"
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
