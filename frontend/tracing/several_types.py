"""Values whose type a run-time condition decides: a number that is np.float32 on one path and np.int64 on the other.

To the array namespace such a value is one of the dtype that NumPy promotes the types to. What converted code does
with it is done by type (`by_type`): on each path with the value that the path left, as NumPy does.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..signature.layout_keys import Order
from .array import TracedArray
from .array_members import COMPARISONS, OPERATORS, UNARY

if TYPE_CHECKING:
    from .recorder import Storage


@dataclass(frozen=True)
class TypeOfValue:
    """A type of a number or array, as a caller could tell it from others."""

    type: TensorType
    number: builtins.type | None
    """int, float, ... for a number of Python's."""
    is_array: bool
    order: Order | None = ()
    constant: Any = None
    """The number itself, where that is the same whenever a value is of this type."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells types apart that are told apart: shapes are not, nor arrays of rank 0 from scalars."""
        return self.type.dtype, self.number

    def is_held_by(self, dtype: np.dtype[Any]) -> bool:
        """Whether all its values are among those of a dtype."""
        own = self.type.dtype
        if self.type.rank:
            return False
        if self.constant is not None:
            return _is_held(self.constant, dtype)
        if own == dtype or own.kind == "b":
            return True
        if own.kind in "iu" and dtype.kind in "fc":
            return bool(own.itemsize * 8 <= np.finfo(dtype).nmant)
        return bool(np.can_cast(own, dtype))

    def __str__(self) -> str:
        return f"a Python {self.number.__name__}" if self.number else str(self.type)


