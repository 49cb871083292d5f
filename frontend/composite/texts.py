"""Texts of fixed length in a trace: the codes of their characters, which are compared one by one.

Where an array has shorter texts than its dtype, zeros follow them, so that texts of other dtypes compare as NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from itertools import zip_longest
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..indexing.views import get_item
from ..runtime_values.results import RuntimeChoice
from ..signature.composite_arrays import (
    MOST_CHARACTERS,
    array_of,
    characters_of,
    is_composite_value,
    parts_of,
)
from ..tracing.behaviour import behaviour
from ..tracing.current import current_trace
from ..tracing.staging import cast, raise_if
from .arrays import COMPARISONS, CompositeArray, comparison
from .units import INT64


class TracedTexts(CompositeArray):
    """An array or scalar of texts of fixed length in a trace; `parts` are the codes of the first characters, and on."""

    __slots__ = ()

    @property
    def is_one_text(self) -> bool:
        return self.is_scalar

    @property
    def length(self) -> Any:
        """How many characters a scalar has: zeros at its end are none."""
        lengths = [np.where(np.not_equal(part, 0), place + 1, 0) for place, part in enumerate(self.parts)]
        found: Any = reduce(np.maximum, lengths)
        return found._like_python(int)

    @property
    def code(self) -> Any:
        """What `ord` gives of a scalar; a `TypeError` where it is not one character."""
        length = self.length
        message = "ord() expected a character, but string of length {} found"
        raise_if(np.not_equal(length, 1), "TypeError", message, length)
        return cast(self.parts[0], INT64)._like_python(int)

    def __weft_truth__(self) -> Any:
        if not self.is_scalar:
            self._refuse()
        found: Any = np.not_equal(self.length, 0)
        return found._like_python(bool)

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        """The codes, and what makes NumPy's array or scalar of them."""
        return self.parts, partial(array_of, self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        given = texts_for(value, self.dtype)
        for part, codes in zip(self.parts, given.parts, strict=True):
            part[index] = codes

    def __repr__(self) -> str:
        return f"TracedTexts({self.dtype}, shape {self.shape})"

    def holds(self, text: Any) -> Any:
        """Whether a text, which is a scalar, has another one in it, which is known: `"a" in x[i]`."""
        kind = str if self.dtype.kind == "U" else bytes
        if not isinstance(text, kind):
            raise TypeError(f"'in <string>' requires string as left operand, not {type(text).__name__}")
        if not text:
            return True
        codes = as_texts(text).parts
        starts = range(len(self.parts) - len(codes) + 1)
        found = (
            _all(np.equal(self.parts[start + place], code) for place, code in enumerate(codes))
            for start in starts
        )
        return reduce(np.logical_or, found, False)

    def is_in(self, text: Any) -> Any:
        """Whether a text, which is a scalar, is somewhere in another one, which is known: `x[i] in "ACGT"`."""
        lengths = range(1, len(self.parts) + 1)
        found = {text[start : start + length] for start in range(len(text)) for length in lengths}
        if len(found) > MOST_COMPARED:
            raise UnsupportedError(
                f"whether a text that only the program knows is part of one of {len(text)} characters takes "
                f"{len(found)} comparisons, which is too many: compare with those that are meant"
            )
        return np.any(equal(as_texts(np.array([text[:0], *sorted(found)])), self))

    def _join(self, other: Any) -> Any:
        if not self.is_scalar:
            return behaviour().composite_ufunc(np.add, "__call__", (self, other), {})
        raise self._refusal("is an operand of +", 'write f"{x[0]}..." for a text to show')

    def _refusal(self, what: str, instead: str) -> UnsupportedError:
        return UnsupportedError(
            f"a text that only the program knows (dtype {self.dtype}) {what}, which compiled code does not do: "
            f"{instead}"
        )

    def __getitem__(self, index: Any) -> TracedTexts:
        if self.is_scalar and index is not Ellipsis and not (isinstance(index, tuple) and not index):
            raise self._refusal(
                "is asked for its characters", "compare it as a whole (x[i] == 'ab', 'a' in x[i])"
            )
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[TracedTexts]:
        if self.is_scalar:
            raise self._refusal("is walked", "compare it as a whole (x[i] == 'ab', 'a' in x[i])")
        return super().__iter__()

    def __getattr__(self, name: str) -> Any:
        if self.is_scalar and not name.startswith("_") and hasattr(str, name):
            raise self._refusal(
                f"is asked for {name}()", "call np.strings for all of the array (np.strings.upper(x))"
            )
        return super().__getattr__(name)

    def _repeat(self, times: Any) -> Any:
        if not self.is_scalar:
            return NotImplemented
        raise self._refusal("is an operand of *", 'write f"{x[0]}..." for a text to show')

    __mul__ = __rmul__ = _repeat

    def _join_behind(self, other: Any) -> Any:
        return (
            behaviour().composite_ufunc(np.add, "__call__", (other, self), {})
            if self.ndim
            else self._join(other)
        )

    __add__, __radd__ = _join, _join_behind

    def _hash(self) -> int:
        if not self.is_scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        raise self._refusal(
            "becomes a key of a dict or set",
            "count with np.unique(x, return_counts=True), or make the entries before",
        )

    what, instead = "texts", "compare them, count them (np.sum(x == 'a')), or return them"


MOST_COMPARED = 1024
"""How many parts of a text are compared with one that only the program knows."""


def as_texts(value: Any) -> Any:
    """A constant text, or an array or list of such, as comparisons take it; other values themselves."""
    if isinstance(value, RuntimeChoice) and all(isinstance(one, (str, bytes)) for one in value.options):
        return as_texts(np.asarray(value.options)).with_parts(lambda part: get_item(part, value.index))
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, (str, bytes)) for item in value):
        value = np.asarray(value)
    if isinstance(value, (str, bytes)):
        value = np.asarray(value)
    elif not isinstance(value, np.ndarray) or value.dtype.kind not in "SU":
        return value
    elif (trace := current_trace()) is not None:
        trace.watch(value)
    return TracedTexts(_native(value.dtype), _codes(value))


