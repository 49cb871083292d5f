"""What AutoGraph keeps while a program is recorded: the constructs around the present point, and what they found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from types import CodeType
from typing import Any, TypeAlias
from weakref import WeakSet

from .....dialect.records import dataclass
from ....runtime_values.results import RuntimeContainer
from ....tracing.array import TracedArray
from ....tracing.recorder import Recorder, Storage
from ....tracing.regions import Region, Section
from .kinds import Kind
from .own_variables import Way
from .program_locations import Slot, Snapshot

Facts: TypeAlias = "tuple[tuple[Any, Callable[[Any], Any]], ...]"
"""Values of which more is known where a condition has a certain truth, with what makes what they are there."""

CallKey: TypeAlias = "tuple[Any, ...]"
"""What tells the calls of functions apart: code, closure, and the abstract types of the arguments."""

ConstructKey: TypeAlias = "tuple[Any, ...]"
"""What tells loops apart: the loop around, the identities of the code, the location, and how many came before there."""


@dataclass
class Remembered:
    """What a loop carried when it was recorded last."""

    codes: tuple[CodeType, ...]
    """Its code."""
    variables: dict[str, Kind] = field(default_factory=dict)
    """The variables of its blocks, by their names."""
    inside: dict[Way, dict[Any, Kind]] = field(default_factory=dict)
    """Attributes and entries, by the way to what has them."""
    slots: dict[str, Kind] = field(default_factory=dict)
    """Values of the staged code itself, by their names."""
    wider: dict[Way, tuple[Kind, bool]] = field(default_factory=dict)
    """The items of containers that turned out to hold other ones, and whether these began to grow in the loop."""


@dataclass
class StagedFunction:
    """A function of the program that calls itself, or is called in many places."""

    symbol: str
    kinds: list[Kind]
    """The abstract types of its arguments, in order."""
    result: Kind | None = None
    """That of its result; None until some path is known to return."""
    written: tuple[int, ...] = ()
    """The arrays among its parameters that it writes: it returns them too, for the caller to write back."""
    catches: bool = False
    """Whether it returns the number of the exception that it raises, for a `try` around its calls."""
    op: Any = None
    """Its definition."""
    captured: list[TracedArray] = field(default_factory=list)
    """Arrays of the functions around it that it uses: further parameters."""
    state: Any = None
    """What lies outside of it and differs from call to call: further parameters and results."""
    is_final: bool = False
    """Whether it was recorded with all that is known of it."""
    is_asked: bool = False
    """Whether it was called in its own recording, with what was known then."""
    is_for_copies: bool = False
    """Whether it stands for copies in the places of calls, which may be recorded there as well, and keep all types."""
    handed_on: tuple[frozenset[int | None], ...] = ()
    """For each array in its result the arrays among its parameters that it may be; None is another one."""


@dataclass
class Activation:
    """A user's function that is being recorded."""

    key: CallKey
    digest: int
    """The hash of its key, by which the others of a deep recursion are told apart."""
    region: Region
    values: list[Any]
    """Its arguments."""
    ops_before: int
    """How many operations were recorded before it."""


@dataclass
class Copies:
    """The calls of a function with branches or loops that were recorded each by itself."""

    places: set[int] = field(default_factory=set)
    """The hashes of where they are; a loop around may have recorded each several times."""
    ops: int = 0
    """How many operations they have recorded, one for each place, with those of functions called in place of copies."""
    stay: bool = False
    """Whether it is not known how to record them as calls of one function."""

    def note(self, place: int, ops: int) -> None:
        """Take note of one more, with the operations that it has recorded."""
        self.ops += ops * (place not in self.places)
        self.places.add(place)

    @property
    def size(self) -> int:
        """How many operations one records."""
        return self.ops // max(len(self.places), 1)

    @property
    def are_too_many(self) -> bool:
        """Whether another one would be better a call of a function that is recorded once."""
        return not self.stay and self.ops >= _MOST_COPIED and self.size >= _FEWEST_OPS


_MOST_COPIED = 1000
"""So many operations are recorded by copies of a function before one is recorded that is called."""

_FEWEST_OPS = 50
"""A function that records fewer costs less in the place of each call."""


