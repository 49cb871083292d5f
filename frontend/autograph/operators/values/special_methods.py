"""Special methods that users write in Python: operators call them, so that they are converted as other methods are."""

from __future__ import annotations

import collections.abc
import dataclasses
import itertools
import math
from collections.abc import Callable
from functools import partial, reduce
from types import FunctionType
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedDtypeError
from ....guards.generated import is_generated
from ....runtime_values.results import RuntimeContainer
from ....signature.traced_value import held
from ....source.modules import is_users_function
from ....source.plain_items import compound
from ....tracing.array import TracedArray
from ....tracing.array_members import BINARY
from ....tracing.current import current_trace, required_trace
from ....tracing.number_types import number_type
from ..interface import operators
from .hidden_state import Items, require_own
from .looked_up import lookups
from .narrowing import is_among, note_facts
from .optional import Chosen, Optional, type_name

NAMES = {symbol: name for name, (_, symbol) in BINARY.items()}
"""What the methods of the arithmetic operators are called."""

_COMPARISONS = {
    "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), "<": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"), ">=": ("__ge__", "__le__"),
}  # fmt: skip
"""What the methods of comparisons are called, and those of the other operand."""

_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


def users_method(value: Any, name: str) -> FunctionType | None:
    """The method of a class that a user has written, if that is what Python would call."""
    found = _users_method(value, name)
    if found is not None and (noting := lookups()) is not None:
        noting.special(type(value), name)
    return found


def _users_method(value: Any, name: str) -> FunctionType | None:
    for base in type(value).__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            is_users = isinstance(found, FunctionType) and is_users_function(found)
            return found if is_users and not is_generated(found) else None
    return None


def has_users_operator(symbol: str, left: Any, right: Any) -> bool:
    """Whether one of two operands has a method for an operator that a user has written."""
    if symbol not in _COMPARISONS and Chosen in (type(left), type(right)):
        return True  # it is done for each constant
    own, reflected = _names("==" if symbol == "!=" and not _has_ne(left, right) else symbol)
    return _has_method(left, own) or _has_method(right, reflected)


def _has_method(value: Any, name: str) -> bool:
    if isinstance(value, Chosen):
        return bool(value.held) or any(users_method(option, name) is not None for option in value.options)
    return users_method(value, name) is not None


def call_operator(symbol: str, left: Any, right: Any) -> Any:
    """`left symbol right` as Python finds the method: that of a class derived from the other's comes first."""
    operate = operators().compare if symbol in _COMPARISONS else operators().binary
    if isinstance(left, Chosen):
        return _told(symbol, left, right, left.with_others(partial(operate, symbol), right))
    if isinstance(right, Chosen):
        return right.each(lambda one: operate(symbol, left, one))
    left = _before_object(symbol, left, right)
    if symbol == "!=" and not _has_ne(left, right):
        return operators().not_(call_operator("==", left, right))
    own, reflected = _names(symbol)
    attempts = [(left, own, right), (right, reflected, left)]
    if type(left) is not type(right) and isinstance(right, type(left)):
        attempts.reverse()
    for owner, name, other in (
        attempts if type(left) is not type(right) or symbol in _COMPARISONS else attempts[:1]
    ):
        method = users_method(owner, name)
        if method is not None:
            result = operators().call(method, owner, other)
        else:
            result = getattr(type(owner), name, _missing)(owner, other)
        if result is not NotImplemented:
            return result
    if symbol == "==":
        return left is right
    if symbol == "!=":
        return left is not right
    names = " and ".join(f"'{type_name(value)}'" for value in (left, right))
    if symbol in _COMPARISONS:
        raise TypeError(f"'{symbol}' not supported between instances of {names}")
    shown = "** or pow()" if symbol == "**" else symbol
    raise TypeError(f"unsupported operand type(s) for {shown}: {names}")


def _told(symbol: str, chosen: Chosen, other: Any, answer: Any) -> Any:
    """The answer of a comparison of one of several values, with what follows from it for the value."""
    if symbol in ("==", "!=") and isinstance(answer, TracedArray) and isinstance(other, _COMPARED):
        equal = [n for n, option in enumerate(chosen.options) if _may_be(option, other)]
        unequal = [n for n, option in enumerate(chosen.options) if not _is_constant(option, other)]
        facts = is_among(chosen, equal), is_among(chosen, unequal)
        note_facts(answer._storage.trace, answer, *(facts if symbol == "==" else facts[::-1]))
    return answer