def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("=") if dtype.itemsize else np.dtype(f"{dtype.kind}1")


def _codes(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    dtype = _native(array.dtype)
    if characters_of(dtype) > MOST_CHARACTERS:
        raise UnsupportedError(
            f"texts of {characters_of(dtype)} characters are not supported in compiled code, whose longest have "
            f"{MOST_CHARACTERS}"
        )
    native = np.ascontiguousarray(array.astype(dtype)).reshape((*array.shape, 1))
    codes = native.view(parts_of(dtype)[0].dtype)
    return tuple(codes[..., place][()] for place in range(characters_of(dtype)))


def texts_for(value: Any, dtype: np.dtype[Any]) -> TracedTexts:
    """What stands for a value where texts of a dtype are wanted: longer ones are cut, as NumPy does."""
    given = as_texts(value)
    if not isinstance(given, TracedTexts) or given.dtype.kind != dtype.kind:
        what = getattr(given, "dtype", type(value).__name__)
        raise UnsupportedError(
            f"texts of dtype {dtype} are made of {what}, which compiled code does not do: give texts of the same kind"
        )
    return resized(given, characters_of(dtype))


def resized(texts: TracedTexts, count: int) -> TracedTexts:
    """Texts of another number of characters."""
    parts = list(texts.parts[:count])
    while len(parts) < count:
        parts.append(np.zeros_like(parts[0]))
    return TracedTexts(np.dtype((texts.dtype.type, count)), tuple(parts))


def is_texts(value: Any) -> bool:
    """Whether a value is texts in a trace, or an array of constant ones."""
    if isinstance(value, TracedTexts):
        return True
    return is_composite_value(value) and value.dtype.kind in "SU"


def equal(one: TracedTexts, other: TracedTexts) -> Any:
    """Where all characters are the same."""
    pairs = zip_longest(one.parts, other.parts, fillvalue=np.uint8(0))
    return _all(np.equal(a, b) for a, b in pairs)


def _all(conditions: Iterable[Any]) -> Any:
    return reduce(np.logical_and, conditions)


def less(one: TracedTexts, other: TracedTexts, or_equal: bool = False) -> Any:
    """Where a text comes first: where the first of its characters that differs does."""
    pairs = list(zip_longest(one.parts, other.parts, fillvalue=np.uint8(0)))
    a, b = pairs.pop()
    found = np.less_equal(a, b) if or_equal else np.less(a, b)
    for a, b in reversed(pairs):
        found = np.logical_or(np.less(a, b), np.logical_and(np.equal(a, b), found))
    return found


def _define(name: str, method: Callable[..., Any]) -> None:
    method.__name__ = f"__{name}__"
    setattr(TracedTexts, method.__name__, method)


for _name, _given in COMPARISONS.items():
    _define(_name, comparison(*_given))
_define("hash", TracedTexts._hash)