@dataclass
class ControlFlowState:
    """The state of AutoGraph in one recording."""

    snapshots: list[Snapshot] = field(default_factory=list)
    """What the staged loops and branches that are being recorded could reach when they began."""
    remembered: WeakSet[Snapshot] = field(default_factory=WeakSet)
    """All snapshots that something may still be compared with."""
    finishing: int = 0
    """How many `finally` blocks are being recorded, in which a function may have returned that goes on."""
    read_at_exits: list[Collection[Any]] = field(default_factory=list)
    """The variables that the `finally` blocks around read, which run where a function returns, too."""
    handled: list[BaseException] = field(default_factory=list)
    """The exceptions whose handlers are being recorded, the innermost last."""
    unrolled: int = 1
    """How often the loops around this point repeat what is recorded."""
    unrolling: list[Callable[[], None]] = field(default_factory=list)
    """What ends the recording of a loop that is unrolled where one in it shows that it records too much for that."""
    has_warned: bool = False
    """Whether a warning was given that an unrolled loop, or recursion, is large."""
    presence: dict[int, tuple[Storage, Facts, Facts]] = field(default_factory=dict)
    """What conditions, by the identities of their storages, say about values that may be None."""
    has_widened: bool = False
    """Whether a container from before a loop or branch turned out to hold other items, so that it was begun again."""
    grown: dict[int, tuple[Any, RuntimeContainer]] = field(default_factory=dict)
    """The lists, dicts and sets that became ones that grow at run time, with what they became."""
    pools: dict[str, Any] = field(default_factory=dict)
    """What lists in lists that begin to grow at a line lie in, as those do whose places they take in a loop."""
    followed: list[tuple[Any, str, tuple[Section, ...]]] = field(default_factory=list)
    """What operators keep that branches and loops are to follow as they follow the program's own containers.

    It comes with the sections that it goes with when they are erased.
    """
    names: list[Any] = field(default_factory=list)
    """Attributes of classes that the function has made, which branches and loops change."""
    loop_kinds: dict[ConstructKey, Remembered] = field(default_factory=dict)
    """What staged loops carried when they were recorded last, for loops inside of loops."""
    alike: dict[ConstructKey, Remembered] = field(default_factory=dict)
    """The same, by keys without the loop around: also of attempts, and where a loop around was not recorded then."""
    types_behind: dict[Any, dict[Any, Any]] = field(default_factory=dict)
    """The types that numbers have behind the iterations of loops, by these and the types of what is around them."""
    begun_in_vain: dict[ConstructKey, Remembered] = field(default_factory=dict)
    """By the same keys what places held before the first iteration that was unlike what they held behind it."""
    begins_anew: ConstructKey | None = None
    """The loop that is recorded with its first iteration by itself if it is refused."""
    staged_at_once: dict[ConstructKey, tuple[CodeType, ...]] = field(default_factory=dict)
    """The `while` loops that run-time values decided from their first test on, with their code."""
    left: dict[ConstructKey, tuple[bool, tuple[CodeType, ...]]] = field(default_factory=dict)
    """Whether run-time values may leave `for` loops where it was not as expected, with their code."""
    not_unrolled: set[tuple[Any, ...]] = field(default_factory=set)
    """The short loops that would record too much if they were unrolled, by their code, place and length."""
    nested: set[tuple[Any, ...]] = field(default_factory=set)
    """The short loops that were long together with those around them."""
    loop: ConstructKey | None = None
    """The loop whose body or test is being recorded."""
    met_inside: dict[ConstructKey, int] = field(default_factory=dict)
    """How often loops were met in this recording of it, by their keys without that number."""
    loops_recorded: int = 0
    """How many loops were staged so far."""
    branches_recorded: int = 0
    """How many branches were."""
    carried_by: list[Callable[[], Iterable[Any]]] = field(default_factory=list)
    """For each loop that is being recorded what gives the values that it carries, as they are in the iteration."""
    activations: dict[CodeType, list[Activation]] = field(default_factory=dict)
    """The user's functions that are being recorded, by their code, and outermost first."""
    recursive_calls: Counter[CodeType] = field(default_factory=Counter)
    """How often functions called themselves that were recorded call by call, also where that was taken back."""
    ops_at_call: dict[CodeType, int] = field(default_factory=dict)
    """How many operations had been recorded when these were counted last."""
    functions: dict[CallKey, StagedFunction] = field(default_factory=dict)
    """The functions of the program that call themselves, and those of which there would be too many copies."""
    copies: dict[tuple[Any, ...], Copies] = field(default_factory=dict)
    """The calls that were recorded each by itself, by the identities of code and closure."""
    ops_called: int = 0
    """How many operations calls stand for that are there in place of copies."""

    def recorded(self) -> int:
        """How many branches and loops were staged so far."""
        return self.branches_recorded + self.loops_recorded

    def next_construct(self, codes: tuple[CodeType, ...], location: str) -> ConstructKey:
        """What tells the loop that comes next; its code is told by identity, as comparing it takes long."""
        key = (self.loop, tuple(map(id, codes)), location)
        return (*key, self.met_inside.get(key, 0))

    @contextmanager
    def inside(self, loop: ConstructKey) -> Iterator[None]:
        """While the test or body of a loop is recorded."""
        around = self.loop, self.met_inside
        self.loop, self.met_inside = loop, {}
        try:
            yield
        finally:
            self.loop, self.met_inside = around

    def carried(self) -> Iterator[Any]:
        """What stands in the iterations that are being recorded for values from those before."""
        for values in self.carried_by:
            yield from values()


def control_flow(trace: Recorder) -> ControlFlowState:
    """The state of AutoGraph in a recording."""
    return trace.state(ControlFlowState)


def snapshot_of(
    trace: Recorder, functions: Iterable[Callable[..., Any] | None], slots: Iterable[Slot] = ()
) -> Snapshot:
    """What some functions can change: through their variables, and through globals, attributes and arguments.

    What a function that is met later can reach is added when it is met.
    """
    snapshot = Snapshot.of(functions, slots, trace.region)
    if trace.python_state is not None:
        trace.python_state.include_in(snapshot)
    for items, grown in list(control_flow(trace).grown.values()):
        if snapshot.knows(items):  # under a name that no staged code mentions
            snapshot.follow(grown, "a list")
    for value, name, sections in control_flow(trace).followed:
        if not any(section.is_erased for section in sections):
            snapshot.follow(value, name)
    for place in control_flow(trace).names:
        snapshot.add_name(place)
    control_flow(trace).remembered.add(snapshot)
    return snapshot


def follow_name(trace: Recorder, place: Any) -> None:
    """Let branches and loops from now on see changes of an attribute of a class that was just made."""
    control_flow(trace).names.append(place)


def follow_from_now(trace: Recorder, value: Any, name: str) -> None:
    """Let everything that is being recorded see changes of something that was just met."""
    for snapshot in list(control_flow(trace).remembered):
        snapshot.follow(value, name)
