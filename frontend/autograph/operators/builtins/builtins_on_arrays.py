"""Python's builtins where their arguments may be arrays of compiled code."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.ops.complex_parts import Complex
from ....numpy_api.long_ints import require_64_bits
from ....runtime_values.example_values import example_of
from ....runtime_values.kept_exceptions import UnknownException
from ....runtime_values.objects import class_of
from ....runtime_values.python_calls import call_python
from ....runtime_values.values import RuntimeValue
from ....signature.traced_value import CompositeValue, StandIn
from ....tracing.array import TracedArray
from ....tracing.current import required_trace
from ....tracing.element_stores import cast_elements, signed_number, whole_number
from ....tracing.number_types import number_type
from ....tracing.staging import apply, asarray, is_traced, raise_where
from ...library import InPlaceOf
from ..branches.conditions import is_staged, truth_of
from ..exceptions.caught_exceptions import is_caught
from ..interface import operators
from ..statements.expressions import as_bool, if_exp
from ..statements.for_loops import for_
from ..statements.generators import Listed, Picked, Walk, enumerated, zipped
from ..statements.generators import Mapped as MappedWalk
from ..values.iterables import (
    Enumerated,
    Made,
    Mapped,
    Reversed,
    Sequence,
    Zipped,
    indices_of,
    is_text,
)
from ..values.known_arrays import compute
from ..values.looked_up import note_subclass
from ..values.narrowing import is_among, note_facts
from ..values.optional import Chosen, Optional
from ..values.sequence_iterators import (
    SequenceIterator,
    iter_,
    iterator_over,
    left_of,
    left_of_each,
    python_sequence,
)
from ..values.special_methods import tested, users_length


def len_(value: Any) -> Any:
    """`len`."""
    if isinstance(value, (TracedArray, CompositeValue)) and value.shape:
        return value.shape[0]
    is_one_text = isinstance(value, CompositeValue) and value.is_one_text
    if is_one_text or isinstance(value, (Sequence, StandIn)) or is_text(value):
        return value.length
    length = users_length(value)
    return len(value) if length is None else length


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate`."""
    iterable = left_of(iterable, "enumerate")
    if isinstance(iterable, Walk):
        return enumerated(iterable, start)
    sequence = python_sequence(iterable)
    if sequence is None:
        return builtins.enumerate(iterable, start)
    return iterator_over(Enumerated(sequence, start), builtins.enumerate)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    """`zip`; staged when all arguments can be."""
    iterables = left_of_each(iterables, "zip")
    sequences = [python_sequence(iterable) for iterable in iterables]
    found = tuple(sequence for sequence in sequences if sequence is not None)
    if not strict and (walked := zipped(list(iterables), sequences)) is not None:
        return walked
    if any(isinstance(iterable, (Listed, Picked)) for iterable in iterables):
        return zip_(*_in_turn(iterables, "zip"), strict=strict)
    if not found or len(found) != len(sequences) or all(isinstance(i, range) for i in iterables):
        return builtins.zip(*iterables, strict=strict)
    together = Zipped(found, strict)
    if strict:
        _require_same_length(together)
    return iterator_over(together, builtins.zip)


def _in_turn(iterables: tuple[Any, ...], taker: str) -> tuple[Any, ...]:
    return tuple(each.in_turn(taker) if isinstance(each, (Listed, Picked)) else each for each in iterables)


def _require_same_length(zipped: Zipped) -> None:
    lengths = [sequence.length for sequence in zipped.inner]
    for number, length in enumerate(lengths[1:], 2):
        message = f"zip() argument {number} is of another length than argument 1"
        raise_where(length != lengths[0], ValueError, message)


def reversed_(iterable: Any) -> Any:
    """`reversed`."""
    if isinstance(iterable, range):
        return iter_(iterable[::-1])
    sequence = python_sequence(iterable)
    return (
        builtins.reversed(iterable)
        if sequence is None
        else iterator_over(Reversed(sequence), builtins.reversed)
    )


def map_(function: Callable[..., Any], *iterables: Any) -> Any:
    """`map`."""
    iterables = left_of_each(iterables, "map")
    sequences = [python_sequence(iterable) for iterable in iterables]
    found = tuple(sequence for sequence in sequences if sequence is not None)
    applied = functools.partial(operators().call, function)
    if len(iterables) == 1 and isinstance(iterables[0], Walk):
        return MappedWalk(iterables[0], lambda _, item: applied(item))
    if any(isinstance(iterable, (Listed, Picked)) for iterable in iterables):
        return map_(function, *_in_turn(iterables, "map"))
    if not found or len(found) != len(sequences):
        return builtins.map(applied, *iterables)
    return iterator_over(Mapped(applied, Zipped(found)), builtins.map)


