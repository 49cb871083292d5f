"""What a call of a function gives that compiled code does not know, found by calls on examples of its operands.

Structure, types and ranks must be the same for all examples, and so must dtypes, but for real and complex numbers,
which are complex numbers together. An extent that differs is one that is known when the program runs.
"""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...dialect.dtypes import as_dtype, kind
from ...dialect.errors import UnsupportedError, WeftError, WeftTypeError
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType
from ..signature.named_tuples import record_of
from ..signature.signature import Structure, TensorSpec, unflatten
from ..tracing.array import TracedArray

NUMBERS = (bool, int, float, complex)

_EXTENTS = (7, 11)
"""Stand for extents that are known at run time only: all of them are one of these, then each is another one."""


class Part(NamedTuple):
    """An array or number in what a call gives."""

    kind: type
    """`np.ndarray`, `np.generic` for a scalar of NumPy, or a number of Python's."""
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]
    shown: frozenset[int] = frozenset()
    """The operands whose memory it shares."""

    @property
    def spec(self) -> TensorSpec:
        """What a call of Python declares."""
        return TensorSpec(self.shape, self.dtype)

    def made(self, value: Any) -> Any:
        """What a call returned, in the dtype that is declared, where that holds all numbers."""
        array = np.asarray(value)
        return array.astype(self.dtype) if np.can_cast(array.dtype, self.dtype, "safe") else array


class Group(NamedTuple):
    """A tuple, list or dict of parts, or a named tuple with further attributes."""

    kind: type
    parts: tuple[Any, ...]
    keys: tuple[str, ...] = ()
    """Those of a dict; of a named tuple the names of the attributes that are the last parts."""
    constants: tuple[tuple[str, Any], ...] = ()
    """Further attributes, with what they always are."""

    @property
    def spec(self) -> Any:
        """What a call of Python declares: nested tuples."""
        return tuple(part.spec for part in self.parts)

    def made(self, value: Any) -> Any:
        """What a call returned, as nested tuples."""
        items, keys, constants = _items_of(value)
        if len(items) != len(self.parts) or (keys, constants) != (self.keys, self.constants):
            raise WeftTypeError(
                f"{len(self.parts)} arrays were expected, but {len(items)} came back, or others"
            )
        return tuple(part.made(item) for part, item in zip(self.parts, items, strict=True))

    def shown(self, parts: list[Any]) -> Any:
        """What a call returned, of its parts."""
        if self.kind is dict:
            return dict(zip(self.keys, parts, strict=True))
        if not hasattr(self.kind, "_fields"):
            return self.kind(parts)
        names = (*self.kind._fields, *self.keys, *(name for name, _ in self.constants))
        return record_of(self.kind, names, (*parts, *(value for _, value in self.constants)))


Found = Part | Group


def found_by_examples(
    function: Callable[..., Any], structure: Structure, leaves: Sequence[Any], refusal: str
) -> Found:
    """What a call gives of arguments that are traced arrays and NumPy arrays in a structure.

    Raises `UnsupportedError`, which begins with a refusal, where it cannot be told, and `TypeError` where a call does
    not take operands of these dtypes.
    """
    results: list[Found | None] = []
    reasons: list[Exception] = []
    for examples in _examples(leaves, _shapes):
        _add_result(function, structure, examples, results, reasons)
    if not results:
        for examples in _examples(leaves, lambda types: _shapes_of_others(types, leaves)):
            _add_result(function, structure, examples, results, reasons)
    if not results:
        if len(set(map(repr, reasons))) == 1 and isinstance(reasons[0], TypeError):
            raise WeftTypeError(str(reasons[0]))
        raise UnsupportedError(f"{refusal}; what it gives could not be found while tracing ({reasons[-1]})")
    merged = results[0]
    for other in results[1:]:
        merged = _merged(merged, other)
    if merged is None:
        raise UnsupportedError(
            f"{refusal}. It cannot be called when the program runs, either, as it gives no arrays and numbers, or "
            "their types depend on values: weft.py_call(function, ..., result=weft.TensorSpec(...)) calls yours"
        )
    return merged


def first_result(function: Callable[[Sequence[Any]], Any], leaves: Sequence[Any], refusal: str) -> Any:
    """What a call gives of the first examples of its operands that it takes."""
    reason: Exception | None = None
    for shapes in (_shapes, lambda types: _shapes_of_others(types, leaves)):
        for examples in _examples(leaves, shapes):
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    return function(examples)
            except WeftError:
                raise
            except Exception as error:
                reason = reason or error
    raise UnsupportedError(f"{refusal}; what it gives could not be found while tracing ({reason})")


def _add_result(
    function: Callable[..., Any],
    structure: Structure,
    examples: Sequence[Any],
    results: list[Found | None],
    reasons: list[Exception],
) -> None:
    """Note what a call gives, or why it gives nothing."""
    given, named = unflatten(structure, examples.__getitem__)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results.append(_described(function(*given, **named), examples))
    except WeftError:
        raise
    except Exception as error:
        reasons.append(error)


def _described(result: Any, operands: Sequence[Any]) -> Found | None:
    """Structure, types, dtypes and shapes; None where there is something else than arrays and numbers in it."""
    if isinstance(result, (tuple, list, dict)):
        if not _is_made_of_items(result):
            return None
        items, keys, constants = _items_of(result)
        parts = [_described(part, operands) for part in items]
        return None if None in parts else Group(type(result), tuple(parts), keys, constants)
    if not isinstance(result, (np.ndarray, np.generic, *NUMBERS)):
        return None
    array = np.asarray(result)
    if array.dtype.kind not in "biufc" or type(result) not in (np.ndarray, *NUMBERS, array.dtype.type):
        return None
    shape = tuple(array.shape)
    if not isinstance(result, np.ndarray):
        return Part(type(result) if type(result) in NUMBERS else np.generic, as_dtype(array.dtype), shape)
    shown = (
        place
        for place, operand in enumerate(operands)
        if isinstance(operand, np.ndarray) and np.may_share_memory(result, operand)
    )
    return Part(np.ndarray, as_dtype(array.dtype), shape, frozenset(shown))


