"""What a call in converted code does: the function called is converted too, or replaced by one that takes arrays."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.errors import ConversionError, UnsupportedError
from .....dialect.imports import is_loaded
from .....passes.notes import Place, note
from ....guards.generated import is_generated
from ....numpy_api import library_objects
from ....random.generator import traced_generator
from ....random.stream import draws_of
from ....runtime_values.results import RuntimeContainer, RuntimeTuple
from ....runtime_values.values import RuntimeValue
from ....source.modules import (
    is_library,
    is_own_module,
    is_users_function,
    is_users_module,
    is_users_object,
    module_of,
    told,
    with_source,
)
from ....source.own_attributes import has_fields, python_function_of
from ....source.plain_items import compound
from ....tracing.current import current_trace, required_trace
from ....tracing.recorder import Recorder
from ....tracing.several_types import ToldApart, by_type, first_of_several, has_many_choices
from ...convert.converter import (
    convert,
    convert_generator,
    is_converted,
    is_generator_function,
    is_nested,
    why_not_converted,
)
from ...decisions import excuse, note_converted, note_unconverted, require_conversion
from ...library import InPlaceOf
from ...marks import is_marked, why_marked, wrapped_by
from ..builtins.finalizers import refuse_finalizer
from ..builtins.numpy_functions import SCIPY_SUMS, numpy_function
from ..builtins.replacements import replacement_of
from ..interface import operators
from ..lists import dynamic_lists
from ..lists.looked_for import look_for_argument
from ..statements import fetched_items, generators
from ..tables import table_walks
from ..values import aliases, looked_up, sequence_iterators
from ..values.control_flow_state import snapshot_of
from ..values.object_handles import rows_of
from ..values.optional import Chosen, Optional
from ..values.present import present_arguments
from ..values.resolve_grown_lists import resolve_for_reading, resolve_grown_list
from ..values.special_methods import iterated, mapped, through_method, users_method
from ..values.unfollowed_changes import Remembered, require_followed
from .gate import look_at_arguments, note_made, through_gate, unconverted
from .getters import getter_of
from .library_calls import call_converted
from .plain_functions import plain_call
from .recursion import activate
from .unseen_effects import refuse_unseen_effects


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`."""
    trace = current_trace()
    if trace is None:
        return function(*args, **kwargs)
    if isinstance(function, Optional):
        function = function.called()
    if isinstance(function, Chosen):
        return function.each(lambda option: call(option, *args, **kwargs))
    args = present_arguments(function, tuple(map(resolve_grown_list, args)))
    if (chosen := _done_for_each(function, (*args, *kwargs.values()))) is not None:
        count, names = len(args), list(kwargs)
        return chosen.with_others(
            lambda _, *given: call(function, *given[:count], **dict(zip(names, given[count:], strict=True))),
            *args,
            *kwargs.values(),
        )
    if (function is isinstance or function is type) and args and isinstance(args[0], ToldApart):
        args = (args[0].by_type(), *args[1:])
    if is_done_by_type(function, args, kwargs):
        return _call_by_type(function, args, kwargs)
    getter = getter_of(function)
    return (
        _call(trace, function, args, kwargs)
        if getter is None
        else resolve_grown_list(getter(*args, **kwargs))
    )