def bool_(value: Any = False) -> Any:
    """`bool`."""
    value = tested(value)
    return as_bool(truth_of(value).copy()) if is_staged(value) else builtins.bool(value)


def int_(value: Any, *base: Any) -> Any:
    """`int` of an array: rounds towards zero; NaN and infinity are refused when the program runs."""
    if is_text(value):
        return value.ask(builtins.int, builtins.int, *base)
    number = _only(value)
    if number.dtype.kind == "c":
        raise TypeError(
            "int() argument must be a string, a bytes-like object or a real number, not 'complex'"
        )
    if number.dtype.kind == "f":
        whole = whole_number(number, "a float is too large for an int, which has 64 bits in compiled code")
    else:
        whole = signed_number(number)
    return fresh(whole, number)._like_python(int)


def ord_(character: Any) -> Any:
    """`ord` of a text that only the program knows."""
    return character.ask(builtins.int, builtins.ord) if is_text(character) else character.code


def float_(value: Any) -> Any:
    """`float` of an array."""
    if is_text(value):
        return value.ask(builtins.float, builtins.float)
    number = _only(value)
    if number.dtype.kind == "c":
        raise TypeError("float() argument must be a string or a real number, not 'complex'")
    return fresh(number.astype(np.float64), number)._like_python(float)


def integer(value: TracedArray) -> Any:
    """A number as what has an `__index__`, which `hex` and `pow` ask for."""
    if value.ndim or (value.dtype.kind not in "iu" and number_type(value) is not bool):
        kind = number_type(value)
        name = (
            kind.__name__
            if kind is not None
            else "numpy.ndarray"
            if value.ndim
            else f"numpy.{value.dtype.name}"
        )
        raise TypeError(f"'{name}' object cannot be interpreted as an integer")
    return int_(value)


def checked(function: Callable[..., Any], symbol: str, *operands: Any) -> Any:
    """What a builtin makes of numbers or arrays, that fails where an operator does."""
    require_64_bits(symbol, *operands)
    return compute(required_trace(), function, operands, {})


def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    """`pow`; with a modulus it is Python that computes, in integers of any size."""
    if mod is None or not any(
        map(is_traced, (base, exp, mod))
    ):  # NumPy's arrays have no power with a modulus
        return operators().binary("**", base, exp) if mod is None else pow(base, exp, mod)
    numbers = [integer(value) if is_traced(value) else value for value in (base, exp, mod)]
    trace = next(number for number in numbers if is_traced(number))._storage.trace
    return call_python(trace, builtins.pow, numbers, int)


def complex_(real: Any = 0, imag: Any = None) -> Any:
    """`complex` of numbers of which one is an array."""
    of_real = _parts(real)
    of_imaginary = (of_real[1], None) if imag is None else _parts(imag)
    if imag is None:
        of_real = of_real[0], None
    # Signs of zeros survive, and infinities, where a part is not computed with.
    parts = [
        one if other is None else (0.0 if one is None else one) + other * sign
        for one, other, sign in (
            (of_real[0], of_imaginary[1], -1.0),
            (of_imaginary[0], of_real[1], 1.0),
        )
    ]
    whole: TracedArray = apply(Complex, *(p if is_traced(p) else np.float64(p or 0.0) for p in parts))
    return whole._like_python(complex)


def _parts(number: Any) -> tuple[Any, Any]:
    """A number as two floats; None for the imaginary part of a real one."""
    if not is_traced(number):
        whole = builtins.complex(number)
        return whole.real, whole.imag if isinstance(number, builtins.complex) else None
    if number.dtype.kind != "c":
        return float_(number), None
    element = _only(number).astype(np.complex128)
    return element.real._like_python(float), element.imag._like_python(float)


def scalar(kind: type[np.generic], value: TracedArray) -> TracedArray:
    """What a scalar type of NumPy makes of an array: one of that dtype, and a scalar of rank 0."""
    return fresh(asarray(cast_elements(value, np.dtype(kind))), value)._as_array(is_array=value.ndim > 0)


def _only(array: TracedArray) -> TracedArray:
    """The element of an array of one element."""
    if array.ndim == 0:
        return array
    if any(extent is not None and extent != 1 for extent in array.type.shape):
        raise TypeError("only length-1 arrays can be converted to Python scalars")
    element: TracedArray = array[(0,) * array.ndim]
    return element


def fresh(converted: TracedArray, original: TracedArray) -> TracedArray:
    """A conversion that may be marked as a Python number: never the original array itself."""
    return converted.copy() if converted is original else converted


