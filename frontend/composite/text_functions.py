"""NumPy's functions on texts of fixed length, in terms of the codes of their characters.

What moves elements moves the codes of each place of a character. What orders texts orders one number that holds all
codes, where 64 bits are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..signature.composite_arrays import characters_of
from ..signature.signature import flatten_with, unflatten
from ..tracing.behaviour import behaviour
from ..tracing.staging import cast
from .arrays import ELEMENTS, MOVING, filled_like, full_like_of, names, numpy
from .texts import TracedTexts, as_texts, equal, is_texts, less, resized, texts_for

UINT64 = np.dtype(np.uint64)

_BITS = {"S": 8, "U": 21}
"""How many bits the code of a character takes at most."""


# Comparisons

_COMPARED: dict[np.ufunc, Callable[[TracedTexts, TracedTexts], Any]] = {
    np.equal: equal,
    np.not_equal: lambda a, b: np.logical_not(equal(a, b)),
    np.less: less,
    np.less_equal: partial(less, or_equal=True),
    np.greater: lambda a, b: less(b, a),
    np.greater_equal: lambda a, b: less(b, a, or_equal=True),
}


def call_ufunc(ufunc: np.ufunc, inputs: tuple[Any, ...], out: Any = None) -> Any:
    """What a ufunc gives of texts; NumPy's `TypeError` where it has no loop for the dtypes."""
    given = [as_texts(value) for value in inputs]
    compare = _COMPARED.get(ufunc)
    if compare is None:
        raise UnsupportedError(f"np.{ufunc.__name__} of texts is not compiled")
    dtypes = (value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype for value in given)
    ufunc.resolve_dtypes((*dtypes, None))
    found = compare(*given)
    if all(isinstance(value, (str, bytes)) or getattr(value, "is_scalar", False) for value in inputs):
        found = found._like_python(bool)  # as Python's texts, which these scalars of NumPy's are
    (target,) = out if isinstance(out, tuple) else (out,)
    if target is None:
        return found
    target[...] = found
    return target


# Moving


def call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy gives of texts; `UnsupportedError` for functions and arguments that are not compiled."""
    name = function.__name__
    own = _FUNCTIONS.get(name)
    if own is not None:
        return own(*args, **kwargs)
    if name in MOVING:
        return _moved(function, args, kwargs)
    if name in ("ndim", "shape", "size"):
        return function(args[0].parts[0], *args[1:], **kwargs)
    raise UnsupportedError(f"np.{name} of texts is not compiled")


def _moved(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function that moves elements gives, of the codes of each place of a character."""
    name = function.__name__
    if "out" in kwargs or kwargs.get("dtype") is not None:
        raise UnsupportedError(f"np.{name} of texts is not compiled with out= or dtype=")
    places = ELEMENTS.get(name, (0,))
    given = tuple(_elements(value) if place in places else value for place, value in enumerate(args))
    leaves: list[Any] = []
    structure = flatten_with((given, kwargs), leaves, is_texts)
    texts = [as_texts(leaf) for leaf in leaves]
    _require_texts(name, [given[place] for place in places if place < len(given)])
    if len({one.dtype.kind for one in texts}) > 1:
        raise UnsupportedError(f"np.{name} of texts and of bytes is not compiled")
    dtype = _common(name, texts)
    count = characters_of(dtype)
    texts = [resized(one, count) for one in texts]
    made = []
    for place in range(count):
        here, named = unflatten(structure, [one.parts[place] for one in texts].__getitem__)
        made.append(function(*here, **named))
    return _joined(made, dtype)


def _common(name: str, texts: list[TracedTexts]) -> np.dtype[Any]:
    """The dtype of what is made of some texts. A scalar has as many characters as it happens to have."""
    arrays = [characters_of(one.dtype) for one in texts if not one.is_scalar]
    scalars = [characters_of(one.dtype) for one in texts if one.is_scalar]
    count = max(arrays, default=1)
    if max(scalars, default=0) > count:
        raise UnsupportedError(
            f"np.{name} makes texts as long as the longest of values that only the program knows, which compiled code "
            "does not: give an array of the dtype that is meant (np.zeros(n, 'U8')), and write to it"
        )
    return np.dtype((texts[0].dtype.type, count))


