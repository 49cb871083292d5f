"""Arrays that are known while tracing: what NumPy computes of them at once becomes an array of the trace.

So the program can write to it, in a staged branch or loop, too, and Python can still look at its elements. Views of
arrays from outside stay views of these, and what is computed of such arrays depends on their elements.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from .....dialect.dtypes import is_element
from .....dialect.errors import UnsupportedError
from .....dialect.ops.shape import BroadcastTo
from ....guards.inputs import CONSTANT_BYTES
from ....guards.packed_inputs import is_constant
from ....indexing import python_sequences
from ....signature.foreign_arrays import is_carrier, read_elements, require_numpy_rules
from ....signature.named_tuples import with_items
from ....signature.traced_value import CompositeValue
from ....source.modules import told
from ....source.plain_items import contents
from ....tracing.array import TracedArray, wrap
from ....tracing.array_members import BINARY
from ....tracing.known_elements import is_followed, note_written, whole_with
from ....tracing.needed_numbers import need_numbers_behind
from ....tracing.recorder import Recorder
from ....tracing.staging import constant
from ....tracing.view_steps import ViewStep
from .hidden_state import require_writable

KNOWN_ELEMENTS = 1024
"""Arrays made of constants with at most so many elements can be looked at while tracing."""

_MAX_DEPTH = 3
"""So deep arguments are searched for arrays."""

Function = Callable[..., Any]

_IN_PLACE = tuple(f"__i{name}__" for name in BINARY)


def known_elements(trace: Recorder, array: TracedArray) -> np.ndarray[Any, Any] | None:
    """The elements of an array of the trace where they are the same whenever the program gets here; read-only."""
    storage = array._storage
    if storage.known is None or storage.trace is not trace or storage.region.loop is not trace.region.loop:
        return None  # a loop may write to what was made in front of it
    known = array._known()
    return None if known is None else _read_only(known)


def own(trace: Recorder, array: np.ndarray[Any, Any]) -> TracedArray:
    """An array of the trace for one that nobody else has."""
    if array.nbytes <= CONSTANT_BYTES:
        owned = constant(trace, array)
    else:
        owned = wrap(trace, trace.capture(array))
        owned = owned if trace.region.parent is None else owned.copy()  # each iteration has its own
    if array.size <= KNOWN_ELEMENTS:
        owned._storage.known = array.copy()
    owned = owned._as_array()
    owned._storage.is_made = True
    if array.flags.writeable or not (array.size or array.flags.owndata):  # nothing of an array that is known
        return owned
    # What NumPy does not let one write to is a view that does not, either.
    return owned._view(ViewStep(BroadcastTo, {"shape": array.shape}, (), writable=False))


def own_all(trace: Recorder, made: Any) -> Any:
    """A result of NumPy's with its arrays as arrays of the trace."""
    if is_plain(made):
        return own(trace, made)
    if type(made) in (list, tuple) or (isinstance(made, tuple) and hasattr(made, "_fields")):
        return with_items(made, [own_all(trace, item) for item in made])
    return made


def is_plain(value: Any) -> bool:
    """Whether a value is a NumPy array that compiled code can hold."""
    return type(value) is np.ndarray and is_element(value.dtype)


