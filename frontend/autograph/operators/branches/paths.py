"""The paths of a recording, and what takes the exceptions that may come on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from .....dialect.records import dataclass
from ....tracing.array import TracedArray
from ....tracing.recorder import Catcher, Recorder
from ....tracing.regions import Region
from ..values.copies import Originals, copied
from ..values.optional import MaybeUnbound
from ..values.program_locations import UNBOUND, Changes, ProgramLocation, Slot
from .exits import Exit, codes_of


@dataclass
class Path:
    """One side of a branch after it was recorded."""

    region: Region
    exit: Exit = None
    result: Any = None
    """The value of an expression."""
    changes: dict[tuple[Any, ...], tuple[ProgramLocation, Any]] = field(default_factory=dict)
    contents: dict[Any, Any] = field(default_factory=dict)
    """What the lists, tuples and dicts among these values hold at its end, by the keys of the places."""
    originals: Originals = field(default_factory=dict)
    """What these were copied of."""
    is_dead: bool = False
    """Whether its end is never reached, because it always raises."""
    raises: bool = False
    """Whether it always ends with an exception that a `try` takes: then its exit and result are not looked at."""
    unread: frozenset[Any] = frozenset()
    """The keys of the places that nothing looks at after such an exception."""
    may_raise: bool = False
    """Whether it may end with such an exception."""
    joined: Joined | None = None
    """What its end was joined of, where it may be left with an exception."""

    def note(self, changes: Changes) -> None:
        """Note what changed, at its end."""
        self.changes = changes
        tells = self.region.loop is None
        self.contents = {
            key: copied(value, self.originals, tells and (place.is_returned or not place.is_variable))
            for key, (place, value) in changes.items()
        }
        self.contents[None] = copied(self.result, self.originals, tells)

    @property
    def codes(self) -> frozenset[int]:
        """The exits that it may have."""
        return frozenset() if self.is_dead or self.raises else codes_of(self.exit)

    def leaves_unread(self, key: Any) -> bool:
        """Whether it always ends with such an exception, and nothing looks at a place then."""
        return self.raises and key in self.unread

    def binds(self, place: ProgramLocation, value: Any) -> bool:
        """Whether a place surely has a value at its end, unless it is left with an exception."""
        is_bound = value is not UNBOUND and not isinstance(value, MaybeUnbound)
        is_settled = self.joined is not None and place.key() in self.joined.settled
        return is_bound or self.raises or self.is_dead or is_settled


@dataclass
class Joined:
    """What two paths leave."""

    exit: Exit
    result: Any
    raises: bool
    """Whether both end with an exception that a `try` takes."""
    settled: dict[Any, ProgramLocation]
    """The places that are bound unless an exception came."""
    raised: Any = None
    """A bool[] that says whether an exception came, where there is one already."""

    def settle(self) -> None:
        """Where no exception came, give the places their values that are bound then."""
        for place in self.settled.values():
            value = place.get()
            if isinstance(value, MaybeUnbound):
                place.set(value.value)


class BodyCatcher(Catcher, ABC):
    """What takes the exceptions of the body of a `try` statement, as branches and loops in the body use it."""

    slots: Sequence[Slot]
    """Where it keeps which exception came, and what it is, for the snapshots of branches and loops."""

    unread: frozenset[Any]
    """The keys of the places that nothing looks at after an exception."""

    @abstractmethod
    def raise_kept(self, number: TracedArray) -> None:
        """Record that the body is left with an exception that is kept by number, unless that is 0."""

    @abstractmethod
    def mark(self) -> int:
        """How many places there are so far where the body may be left."""

    @abstractmethod
    def forget(self, mark: int) -> None:
        """Drop the places behind a mark: what was recorded there is erased."""

    @abstractmethod
    def close(self, path: Path, mark: int, wants_result: bool) -> None:
        """At the end of a path, join what it leaves with what is there where it may be left behind a mark."""

    @abstractmethod
    def arrive(self, error: BaseException) -> None:
        """Note that the body is always left here, with an exception."""

    @abstractmethod
    def may_have_raised(self) -> bool:
        """Whether the path that just ended may have been left."""

    @abstractmethod
    def goes_on(self) -> TracedArray:
        """Where the path that just ended was not left."""

    @abstractmethod
    def exit_of(self, path: Path) -> Exit:
        """How an iteration ends that may be left with an exception."""

    @abstractmethod
    def go_on(self, condition: TracedArray | None = None) -> None:
        """Record that what follows is reached only where the statement before was not left."""


def catcher_of(trace: Recorder) -> BodyCatcher | None:
    """What takes the exceptions of what is recorded: that of the innermost `try` statement."""
    catcher = trace.catcher
    assert catcher is None or isinstance(catcher, BodyCatcher)
    return catcher