def _elements(value: Any) -> Any:
    """An argument whose texts are elements, or which holds such."""
    if isinstance(value, (list, tuple)) and not all(isinstance(item, (str, bytes)) for item in value):
        return type(value)(map(_elements, value))
    return as_texts(value)


def _require_texts(name: str, values: Any) -> None:
    for value in values:
        if isinstance(value, (list, tuple)):
            _require_texts(name, value)
        elif not isinstance(value, TracedTexts):
            raise UnsupportedError(f"np.{name} of texts and of other values is not compiled")


def _joined(made: list[Any], dtype: np.dtype[Any]) -> Any:
    """Texts of the codes of their places, each of which may be a list of arrays."""
    first = made[0]
    if isinstance(first, (list, tuple)):
        return type(first)(_joined(list(one), dtype) for one in zip(*made, strict=True))
    return TracedTexts(dtype, tuple(made))


# In order


def _key(texts: TracedTexts) -> Any:
    """A number for each text, in the order of the texts."""
    if len(texts.parts) == 1:
        return texts.parts[0]
    bits = _BITS[texts.dtype.kind]
    if bits * len(texts.parts) > 64:
        raise UnsupportedError(
            f"texts of {len(texts.parts)} characters are put in order, which is compiled for at most {64 // bits}"
        )
    key: Any = 0
    for part in texts.parts:
        key = key * np.uint64(1 << bits) + cast(part, UINT64)
    return key


def _of_key(key: Any, dtype: np.dtype[Any]) -> TracedTexts:
    """The texts that numbers stand for."""
    count, bits = characters_of(dtype), _BITS[dtype.kind]
    if count == 1:
        return TracedTexts(dtype, (key,))
    code = np.dtype("u4" if dtype.kind == "U" else "u1")
    shifts = (np.uint64(bits * place) for place in reversed(range(count)))
    mask = np.uint64((1 << bits) - 1)
    return TracedTexts(
        dtype, tuple(cast(np.bitwise_and(np.right_shift(key, shift), mask), code) for shift in shifts)
    )


def _sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    return _of_key(np.sort(_key(a), axis, kind), a.dtype)


def _argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    return np.argsort(_key(a), axis, kind)


