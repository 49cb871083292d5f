"""What everything below, beside and above a recording names: the recorder of ops, and the storages it fills.

The recorder deals in SSA values. `array.py` makes traced arrays of storages, and `staging.py` records ops on traced
arrays; `trace.py` records into a module. This module does not load MLIR.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, TypeVar
from weakref import WeakSet

import numpy as np

from ...dialect.errors import InternalError, UnsupportedError
from ...dialect.op import Op
from ...dialect.ops.state import ReadRef
from ...dialect.records import NamedTuple, dataclass
from ...dialect.types import TensorType
from ..guards.dependencies import Dependencies
from ..guards.inputs import Choices
from .layouts import Layout

if TYPE_CHECKING:
    from ...dialect.callbacks import Callback
    from ...dialect.mlir import Location, Operation, Type, Value, ir
    from ..source.locations import Caller, SourceRange
    from .external_state import ExternalState
    from .regions import Region, Section

State = TypeVar("State")


Conditions: TypeAlias = "tuple[tuple[Any, int], ...]"
"""Traced conditions from the outermost on, with the number of the path that each led to."""


class Way(NamedTuple):
    """An array that another one is where some conditions led to paths."""

    conditions: Conditions
    array: Any


@dataclass(eq=False)
class Join:
    """A branch or loop that makes arrays of others; the paths that lead to its end are the same for all of them."""

    sees_any: Callable[[Iterable[Storage]], bool] | None = None
    """Whether the program can see one of some arrays; None in a loop's body, whose writes are looked at at its end."""
    truth: Any = None
    """The condition that decided, as it was then: a traced array; None where paths are not told apart later."""
    decided_inside: dict[Storage, Any] = field(default_factory=dict)
    """For conditions on a path that decided there what arrays are, the same behind the branch."""


class Handed(NamedTuple):
    """The values that a branch or loop may hand on as one of its results, or to one of its regions."""

    op: Operation
    to: int | None
    """The region that gets it as a parameter; None for a result."""
    values: tuple[tuple[int, Any], ...]
    """Each with the region at whose end it is handed on, or BEFORE_LOOP; ABSENT where nothing looks at it."""


class Stacked(NamedTuple):
    """The arrays that were stacked, to take the one at a place that is known when the program runs."""

    arrays: tuple[Any, ...]


class Numbered(NamedTuple):
    """An item of a list whose length the program knows, with the number of the caller's array that it is."""

    number: Value


class Written(NamedTuple):
    """The elements of an array behind a write, where they are known."""

    elements: np.ndarray[Any, Any]
    version: int
    """That of the array which they are: writes that are not followed make another one."""
    section: Section
    """Where it was written; at other places a branch or loop may have been left out, or run again."""
    writes: int


BEFORE_LOOP = -1
ABSENT = object()


class Aliases:
    """What an array may be at run time; `may_alias.py` follows them."""

    __slots__ = ("by_path", "is_outside", "is_stale", "join", "refuse", "result", "users", "ways")

    def __init__(self) -> None:
        self.join: Join | None = None
        self.by_path: tuple[Storage | None, ...] = ()
        """The array that each path leads to, where it is one."""
        self.result: Any = None
        """The array itself, which a join has made."""
        self.ways: tuple[Way, ...] | None = None
        """All arrays, or views, that it may be and that can be used where it can; None where that is not known."""
        self.users: dict[Storage, None] = {}
        """The storages that have this one as a source."""
        self.is_outside = False
        """Whether it may be an array from outside whose elements are compiled in."""
        self.is_stale = False
        """Whether something that this array may be was written after its value was computed."""
        self.refuse: Callable[[], NoReturn] | None = None
        """What raises where it is read then; None for what is said of arrays that joins made."""


