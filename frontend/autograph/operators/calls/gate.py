"""The gate that every call of converted code passes of something which is neither converted nor replaced.

It computes with what tracing knows, it runs when the program runs, or it is refused: what a call does is told by
`guards/call_effects.py`.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError, WeftError, WeftTypeError
from ....guards.call_effects import CallEffect, Does, computes_in_c, effect_of, is_one_of, is_routine, name_of
from ....guards.library_functions import is_library_function, is_library_method, public_name
from ....numpy_api import library_routines
from ....runtime_values import deferred_calls, strings
from ....runtime_values.values import holds_traced, traced_in
from ....signature.feeds import Called, Typed
from ....signature.foreign_arrays import require_numpy_rules
from ....source.modules import is_own_module, is_users_function, is_users_module, module_of, told
from ....tracing.array import TracedArray
from ....tracing.needed_numbers import need_numbers_in
from ....tracing.recorder import Recorder
from ...marks import is_marked
from ..builtins import process_settings
from ..builtins.numpy_functions import numpy_function
from ..interface import operators
from ..values import looked_up
from ..values.hidden_state import INSTEAD, require_own
from ..values.hidden_state import note_made as note_made
from ..values.known_arrays import Method, compute, is_plain
from .unseen_effects import refuse_unseen_effects

Function = Callable[..., Any]


def unconverted(function: Function, called: Function) -> Function | None:
    """What is called in the end, if that is neither converted nor replaced; with the object whose method it is."""
    while isinstance(called, functools.partial):
        called = called.func
    while isinstance(function, functools.partial):
        function = function.func
    plain = told(function, "__func__", function)
    return function if called is plain or called is function else None


def look_at_arguments(trace: Recorder, function: Function, args: Any, kwargs: Any) -> None:
    """Refuse iterators and the like from outside as arguments of functions that are not converted."""
    if is_one_of(function, _LOOKING_AT_NOTHING):
        return
    is_traced = hasattr(type(function), "fingerprint_parts")  # a weft.function, which looks at them itself
    for value in (*args, *kwargs.values()):
        shares = isinstance(value, memoryview) and _takes_arrays(function)  # memory with NumPy's arrays
        if not (shares or is_traced):
            require_own(trace, value)
        require_numpy_rules(f"an argument of {name_of(function)}", value)
        if is_plain(value) and not (_takes_arrays(function) or is_one_of(function, _PASSING_ON)):
            trace.watch(value)


def through_gate(trace: Recorder, function: Function, called: Function, args: Any, kwargs: Any) -> Any:
    """Call, or record the call of, `function`, that is neither converted nor replaced."""
    is_users = isinstance(function, types.FunctionType) and is_users_function(function)
    if is_users or is_marked(function):
        return _call_as_it_is(trace, function, called, args, kwargs)
    effect = effect_of(function)
    if effect.does is Does.ACTS:
        return deferred_calls.call_later(trace, called, args, kwargs, effect.result)
    if effect.does in (Does.VARIES, Does.UNKNOWN):
        _refuse(function, effect)
    if is_routine(function):
        return library_routines.call_routine(function, args, kwargs)
    if computes_in_c(function):
        name = f"{function.__module__}.{function.__name__}"
        return library_routines.call_compiled(called, name, args, kwargs)
    if is_library_method(function) or (
        is_library_function(function) and holds_traced([args, kwargs], depth=4)
    ):
        return library_routines.call_compiled(called, public_name(function), args, kwargs)
    if _full_name(function) in _TEXTS:
        return strings.string_of(called, *args, **kwargs)
    _look_at_objects(trace, function, args, kwargs)
    if _takes_arrays(function):
        return compute(trace, *_of_arrays(function, called, args, kwargs))
    if effect.does is Does.LOOKS:
        return _call_known(called, function, args, kwargs)
    if getattr(function, "__module__", None) in _HIGHER_ORDER:
        args = tuple(map(_converting, args))
        kwargs = {name: _converting(value) for name, value in kwargs.items()}
    return called(*args, **kwargs)


def _call_as_it_is(trace: Recorder, function: Any, called: Function, args: Any, kwargs: Any) -> Any:
    """Call a function of the program's that is marked, or has no source."""
    if trace.numbers:
        need_numbers_in(
            trace, traced_in([args, kwargs], depth=4), f"{name_of(function)}, which is not converted,"
        )
    if not is_marked(function):
        refuse_unseen_effects(function)
    return called(*args, **kwargs)


def _look_at_objects(trace: Recorder, function: Function, args: Any, kwargs: Any) -> None:
    """Refuse the methods of objects from outside with a hidden state; objects of the user's are read as a whole."""
    if function is np.errstate:
        process_settings.require_silence("np.errstate", kwargs)
    owner = told(function, "__self__")
    if owner is not None and not isinstance(owner, (type, types.ModuleType)):
        require_own(trace, owner)
        if is_own_module(type(owner).__module__):
            return  # which tells itself what it reads of its arguments
    for value in args if owner is None or not isinstance(owner, (list, dict, set)) else ():
        if is_users_module(type(value).__module__) and not is_one_of(function, _LOOKING_AT_NOTHING):
            looked_up.note_whole(value)