def _is_made_of_items(result: Any) -> bool:
    """Whether a container is a tuple or list, a dict by names, or a named tuple."""
    kind = type(result)
    if kind is dict:
        return all(type(key) is str for key in result)
    return kind in (tuple, list) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def _items_of(result: Any) -> tuple[list[Any], tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """What is in a container, the names of what has some, and attributes that are no numbers."""
    if isinstance(result, dict):
        return list(result.values()), tuple(result), ()
    more: dict[str, Any] = getattr(result, "__dict__", {})
    constants = {
        name: value for name, value in more.items() if value is None or isinstance(value, _CONSTANTS)
    }
    keys = tuple(name for name in more if name not in constants)
    return [*result, *(more[name] for name in keys)], keys, tuple(constants.items())


_CONSTANTS = (str, np.dtype, types.ModuleType)
"""What an attribute of a result may be besides numbers."""


def _merged(one: Found | None, other: Found | None) -> Found | None:
    """What both of two descriptions are examples of; None where there is nothing."""
    if isinstance(one, Group) and isinstance(other, Group):
        if one[2:] != other[2:] or one.kind is not other.kind or len(one.parts) != len(other.parts):
            return None
        parts = tuple(_merged(*pair) for pair in zip(one.parts, other.parts, strict=True))
        return None if None in parts else Group(one.kind, parts, *one[2:])
    if not isinstance(one, Part) or not isinstance(other, Part) or one.kind is not other.kind:
        return None
    kinds = {kind(one.dtype), kind(other.dtype)}
    if len(one.shape) != len(other.shape) or (one.dtype != other.dtype and kinds != {"f", "c"}):
        return None
    shape = tuple(
        extent if extent == another else None for extent, another in zip(one.shape, other.shape, strict=True)
    )
    return Part(one.kind, np.result_type(one.dtype, other.dtype), shape, one.shown | other.shown)


def _examples(
    leaves: Sequence[Any], shapes_of: Callable[[Sequence[TensorType]], Iterator[list[list[int]]]]
) -> Iterator[list[Any]]:
    """Operands in the places of traced arrays, read-only, of several extents and values."""
    types = [leaf.type for leaf in leaves if isinstance(leaf, TracedArray)]
    for shapes in shapes_of(types):
        for values in _VALUES:
            left = iter(shapes)
            examples = [
                _example(leaf, next(left), values) if isinstance(leaf, TracedArray) else leaf.copy()
                for leaf in leaves
            ]
            for example in examples:
                if isinstance(example, np.ndarray):
                    example.flags.writeable = False
            yield examples


def _shapes(types: Sequence[TensorType]) -> Iterator[list[list[int]]]:
    """The extents of examples."""
    unknown = sum(found.shape.count(None) for found in types)
    choices = [[extent] * unknown for extent in _EXTENTS] + [list(range(_EXTENTS[0], _EXTENTS[0] + unknown))]
    for choice in choices if unknown > 1 else choices[: 2 if unknown else 1]:
        yield _with_extents(types, choice)


def _shapes_of_others(types: Sequence[TensorType], leaves: Sequence[Any]) -> Iterator[list[list[int]]]:
    """The extents that other operands have: where arrays are to be equally long, and one's length is known."""
    unknown = sum(found.shape.count(None) for found in types)
    shapes = (leaf.shape for leaf in leaves if isinstance(leaf, (TracedArray, np.ndarray)))
    known = {extent: None for shape in shapes for extent in shape if isinstance(extent, int)}
    for extent in known if unknown else ():
        yield _with_extents(types, [extent] * unknown)


def _with_extents(types: Sequence[TensorType], extents: Sequence[int]) -> list[list[int]]:
    numbers = iter(extents)
    return [[next(numbers) if extent is None else extent for extent in found.shape] for found in types]


def _example(leaf: TracedArray, shape: Sequence[int], values: Callable[[int], Any]) -> Any:
    """Values in a shape and the dtype of a traced array, or as the number that it is."""
    numbers = np.asarray(values(int(np.prod(shape, dtype=int))))
    if kind(leaf.dtype) in "iu":
        limits = np.iinfo(leaf.dtype)
        numbers = np.clip(numbers, limits.min, limits.max)
    array = numbers.astype(leaf.dtype).reshape(shape)
    if leaf._python_type is not None:
        return leaf._python_type(array)
    return array if array.ndim or leaf._storage.is_array else array[()]


_VALUES: tuple[Callable[[int], Any], ...] = (
    lambda count: np.arange(count) + 1,
    lambda count: np.arange(count) + 2,
    lambda count: np.arange(count),
    lambda count: (np.arange(count) + 1) % max(count, 1),
    lambda count: np.arange(count) * 7 % 11,
    lambda count: np.ones(count),
    lambda count: np.arange(count) % max(count - 1, 1),
    lambda count: (np.arange(count) + 1) * (1 - 2 * (np.arange(count) % 2)),
    lambda count: -np.arange(count) - 1,
    lambda count: (np.arange(count) - count // 2) * 100,
    lambda count: (np.arange(count) % (math.isqrt(count) + 1) == 0) + 0,
)
"""Elements: ascending, two orders of axes, in no order, equal, from zero to zero, of both signs, negative, ascending in
a wide range, and a square matrix that is symmetric and positive definite."""
