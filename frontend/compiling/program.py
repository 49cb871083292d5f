"""What one specialisation of a function is: the signature it was made for, and all that is needed to run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...backend.planning.plan import MachineCode
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType
from ...passes.notes import Note
from ...passes.timing import CompileTimes
from ..guards.captures import Capture
from ..guards.guards import Guard
from ..guards.handles import Bound, Handle
from ..guards.inputs import Input
from ..guards.packed_inputs import PackedInput
from ..python_state.updates import Updates
from ..runtime_values.result_spec import Result
from ..signature.layout_keys import LayoutKey
from ..signature.signature import Structure, without_objects

if TYPE_CHECKING:
    from ...dialect.mlir import Operation  # which programs of the disk cache do without

Apply: TypeAlias = Callable[[Sequence[Any], Sequence[Any], Bound], None]
"""Makes the changes of Python's state that a call makes, of the outputs, the arrays of the call and its arguments."""


class CallSignature:
    """The arguments that a specialisation is for."""

    def __init__(
        self,
        name: str,
        structure: Structure,
        types: Sequence[TensorType],
        names: Sequence[str],
        aliases: tuple[int, ...],
        scalars: frozenset[int],
        numbers: tuple[type, ...] = (),
        device: str | None = None,
        on_device: frozenset[int] = frozenset(),
    ) -> None:
        self.name = name
        self.structure = structure
        self.types = tuple(types)
        self.names = tuple(names)
        self.aliases = aliases
        """For every array argument the first argument that is the same array."""
        self.scalars = scalars
        """The array arguments that are NumPy scalars, which cannot be written."""
        first = len(self.types) - len(numbers)
        self.numbers = {first + place: number for place, number in enumerate(numbers)}
        """The scalars that are Python numbers: the last of the arguments, with their types."""
        self.device = device
        """The GPU that it runs on, by its name; None for the processor."""
        self.on_device = on_device
        """The arguments that lie there already."""
        self.key = (without_objects(structure), self.types, aliases, scalars, numbers, device, on_device)
        """Equal where what was compiled for one is right for the other."""
        self.distinct = tuple(i for i, first in enumerate(aliases) if i == first)
        """The arguments that the trace has: one for all that are the same array."""

    def with_types(self, types: Sequence[TensorType]) -> CallSignature:
        """The signature of the same arguments with other types."""
        numbers = tuple(self.numbers.values())
        parts = self.structure, types, self.names, self.aliases, self.scalars, numbers
        return CallSignature(self.name, *parts, self.device, self.on_device)

    def position_of(self, argument: int) -> int:
        """Where an argument of the trace is among the arrays of a call: the caller's, then the extra ones."""
        distinct = self.distinct
        return (
            distinct[argument] if argument < len(distinct) else len(self.aliases) + argument - len(distinct)
        )


class Recording(NamedTuple):
    """What a trace was before it was compiled."""

    module: Operation
    """Its module at stage "weft"."""
    symbol: str
    """The name of the function in it."""
    target: str
    result: Result
    computed_types: list[TensorType]
    extra: list[Capture | Input]
    """What the function gets besides the arguments."""
    updates: Updates | None
    """What changes Python's state after a call, if anything does."""

    def text(self, stage: str) -> str:
        """The program at a stage of its compilation."""
        from .stages import stage_text  # which loads the compiler

        return stage_text(self.module, stage, self.target)


class Program(NamedTuple):
    """A compiled function, with what it is made for and made of."""

    code: MachineCode
    callbacks: Sequence[Callable[..., Any]]
    """The Python functions that it calls."""
    recording: Callable[[], Recording]
    """What it was compiled from; of one that was found on disk, it is made when it is asked for."""
    result: Result
    computed_types: list[TensorType]
    extra: list[Capture | Input | PackedInput]
    """What it gets besides the arguments."""
    written: frozenset[int]
    """The positions among the arrays of a call that it writes."""
    layouts: list[tuple[int, LayoutKey]]
    """The arrays of a call, by position, on whose layout in memory the program depends, and these layouts."""
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
    times: CompileTimes
    """What its compilation took."""
    device: str | None
    """The GPU that it runs on, by its name: that of its arguments, or of arrays that it finds elsewhere."""
    notes: tuple[Note, ...] = ()
    """What was decided while it was traced; what was decided later is found out when somebody asks."""
