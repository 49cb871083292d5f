"""Objects of SciPy's classes that are made of what is known at run time: rotations, interpolators, trees, kernels.

An object is kept as the call that makes it. Whatever is asked of it makes it, at run time, and asks, in one call of
Python; what comes out is found while tracing by examples. A method that changes its object is refused: the next
question would not see that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ...dialect.records import replace
from ..guards.library_functions import is_library_class
from ..indexing.broadcasting import broadcast_to
from ..runtime_values import effects
from ..runtime_values.values import Frozen, RuntimeValue
from ..signature.signature import flatten_with
from ..source.modules import told
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder
from . import call_examples
from .run_time_calls import like_found, require_fallback, warn, writable_copies

Build = Callable[[Sequence[Any]], Any]


def makes_object(function: Any) -> bool:
    """Whether a function is a public class of SciPy's whose objects compute, or a class method that makes one."""
    if isinstance(function, type):
        return is_library_class(function)
    kind = _class_of_maker(function)
    return kind is not None and is_library_class(kind) and function.__name__ not in _DRAWING


def _class_of_maker(function: Any) -> type | None:
    """The class of a class method or static method."""
    owner = told(function, "__self__")
    if isinstance(owner, type):
        return owner
    path = told(function, "__qualname__", "").split(".")
    if len(path) != 2 or owner is not None:
        return None
    kind = getattr(sys.modules.get(getattr(function, "__module__", None) or ""), path[0], None)
    return kind if isinstance(kind, type) and isinstance(vars(kind).get(path[1]), staticmethod) else None


def make_object(trace: Recorder, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What stands for the object that a class or class method makes."""
    owner = _class_of_maker(function)
    name = function.__name__ if owner is None else f"{owner.__name__}.{function.__name__}"
    return _asked(trace, name, lambda given, named: function(*given, **named), (args, kwargs))


class LibraryObject(RuntimeValue):
    """An object of a library's class that is made when the program runs, whenever something of it is asked."""

    __slots__ = ("_build", "_frozen", "_leaves", "_make", "_sample", "_trace")

    def __init__(
        self,
        trace: Recorder,
        make: Callable[..., Any],
        parts: Any,
        leaves: list[Any],
        build: Build,
        sample: Any,
    ) -> None:
        for slot, value in (
            ("_trace", trace),
            ("_make", make),
            ("_frozen", Frozen(trace, parts)),
            ("_leaves", leaves),
            ("_build", build),
            ("_sample", sample),
        ):
            object.__setattr__(self, slot, value)

    @property
    def python_type(self) -> type:  # type: ignore[override]
        """The class of the object."""
        return type(self._sample)

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        make = self._make
        return self._frozen, lambda parts: make(*writable_copies(parts))

    def __repr__(self) -> str:
        return f"<a {type(self._sample).__name__} of run-time values>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._sample, name)
        if callable(found):
            return lambda *args, **kwargs: self._ask(name, args, kwargs)
        return self._shown(
            _asked(self._trace, self._named(name), lambda made: getattr(made, name), (self,)), name
        )

    def _shown(self, part: Any, name: str) -> Any:
        """An attribute, through which NumPy would write to the object, such that this is refused."""
        if not isinstance(part, TracedArray) or not part.ndim:
            return part
        view = broadcast_to(part, part.shape)
        refusal = (
            f"this writes to {self._named(name)}, and the next use of the object, which is made of run-time values "
            "anew, would not see it: write to a copy"
        )
        path = tuple(replace(step, refusal=refusal) for step in view._path)
        return TracedArray(view._storage, path, view.type)

    def __setattr__(self, name: str, value: Any) -> None:
        raise UnsupportedError(
            f"{name!r} of a {type(self._sample).__name__} of run-time values is changed, which the next use of it "
            "would not see: make another one"
        )

    def _named(self, name: str) -> str:
        return f"{type(self._sample).__name__}.{name}"

    def _ask(self, name: str, args: Any, kwargs: Any) -> Any:
        def ask(made: Any, given: Any, named: Any) -> Any:
            result = getattr(made, name)(*given, **named)
            return None if result is made else result  # the object itself, which it has changed

        if name in _DRAWING:
            raise UnsupportedError(
                f"{self._named(name)} draws random numbers, which compiled code does not do through SciPy: draw them "
                "with a generator of NumPy's"
            )
        return _asked(self._trace, self._named(name), ask, (self, args, kwargs))


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: LibraryObject, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(type(self._sample), name):
            return NotImplemented
        return self._ask(name, args, kwargs)

    return operate


for _name in ("call", "mul", "matmul", "add", "sub", "pow", "getitem", "truediv", "neg"):
    setattr(LibraryObject, f"__{_name}__", _operator(f"__{_name}__"))

_DRAWING = frozenset({"random", "resample", "rvs"})
"""Methods that draw random numbers."""


def _asked(trace: Recorder, name: str, function: Callable[..., Any], parts: tuple[Any, ...]) -> Any:
    """Record a call of a function on parts, some of which are objects; what it gives may be one, too."""
    refusal = f"{name} is not supported in compiled code"
    require_fallback(refusal)
    leaves: list[Any] = []
    planned = _plan(parts, leaves)

    def build(given: Sequence[Any]) -> Any:
        return function(*planned(given))

    sample = call_examples.first_result(build, leaves, refusal) if leaves else build(())
    if sample is None:
        raise UnsupportedError(
            f"{name} gives nothing: it changes its object, which the next use of it would not see"
        )
    if is_library_class(type(sample)):
        return LibraryObject(trace, function, parts, leaves, build, sample)
    if not leaves:
        return sample  # known while tracing
    flat: list[Any] = []
    structure = flatten_with(
        ((leaves,), {}), flat, lambda value: isinstance(value, (TracedArray, np.ndarray))
    )
    found = call_examples.found_by_examples(build, structure, flat, refusal)

    def call(*given: Any) -> Any:
        return found.made(function(*writable_copies(given)))

    call.__name__ = name
    made = like_found(found, effects.py_call(call, *parts, result=found.spec), name, flat)
    warn(name)
    return made


def _plan(value: Any, leaves: list[Any]) -> Build:
    """What makes a value again of examples in the places of the arrays in it, and in the objects in it."""
    if isinstance(value, LibraryObject):
        first, last = len(leaves), len(leaves) + len(value._leaves)
        leaves += value._leaves
        return lambda given: value._build(given[first:last])
    if isinstance(value, (tuple, list)):
        parts, kind = [_plan(part, leaves) for part in value], type(value)
        return lambda given: kind(part(given) for part in parts)
    if isinstance(value, dict):
        entries = {key: _plan(part, leaves) for key, part in value.items()}
        return lambda given: {key: part(given) for key, part in entries.items()}
    if isinstance(value, (TracedArray, np.ndarray)):
        place = len(leaves)
        leaves.append(value)
        return lambda given: writable_copies(given[place])
    if isinstance(value, RuntimeValue) or (callable(value) and not isinstance(value, type)):
        raise UnsupportedError(
            f"a {type(value).__name__} cannot be passed to SciPy's classes in compiled code"
        )
    return lambda given: value