class Assumption:
    """That an array is a view of another one in NumPy, or a copy, as the layout of some arguments says.

    It matters once one of the two is written and the other one read: then the trace depends on these layouts.
    """

    __slots__ = ("_loop", "_sources", "_version", "source")

    def __init__(self, source: Storage, sources: frozenset[int] | None) -> None:
        self.source = source
        """What is viewed or copied."""
        self._sources = sources
        """The arguments whose layouts decide; None where it is not known what decides."""
        self._version = source.version
        self._loop = source.trace.region.loop

    def look(self) -> None:
        """Note that an array is read: what was written to the other one since then is seen, or not."""
        source = self.source
        is_written_around = source.ref is not None and source.trace.region.loop is not self._loop
        if source.version != self._version or is_written_around:
            self.hold()

    def hold(self) -> None:
        """Let the trace depend on it."""
        if self._sources is None:
            raise UnsupportedError(
                f"whether this array shares its memory with another one ({self.source.type}, made at "
                f"{self.source.made_at or 'the entry'}) depends in NumPy on how that lies in memory, which is not "
                "known here, and one of them is written; make a copy of it first: x.copy()"
            )
        self.source.trace.layouts_used |= self._sources

    def returned(self) -> None:
        """Note that the array is returned: the caller sees whether it shares memory."""
        if self._sources is not None and self.source.argument is not None:
            self.hold()


class Storage:
    """An array that a trace computed or was given, before any view of it.

    It holds the SSA value of a freshly computed array. The first write to it makes it a cell (`weft.alloc_ref` right
    behind the value's definition); from then on reads are `weft.read_ref` at the current place, so that a view sees
    what was written to its base, in program order, as in NumPy.
    """

    __slots__ = (
        "aliases",
        "argument",
        "assumption",
        "behind_write",
        "handed",
        "is_array",
        "is_made",
        "known",
        "layout",
        "made_at",
        "outside",
        "ref",
        "section",
        "trace",
        "type",
        "value",
        "variable",
        "version",
        "written",
        "written_at",
    )

    def __init__(
        self,
        trace: Recorder,
        value: Any,
        tensor_type: TensorType,
        argument: int | None = None,
        made_at: SourceRange | None = None,
    ) -> None:
        self.trace = trace
        self.value = value
        """The SSA value, as long as nothing was written."""
        self.type = tensor_type
        self.ref: Any = None
        """The SSA value of the cell, once something was written."""
        self.version = 0
        """Counts the writes, so that views know when what they read is stale."""
        self.written_at = 0
        """When it was written last, by the clock of the trace."""
        self.argument = argument
        """The position among the function's array arguments, or None for a local array."""
        self.is_array = argument is not None
        """Whether NumPy has an array of rank 0 here, as `np.array(5)` is one; what is computed is a scalar."""
        self.is_made = False
        """Whether the program has made this array, whose elements are compiled in."""
        self.section = trace.region.section
        """Where the value is defined: it can be used as long as that can."""
        self.known: np.ndarray[Any, Any] | None = None
        """The elements, where the trace knows them and nothing was written: Python may look at these."""
        self.written: Written | None = None
        """The elements behind the last write, where that was followed."""
        self.outside: np.ndarray[Any, Any] | None = None
        """The array from outside whose elements are compiled in here; a view of it that leaves is one of that array."""
        self.aliases = Aliases()
        """What this may be at run time: `y = a if c else b` is a or b."""
        self.handed: Handed | Stacked | Numbered | None = None
        """What a branch or loop handed on as this, or what this was stacked or read of."""
        self.layout: Layout | None = None
        """How it lies in memory in NumPy; None for one that lies as a list of lists does."""
        self.assumption: Assumption | None = None
        """That NumPy copies it of another array."""
        self.behind_write: Callable[[], None] | None = None
        """What writes a copy of it that an object has whose attribute it is."""
        self.variable: Any = None
        """The `weft.Variable` whose array it is."""
        self.made_at = made_at or trace.user_location()
        """Where the user's program made it, for messages."""

    @property
    def region(self) -> Region:
        """The region of the section where the value is defined."""
        return self.section.region


class Catcher(Protocol):
    """What takes the exceptions of what is recorded: the body of a `try` statement."""

    def raise_if(self, condition: Value, error: str, message: str, *values: Value) -> None:
        """Record that the body is left with an exception where the condition holds."""

    def host_call(
        self, callback: Callback, operands: Sequence[Value], results: Sequence[TensorType]
    ) -> list[Value]:
        """Record a call of Python that leaves the body when it raises."""

    def note(self, checked: Callable[[], None]) -> None:
        """Call a function where the rest begins behind the next check."""


class Watcher(Protocol):
    """What looks at the arrays that are read for a while: an open tape."""

    def read(self, storage: Storage, value: Any) -> Any:
        """The SSA value to read for that of a storage; for None, that of a cell, which is read behind this if left."""

    def seen(self, value: Any) -> Any:
        """What stands for a value that was read."""