def _of_keys(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose result is places or counts, of the numbers that texts are ordered by."""

    def call_with_keys(a: Any, *args: Any, **kwargs: Any) -> Any:
        return function(_key(a), *args, **kwargs)

    return call_with_keys


def _of_two_keys(name: str) -> Callable[..., Any]:
    """A function of two arrays of texts that compares their elements."""

    def call_with_keys(one: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        first, second = as_texts(one), as_texts(other)
        if not is_texts(first) or not is_texts(second) or first.dtype.kind != second.dtype.kind:
            raise UnsupportedError(f"np.{name} of texts and of other values is not compiled")
        count = max(len(first.parts), len(second.parts))
        return getattr(numpy, name)(
            _key(resized(first, count)), _key(resized(second, count)), *args, **kwargs
        )

    return call_with_keys


def _unique(ar: Any, *args: Any, **kwargs: Any) -> Any:
    made = np.unique(_key(ar), *args, **kwargs)
    if not isinstance(made, tuple):
        return _of_key(made, ar.dtype)
    return (_of_key(made[0], ar.dtype), *made[1:])


# Asking and making


def _is_not_empty(texts: TracedTexts) -> Any:
    found, *others = (np.not_equal(part, 0) for part in texts.parts)
    for other in others:
        found = np.logical_or(found, other)
    return found


def _of_truth(name: str) -> Callable[..., Any]:
    """A function that asks which texts are not empty."""

    def call_with_truth(a: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(numpy, name)(_is_not_empty(a), *args, **kwargs)

    return call_with_truth


def _filled(name: str) -> Callable[..., Any]:
    def make(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        wanted = np.dtype(dtype)
        if set(kwargs) - {"order"} or wanted.kind not in "SU":
            raise UnsupportedError(f"np.{name} of texts is not compiled like this")
        return _constant(shape, np.zeros((), wanted)[()] if name != "ones" else "1", wanted)

    return make


def _full(shape: Any, fill_value: Any, dtype: Any = None, **kwargs: Any) -> Any:
    wanted = _common("full", [as_texts(fill_value)]) if dtype is None else np.dtype(dtype)
    if set(kwargs) - {"order"} or wanted.kind not in "SU":
        raise UnsupportedError("np.full of texts is not compiled like this")
    return _constant(shape, fill_value, wanted)


def _constant(shape: Any, text: Any, dtype: np.dtype[Any]) -> TracedTexts:
    full = behaviour().namespace_function("full")
    given = texts_for(text, dtype if characters_of(dtype) else np.dtype((dtype.type, 1)))
    return TracedTexts(given.dtype, tuple(full(shape, code, code.dtype) for code in given.parts))


_full_like = full_like_of("SU", texts_for)


def _array(value: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K") -> Any:
    if isinstance(value, (list, tuple)):
        value = _moved(np.stack, (list(value),), {})
    elif copy:
        value = value.copy()
    return value if dtype is None else astype(value, dtype, copy=False)


def _as_array(value: Any, dtype: Any = None, order: Any = "K", **kwargs: Any) -> Any:
    return _array(value, dtype, copy=False)


def _where(condition: Any, *choices: Any) -> Any:
    if is_texts(condition):
        condition = _is_not_empty(as_texts(condition))
    return _moved(np.where, (condition, *choices), {}) if choices else np.where(condition)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    return _moved(np.select, (list(condlist), [as_texts(choice) for choice in choicelist], default), {})


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, TracedTexts):
        raise UnsupportedError("np.copyto of texts is not compiled like this")
    dst[...] = src if where is True else _where(where, src, dst)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "argmax": _of_keys(np.argmax), "argmin": _of_keys(np.argmin), "argsort": _argsort,
    "array": _array, "asanyarray": _as_array, "asarray": _as_array, "ascontiguousarray": _as_array, "copyto": _copyto,
    "count_nonzero": _of_truth("count_nonzero"), "empty": _filled("empty"), "empty_like": filled_like(_full_like, ""),
    "flatnonzero": _of_truth("flatnonzero"), "full": _full, "full_like": _full_like, "isin": _of_two_keys("isin"),
    "nonzero": _of_truth("nonzero"), "ones": _filled("ones"), "ones_like": filled_like(_full_like, "1"),
    "searchsorted": _of_two_keys("searchsorted"), "select": _select, "sort": _sort, "unique": _unique, "where": _where,
    "zeros": _filled("zeros"), "zeros_like": filled_like(_full_like, ""),
}  # fmt: skip
"""The functions that are more than those of the codes."""


# Methods


OF_FUNCTIONS = names("argmax argmin argsort nonzero searchsorted")
"""The methods that are what the functions of their names are."""


def astype(
    a: TracedTexts,
    dtype: Any,
    order: str = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    """Texts of another length; `UnsupportedError` for numbers, and for bytes of texts and the other way round."""
    wanted = np.dtype(dtype)
    if wanted.kind != a.dtype.kind:
        raise UnsupportedError(f"astype of {a.dtype} to {wanted} is not compiled")
    if wanted == a.dtype or not wanted.itemsize:
        return a.copy() if copy else a
    return resized(a, characters_of(wanted)).__copy__()


def view(a: TracedTexts, dtype: Any = None, type: Any = None) -> Any:
    """A view of the codes of texts of one character."""
    wanted = a.dtype if dtype is None else np.dtype(dtype)
    if wanted == a.dtype and type is None:
        return a[...]
    if len(a.parts) > 1 or type is not None:
        raise UnsupportedError(f"view of {a.dtype} as {wanted} is not compiled")
    return a.parts[0].view(wanted)


def texts_view(codes: Any, dtype: Any) -> Any:
    """A view of codes as texts of one character: `x.view("S1")`."""
    wanted = np.dtype(dtype)
    if characters_of(wanted) != 1:
        raise UnsupportedError(f"view of {codes.dtype} as {wanted} is not compiled")
    return TracedTexts(wanted.newbyteorder("="), (codes.view("u4" if wanted.kind == "U" else "u1"),))


def _sort_in_place(a: TracedTexts, *args: Any, **kwargs: Any) -> None:
    a[...] = _sort(a, *args, **kwargs)


def _fill(a: TracedTexts, value: Any) -> None:
    a[...] = value


METHODS: dict[str, Callable[..., Any]] = {
    "astype": astype,
    "fill": _fill,
    "sort": _sort_in_place,
    "view": view,
}