def _is_held(number: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a dtype has a number."""
    plain = number.item() if isinstance(number, np.generic) else number
    try:
        return bool(dtype.type(plain).item() == plain)
    except (OverflowError, TypeError, ValueError):
        return False


MOST_TYPES = 8
"""Of how many types a value may be; one of more has the dtype that they promote to."""


class ToldApart(TracedArray):
    """A number or array of the dtype that several types promote to, and of one of them where it leaves the function."""

    __slots__ = ("_choice", "_options", "types")

    def __init__(
        self,
        storage: Storage,
        choice: TracedArray,
        types: tuple[TypeOfValue, ...],
        options: Sequence[Callable[[], Any]],
    ) -> None:
        super().__init__(storage)
        self._choice = choice
        """An int64[]: which of the types it has."""
        self.types = types
        """What it may be."""
        self._options = options
        """What makes the value, where it is of either type."""

    @property
    def is_written(self) -> bool:
        """Whether it was written in place since, as an array of the common dtype."""
        return self._storage.version > 0

    def option(self, number: int) -> Any:
        """The value where it is of one of the types."""
        return self._options[number]()

    def by_type(self) -> SeveralTypes:
        """The value as one that is computed with by type."""
        made = SeveralTypes(self._storage, self._choice, self.types, self._options)
        made._python_type = self._python_type
        return made


class SeveralTypes(ToldApart):
    """A number or array that is of one of several types, and is computed with by type."""

    __slots__ = ()

    def by_type(self) -> SeveralTypes:
        return self

    def option_like(self, number: int, value: Any) -> Any:
        """A value with each part replaced that was chosen together with this one."""
        if isinstance(value, SeveralTypes) and value._choice is self._choice:
            return value.option(number)
        if type(value) in (list, tuple) and len(value) <= _MOST_PARTS:
            return type(value)(self.option_like(number, part) for part in value)
        if type(value) is slice:
            bounds = (value.start, value.stop, value.step)
            return slice(*(self.option_like(number, bound) for bound in bounds))
        return value

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return by_type(getattr(ufunc, method), *inputs, **kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return by_type(function, *args, **kwargs)


_MOST_PARTS = 64
"""In how long lists and tuples values of several types are looked for."""

_MOST_DEEP = 8
"""In how many lists, one in another, they are looked for: a list may hold itself."""

_MOST_CHOICES = 3
"""Of so many values in a list each combination of types is a path of its own."""

_staging: list[Callable[[SeveralTypes, Callable[[int], Any]], Any]] = []


def install_staging(stage: Callable[[SeveralTypes, Callable[[int], Any]], Any]) -> None:
    """Say how something is done by type: `stage(value, do)` calls `do(number)` on a path of its own for each type."""
    _staging[:] = [stage]


def first_of_several(values: Any, depth: int = _MOST_DEEP) -> SeveralTypes | None:
    """The first value of several types among some, also in lists, tuples and slices."""
    for value in values:
        if isinstance(value, SeveralTypes):
            if not value.is_written:
                return value
        elif type(value) in (list, tuple):
            is_looked_at = depth > 0 and len(value) <= _MOST_PARTS
            if is_looked_at and (found := first_of_several(value, depth - 1)) is not None:
                return found
        elif type(value) is slice:
            found = first_of_several((value.start, value.stop, value.step))
            if found is not None:
                return found
    return None


def by_type(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, on a path of its own for each type that one of the arguments may have."""
    found = first_of_several((*args, *kwargs.values()))
    if found is None or first_of_several((kwargs.get("out"),)) is not None:
        return function(*map(as_promoted, args), **{key: as_promoted(v) for key, v in kwargs.items()})
    if (promoted := _promoted_result(found, function, args, kwargs)) is not NotImplemented:
        return promoted
    lists = [
        value for value in (*args, *kwargs.values()) if type(value) is list
    ]  # tuples may be indices of axes
    if any(map(has_many_choices, lists)):
        together = [_together(value) for value in args]
        return by_type(function, *together, **{key: _together(value) for key, value in kwargs.items()})

    def do(number: int) -> Any:
        given = [found.option_like(number, value) for value in args]
        named = {key: found.option_like(number, value) for key, value in kwargs.items()}
        if first_of_several((*given, *named.values())) is not None:
            return by_type(function, *given, **named)
        return function(*given, **named)

    return _staging[0](found, do)


def has_many_choices(values: Any) -> bool:
    """Whether a list or tuple holds more values of several types than a path is recorded for each of their choices;
    all in it are alike in shape."""
    choices = set(_choices(values))
    return len(choices) > _MOST_CHOICES and len(set(map(_shape, values))) == 1


def _choices(values: Any) -> Iterator[int]:
    """What decides the types of those in a list or tuple."""
    if type(values) in (list, tuple) and len(values) <= _MOST_PARTS:
        for value in values:
            if isinstance(value, SeveralTypes):
                yield id(value._choice)
            else:
                yield from _choices(value)


def _shape(value: Any) -> Any:
    """The shape of what is an array with its items; None where these are not alike."""
    if type(value) not in (list, tuple):
        return np.shape(value)
    inner = set(map(_shape, value))
    return (len(value), *shape) if len(inner) == 1 and (shape := inner.pop()) is not None else None


def _together(value: Any) -> Any:
    return _collected(value) if type(value) is list and has_many_choices(value) else value


def _collected(values: Sequence[Any]) -> Any:
    """The items of a list as an array, which has few types: those that NumPy promotes some of the items' types to."""
    first, *others = (_collected(value) if type(value) in (list, tuple) else value for value in values)
    array = by_type(_in_a_row, first)
    for value in others:
        array = by_type(_with_another, array, value)
    return array


def _in_a_row(value: Any) -> Any:
    return np.reshape(value, (1, *np.shape(value)))


def _with_another(array: Any, value: Any) -> Any:
    return np.concatenate((array, _in_a_row(value)))


def as_promoted(value: Any) -> Any:
    """A value of several types as one of the dtype that they promote to, also in lists and tuples."""
    if type(value) in (list, tuple) and any(isinstance(part, SeveralTypes) for part in value[:_MOST_PARTS]):
        return type(value)(map(as_promoted, value))
    if not isinstance(value, SeveralTypes):
        return value
    plain = TracedArray(value._storage)
    plain._python_type = value._python_type
    return plain


_SAME_WHEN_PROMOTED = {*COMPARISONS, "add", "sub", "mul", "truediv"}
"""The operators that give the same of numbers before and after they are promoted, if the result is of one dtype."""


def _promoted_result(
    value: SeveralTypes, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result on the promoted value, where that is the same for all types; NotImplemented where it may not be."""
    name = _NAMES.get(function)
    if name not in _SAME_WHEN_PROMOTED or kwargs or len(args) != 2 or value.ndim:
        return NotImplemented
    if not all(type_.is_held_by(value.dtype) for type_ in value.types):
        return NotImplemented
    other = args[1] if args[0] is value else args[0]
    if isinstance(other, SeveralTypes) or not isinstance(other, (TracedArray, np.ndarray, np.generic)):
        return NotImplemented
    if other._python_type is not None if isinstance(other, TracedArray) else False:
        return NotImplemented
    promoted = _result(value.dtype, value._python_type, other)
    if any(_result(type_.type.dtype, type_.number, other) != promoted for type_ in value.types):
        return NotImplemented
    return function(*map(as_promoted, args))


def _result(dtype: np.dtype[Any], number: Any, other: Any) -> np.dtype[Any]:
    """The dtype that arithmetic with another array or scalar gives."""
    return np.result_type(dtype if not isinstance(number, type) else number(), other.dtype)


_BY_NAME: dict[str, Callable[..., Any]] = {
    "and": operator.and_,
    "or": operator.or_,
    "divmod": divmod,
    **{
        name: getattr(operator, name)
        for name in (*OPERATORS, *COMPARISONS, *UNARY)
        if name not in ("and", "or", "divmod")
    },
}
_NAMES = {function: name for name, function in _BY_NAME.items()}


def _operator(name: str, reflected: bool = False) -> Callable[..., Any]:
    operate = _BY_NAME[name]

    def method(self: SeveralTypes, *others: Any) -> Any:
        return by_type(operate, *others, self) if reflected else by_type(operate, self, *others)

    method.__name__ = f"__{'r' * reflected}{name}__"
    return method


def _in_place(name: str) -> Callable[..., Any]:
    plain = getattr(TracedArray, f"__i{name}__")

    def method(self: SeveralTypes, other: Any) -> Any:
        if self.ndim or all(type_.is_array for type_ in self.types):
            return plain(self, as_promoted(other))
        return by_type(_BY_NAME[name], self, other)

    method.__name__ = f"__i{name}__"
    return method


def _install() -> None:
    for name in (*OPERATORS, *COMPARISONS, *UNARY):
        setattr(SeveralTypes, f"__{name}__", _operator(name))
    for name in OPERATORS:
        setattr(SeveralTypes, f"__r{name}__", _operator(name, reflected=True))
        if name != "divmod":
            setattr(SeveralTypes, f"__i{name}__", _in_place(name))
    SeveralTypes.__hash__ = TracedArray.__hash__  # type: ignore[method-assign]


_install()