_COMPARED = (str, bool, int, float)


def _is_constant(option: Any, constant: Any) -> bool:
    """Whether what may be chosen surely equals a constant."""
    return isinstance(option, _COMPARED) and option == constant


def _may_be(option: Any, constant: Any) -> bool:
    """Whether what may be chosen can equal a constant."""
    if isinstance(option, _COMPARED):
        return bool(option == constant)
    if isinstance(option, TracedArray):
        return not isinstance(constant, str) or option.ndim > 0
    return not isinstance(option, (list, tuple, dict, RuntimeContainer))


def _before_object(symbol: str, left: Any, right: Any) -> Any:
    """What stands before an object: NumPy makes an array of objects of both, if the class does not forbid that.

    So the method of the object's class gets one of Python's numbers after the other.
    """
    if not isinstance(left, TracedArray) or number_type(left) is not None or isinstance(right, TracedArray):
        return left
    kind = type(right)
    least = np.float64().__array_priority__ if left._is_scalar else 0
    asks_whole = hasattr(kind, "__array_ufunc__") or getattr(kind, "__array_priority__", least) > least
    if asks_whole or users_method(right, _names(symbol)[1]) is None:
        return left
    if left.ndim == 0:
        return left.item()
    raise UnsupportedDtypeError(
        f"NumPy computes an array {symbol} a {kind.__qualname__} for each element, and makes an array of Python's "
        f"objects (dtype object), which compiled code cannot hold: let {kind.__qualname__} have "
        f"__array_ufunc__ = None, so that its {_names(symbol)[1]} gets the whole array"
    )


def tested(value: Any) -> Any:
    """What decides in the place of a value: what its `__bool__` or `__len__` gives, where a user has written that."""
    value = held(value)
    if _is_plain(value):
        return value
    require_own(current_trace(), value, changes=False)
    if isinstance(value, Chosen) and any(_has_method(value, name) for name in ("__bool__", "__len__")):
        return value.each(lambda one: operators().call(bool, one))
    if isinstance(value, Optional) and isinstance(value.value, Chosen) and value.value.held:
        there = value.value
        return operators().if_exp(value.is_none, lambda: False, lambda: operators().call(bool, there))
    for name in ("__bool__", "__len__"):
        method = users_method(value, name)
        if method is not None:
            return operators().compare("!=", _number_of(method, value), 0)
        if hasattr(type(value), name):
            break
    return value


def users_length(value: Any) -> Any:
    """`len(value)` of a class with a `__len__` that a user has written; None for others."""
    if isinstance(value, Chosen) and _has_method(value, "__len__"):
        return value.each(lambda one: operators().call(len, one))
    method = users_method(value, "__len__")
    return None if method is None else _number_of(method, value)


def _number_of(method: FunctionType, value: Any) -> Any:
    """What `__bool__` or `__len__` gives, which has to be of one type."""
    wanted: type = bool if method.__name__ == "__bool__" else int
    given = operators().call(method, value)
    kind = getattr(given, "_python_type", None) or type(given)
    if not (isinstance(kind, type) and issubclass(kind, wanted)):
        if wanted is bool:
            raise TypeError(f"__bool__ should return bool, returned {operators().call(type, given).__name__}")
        raise TypeError(
            f"'{operators().call(type, given).__name__}' object cannot be interpreted as an integer"
        )
    return given


_PLAIN = frozenset({bool, int, float, str, list, tuple, dict, set, type(None), np.bool_})
"""Types whose truth Python finds by itself."""


def _is_plain(value: Any) -> bool:
    """Whether nobody has written methods for a value, or nothing is recorded."""
    return type(value) in _PLAIN or isinstance(value, TracedArray) or current_trace() is None


