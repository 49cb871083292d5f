"""What functions that compute with plain Python values alone read: functions and classes made anew, which count."""

from __future__ import annotations

import builtins
import dataclasses
import functools
from collections.abc import Callable, Iterator
from dataclasses import field
from types import FunctionType, ModuleType
from typing import Any

from .....dialect.records import dataclass
from ....guards.generated import is_generated
from ....guards.unbound import UNBOUND
from ....source.own_attributes import has_fields
from ....tracing.recorder import Recorder
from .plain_code import BUILTIN_NAMES, PlainCode, is_computing, is_constant, plain_code


@dataclass
class PlainWorld:
    """A function that may run plainly, with all that it reads."""

    run: Callable[..., Any]
    namespace: dict[str, Any]
    read: dict[str, Any]
    """The values of the names that it and what it calls have read."""
    containers: list[Any]
    """Those of them that have items."""
    is_called_again: bool
    """Whether it, or something that it calls, may call itself."""
    is_unrolled: bool
    """Whether that, or a `while`, is recorded step by step where values are known."""
    made: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    """What was made anew, with its attributes."""

    def is_as_before(self) -> bool:
        """Whether nothing has got another attribute that the original would have to get."""
        return all(
            now.keys() == before.keys() and all(now[name] is value for name, value in before.items())
            for now, before in ((vars(made), before) for made, before in self.made)
        )


def plain_world(trace: Recorder, function: FunctionType) -> PlainWorld | None:
    """What a function reads; None where it does anything but compute."""
    read: dict[str, Any] = {}
    codes: list[PlainCode] = []
    waiting, methods = [function], set[FunctionType]()
    unknown: dict[str, Any] = {}
    while waiting:
        current = waiting.pop()
        code = plain_code(current)
        if code is None or current.__globals__ is not function.__globals__:
            return None
        codes.append(code)
        if current is not function:
            _meet(trace, current)
        for name in code.names - read.keys():
            value = read[name] = current.__globals__.get(name, UNBOUND)
            called = _called(value)
            if isinstance(called, FunctionType):
                waiting.append(called)
            elif isinstance(value, type) and not is_computing(value):
                changes = any(kind in value.__mro__ for kind, _ in trace.choices.class_attributes)
                if changes or not _is_plain_class(value):
                    return None
                _meet_class(trace, value)
                waiting += _methods_of(value)
                methods.update(_methods_of(value))
            elif not (is_computing(value) or may_be_plain(value) or _is_builtin(name, value)):
                if current not in methods:
                    return None
                unknown[name] = _Unknown()
    known = {name: value for name, value in read.items() if value is not UNBOUND} | unknown
    if not all(_leads_nowhere(known.get(chain[0]), chain[1:]) for code in codes for chain in code.chains):
        return None
    is_called_again = (
        function in map(_called, known.values())
        or any(isinstance(value, type) and not is_computing(value) for value in known.values())
        or any(code.is_recursive for code in codes)
    )
    if not is_called_again and not any(code.has_loops for code in codes):
        return None
    return _made_of(function, known, read, is_called_again, any(code.has_while for code in codes))


def _made_of(
    function: FunctionType,
    known: dict[str, Any],
    read: dict[str, Any],
    is_called_again: bool,
    has_while: bool,
) -> PlainWorld:
    namespace: dict[str, Any] = {
        "__builtins__": {name: getattr(builtins, name) for name in BUILTIN_NAMES},
        "__name__": function.__globals__.get("__name__"),
    }
    copies: dict[type, type] = {}
    for name, value in known.items():
        called = _called(value)
        if isinstance(called, FunctionType):
            made = _made(called, namespace)
            namespace[name] = functools.cache(made) if called is not value else made
        elif isinstance(value, type) and not is_computing(value):
            namespace[name] = _copied(value, namespace, copies)
        else:
            namespace[name] = value
    containers = [value for value in known.values() if may_be_plain(value) and not is_constant(value)]
    anew = [value for name, value in namespace.items() if known.get(name, value) is not value]
    world = PlainWorld(
        _made(function, namespace), namespace, read, containers, is_called_again, is_called_again or has_while
    )
    world.made = [(value, dict(vars(value))) for value in (*anew, *copies.values())]
    return world