def is_done_by_type(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call gets a value that is of several types, and does by itself what depends on them."""
    if not args or first_of_several((*args, *kwargs.values())) is None:
        return False
    if isinstance(told(function, "__self__"), RuntimeContainer):
        return False  # which has items of one type
    if isinstance(function, type):
        return function in _BY_TYPE or issubclass(function, np.generic)
    name = module_of(function)
    if function in (max, min) and not _gives_number(args):
        return False  # one of the lists that it gets, and no copy
    if name.startswith(_CONVERTED_CODE):
        return False
    module = name.partition(".")[0]
    return module in ("numpy", "math", "cmath") or is_own_module(module) or _is_listed(function)


def _done_for_each(function: Any, args: tuple[Any, ...]) -> Chosen | None:
    """What a call gets that is one of several values which are not alike, if it is made for each of them."""
    parts = [
        part for value in args for part in (compound(value) if type(value) in (list, tuple) else (value,))
    ]
    found = next((part for part in parts if isinstance(part, Chosen) and part.held), None)
    if found is None:
        return None
    if isinstance(told(function, "__self__"), (list, dict, set, RuntimeValue)):
        return found if told(function, "__name__", "") in _LOOKING else None
    module = module_of(function).partition(".")[0]
    is_one = any(value is found for value in args)
    return found if module in _OF_NUMBERS or (is_one and id(function) in _FOR_EACH) else None


_LOOKING = frozenset({"count", "discard", "get", "index", "pop", "remove"})
"""The methods of lists, dicts and sets that look for one of several values."""

_OF_NUMBERS = frozenset({"numpy", "math", "cmath"})


_FOR_EACH = set(map(id, (
    abs, all, any, bool, complex, dict, divmod, float, frozenset, int, list, max, min, pow, round, set, sorted, sum,
    tuple,
)))  # fmt: skip
"""The identities of the builtins that are called for each of several values."""


def _call_by_type(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call that depends on the types of what it gets; of many items in a list, what it does one by one is done so."""
    if not has_many_choices(args[0]):
        return by_type(functools.partial(call, function), *args, **kwargs)
    items, *others = args
    if function is sum and not kwargs:
        return functools.reduce(functools.partial(call, operator.add), items, *(others or [0]))
    if function is math.prod:
        return functools.reduce(functools.partial(call, operator.mul), items, kwargs.get("start", 1))
    if function in (max, min) and not others and not kwargs:
        return functools.reduce(functools.partial(call, function), items)
    if module_of(function).partition(".")[0] == "math":
        items = [by_type(functools.partial(call, float), item) for item in items]
    if function in (np.array, np.asarray) and not others and kwargs.get("dtype") is not None:
        convert = functools.partial(call, np.asarray, dtype=kwargs["dtype"])
        items = [by_type(convert, item) for item in items]
    return by_type(functools.partial(call, function), list(items), *others, **kwargs)


def _gives_number(args: tuple[Any, ...]) -> bool:
    """Whether `max` or `min` has no lists or tuples to choose from, which are compared item by item."""
    candidates = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    return not any(isinstance(candidate, (list, tuple)) for candidate in candidates)


def _is_listed(function: Any) -> bool:
    return isinstance(function, types.BuiltinFunctionType) and function in _BY_TYPE


_BY_TYPE = frozenset({
    abs, bool, complex, divmod, float, getattr, hasattr, int, isinstance, max, min, pow, round, sum, type,
})  # fmt: skip
"""The builtins that tell numbers apart by their types."""

_CONVERTED_CODE = __name__.partition("operators.")[0]
"""Where lists that grow, tables and generators are: they hold or pass on what they get, and must not do so twice."""


def _call(trace: Recorder, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    owner = told(function, "__self__")
    if (generator := traced_generator(owner)) is not owner:
        function = getattr(generator, function.__name__)
    if owner is not None and (now := resolve_grown_list(owner)) is not owner:
        function = getattr(now, function.__name__)
    if args and type(owner) in (dict, list, set, tuple):
        look_for_argument(owner, function.__name__, args[0])
    if told(function, "__name__") in _CHANGING and isinstance(owner, (list, dict, set)):
        require_followed(trace, owner)
    function, args = through_method(function, args)
    args = _walked(function, args)
    if any(isinstance(value, InPlaceOf) for value in args) and _is_numpy(function):
        args = tuple(value.items_of() if isinstance(value, InPlaceOf) else value for value in args)
    called = converted(function)
    trace.dependencies.called(function, (*args, *kwargs.values()), is_replaced=called is not function)
    if is_loaded(dynamic_lists) and called is function and _is_numpy(function):
        for value in args:
            if isinstance(value, dynamic_lists.GrowingList):
                return value.__array_function__(function, (), args, kwargs)
    if not _is_users(function):
        args = tuple(_passed(function, value) for value in args)
        args, kwargs = _read_by(function, args, kwargs)
        look_at_arguments(trace, function, args, kwargs)
    if library_objects.makes_object(function):
        return library_objects.make_object(trace, function, args, kwargs)
    as_it_is = unconverted(function, called)
    made = (
        call_converted(trace, function, called, args, kwargs)
        if as_it_is is None
        else through_gate(trace, as_it_is, called, args, kwargs)
    )
    if not is_users_object(made) or isinstance(owner, type) or _makes(function, as_it_is):
        note_made(trace, made, args)
    return resolve_grown_list(made)


def _makes(function: Any, as_it_is: Any) -> bool:
    """Whether a call may make an object itself: classes do, and what is not converted but for builtins.

    Those hand on what there is, as `stack.pop()` does; so do functions of the program, in which classes are called.
    """
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, type) or as_it_is is None:
        return isinstance(function, type)
    return not (isinstance(as_it_is, types.BuiltinFunctionType) or is_own_module(module_of(as_it_is)))


def _walked(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call; of a function that walks them what is walked in their place."""
    if function is next and args:
        return (fetched_items.walk_of(args[0]), *args[1:])
    if id(function) not in _WALKING:
        return args
    walk = mapped if function is dict else iterated
    first = 1 if function in (map, filter, functools.reduce) else 0
    last = len(args) if function in (map, zip) else first + 1
    if function in (min, max, iter) and len(args) > 1:
        return args  # which are compared, or called
    items = tuple(walk(fetched_items.walk_of(value)) for value in args[first:last])
    if id(function) in _TAKING_ALL and not (function is tuple and args and isinstance(args[0], RuntimeTuple)):
        items = tuple(map(table_walks.listed, items))
    return (*args[:first], *items, *args[last:])


_WALKING = set(map(id, (
    list, tuple, set, frozenset, dict, sum, sorted, min, max, any, all, map, filter, zip, enumerate, iter,
    functools.reduce,
)))  # fmt: skip
"""The identities of what walks its arguments."""


_CHANGING = frozenset({
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard", "move_to_end", "subtract", "difference_update", "intersection_update", "symmetric_difference_update",
    "__setitem__", "__delitem__", "__iadd__", "__imul__", "__ior__", "__iand__", "__isub__", "__ixor__",
})  # fmt: skip
"""The names of methods that change lists, dicts and sets."""


_TAKING_ALL = set(map(id, (list, tuple, sum, sorted, min, max, any, all, functools.reduce)))
"""The identities of what walks its arguments at once."""


_READING_ALL = set(map(id, (
    str, repr, ascii, format, print, copy.deepcopy, dataclasses.asdict, dataclasses.astuple,
)))  # fmt: skip
"""The identities of what looks into the lists in lists, dicts and objects that it gets, and gives none of them on."""


def _read_by(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments, with what the lists in them have become where a call looks into these."""
    is_format = isinstance(told(function, "__self__"), str) and function.__name__ == "format"
    reads_all = is_format or id(function) in _READING_ALL
    return resolve_for_reading((args, kwargs)) if reads_all else (args, kwargs)


_TAKING_PARTS = set(
    map(id, (iter, next, zip, map, filter, enumerate, any, all, isinstance, type, id, callable, hasattr))
)
"""The identities of what takes care of iterators itself, or takes no items."""


def _passed(function: Any, value: Any) -> Any:
    """An argument: of an iterator whose items only the program knows all that are left."""
    if not is_loaded(sequence_iterators) or id(function) in _TAKING_PARTS:
        return value
    if not isinstance(value, sequence_iterators.SequenceIterator) or value.is_known:
        return value
    return value.given(told(function, "__name__", "a function"))


def _is_users(function: Any) -> bool:
    plain = told(function, "__func__", function)
    return isinstance(plain, types.FunctionType) and is_users_function(plain, told(function, "__self__"))


def _is_numpy(function: Any) -> bool:
    return module_of(function).partition(".")[0] == "numpy"


def converted_root(function: Any) -> Callable[..., Any]:
    """What to call for the function that is compiled; ConversionError when it cannot be converted."""
    plain = told(function, "__func__", function)
    if isinstance(plain, types.FunctionType) and not is_marked(plain) and is_users_module(plain.__module__):
        convert(plain, operators())
    found = converted(function)
    if found is function and isinstance(function, types.FunctionType) and not is_marked(function):
        refuse_unseen_effects(function)
    return found


def converted(function: Any) -> Callable[..., Any]:
    """What to call for a function while a trace is recorded."""
    replaced = replacement_of(function)
    if replaced is not None:
        return replaced
    if (
        getattr(function, "__module__", None) == SCIPY_SUMS
        and (known := numpy_function(function)) is not None
    ):
        return known
    if isinstance(function, types.FunctionType):
        return _converted_function(function)
    if isinstance(function, types.MethodType):
        return _converted_method(function)
    if isinstance(function, functools.partial):
        return functools.partial(converted(function.func), *function.args, **function.keywords)
    if (inner := python_function_of(function)) is not None:
        return converted(inner)
    if isinstance(function, functools._lru_cache_wrapper) and not is_marked(function):
        return functools.partial(_call_remembered, function)
    if inspect.isclass(function):
        return _converted_class(function)
    if (make := _maker_of(function)) is not None:
        return make
    if isinstance(function, types.BuiltinFunctionType):
        result: Callable[..., Any] = function
        return result
    method = type(function).__dict__.get("__call__", getattr(type(function), "__call__", None))  # noqa: B004
    if isinstance(method, types.FunctionType) and is_users_module(method.__module__):
        looked_up.note_special(type(function), "__call__")
        return functools.partial(_converted_function(method), function)
    called: Callable[..., Any] = function
    return called


def _call_remembered(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call what `functools.lru_cache` makes: its function is converted, and called once for the same constants."""
    trace = required_trace()
    key = (function, args, tuple(kwargs.items()))
    if not _has_hash(key):  # an array has none
        return call(function.__wrapped__, *args, **kwargs)
    known = trace.state(Remembered).results
    if key not in known or not aliases.is_available(known[key]):
        drawn = draws_of(trace)
        before = snapshot_of(trace, (function.__wrapped__,))
        known[key] = call(function.__wrapped__, *args, **kwargs)
        if changes := before.changes():
            place, _ = next(iter(changes.values()))
            raise UnsupportedError(
                f"{function.__name__} changes {place.name or 'something'}, and Python remembers what it gave, so that "
                "only its first call for some arguments does it: compiled code would do it in each call. Take the "
                "change out of the function that functools.lru_cache remembers"
            )
        if draws_of(trace) != drawn:
            raise UnsupportedError(
                f"{function.__name__} draws a random number, and Python remembers what it gave: compiled code would "
                "draw another one each time: call it outside of the function, and pass the result as an argument"
            )
    return known[key]


def _has_hash(key: Any) -> bool:
    try:
        hash(key)
    except (TypeError, UnsupportedError):
        return False
    return True


def _converted_method(method: types.MethodType) -> Callable[..., Any]:
    """What to call for a method: abstract ones are converted for classes of programs, and not for Python's own."""
    function: Any = method.__func__
    is_of_library = isinstance(function, types.FunctionType) and is_library(function.__module__)
    if not is_of_library or is_users_function(function, method.__self__):
        function = converted(function)
    return functools.partial(function, method.__self__)


def _converted_class(kind: type) -> Callable[..., Any]:
    """What makes an object of a class: with a converted `__init__`, where nothing but that runs."""
    if current_trace() is not None and (dropped := _user_written(kind, "__del__")) is not None:
        refuse_finalizer(dropped.__qualname__)
    meta = users_method(kind, "__call__")
    if meta is not None:
        return functools.partial(call, meta, kind)
    make = _made_by(kind) or kind
    trace = current_trace()
    return rows_of(trace, kind, make) if trace is not None and trace.choices.pooled else make


def _maker_of(function: Any) -> Callable[..., Any] | None:
    """What to call for what Python has behind the `super()` of a metaclass or of an exception."""
    if function is type.__call__:
        return _make
    owner = function.__self__ if isinstance(function, types.MethodWrapperType) else None
    if isinstance(owner, type) and function.__name__ == "__call__":  # super().__call__
        return functools.partial(_make, owner)
    if isinstance(owner, BaseException) and function.__name__ == "__init__":
        return lambda *args, **kwargs: function(*args, **kwargs)  # it keeps the arguments
    return None


def _make(kind: type, /, *args: Any, **kwargs: Any) -> Any:
    """`type.__call__`."""
    return (_made_by(kind) or functools.partial(type.__call__, kind))(*args, **kwargs)


def _made_by(kind: type) -> Callable[..., Any] | None:
    """What makes an object of a class by what its user has written; None where that is Python's."""
    init = getattr(kind, "__init__", None)
    looked_up.note_special(kind, "__init__", "__new__")
    own_new = _user_written(kind, "__new__")
    is_written = isinstance(init, types.FunctionType) and is_users_function(init)
    if not (is_written or own_new) or inspect.isabstract(kind):
        return None
    if is_written and is_generated(init):
        if not has_fields(kind):
            return None
        after = _user_written(kind, "__post_init__")
        is_filled = (after is not None or _calls_makers(kind)) and not own_new
        return functools.partial(_filled, kind, init, after) if is_filled else None
    new: Any = kind.__new__
    if own_new is None and new is not object.__new__:
        return None

    def make(*args: Any, **kwargs: Any) -> Any:
        if own_new is not None:
            made = call(own_new, kind, *args, **kwargs)
            if isinstance(made, kind):
                _initialise(made, *args, **kwargs)
            return made
        made = new(kind)
        if (trace := current_trace()) is not None:
            note_made(trace, made)  # before `__init__` looks at it
        call(init, made, *args, **kwargs)
        return made

    return make


def _initialise(made: Any, /, *args: Any, **kwargs: Any) -> None:
    """Call the `__init__` of what a `__new__` has made, which may be of a class derived from the one that is called."""
    looked_up.note_special(type(made), "__init__")
    init: Any = type(made).__init__
    if init is not object.__init__:
        call(init, made, *args, **kwargs)


def _user_written(kind: type, name: str) -> types.FunctionType | None:
    """A method of a class that a user has written."""
    found = told(kind, name)
    is_users = isinstance(found, types.FunctionType) and is_users_function(found)
    return found if is_users and not is_generated(found) else None


def _calls_makers(kind: Any) -> bool:
    """Whether a dataclass makes values of fields by other functions than the classes of Python's containers."""
    makers = (field.default_factory for field in kind.__dataclass_fields__.values())
    return any(maker not in (dataclasses.MISSING, list, dict, set) for maker in makers)


def _filled(kind: Any, init: Any, after: types.FunctionType | None, /, *args: Any, **kwargs: Any) -> Any:
    """An object of a dataclass, filled as `__init__` does it, which then calls `__post_init__`."""
    made = object.__new__(kind)
    if (trace := current_trace()) is not None:
        note_made(trace, made)
    try:
        bound = inspect.signature(init).bind(made, *args, **kwargs).arguments
    except TypeError:
        init(made, *args, **kwargs)  # says what does not fit in Python's words
        raise
    passed = []
    for name, field in kind.__dataclass_fields__.items():
        is_passed = field._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
        if not is_passed and field._field_type is not dataclasses._FIELD:  # type: ignore[attr-defined]
            continue
        if name in bound:
            value = bound[name]
        elif field.default_factory is not dataclasses.MISSING:
            value = call(field.default_factory)
        elif field.default is not dataclasses.MISSING:
            value = field.default
        else:
            continue
        if is_passed:
            passed.append(value)
        else:
            object.__setattr__(made, name, value)
    if after is not None:
        call(after, made, *passed)
    return made


def _converted_function(function: types.FunctionType) -> Callable[..., Any]:
    # A wrapper of a library bears the name of the user's module, what exec made outside of modules that of builtins.
    module: str = function.__globals__.get("__name__", "")
    if is_own_module(module):
        wrapped = wrapped_by(function)
        return function if wrapped is None else converted(wrapped)
    function, trace = with_source(function), current_trace()
    known = is_converted(function.__code__)
    if (
        trace is not None
        and trace.python_state is not None
        and not known
        and not is_nested(function.__code__)
    ):
        trace.python_state.meet(function)
    if is_library(module) and not is_users_function(function):
        return function
    if known:  # a function that converted code defines, which may call itself
        return (
            function if trace is None else lambda *args, **kwargs: activate(function, function, args, kwargs)
        )
    if trace is not None:
        trace.dependencies.runs(function)
    if (marked := why_marked(function)) is not None:
        _note_plain(function, marked)
        note_unconverted(function, marked)
        return function
    if is_generator_function(function):
        return _generator_function(function)
    try:
        made = convert(function, operators())
    except ConversionError as error:
        _note_plain(function, error.msg)
        excuse(function, error)
        return function
    if made is function:
        reason = why_not_converted(function) or "there is nothing to convert"
        _note_plain(function, reason)
        note_unconverted(function, reason)
        require_conversion(function, reason)
        return function
    note_converted(function)

    def follow(*args: Any, **kwargs: Any) -> Any:
        plain = None if trace is None else plain_call(trace, function, args, kwargs)
        return activate(function, made, args, kwargs) if plain is None else plain[0]

    return follow


def _note_plain(function: types.FunctionType, reason: str) -> None:
    """Take note that a function runs as it is."""
    code = function.__code__
    place = Place(code.co_filename, code.co_firstlineno, 0)
    note("unconverted", place, "{}", f"{function.__qualname__}: {reason}")
    trace = current_trace()
    if trace is not None:
        trace.dependencies.runs_plain(function)


def _generator_function(function: types.FunctionType) -> Callable[..., Any]:
    """What makes a generator that can be walked in compiled code, if its function can be converted."""
    try:
        feeding = convert_generator(function, operators())
    except ConversionError as error:
        _note_plain(function, error.msg)
        excuse(function, error)
        return function
    if feeding is None:
        generators.require_no_prints(function)
        reason = why_not_converted(function) or "it is a generator function"
        _note_plain(function, reason)
        note_unconverted(function, reason)
        require_conversion(function, reason)
        return function
    only_around = why_not_converted(function)
    note_unconverted(
        function,
        only_around or "it is a generator that next() or something in Python walks; a `for` loop is compiled",
    )
    return lambda *args, **kwargs: generators.Generator(function, feeding, args, kwargs, only_around is None)