def iterated(value: Any) -> Any:
    """What is walked in the place of a value: what its `__iter__` gives, where a user has written that."""
    value = held(value)
    if _is_plain(value):
        return value
    method = users_method(value, "__iter__")
    if method is not None:
        given = operators().call(method, value)
        following = users_method(given, "__next__")
        return (
            given if following is None else Items(partial(operators().call, following, given), StopIteration)
        )
    if isinstance(value, collections.UserList) and type(value).__iter__ is collections.UserList.__iter__:
        return operators().attr(value, "data")
    method = users_method(value, "__getitem__")
    if method is not None and getattr(type(value), "__iter__", None) is collections.abc.Sequence.__iter__:
        places = operators().call(range, operators().call(len, value))
        return operators().call(map, lambda place: operators().item(value, place), places)
    if method is None or hasattr(type(value), "__iter__"):
        return value
    numbers = itertools.count()
    return Items(lambda: operators().call(method, value, next(numbers)), IndexError)


def mapped(value: Any) -> Any:
    """What `dict` copies in the place of a value: the entries of a mapping that a user has written."""
    if _is_plain(value) or isinstance(value, dict) or users_method(value, "__getitem__") is None:
        return iterated(value)
    if not hasattr(type(value), "keys"):
        return iterated(value)
    keys = operators().call(list, operators().call(value.keys))
    if isinstance(keys, list):
        return {key: operators().item(value, key) for key in keys}
    pairs = operators().call(map, lambda key: (key, operators().item(value, key)), keys)
    return operators().call(list, pairs)


_METHODS: dict[Callable[..., Any], str] = {
    abs: "__abs__", round: "__round__", int: "__int__", float: "__float__", complex: "__complex__",
    divmod: "__divmod__", pow: "__pow__", hash: "__hash__", reversed: "__reversed__", next: "__next__",
    repr: "__repr__", math.floor: "__floor__", math.ceil: "__ceil__", math.trunc: "__trunc__",
}  # fmt: skip
"""The functions of Python's that call a method of their first argument."""

_BY_IDENTITY = {id(function): name for function, name in _METHODS.items()}
_OF_OBJECTS = {id(getattr(dataclasses, name)) for name in ("asdict", "astuple", "is_dataclass", "replace")}
"""Python's functions of objects, which ask each of several."""
_OF_NUMBERS = {id(function) for function in (int, float, abs, round)}
_TEXTS = {id(function) for function in (str, repr, format, print)}


