"""Functions of files: `weft.Function`s that are made of modules, not of Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, cast

import numpy as np

from ...backend.cpu.dispatch.objects import mark_callable
from ...dialect.errors import WeftTypeError
from ...dialect.types import compatible_shapes
from ..calls.concrete import ConcreteFunction
from ..calls.eager_calls import always_compiled
from ..compiling.program import CallSignature, Program
from ..function import Function
from ..guards.dependencies import Dependencies
from ..guards.handles import Item, Owner
from ..guards.inputs import Decisions
from ..signature.signature import alias_pattern, describe, is_array
from ..tracing.array import TracedArray
from ..tracing.current import current_trace, remembering
from ..tracing.extents import known_shape
from ..tracing.learned_sizes import need_all_sizes
from ..tracing.trace import Trace
from .descriptions import Argument, Description, StateArray
from .recorded import Recorded


class RecordedFunction(Function[..., Any]):
    """A function that `weft.load` made: called, compiled for known sizes, differentiated and inlined like any other."""

    def __init__(self, name: str, specialisations: Sequence[Recorded], state: dict[str, Any]) -> None:
        self.recorded_as = tuple(specialisations)
        """What the file holds of it."""
        self.state = state
        """The arrays that it shares with the other functions of the file."""
        self._source = _placeholder(name, self.recorded_as[0].description)
        """What is compiled in place of its source; kept, as guards ask whether it is the same."""
        super().__init__(_placeholder(name, self.recorded_as[0].description, self._evaluated), None, name)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The specialisation for example arguments; without any, the one that the file holds."""
        if not args and not kwargs:
            args, kwargs = self.recorded_as[0].specs()
        return super().get_concrete_function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<weft.function {self.name}{', '.join(map(str, self.recorded_as))} of a file>"

    def __reduce__(self) -> NoReturn:
        raise WeftTypeError(f"{self.name} comes from a file: load the file in the other process")

    # From a call to a program

    def _compiled(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> ConcreteFunction:
        """Compile: its source is no Python, which the disk cache could compare."""
        program, _ = self._traced(signature, leaves, decisions)
        return ConcreteFunction(signature, program, self._bind)

    def _traced(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> tuple[Program, Dependencies]:
        return self._traced_as(self._source, signature, leaves, decisions)

    def _traced_function(self) -> Callable[..., Any]:
        return self._replayed

    def _replayed(self, *args: Any, **kwargs: Any) -> Any:
        """Record the specialisation that fits in the trace that is in progress."""
        from .replaying import Replay  # which loads the compiler

        trace = cast(Trace, current_trace())
        recorded, leaves = self._fitting_of(args, kwargs)
        owner, known = Owner(f"the state of {self.name}", self.state), trace.python_state
        assert known is not None
        state = [
            known.stand_in(Item(array.key, owner, array.key), value)
            for array, value in self._state_of(recorded)
        ]
        return Replay(trace, recorded.module, recorded.description, self.name).run(leaves, state)

    def _state_of(self, recorded: Recorded) -> list[tuple[StateArray, Any]]:
        """The arrays of the state that a specialisation needs."""
        found = [(array, self.state.get(array.key)) for array in recorded.description.state]
        for array, value in found:
            there = (value.dtype, value.shape) if isinstance(value, np.ndarray) else None
            if there != (array.tensor.dtype, array.tensor.shape):
                raise WeftTypeError(
                    f"{self.name} needs {array.tensor} as the state {array.key!r}, which is {value!r:.60}"
                )
        return found

    def _fitting_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Recorded, list[Any]]:
        """The specialisation whose arguments are nested as those of a call are, and of the same dtypes and sizes."""
        leaves: list[Any] = []
        structure = self._flatten(args, kwargs, leaves, [])
        nested = [
            (r, found) for r in self.recorded_as if (found := r.leaves_of(structure, leaves)) is not None
        ]
        if len(nested) == 1:
            return nested[0]  # whose message tells which argument does not fit
        fitting = [
            (recorded, found)
            for recorded, found in nested
            if all(map(_may_be, found, recorded.description.arguments))
        ]
        certain = [(r, found) for r, found in fitting if all(map(_is, found, r.description.arguments))]
        if fitting and not certain:
            need_all_sizes(f"what is called of {self.name}, which comes from a file,")
        certain.sort(key=lambda each: alias_pattern(each[1]) != each[0].description.aliases)
        if certain or len(fitting) == 1:
            return (certain or fitting)[0]
        given = describe(structure, [getattr(leaf, "type", leaf) for leaf in leaves])
        saved = "".join(f"\n  {self.name}{recorded}" for recorded in self.recorded_as)
        raise WeftTypeError(f"{self.name} was not saved for the arguments {given}; the file has{saved}")

    def _evaluated(self, *args: Any, **kwargs: Any) -> Any:
        """The function where others run as Python: it has none, and runs compiled."""
        given: list[Any] = []
        self._flatten(args, kwargs, given, [])
        traced = [leaf for leaf in given if isinstance(leaf, TracedArray)]
        if traced or remembering() is not None:
            recorded, leaves = self._fitting_of(args, kwargs)
            state = {array.key: value for array, value in self._state_of(recorded)}
            if traced or any(array.dtype.kind in "fc" for array in state.values()):
                from .eager_replaying import EagerReplay  # which loads the compiler

                return EagerReplay.of(traced, recorded, self.name).call(leaves, state)
        with always_compiled():
            return self(*args, **kwargs)


mark_callable(RecordedFunction, is_method=True)


def _may_be(leaf: Any, wanted: Argument) -> bool:
    """Whether an array, or a number of Python's, is what an argument was saved for."""
    if not is_array(leaf):
        return wanted.number in (None, type(leaf))
    tensor = wanted.tensor
    return bool(leaf.dtype == tensor.dtype and compatible_shapes(tensor.shape, known_shape(leaf)))


def _is(leaf: Any, wanted: Argument) -> bool:
    """Whether an array that may be what an argument was saved for is that for sure: of sizes that are known."""
    pairs = zip(wanted.tensor.shape, known_shape(leaf), strict=True) if is_array(leaf) else ()
    return all(there is not None for extent, there in pairs if extent is not None)


def _placeholder(
    name: str, description: Description, call: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A function with the parameters of the one that was saved; it reads nothing of Python's that could change."""

    if call is None:

        def placeholder(*args: Any, **kwargs: Any) -> None:
            """What is traced instead comes from the file."""

    else:

        def placeholder(*args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
            return call(*args, **kwargs)

    placeholder.__name__ = placeholder.__qualname__ = name
    placeholder.__doc__ = f"{name}, loaded from a file."
    placeholder.__signature__ = inspect.Signature(description.parameters)  # type: ignore[attr-defined]
    return placeholder


__all__ = ["RecordedFunction"]