class CapturedArray(BaseException):
    """A function of the program uses an array of one around it, which therefore becomes a parameter."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage)
        self.storage = storage


class KeptItem(NamedTuple):
    """An array or container that is an item of a list that grows, which holds a copy."""

    item: Any
    before: Any
    """What a container held then; for an array, what the clock showed."""
    index: Any = None
    """What it was read at."""
    owner: Any = None
    """What stands for the list."""
    is_out: bool = False
    """Whether it was taken out of the list, so that it is one of its own."""


class KeptArray(NamedTuple):
    """An array whose elements were put into a list that grows."""

    storage: Storage
    since: int
    """Since when it must not be written."""
    owner: Any = None
    """What stands for the list."""


class ArrayNote(NamedTuple):
    """That arrays of a type lie in several places of lists that grow, or that one was changed in its place."""

    type: TensorType
    clock: int
    """When it was changed; or since when one that is changed may lie in several places."""
    is_change: bool
    owners: tuple[Any, ...] | None = None
    """The lists in which it is, or may be; None for any."""
    behind: Operation | None = None
    """The op behind which it was changed."""


class Recorder(ABC):
    """Records ops, in program order, into the region that is open."""

    module: ir.Module
    """What the functions of the program are made in."""
    entry: Region
    """The block of the function that is called from outside."""
    region: Region
    """Where the next op goes: the function's own block, or one of a branch or loop."""
    knows_counters = False
    """Whether the loop that is recorded can be unrolled, so that texts of its counter are constants."""
    is_eager = False
    """Whether the elements of what is recorded are known."""
    place: SourceRange | None = None
    """Where the op is that was recorded last."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.op_count = 0
        self.created = 0
        """Counts the operations, with those that were taken back."""
        self.worth_recording: float = math.inf
        """The numbers among the arguments become constants where more are created."""
        self.clock = 0
        """Counts the writes."""
        self.matrices: set[int] = set()
        """The arguments of two and more dimensions, which may lie in memory in several ways without gaps."""
        self.layouts_used: set[int] = set()
        """The arguments on whose layout the trace depends."""
        self.cells: list[Storage] = []
        """The storages that became cells, in order."""
        self.kept: list[KeptArray] = []
        """Arrays whose elements were put into lists that grow."""
        self.array_notes: list[ArrayNote] = []
        """Which arrays in such lists may have several places, and which were changed in place."""
        self.kept_items: list[KeptItem] = []
        """Items of lists that grow that must not be changed."""
        self.choices = Choices()
        self.attributes_of: Callable[[Any], dict[str, Any] | None] = lambda value: None
        """The attributes of an object that the recording has made, which are all that it is; None of anything else."""
        self.made_classes: WeakSet[type] = WeakSet()
        """The classes that the function makes."""
        self.at_end: list[Callable[[], None]] = []
        """Checks of what the whole program does, made before the function is finished."""
        self.has_effects = False
        """Whether something was recorded that the caller sees even if the call fails: a write, a print, a raise."""
        self.set_aside = 0
        """How many blocks are open in which nothing is recorded."""
        self.checks = 0
        """Counts the calls of Python and the checks that may raise."""
        self.catcher: Catcher | None = None
        """What takes the exceptions of what is recorded: that of the innermost `try` statement."""
        self.watchers: list[Watcher] = []
        """What looks at the arrays that are read, outermost first."""
        self.watch_epoch = 0
        """Counts the changes of that: what was read before is read again."""
        self.suspended: list[set[int]] = []
        """For every function around the one that is being recorded the regions that are not visible in it."""
        self.arguments: list[Any] = []
        """What the caller passes, as traced arrays."""
        self.numbers: dict[Value, int] = {}
        """The Python numbers among the arguments that are data; the keys that the caller knows them by."""
        self.length_numbers: set[int] = set()
        """Those of them that are data even where they are lengths."""
        self.deciding: set[int] = set()
        """Those of them that alone decide what runs."""
        self.dependencies = Dependencies()
        self.python_state: ExternalState | None = None
        """The state that was there before."""
        self._states: dict[type[Any], Any] = {}

    def state(self, kind: type[State]) -> State:
        """What a layer above keeps for as long as this recording lasts: the one object of a class of its own."""
        found: State | None = self._states.get(kind)
        if found is None:
            found = self._states[kind] = kind()
        return found

    # Ops

    @abstractmethod
    def create(
        self, op_class: type[Op], operands: list[Value], attributes: dict[str, Any]
    ) -> Sequence[Value]:
        """Record an op on SSA values at the user's present location; returns its results."""

    @abstractmethod
    def create_upstream(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Type],
        attributes: dict[str, Any] | None = None,
    ) -> list[Value]:
        """Record an op of an upstream dialect; returns its results."""

    @abstractmethod
    def capture(self, array: Any) -> Value:
        """The SSA value of an array that is not an argument: a constant when small, else a hidden argument."""

    def watch(self, array: np.ndarray[Any, Any]) -> None:
        """Take note that what is recorded depends on the elements that an array from outside has now."""
        return None

    @abstractmethod
    def type_of(self, value: Value) -> TensorType:
        """The type of an array's SSA value."""

    @abstractmethod
    def raise_if(
        self,
        condition: Value,
        error: str,
        message: str,
        *values: Value,
        raised: TracebackType | None = None,
    ) -> None:
        """Record that the call, or the body of a `try`, ends with a Python exception where the condition holds.

        `raised` is the traceback of an exception that it stands for, as for `location`.
        """

    @abstractmethod
    def host_call(
        self,
        callback: Callback,
        operands: Sequence[Value],
        results: Sequence[TensorType] = (),
        raised: TracebackType | None = None,
    ) -> list[Value]:
        """Record a call of Python when the program runs; it gets copies of the operands and returns the results.

        `raised` is the traceback of an exception that it stands for, as for `location`.
        """

    def call_at_entry(self, callback: Callback) -> None:
        """Let the program call a Python function, of no arguments and results, once, before all else."""
        raise InternalError("plain Python has no entry")

    def elements(self, value: Any) -> np.ndarray[Any, Any] | None:
        """The elements of a value, where ops are evaluated at once."""
        return None

    def is_remembered(self, value: Any) -> bool:
        """Whether derivatives may be asked for of what is computed of a value whose elements are known."""
        return False

    def data(self, array: np.ndarray[Any, Any], variable: Any = None) -> Any:
        """What stands for the array of a variable, where plain Python is remembered."""
        return array

    def argument_name(self, storage: Storage) -> str | None:
        """What the argument is called that is stored so; None for what is no argument."""
        return None

    # Storages

    @abstractmethod
    def make_cell(self, storage: Storage) -> None:
        """Turn a storage into a mutable cell at the place where its value was defined."""

    def require_active(self, storage: Storage, shown: TensorType) -> None:
        """Raise `LeakedArrayError` when an array, of the type shown, is used after its trace or region has ended."""
        return None

    def value_of(self, storage: Storage) -> Any:
        """The SSA value of what a storage holds now."""
        value = None if storage.ref is not None else storage.value
        for watcher in self.watchers:
            value = watcher.read(storage, value)
        found = self.create(ReadRef, [storage.ref], {})[0] if value is None else value
        for watcher in self.watchers:
            found = watcher.seen(found)
        return found

    def cells_since(self, mark: int) -> list[Storage]:
        """The storages visible in the open region that are cells since there were so many."""
        return [storage for storage in self.cells[mark:] if self.region.is_inside(storage.region)]

    # Functions

    def fresh_symbol(self, name: str) -> str:
        """A name for another function of the module."""
        return name

    def own_captures(self) -> AbstractContextManager[None]:
        """Capture arrays anew: the constants of one function are not visible in another."""
        return nullcontext()

    # Locations

    @abstractmethod
    def location(self, raised: TracebackType | None = None) -> Location:
        """The MLIR location of the user's place, with the chain of calls that led to it.

        With the traceback of an exception that was just caught, that of the place where it was raised.
        """

    def user_location(self) -> SourceRange | None:
        """The innermost place in the user's program, or None outside of it."""
        return None

    def place_chain(self) -> tuple[SourceRange, ...]:
        """The place in the user's program with those of the calls that led there, innermost first."""
        return ()

    def enter_recording(self) -> Caller | None:
        """Remember where the branch, loop or call is that will be recorded; returns what was remembered before."""
        return None

    def leave_recording(self, around: Caller | None) -> None:
        """Go back to what was remembered before."""
        return None