def through_method(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """What is called in the place of one of Python's functions: the method that a user has written for it."""
    if not args:
        return function, args
    if id(function) in _TEXTS:
        return _through_text(function, args)
    name = _BY_IDENTITY.get(id(function))
    if isinstance(args[0], Chosen):
        asks_each = bool(args[0].held) and id(function) in _OF_OBJECTS
        if id(function) in _OF_NUMBERS and all(isinstance(option, int) for option in args[0].options):
            asks_each = True  # of members of an IntEnum
        if asks_each or (name is not None and _has_method(args[0], name)):
            return _each_called, (function, *args)
    if name is None or (method := users_method(args[0], name)) is None:
        return function, args
    return method, args


def _each_called(function: Any, chosen: Chosen, *args: Any, **named: Any) -> Any:
    return chosen.each(lambda one: operators().call(function, one, *args, **named))


def _through_text(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    if function is print:
        return function, tuple(shown(value, "s", "") for value in args)
    conversion = {str: "s", repr: "r"}.get(function)
    text = shown(args[0], conversion, args[1] if len(args) > 1 else "")
    return (function, args) if text is args[0] else (_same, (text,))


def shown(value: Any, conversion: str | None, spec: Any) -> Any:
    """What a value is shown as in a text, by `str`, `repr` or (without a conversion) `format`.

    A string, where a user has written the method; else the value itself.
    """
    if type(value) in _BRACKETS and current_trace() is not None and _holds_shown(value):
        if isinstance(spec, str):
            format(type(value)(), spec)  # raises what Python raises
        return _shown_items(value)
    if _is_plain(value) or isinstance(value, type):
        return value
    if isinstance(value, Optional) and is_shown_by_program(there := value.value):
        of_it = partial(shown, there, conversion, spec)
        return operators().if_exp(value.is_none, lambda: format(None, spec or ""), of_it)
    if isinstance(value, Chosen) and _is_shown_by_method(value, conversion):
        to_text, rest = (_TO_TEXT[conversion], ()) if conversion else (format, (spec or "",))
        return value.each(lambda one: operators().call(to_text, one, *rest))
    if not conversion and (method := users_method(value, "__format__")) is not None:
        return operators().call(method, value, spec or "")
    kind: Any = type(value)
    if conversion == "r" or (kind.__str__ is object.__str__ and not spec):
        method = users_method(value, "__repr__")
    else:
        method = None if spec else users_method(value, "__str__")
    return value if method is None else operators().call(method, value)


_TO_TEXT: dict[str, Callable[..., str]] = {"s": str, "r": repr, "a": ascii}


def _is_shown_by_method(chosen: Chosen, conversion: str | None) -> bool:
    names = ("__repr__",) if conversion == "r" else ("__str__", "__repr__", "__format__")
    return any(_has_method(chosen, name) for name in names)


_BRACKETS: dict[Any, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}")}


def is_shown_by_program(value: Any) -> bool:
    """Whether a method that a user has written says what a value, or something in it, is in a text."""
    if isinstance(value, Optional):
        return is_shown_by_program(value.value)
    if isinstance(value, Chosen):
        return _is_shown_by_method(value, None)
    names = ("__str__", "__format__")
    return _holds_shown(value) or (not _is_plain(value) and any(_has_method(value, name) for name in names))


def _holds_shown(value: Any, around: tuple[Any, ...] = ()) -> bool:
    """Whether a value is an object whose `__repr__` a user has written, or a container with one."""
    if type(value) in _BRACKETS:
        held = compound(value.values() if type(value) is dict else value)
        return not any(value is one for one in around) and any(
            _holds_shown(one, (*around, value)) for one in held
        )
    if isinstance(value, Optional):
        return _holds_shown(value.value, around)
    return not _is_plain(value) and _has_method(value, "__repr__")


def _shown_items(value: Any) -> Any:
    """`repr` of a container, of what the `repr` of each of its items gives."""
    shown_ones = required_trace().state(_ShownContainers).open
    begin, end = _BRACKETS[type(value)]
    if id(value) in shown_ones:
        return f"{begin}...{end}"
    shown_ones.add(id(value))
    try:
        return _text_of_items(value)
    finally:
        shown_ones.discard(id(value))


class _ShownContainers:
    """The identities of the containers that are being shown, one in the other."""

    def __init__(self) -> None:
        self.open: set[int] = set()


def _text_of_items(value: Any) -> Any:
    begin, end = _BRACKETS[type(value)]
    if type(value) is dict:
        texts = [_added(repr(key), ": ", operators().call(repr, one)) for key, one in value.items()]
    else:
        texts = [operators().call(repr, one) for one in value]
    comma = "," if type(value) is tuple and len(texts) == 1 else ""
    return _added(begin, operators().call(", ".join, texts), comma, end)


def _added(*texts: Any) -> Any:
    return reduce(partial(operators().binary, "+"), texts)


def _same(value: Any) -> Any:
    return value


def users_unary(symbol: str, value: Any) -> Any:
    """The method of an operator with one operand that a user has written, or that is one for each of several values."""
    if isinstance(value, Chosen) and value.held:
        return partial(_each_unary, symbol)
    return users_method(value, _UNARY[symbol])


def _each_unary(symbol: str, chosen: Chosen) -> Any:
    return chosen.each(lambda one: operators().unary(symbol, one))


def users_update(symbol: str, target: Any) -> FunctionType | None:
    """The method of `target symbol= value` that a user has written."""
    return users_method(target, f"__i{NAMES[symbol.removesuffix('=')]}__")


def _names(symbol: str) -> tuple[str, str]:
    if symbol in _COMPARISONS:
        return _COMPARISONS[symbol]
    return f"__{NAMES[symbol]}__", f"__r{NAMES[symbol]}__"


def _has_ne(left: Any, right: Any) -> bool:
    """Whether a user has written `__ne__`, which otherwise is the opposite of `__eq__`."""
    return any(users_method(value, "__ne__") is not None for value in (left, right))


def _missing(owner: Any, other: Any) -> Any:
    return NotImplemented
