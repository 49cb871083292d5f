"""Objects that are called and do what code does: `operator.attrgetter`, partials, weak references."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import operator
import types
import typing
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.imports import is_loaded
from ....source.modules import told
from ....tracing.current import current_trace
from ..interface import operators
from ..lists import dynamic_lists
from ..values.looked_up import lookups

Function = Callable[..., Any]


def getter_of(function: Any) -> Function | None:
    """What to call instead of one of these objects; None for others."""
    kind = type(function)
    make = _GETTERS.get(kind)
    if make is not None:
        made: Function | None = make(function)
        return made
    if kind is types.FunctionType and function.__globals__.get("__name__") == "functools":
        return _generic(function)
    if kind is types.MethodDescriptorType and function.__objclass__ is list:
        return functools.partial(_method_of_list, function)
    owner = told(function, "__self__")
    special = _SPECIAL.get(type(owner), {}).get(function.__name__) if kind in _BOUND else None
    if special is not None:
        return functools.partial(special, owner)
    if type(owner) is functools._lru_cache_wrapper and function.__name__ == "cache_info":
        raise UnsupportedError(
            "cache_info() tells how often functools.lru_cache had an answer, and compiled code keeps no such answers: "
            "ask it outside of the compiled function"
        )
    if type(owner) is contextvars.ContextVar and (noting := lookups()) is not None:
        noting.variable(owner)
    return None


def _attributes(getter: Any) -> Function:
    names = getter.__reduce__()[1]

    def get(owner: Any, /) -> Any:
        found = [functools.reduce(operators().attr, name.split("."), owner) for name in names]
        return found[0] if len(found) == 1 else tuple(found)

    return get


def _items(getter: Any) -> Function:
    keys = getter.__reduce__()[1]

    def get(container: Any, /) -> Any:
        found = [operators().item(container, key) for key in keys]
        return found[0] if len(found) == 1 else tuple(found)

    return get


def _method(caller: Any) -> Function:
    make, args = caller.__reduce__()
    name, args = (make.args[0], args) if isinstance(make, functools.partial) else (args[0], args[1:])
    kwargs = make.keywords if isinstance(make, functools.partial) else {}
    return lambda owner, /: operators().call(operators().attr(owner, name), *args, **kwargs)


def _making(alias: Any) -> Function:
    """`list[int](items)` and `Stack[int]()`: the class is called, and its object keeps the alias if it can."""
    if not getattr(alias, "_inst", True):
        return alias  # type: ignore[no-any-return]  # typing.List[int], which Python refuses to call

    def make(*args: Any, **kwargs: Any) -> Any:
        made = operators().call(alias.__origin__, *args, **kwargs)
        if hasattr(made, "__dict__") and isinstance(made, alias.__origin__):
            with contextlib.suppress(AttributeError):  # of frozen dataclasses, as in `typing`
                operators().call(setattr, made, "__orig_class__", alias)
        return made

    return make


_GETTERS: dict[type, Callable[[Any], Function]] = {
    types.GenericAlias: _making,
    type(typing.List[int]): _making,  # noqa: UP006
    operator.attrgetter: _attributes,
    operator.itemgetter: _items,
    operator.methodcaller: _method,
    functools.partial: lambda made: functools.partial(
        operators().call, made.func, *made.args, **made.keywords
    ),
    weakref.ref: lambda reference: functools.partial(_referent, reference),
}


def _referent(reference: weakref.ref[Any]) -> Any:
    """What a weak reference refers to: an array is fetched at each call, as compiled code does not keep it alive."""
    value, trace = reference(), current_trace()
    if not isinstance(value, np.ndarray) or trace is None or trace.python_state is None:
        return value
    return trace.python_state.referent(reference, value)


_OF_LISTS: dict[str, Function] = {
    "__len__": lambda items, /: operators().call(len, items),
    "__iter__": lambda items, /: operators().call(iter, items),
    "__contains__": lambda items, item, /: operators().in_(item, items),
    "__getitem__": lambda items, key, /: operators().item(items, key),
    "__setitem__": lambda items, key, item, /: operators().set_item(items, key, item),
}
"""Methods of lists that are taken of them by their special names."""

_OF_TEXTS: dict[str, Function] = {
    "__mod__": lambda text, values, /: operators().binary("%", text, values),
    "__add__": lambda text, other, /: operators().binary("+", text, other),
    "__mul__": lambda text, times, /: operators().binary("*", text, times),
}

_SPECIAL: dict[type, dict[str, Function]] = {list: _OF_LISTS, str: _OF_TEXTS}

_BOUND = frozenset({types.MethodWrapperType, types.BuiltinMethodType})


def _method_of_list(method: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`list.append(items, item)`."""
    is_grown = args and is_loaded(dynamic_lists) and isinstance(args[0], dynamic_lists.GrowingList)
    if args and (type(args[0]) is list or is_grown):
        return operators().call(getattr(args[0], method.__name__), *args[1:], **kwargs)
    return method(*args, **kwargs)


def _generic(function: types.FunctionType) -> Function | None:
    """What a function of `functools.singledispatch`, or a method of `singledispatchmethod`, calls."""
    if hasattr(function, "dispatch") and hasattr(function, "registry"):
        return lambda *args, **kwargs: operators().call(_chosen(function, function, args), *args, **kwargs)
    found = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    held = {name: cell.cell_contents for name, cell in found.items()}
    method = held.get("self")
    if isinstance(method, functools.singledispatchmethod) and {"obj", "cls"} <= held.keys():

        def call(*args: Any, **kwargs: Any) -> Any:
            chosen = _chosen(function, method.dispatcher, args)
            return operators().call(chosen.__get__(held["obj"], held["cls"]), *args, **kwargs)

        return call
    return None


def _chosen(function: types.FunctionType, generic: Any, args: tuple[Any, ...]) -> Any:
    if not args:
        raise TypeError(f"{function.__name__} requires at least 1 positional argument")
    kind = operators().call(type, args[0])
    found = generic.dispatch(kind)
    if (noting := lookups()) is not None:
        noting.chosen(generic, kind)
    return found
