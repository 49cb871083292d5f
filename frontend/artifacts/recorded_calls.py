"""Calls of functions of files in a trace: the specialisation that fits, recorded as a part of the trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np

from ...dialect.errors import WeftTypeError
from ...dialect.types import compatible_shapes
from ..guards.handles import Item, Owner
from ..signature.signature import Structure, alias_pattern, is_array
from ..tracing.array import TracedArray
from ..tracing.current import current_trace
from ..tracing.extents import known_shape
from ..tracing.learned_sizes import need_all_sizes
from ..tracing.trace import Trace
from .descriptions import Argument, StateArray
from .recorded import Recorded, described_call
from .replaying import Replay

State: TypeAlias = "Mapping[str, Any]"
"""The arrays of a loaded file by name."""


def replayed(
    name: str, recorded_as: Sequence[Recorded], held: State, structure: Structure, leaves: Sequence[Any]
) -> Any:
    """Record the specialisation that fits in the trace that is in progress; `held` is the state by name."""
    trace = cast(Trace, current_trace())
    recorded, arrays = _fitting_of(name, recorded_as, structure, leaves)
    owner, known = Owner(f"the state of {name}", held), trace.python_state
    assert known is not None
    state = [
        known.stand_in(Item(array.key, owner, array.key), value)
        for array, value in _state_of(name, recorded, held)
    ]
    return Replay(trace, recorded.module, recorded.description, name).run(arrays, state)


def on_tape(
    name: str, recorded_as: Sequence[Recorded], held: State, structure: Structure, leaves: Sequence[Any]
) -> Callable[[], Any] | None:
    """The call of what fits under a tape of plain Python; None where the tape wants nothing of it."""
    from .eager_replaying import EagerReplay  # traces of compiled functions do without

    traced = [leaf for leaf in leaves if isinstance(leaf, TracedArray)]
    recorded, arrays = _fitting_of(name, recorded_as, structure, leaves)
    state = {array.key: value for array, value in _state_of(name, recorded, held)}
    if not traced and not any(array.dtype.kind in "fc" for array in state.values()):
        return None
    return partial(EagerReplay.of(traced, recorded, name).call, arrays, state)


def _state_of(name: str, recorded: Recorded, held: State) -> list[tuple[StateArray, Any]]:
    """The arrays of the state that a specialisation needs."""
    found = [(array, held.get(array.key)) for array in recorded.description.state]
    for array, value in found:
        there = (value.dtype, value.shape) if isinstance(value, np.ndarray) else None
        if there != (array.tensor.dtype, array.tensor.shape):
            raise WeftTypeError(
                f"{name} needs {array.tensor} as the state {array.key!r}, which is {value!r:.60}"
            )
    return found


def _fitting_of(
    name: str, recorded_as: Sequence[Recorded], structure: Structure, leaves: Sequence[Any]
) -> tuple[Recorded, list[Any]]:
    """The specialisation whose arguments are nested as those of a call are, and of the same dtypes and sizes."""
    nested = [(r, found) for r in recorded_as if (found := r.leaves_of(structure, leaves)) is not None]
    if len(nested) == 1:
        return nested[0]  # whose message tells which argument does not fit
    fitting = [
        (recorded, found)
        for recorded, found in nested
        if all(map(_may_be, found, recorded.description.arguments))
    ]
    certain = [(r, found) for r, found in fitting if all(map(_is, found, r.description.arguments))]
    if fitting and not certain:
        need_all_sizes(f"what is called of {name}, which comes from a file,")
    certain.sort(key=lambda each: alias_pattern(each[1]) != each[0].description.aliases)
    if certain or len(fitting) == 1:
        return (certain or fitting)[0]
    given = described_call(structure, [getattr(leaf, "type", leaf) for leaf in leaves])
    saved = "".join(f"\n  {name}{recorded}" for recorded in recorded_as)
    hint = _CONSTANTS if any(recorded.differs_in_constants(structure) for recorded in recorded_as) else ""
    raise WeftTypeError(f"{name} was not saved for the arguments {given}; the file has{saved}{hint}")


_CONSTANTS = (
    "\na number or text in this list is a constant of what was compiled; a number is data in a file if it was one of "
    "NumPy's (np.float64(0.1)) when the function was compiled, or came with several values"
)


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
