"""What one specialisation of a function is: the signature it was made for, and all that is needed to run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from ..backend.cpu.plan import MachineCode
from ..dialect.types import TensorType
from .captures import Capture
from .guards import Guard
from .handles import Bound, Handle
from .inputs import Input
from .outcomes import Result
from .signature import Structure

Apply: TypeAlias = Callable[[Sequence[Any], Sequence[Any], Bound], None]
"""Makes the changes of Python's state that a call makes, of the outputs, the arrays of the call and its arguments."""


@dataclass(frozen=True)
class CallSignature:
    """The arguments that a specialisation is for."""

    name: str
    structure: Structure
    types: tuple[TensorType, ...]
    names: tuple[str, ...]
    aliases: tuple[int, ...]
    """For every array argument the first argument that is the same array."""
    scalars: frozenset[int]
    """The array arguments that are NumPy scalars, which cannot be written."""

    @cached_property
    def distinct(self) -> tuple[int, ...]:
        """The arguments that the trace has: one for all that are the same array."""
        return tuple(i for i, first in enumerate(self.aliases) if i == first)

    def position_of(self, argument: int) -> int:
        """Where an argument of the trace is among the arrays of a call: the caller's, then the extra ones."""
        distinct = self.distinct
        return (
            distinct[argument] if argument < len(distinct) else len(self.aliases) + argument - len(distinct)
        )


@dataclass
class Program:
    """A compiled function, with what it is made for and made of."""

    code: MachineCode
    callbacks: Sequence[Callable[..., Any]]
    """The Python functions that it calls."""
    text: Callable[[str], str]
    """The program at a stage of its compilation."""
    result: Result
    computed_types: list[TensorType]
    extra: list[Capture | Input]
    """What it gets besides the arguments."""
    written: frozenset[int]
    """The positions among the arrays of a call that it writes."""
    shared: list[tuple[Handle, int]]
    """Places that hold an array argument, by its position."""
    captures: list[Capture]
    guards: list[Guard]
    write_back: Apply | None
    """What changes Python's state after a call, if anything does."""
    stores_early: bool
    """Whether the call stores changes before its end, too."""
    has_inputs: bool
    """Whether the trace made data of what is not among the arguments."""


__all__ = ["Apply", "CallSignature", "Program"]
