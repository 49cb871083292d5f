"""Compiled functions of files as plain data: what a program is besides its module, so that nothing is compiled again.

Functions of files find nothing of Python's state but the arrays of `model.state`. So what the disk cache has to pickle
for others is a record here: the machine code, the arrays that it takes, and how its results are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend.planning.plan import MachineCode
from ...dialect.errors import ArtifactError
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType, compatible_shapes
from ...passes.timing import CompileTimes
from ..compiling.program import CallSignature, Program, Recording
from ..guards.generic import Code
from ..guards.handles import Item, Owner
from ..guards.inputs import Input
from ..guards.packed_inputs import PackedInput
from ..runtime_values.result_spec import ArgumentResult, Result
from .descriptions import leaf_from_json, leaf_to_json, parts_of
from .record_json import Blobs, record_from_json, record_to_json
from .structures import Json, NoForm, structure_from_json, structure_to_json


class StateInput(NamedTuple):
    """An array of the state that a program gets behind its arguments."""

    key: str
    tensor: TensorType


class UsedLayout(NamedTuple):
    """How an array of the call has to lie in memory, as `layout_key` tells it."""

    position: int
    order: tuple[int, ...] | None
    apart: tuple[int, ...] | bool | None
    aligned: bool
    native: bool


class StoredProgram(NamedTuple):
    """A program, without how its results are made."""

    code: MachineCode
    types: tuple[TensorType, ...]
    """Those of the arguments."""
    aliases: tuple[int, ...]
    scalars: frozenset[int]
    numbers: tuple[str, ...]
    """The types of the arguments that are Python's numbers."""
    outputs: tuple[TensorType, ...]
    state: tuple[StateInput, ...]
    written: frozenset[int]
    layouts: tuple[UsedLayout, ...]
    kept: int
    """How many objects are kept while results are made."""
    has_inputs: bool


class Restorable(NamedTuple):
    """A program that can be made again."""

    stored: StoredProgram
    result: Result

    def takes(self, signature: CallSignature) -> bool:
        """Whether it is for the arrays of a call, be it among others."""
        stored = self.stored
        numbers = tuple(number.__name__ for number in signature.numbers.values())
        if (stored.aliases, stored.numbers) != (signature.aliases, numbers):
            return False
        # Numbers of NumPy's and arrays of rank 0 differ where they are written, and as what is returned.
        if not (stored.scalars ^ signature.scalars).isdisjoint(stored.written | self._returned()):
            return False
        return len(stored.types) == len(signature.types) and all(map(_covers, stored.types, signature.types))

    def types_for(self, signature: CallSignature) -> list[TensorType]:
        """The types that calls like one are known by: extents of 1 are told from others, as native code tells them."""
        pairs = [
            (own, zip(own.shape, given.shape, strict=True))
            for own, given in zip(self.stored.types, signature.types, strict=True)
        ]
        return [
            own.with_shape([1 if there == 1 else extent for extent, there in shape]) for own, shape in pairs
        ]

    def _returned(self) -> set[int]:
        """The arguments that are results, or are seen by them."""
        parts = (part for leaf in self.result.leaves for part in parts_of(leaf))
        return {part.argument for part in parts if isinstance(part, ArgumentResult)}

    def program(
        self, name: str, state: dict[str, Any], recording: Callable[[], Recording], device: str | None
    ) -> Program:
        """The program of the function with a name, on some state; `recording` makes what it was compiled from."""
        stored = self.stored
        owner = Owner(f"the state of {name}", state)
        inputs = [Input.of_array(Item(s.key, owner, s.key), s.tensor) for s in stored.state]
        first = sum(place == number for number, place in enumerate(stored.aliases))
        packed = [
            PackedInput(inputs[argument - first], layout) for argument, layout in stored.code.plan.packed
        ]
        return Program(
            code=stored.code,
            callbacks=[],
            recording=recording,
            result=self.result,
            computed_types=list(stored.outputs),
            extra=[*inputs, *packed],
            written=stored.written,
            layouts=[(position, tuple(key)) for position, *key in stored.layouts],
            shared=[],
            captures=[],
            guards=[],
            write_back=None,
            stores_early=False,
            has_inputs=stored.has_inputs,
            times=CompileTimes(),
            device=device,
        )

    def is_for(self, state: dict[str, Any]) -> bool:
        """Whether the state is what it takes."""
        arrays = [(state.get(key), tensor) for key, tensor in self.stored.state]
        return all(
            isinstance(array, np.ndarray) and array.dtype == tensor.dtype and array.shape == tensor.shape
            for array, tensor in arrays
        )


def program_to_json(program: Program, signature: CallSignature, state: Any, blobs: Blobs) -> Json:
    """A program of a function of a file, on some state; raises `NoForm` where it depends on more than that."""
    own = (program.callbacks, program.shared, program.captures, program.result.found)
    if any(own) or program.write_back is not None or program.stores_early:
        raise NoForm("a program that calls Python")
    if not all(isinstance(guard, Code) for guard in program.guards):  # of what stands for the source
        raise NoForm("a program that depends on Python's state")
    stored = StoredProgram(
        program.code,
        tuple(signature.types),
        signature.aliases,
        signature.scalars,
        tuple(number.__name__ for number in signature.numbers.values()),
        tuple(program.computed_types),
        tuple(_state_of(e, state) for e in program.extra if not isinstance(e, PackedInput)),
        program.written,
        tuple(UsedLayout(position, *key) for position, key in program.layouts),
        program.result.kept,
        program.has_inputs,
    )
    return {
        "program": record_to_json(stored, StoredProgram, blobs),
        "result": structure_to_json(program.result.structure),
        "leaves": [leaf_to_json(leaf) for leaf in program.result.leaves],
    }


def program_from_json(given: Json, blobs: Blobs) -> Restorable:
    """What makes the program of `program_to_json` again; raises `ArtifactError` for anything else."""
    try:
        stored: StoredProgram = record_from_json(given["program"], StoredProgram, blobs)
        arrays = len(stored.types) + len(stored.state)
        leaves: Any = tuple(leaf_from_json(leaf, arrays, len(stored.outputs)) for leaf in given["leaves"])
        structure = structure_from_json(given["result"], len(leaves))
        if type(stored.kept) is not int or stored.kept < 0:
            raise ArtifactError("it keeps no number of objects")
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, ArtifactError):
            raise
        raise ArtifactError(f"a program is none ({type(error).__name__}: {error})") from error
    return Restorable(stored, Result(structure, leaves, stored.kept))


def _state_of(extra: Any, state: Any) -> StateInput:
    handle = extra.handle if isinstance(extra, Input) else None
    if not isinstance(handle, Item) or handle.parent.get() is not state or extra.device is not None:
        raise NoForm("an array from outside")
    return StateInput(handle.index, extra.type)


def _covers(stored: TensorType, given: TensorType) -> bool:
    """Whether arrays of a type are of another one, whose extents may be unknown."""
    if stored.dtype != given.dtype or not compatible_shapes(stored.shape, given.shape):
        return False
    pairs: Sequence[tuple[Any, Any]] = list(zip(stored.shape, given.shape, strict=True))
    return all(there is not None or extent is None for extent, there in pairs)