def isinstance_(value: Any, kinds: Any) -> Any:
    """`isinstance`: traced arrays are what NumPy or Python would have in their place."""
    if isinstance(value, Optional):
        return _of_either(value, lambda one: isinstance_(one, kinds))
    if isinstance(value, UnknownException):
        return is_caught(value, kinds)
    if (kind := _class_in_python(value)) is not None:
        return builtins.issubclass(kind, kinds) or builtins.isinstance(value, kinds)
    if isinstance(value, (TracedArray, CompositeValue)):
        return builtins.isinstance(_example(value), kinds) or builtins.isinstance(value, kinds)
    if isinstance(value, Chosen):
        answers = [operators().call(isinstance_, option, kinds) for option in value.options]
        numbers = [n for n, answer in enumerate(answers) if answer is not False]
        others = [n for n, answer in enumerate(answers) if answer is not True]
        truth = Chosen(value.index, tuple(range(len(answers)))).is_one_for(answers.__getitem__)
        note_facts(required_trace(), truth, is_among(value, numbers), is_among(value, others))
        return truth
    answer = builtins.isinstance(value, kinds)
    note_subclass(type(value), kinds, answer)
    return answer


def _class_in_python(value: Any) -> type | None:
    """The class of what Python has in the place of a value that is no array; None where tracing does not know."""
    is_stand_in = isinstance(value, (RuntimeValue, InPlaceOf, SequenceIterator))
    return value.python_type if is_stand_in else None


def _example(value: Any) -> Any:
    """An array, scalar or number of the class and dtype that one of the program has."""
    return value.example() if isinstance(value, CompositeValue) else example_of(value)


def _of_either(value: Optional, look: Callable[[Any], Any]) -> Any:
    """What is told of a value that may be None: by the program, unless it is the same of None and of the value."""
    of_none, of_value = look(None), look(value.value)
    if not is_traced(of_value) and of_none is of_value:
        return of_none
    return if_exp(value == None, lambda: of_none, lambda: of_value)  # noqa: E711  (which is traced)


def callable_(value: Any) -> Any:
    """`callable`."""
    if isinstance(value, Chosen):
        return value.is_one_for(builtins.callable)
    return _of_either(value, callable_) if isinstance(value, Optional) else builtins.callable(value)


def type_(value: Any) -> Any:
    """`type` of an exception that was caught at run time, or of what stands for an array, a number, a list, ..."""
    if isinstance(value, Optional):
        return _of_either(value, lambda one: type(one) if one is None else type_(one))
    if (kind := _class_in_python(value)) is not None:
        return kind
    if isinstance(value, (TracedArray, CompositeValue)):
        return type(_example(value))
    if isinstance(value, Chosen):
        if value.held:
            return value.each(functools.partial(operators().call, type))
        return Chosen(value.index, tuple(map(type, value.options)))
    return class_of(value) if isinstance(value, UnknownException) else value.__class__


def sum_(iterable: Any, /, start: Any = 0) -> Any:
    """`sum`: adds up in order, as Python does, which tells who begins with a text to join them."""
    for text in (str, bytes, bytearray):
        if isinstance(kind := type_(start), type) and issubclass(kind, text):
            return builtins.sum((), text())
    return fold(functools.partial(operators().binary, "+"), iterable, start)


def fold(combine: Callable[[Any, Any], Any], iterable: Any, start: Any) -> Any:
    total = start

    def body(item: Any) -> None:
        nonlocal total
        total = combine(total, item)

    for_(left_of(iterable), body)
    return total


def ndindex(*shape: Any) -> Any:
    """`np.ndindex`."""
    extents = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return iterator_over(indices_of(tuple(extents)), np.ndindex)


def ndenumerate(array: Any) -> Any:
    """`np.ndenumerate`."""
    found: Any = asarray(array)
    indices = indices_of(found.shape)

    def element(position: Any) -> Any:
        index = indices.item(position)
        return index, found[index]

    return iterator_over(Made(indices.length, element), np.ndenumerate)


def next_(iterator: Any, *default: Any) -> Any:
    """`next`."""
    if isinstance(iterator, Chosen) and any(hasattr(type(one), "__next__") for one in iterator.options):
        raise UnsupportedError(
            "the program decides which of several iterators this is, and next() moves one of them: make one iterator "
            "of what it decides (items = a if c else b; it = iter(items)), or keep the place as a number and read "
            "items[place % len(items)]"
        )
    taking = getattr(type(iterator), "__weft_next__", None)
    return builtins.next(iterator, *default) if taking is None else taking(iterator, *default)
