"""Python objects that are known only when the compiled function runs: the attributes of an exception that it caught."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, NoReturn

import numpy as np

from ...dialect.errors import ConcreteValueError, UnsupportedError
from ...dialect.types import TensorType
from ..tracing.current import required_trace
from ..tracing.number_types import number_type
from ..tracing.staging import host_call
from . import strings
from .kept_exceptions import held_of, is_sure_of
from .outside_traces import only_computes, outside_traces
from .values import Frozen, RuntimeValue, is_unborn


class RuntimeObject(RuntimeValue):
    """Something that is made of a value known at run time only; its attributes and items are alike."""

    __slots__ = ("_make", "_owner", "_shown")

    def __init__(self, owner: Any, make: Callable[[Any], Any], shown: str) -> None:
        """It is `make(owner)`; `shown` is for people who look while tracing."""
        self._owner = owner
        self._make = make
        self._shown = shown

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The owner to freeze, and what makes the object of it."""
        return self._owner, self._make

    def __getattr__(self, name: str) -> RuntimeObject:
        if name.startswith("__") and name not in _SHOWN:
            raise AttributeError(f"a value known at run time has no {name}")
        return RuntimeObject(self, lambda owner: getattr(owner, name), f"{self._shown}.{name}")

    def __getitem__(self, key: Any) -> RuntimeObject:
        shown = f"{self._shown}[{key!r}]"
        return RuntimeObject((self, key), lambda parts: parts[0][parts[1]], shown)

    def __repr__(self) -> str:
        return f"<{self._shown}, known at run time>"

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ConcreteValueError(
            f"{self!r} is part of an exception that was caught when the compiled function runs. Print it, put it into "
            "a text, raise it, or pass it to weft.py_call"
        )

    __str__ = __bool__ = __len__ = __iter__ = __contains__ = __format__ = __call__ = __hash__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = __index__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __array_ufunc__ = __array_function__ = __array__ = __neg__ = __abs__ = _refuse


def require_no_part(value: Any) -> None:
    """Refuse to change a part of an exception that was caught when the compiled function runs."""
    if type(value) is RuntimeObject:
        raise UnsupportedError(
            f"this changes {value!r}, a part of an exception that was caught when the compiled function runs: change "
            "it by the name that it has where the exception is raised, or by one of your own (found = []) beside it"
        )


_SHOWN = ("__cause__", "__context__", "__module__", "__name__", "__qualname__")
"""The attributes with two underscores that are the user's business."""


def attribute_of(error: BaseException, name: str) -> Any:
    """An attribute of a caught exception: a number or text where that is known of it."""
    held, is_sure = held_of(error), is_sure_of(error)
    shown = f"{type(error).__name__}.{name}"
    if name == "args" and (count := held.get(("args",))) is not None:
        whole = RuntimeObject(error, attrgetter("args") if is_sure else partial(_so_many, count), shown)
        return tuple(_known(whole[k], held.get(("args", k)), is_sure) for k in range(count))
    return _known(RuntimeObject(error, attrgetter(name), shown), held.get((name, None)), is_sure)


def _so_many(count: int, error: BaseException) -> Any:
    """The arguments of an exception that may have another number of them than is known of others."""
    if len(error.args) != count:
        raise _differs(error, f"has {len(error.args)} arguments, and others that come there {count}")
    return error.args


def _differs(error: Any, how: str) -> UnsupportedError:
    return UnsupportedError(
        f"{error!r} was caught, which {how}: give it a handler of its own (except {type(error).__name__})"
    )


TEXT, NOTHING = "text", "None"
"""What is known of a value that is a text, or None."""


def held_by(error: BaseException) -> tuple[tuple[Any, Any], ...]:
    """What is known of the arguments and attributes of an exception that is raised: numbers of which types, texts."""
    if is_unborn(error):
        return ()
    attributes = {
        name: getattr(error, name, None)
        for name in (*vars(error), *_slots_of(type(error)))
        if name != "args" and not name.startswith(("__", "_weft_"))
    }
    return (
        (("args",), len(error.args)),
        *((("args", k), _kind_of(value)) for k, value in enumerate(error.args)),
        *(((name, None), _kind_of(value)) for name, value in attributes.items()),
    )


def _slots_of(kind: type) -> list[str]:
    """The names of what classes of Python's own keep of an exception: `code` of SystemExit, `value`, `errno`."""
    slots = (MemberDescriptorType, GetSetDescriptorType)
    return [name for base in kind.__mro__ for name, member in vars(base).items() if isinstance(member, slots)]


def _kind_of(value: Any) -> Any:
    """The dtype and the type in Python of a number, `TEXT`, `NOTHING`, or None where none of these is known."""
    if value is None:
        return NOTHING
    if isinstance(value, (str, strings.RuntimeString)):
        return TEXT
    number = number_type(value)
    if number is None and not isinstance(value, np.generic) and not getattr(value, "_is_scalar", False):
        return None
    dtype = np.result_type(value) if number is None or not isinstance(value, number) else np.dtype(number)
    is_held = dtype.kind in "biufc" and not (isinstance(value, int) and abs(value) >= 1 << 63)
    return (str(dtype), number) if is_held else None


def agreed(all_held: Iterable[Iterable[tuple[Any, Any]]]) -> tuple[tuple[Any, Any], ...]:
    """What may be known of one of several exceptions: that in which no two of them differ.

    >>> agreed([[("a", 1), ("b", 2)], [("b", 3), ("c", 4)]])
    (('a', 1), ('c', 4))
    """
    found: dict[Any, Any] = {}
    differing = {part for held in all_held for part, kind in held if found.setdefault(part, kind) != kind}
    return tuple((part, kind) for part, kind in found.items() if part not in differing)


def _known(value: RuntimeObject, kind: Any, is_sure: bool) -> Any:
    """A part of an exception as what is known of it."""
    if kind is None or (kind == NOTHING and not is_sure):
        return value
    if kind == NOTHING:
        return None
    if kind == TEXT:
        return strings.RuntimeString(required_trace(), (value,), str if is_sure else _as_text, repr(value))
    name, number = kind
    frozen, dtype = Frozen(required_trace(), (value,)), np.dtype(name)
    thaw = frozen.thaw

    def take(*arrays: Any) -> list[Any]:
        (part,) = thaw(arrays)
        if not is_sure and _kind_of(part) != kind:
            raise _part_differs(part)
        return [np.asarray(part, dtype)]

    call = only_computes(outside_traces(take, "except"))
    (found,) = host_call(required_trace(), call, frozen.operands, [TensorType((), dtype)])
    return found if number is None else found._like_python(number)


def _as_text(part: Any) -> str:
    if not isinstance(part, str):
        raise _part_differs(part)
    return part


def _part_differs(part: Any) -> UnsupportedError:
    return UnsupportedError(
        f"a part of an exception that was caught is {part!r}, of another type than that of the others that come "
        "there: let one handler take exceptions whose parts are alike"
    )


def class_of(error: BaseException) -> RuntimeObject:
    """The class of a caught exception."""
    return RuntimeObject(error, type, "the class of an exception")