def may_be_plain(value: Any) -> bool:
    """Whether a value is a constant, or a container, which may hold others."""
    return type(value) in (list, dict, set) or is_constant(value)


class GivenUp(BaseException):
    """A function does not run plainly, or for too long; nothing in it takes this."""


class _Unknown:
    """Stands in a method for what may do anything: where it is used the function does not run plainly."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Give up."""
        raise GivenUp

    def __getattr__(self, _: str) -> Any:
        raise GivenUp


def _is_builtin(name: str, value: Any) -> bool:
    return value is UNBOUND and name in BUILTIN_NAMES


def _called(value: Any) -> Any:
    """The function that is called where a value is: that one which it remembers results of."""
    return getattr(value, "__wrapped__", None) if type(value) is _REMEMBERING else value


_REMEMBERING = type(functools.cache(len))


def _meet(trace: Recorder, function: FunctionType) -> None:
    if trace.python_state is not None:
        trace.python_state.meet(function)  # which may put traced values in the places of what it reads
        trace.dependencies.runs(function)


def _leads_nowhere(value: Any, attributes: tuple[str, ...]) -> bool:
    """Whether attributes of modules are what computes, and none of functions are read."""
    if isinstance(value, ModuleType):
        return bool(attributes) and is_computing(vars(value).get(attributes[0], value))
    return not (attributes and isinstance(_called(value), FunctionType))


def _made(function: FunctionType, namespace: dict[str, Any]) -> FunctionType:
    code = plain_code(function)
    assert code is not None
    made = FunctionType(code.code, namespace, function.__name__, function.__defaults__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


_MARKS = frozenset({
    "__annotations__", "__annotations_cache__", "__annotate_func__", "__dataclass_fields__", "__dataclass_params__",
    "__dict__", "__doc__", "__firstlineno__", "__hash__", "__match_args__", "__module__", "__qualname__",
    "__static_attributes__", "__weakref__",
})  # fmt: skip
"""What Python and dataclasses note about classes."""


def _is_plain_class(kind: type) -> bool:
    """Whether a class of the program's has methods and constants alone."""
    if type(kind) is not type or not all(base in _BASES or _is_plain_class(base) for base in kind.__bases__):
        return False
    fields = dataclasses.fields(kind) if has_fields(kind) else ()
    if not all(f.default_factory in _FACTORIES for f in fields):
        return False
    members = [value for name, value in vars(kind).items() if name not in _MARKS]
    return all(is_constant(value) or any(_functions_in(value)) for value in members)


_BASES = (object, Exception, ValueError, TypeError, IndexError, KeyError)
_FACTORIES = (dataclasses.MISSING, list, dict, set)


def _functions_in(member: Any) -> Iterator[FunctionType]:
    """The functions that a member of a class is made of."""
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    if isinstance(member, property):
        yield from (f for f in (member.fget, member.fset, member.fdel) if isinstance(f, FunctionType))
    elif isinstance(member, FunctionType):
        yield member


def _methods_of(kind: type) -> list[FunctionType]:
    """The functions in a class that somebody wrote."""
    inherited = [f for base in kind.__bases__ if base not in _BASES for f in _methods_of(base)]
    own = [f for name, value in vars(kind).items() if name not in _MARKS for f in _functions_in(value)]
    return [*inherited, *(function for function in own if not is_generated(function))]


def _meet_class(trace: Recorder, kind: type) -> None:
    """Guard what is in a class."""
    if trace.python_state is not None:
        trace.python_state.lookups.whole(kind)
        for base in kind.__bases__:
            if base not in _BASES:
                _meet_class(trace, base)


def _copied(kind: type, namespace: dict[str, Any], copies: dict[type, type]) -> type:
    """A class with functions that count their steps."""
    if kind in _BASES:
        return kind
    if kind not in copies:

        def made(member: Any) -> Any:
            if isinstance(member, (staticmethod, classmethod)):
                return type(member)(made(member.__func__))
            if isinstance(member, property):
                return property(made(member.fget), made(member.fset), made(member.fdel))
            is_written = isinstance(member, FunctionType) and not is_generated(member)
            return _made(member, namespace) if is_written else member

        bases = tuple(_copied(base, namespace, copies) for base in kind.__bases__)
        entries = {
            name: made(value) for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")
        }
        copies[kind] = type(kind.__name__, bases, entries)
    return copies[kind]