def _takes_arrays(function: Function) -> bool:
    """Whether a function is NumPy's, a method of an array, or Python's way to call an operator."""
    if isinstance(function, np.ufunc) or isinstance(
        told(function, "__self__"), (np.ndarray, TracedArray, np.ufunc)
    ):
        return True
    if _class_of_method(function) in (np.ndarray, np.ufunc):
        return True
    module = module_of(function).partition(".")[0]
    return module in ("numpy", "_operator") or is_one_of(function, (abs, divmod, pow, round))


def _class_of_method(function: Function) -> type | None:
    """The class that a method was taken of, as in `np.ndarray.sort(x)`."""
    return told(function, "__objclass__") if not hasattr(function, "__self__") else None


def _of_arrays(function: Function, called: Function, args: Any, kwargs: Any) -> tuple[Function, Any, Any]:
    """A function and its arguments; that of a method is the method, and the array is its first argument."""
    while isinstance(called, functools.partial):
        args, kwargs, called = (*called.args, *args), called.keywords | kwargs, called.func
    owner = told(function, "__self__")
    if args and isinstance(args[0], np.ufunc) and _class_of_method(function) is np.ufunc:
        function = called = getattr(args[0], function.__name__)
        args = args[1:]
    if _class_of_method(function) is np.ndarray:
        return Method(function.__name__), args, kwargs
    if isinstance(owner, (np.ndarray, TracedArray)):
        return (
            Method(function.__name__),
            args if isinstance(function, types.MethodType) else (owner, *args),
            kwargs,
        )
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        args, kwargs = args[: function.nin], kwargs | {"out": args[function.nin :]}
    return numpy_function(function) or called, args, kwargs


def _call_known(called: Function, function: Function, args: Any, kwargs: Any) -> Any:
    """Call a function of Python's; it may want to know values that are known at run time only."""
    try:
        return called(*args, **kwargs)
    except WeftError:
        raise
    except Exception as error:
        if not isinstance(error, (TypeError, AttributeError)) and type(error).__module__ != "struct":
            raise
        is_of_python = getattr(function, "__module__", None) in (None, "builtins")
        if is_of_python or not holds_traced([args, kwargs], depth=4):
            raise
        raise WeftTypeError(
            f"{_described(function)} is called while the function is traced, and gets a value that is known at run "
            f"time only ({error}): weft.py_call({name_of(function)}, ..., result=weft.TensorSpec(...)) calls it "
            "whenever the compiled function runs"
        ) from None


def _refuse(function: Function, effect: CallEffect) -> NoReturn:
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    if effect.does is Does.VARIES:
        raise UnsupportedError(
            f"{_described(function)} {effect.why}, which would happen once, while the function is traced: "
            + INSTEAD.format("call it")
        )
    _refuse_unknown(function)


def _refuse_unknown(function: Function) -> NoReturn:
    if is_one_of(function, (eval, exec, compile)):
        raise UnsupportedError(
            f"{function.__name__}() makes Python code while the function is traced, which is not converted: write that "
            "code as a function, or make it outside of the compiled function, and call it"
        )
    raise UnsupportedError(
        f"nothing is known of what {_described(function)} does, which cannot be converted: called in compiled code it "
        "would run once, while the function is traced. " + INSTEAD.format("Call it")
    )


def _full_name(function: Function) -> str:
    return f"{told(function, '__module__')}.{told(function, '__qualname__')}"


def _described(function: Function) -> str:
    """The name of a function, with that of its module."""
    owner = told(function, "__self__")
    if owner is not None and not isinstance(owner, (type, types.ModuleType)):
        return f"{type(owner).__qualname__}.{getattr(function, '__name__', 'call')}"
    module = getattr(function, "__module__", None)
    prefix = "" if module in (None, "builtins", "__main__") or function is open else f"{module}."
    return f"{prefix}{name_of(function)}()"


def _converting(value: Any) -> Any:
    """A function that a library gets to call: the user's is converted then, and what NumPy's writes is recorded."""
    if not callable(value) or isinstance(value, (type, np.ndarray, np.generic, TracedArray)):
        return value
    is_users = isinstance(value, types.FunctionType) and is_users_module(value.__module__)
    takes_arrays = isinstance(value, (types.MethodType, functools.partial)) or _takes_arrays(value)
    return functools.partial(operators().call, value) if is_users or takes_arrays else value


_HIGHER_ORDER = frozenset({"itertools", "numpy", "_bisect", "_heapq", "heapq", "_operator"})
"""Modules whose functions call those that they get."""

_LOOKING_AT_NOTHING = (isinstance, issubclass, callable, type, id, hasattr, print, Called, Typed)

_PASSING_ON = (len, enumerate, zip, map, reversed)
"""What looks at no elements of an array by itself."""


_TEXTS = frozenset({
    "json.dumps", "pprint.pformat", "reprlib.Repr.repr", "textwrap.fill", "textwrap.indent", "textwrap.dedent",
    "numpy.array2string", "numpy.array_str", "numpy.array_repr", "numpy.format_float_positional",
    "numpy.format_float_scientific",
})  # fmt: skip
"""Functions that make a text of values: at run time, where these are known only then; by name, to import none."""