def compute(trace: Recorder, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function(*args, **kwargs)` of NumPy: at once where all arrays are known, else recorded."""
    if isinstance(function, Method) and function.name in ("resize", "setflags"):
        if not isinstance(args[0], TracedArray):
            _refuse_change(function.name)
        return function(*args, **kwargs)
    args, kwargs = _elements_read((args, kwargs), _MAX_DEPTH + 1)
    args, kwargs = _replaced(args, inputs := _inputs(trace, (args, kwargs))), _replaced(kwargs, inputs)
    given = list(_arrays((args, kwargs)))
    traced = [value for value in given if isinstance(value, TracedArray)]
    known = {id(value): known_elements(trace, value) for value in traced}
    if any(elements is None for elements in known.values()):
        return _call_on_traced(trace, function, *_with_known_places(function, args, kwargs, known))
    outside = [value for value in given if is_plain(value)]
    is_data = trace.python_state is None or trace.python_state.takes_data
    if is_data and any(value.nbytes > CONSTANT_BYTES and not is_constant(value) for value in outside):
        try:
            return _record(trace, function, args, kwargs)
        except UnsupportedError:
            if traced:
                raise
    if _declared_targets(function, args, kwargs):
        return _write(trace, function, args, kwargs)
    shown = known | {id(value): _read_only(value) for value in given if isinstance(value, np.ndarray)}
    try:
        with np.errstate(all="ignore"):
            made = function(*_replaced(args, shown), **_replaced(kwargs, shown))
    except ValueError as error:
        if not is_about_writing(error):
            raise
        return _write(trace, function, args, kwargs)
    if any(_shares(made, elements) for elements in shown.values()):
        args, kwargs = _with_known_places(function, args, kwargs, known)
        return function(*args, **kwargs)
    for value in outside:
        trace.watch(value)
    return own_all(trace, made)


def write_followed(trace: Recorder, write: Function, array: TracedArray, *given: Any) -> Any:
    """Record `write(array, *given)`: what is known of the array before, and of all else, is known behind it, too."""
    storage = array._storage
    writes, version = 0 if storage.written is None else storage.written.writes, storage.version
    whole = _whole_after(trace, write, array, given)
    result = write(array, *given)
    if whole is not None and storage.version > version:
        note_written(storage, whole, writes + 1)
    return result


def _whole_after(
    trace: Recorder, write: Function, array: TracedArray, given: tuple[Any, ...]
) -> np.ndarray[Any, Any] | None:
    """The elements of the array behind a view once a function has written the view; None where they are not known."""
    shown = known_elements(trace, array) if is_followed(array) else None
    if shown is None:
        return None
    shown = shown.copy()
    try:
        with np.errstate(all="ignore"):  # the write itself tells
            write(shown, *_of_constants(trace, given))
    except (ArithmeticError, LookupError, TypeError, ValueError):  # not constants, or it is refused
        return None
    return whole_with(array, shown)


def _of_constants(trace: Recorder, value: Any) -> Any:
    """A key or value with the elements of the arrays in it. Raises `LookupError` where they are not known."""
    if isinstance(value, TracedArray):
        known = known_elements(trace, value)
        if known is None:
            raise LookupError
        return known
    if type(value) in (list, tuple):
        return type(value)(_of_constants(trace, item) for item in value)
    if isinstance(value, slice):
        return slice(*(_of_constants(trace, bound) for bound in (value.start, value.stop, value.step)))
    if value is None or value is Ellipsis or isinstance(value, (bool, int, float, np.generic, range)):
        return value
    raise LookupError


class Method:
    """A method of arrays by its name; the array is the first argument."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.writes = name in _WRITING_METHODS

    def __call__(self, array: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, self.name)(*args, **kwargs)


def _refuse_change(name: str) -> NoReturn:
    raise UnsupportedError(
        f"{name}() of an array changes in place what is no element of it, which compiled code does not do: "
        "call it outside of the compiled function, or make another array (np.resize(x, shape))"
    )


_WRITING_METHODS = ("fill", "sort", "put", "partition", "itemset", "setfield", "__setitem__", *_IN_PLACE)


def _with_known_places(function: Function, args: Any, kwargs: Any, known: dict[int, Any]) -> tuple[Any, Any]:
    """The arguments of a call with the numbers that are known, where axes and extents are meant."""
    name = function.name if isinstance(function, Method) else told(function, "__name__", "")
    if name not in _BY_PLACES:
        return args, kwargs
    numbers = {}
    for array in _arrays((args[1:], kwargs)):
        elements = known.get(id(array))
        if elements is not None:
            numbers[id(array)] = tuple(elements.tolist()) if elements.ndim else elements.item()
        elif isinstance(array, TracedArray) and array.ndim:
            need_numbers_behind(array, f"an array of axes or extents for {name}()")
    return (*args[:1], *_replaced(args[1:], numbers)), _replaced(kwargs, numbers)


_BY_PLACES = frozenset({
    "broadcast_to", "expand_dims", "flip", "moveaxis", "permute_dims", "reshape", "roll", "rollaxis", "rot90",
    "squeeze", "swapaxes", "tile", "transpose",
})  # fmt: skip
"""The functions that rearrange their first argument by numbers."""


def _call_on_traced(trace: Recorder, function: Function, args: Any, kwargs: Any) -> Any:
    """Record a call: a method of an array from outside is that of the traced array which stands for it."""
    if isinstance(function, Method) and is_plain(args[0]):
        array = args[0]
        owner = writable(trace, array) if function.writes else wrap(trace, trace.capture(array))
        return function(owner, *args[1:], **kwargs)
    return function(*args, **kwargs)


def compute_item(trace: Recorder, container: Any, key: Any) -> Any:
    """`container[key]` of an array that is known, or of what makes arrays, as `np.mgrid`."""
    is_known = isinstance(container, TracedArray) or is_plain(container) or _makes_arrays(container)
    if python_sequences.index_trace(key) is not None or not is_known:
        if isinstance(container, np.ndarray):
            trace.watch(container)
        return python_sequences.get_item(container, key)
    return compute(trace, operator.getitem, (container, key), {})


def _makes_arrays(container: Any) -> bool:
    return type(container).__module__.startswith("numpy.lib")


def _inputs(trace: Recorder, values: Any) -> dict[int, Any]:
    """The traced arrays that stand for arrays from outside which are data: arguments that are found elsewhere, too."""
    state = trace.python_state
    if state is None:
        return {}
    found = {id(value): state.input_of(value) for value in _arrays(values) if isinstance(value, np.ndarray)}
    return {key: value for key, value in found.items() if value is not None}


def _record(trace: Recorder, function: Function, args: Any, kwargs: Any) -> Any:
    """Record what is computed of large arrays from outside, which are read at each call; views stay views of these."""
    replaced = {
        id(value): wrap(trace, trace.capture(value)) for value in _arrays((args, kwargs)) if is_plain(value)
    }
    storages = {made._storage for made in replaced.values()}
    result = function(*_replaced(args, replaced), **_replaced(kwargs, replaced))
    if any(isinstance(r, TracedArray) and r._storage in storages for r in _arrays((result,))):
        return function(*args, **kwargs)
    return result


def _write(trace: Recorder, function: Function, args: Any, kwargs: Any) -> Any:
    """Call what writes to arrays: at each call to those from outside."""
    targets = _declared_targets(function, args, kwargs) or _found_targets(function, args, kwargs)
    replaced = {id(value): writable(trace, value) for value in targets}
    return function(*_replaced(args, replaced), **_replaced(kwargs, replaced))


def _declared_targets(function: Function, args: Any, kwargs: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays from outside that a call says it writes to."""
    named = [kwargs[name] for name in ("out", "dst") if name in kwargs]
    if (isinstance(function, Method) and function.writes) or told(function, "__name__") == "at":
        named.append(args[0])  # NumPy's own `at` writes to read-only arrays, too
    return [value for value in _arrays(named) if isinstance(value, np.ndarray)]


def _found_targets(function: Function, args: Any, kwargs: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays from outside that a call writes to: it fails where one of these is read-only, tried on copies."""
    found = []
    given = [value for value in _arrays((args, kwargs)) if isinstance(value, np.ndarray)]
    for value in given:
        tried = {id(other): other.copy() for other in given} | {id(value): _read_only(value)}
        try:
            function(*_replaced(args, tried), **_replaced(kwargs, tried))
        except ValueError as error:
            if is_about_writing(error):
                found.append(value)
    return found


def is_about_writing(error: ValueError) -> bool:
    """Whether NumPy says that it may not write to an array."""
    return "read-only" in str(error) or "output array is not acceptable" in str(error)


def writable(trace: Recorder, array: Any) -> Any:
    """What to write to in the place of an array that the trace did not make."""
    target = array if trace.python_state is None else trace.python_state.writable(array)
    if isinstance(target, (TracedArray, CompositeValue)):
        return target
    if not is_plain(array):
        require_writable(trace, array)
        return array
    raise UnsupportedError(
        f"this writes to a NumPy array ({array.dtype}{list(array.shape)}) from outside that compiled code cannot find "
        "again at a later call: pass it as an argument, or keep it under a name, in an attribute, a list or a dict"
    )


def _arrays(values: Any, depth: int = _MAX_DEPTH) -> Iterator[Any]:
    for value in contents(values):
        if isinstance(value, (TracedArray, np.ndarray)):
            yield value
        elif depth and isinstance(value, (list, tuple, dict)):
            yield from _arrays(value, depth - 1)


def _elements_read(value: Any, depth: int) -> Any:
    """A value with the arrays of the carriers in it, whose elements may change until the next call."""
    if isinstance(value, (list, tuple, dict)):
        found = list(contents(value))
        read = [_elements_read(item, depth - 1) for item in found] if depth else found
        if all(one is other for one, other in zip(read, found, strict=True)):
            return value
        if isinstance(value, dict):
            return dict(zip(value, read, strict=True))
        return with_items(value, read)
    require_numpy_rules("an operand", value)
    return read_elements(value) if is_carrier(value) else value


def _replaced(value: Any, replaced: dict[int, Any], depth: int = _MAX_DEPTH + 1) -> Any:
    if isinstance(value, (TracedArray, np.ndarray)):
        return replaced.get(id(value), value)
    if not depth or not isinstance(value, (list, tuple, dict)):
        return value
    if isinstance(value, dict):
        return {key: _replaced(item, replaced, depth - 1) for key, item in value.items()}
    items = [_replaced(item, replaced, depth - 1) for item in value]
    return with_items(value, items)


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    view: np.ndarray[Any, Any] = array.view()
    view.flags.writeable = False
    return view


def _shares(made: Any, array: Any) -> bool:
    return any(
        np.may_share_memory(result, array) for result in _arrays((made,)) if isinstance(result, np.ndarray)
    )
