"""A schedule: one way of writing some work, which tells whether it matches, how long that takes, and writes it.

Each machine has one table of schedules. Of those that match what is left of a run, the one that takes least is taken;
of equal ones the first of the table. `forcing` takes others, by their names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ...dialect.errors import InternalError, WeftValueError
from ...dialect.mlir import Operation, Value
from ...dialect.records import dataclass
from ...passes.base import name_by_class
from ...passes.notes import place_of
from .stores import stores_to


class Work(Protocol):
    """What is left of a run: pieces of work that follow each other, nests mostly."""

    @property
    def operation(self) -> Operation:
        """The first piece."""

    def seconds_of(self, first: int, last: int) -> float:
        """How long some of the pieces take, each on its own and in the plainest way."""


Run = TypeVar("Run", bound=Work)
Out = TypeVar("Out")


class Schedule(ABC, Generic[Run, Out]):
    """One way of writing the first pieces of a run.

    Its docstring is its description in docs/schedules.md, and says what `seconds` leaves out.
    """

    name: ClassVar[str]
    """What it is called where it is forced, in notes, and on kernels: as the class, if that has no other name."""
    reason: ClassVar[str]
    """Why it is taken where it is, as a text goes on behind the name."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = name_by_class(cls)

    def __init__(self, run: Run, taken: int = 1) -> None:
        self.run = run
        self.taken = taken
        """How many pieces of the run it writes, from the first one on."""

    @classmethod
    @abstractmethod
    def match(cls, run: Run) -> Schedule[Run, Out] | None:
        """The schedule for the first pieces of a run; None where it cannot write them, or is not meant to."""

    @abstractmethod
    def seconds(self) -> float:
        """How long it takes, as far as sizes tell: to be compared with others, not to be believed."""

    @abstractmethod
    def outputs(self) -> Iterable[Value]:
        """The memory that what it takes writes, and that somebody asks for behind it."""

    @abstractmethod
    def write(self, out: Out) -> None:
        """Write all that it takes."""

    def write_all(self, out: Out) -> None:
        """Write, and see that every output is stored."""
        before = {memory: stores_to(memory) for memory in self.outputs()}
        place = self.run.operation.location
        self.write(out)
        for memory, count in before.items():
            if stores_to(memory) == count:
                raise InternalError(
                    f"the schedule {self.name} takes {self.taken} operations and stores nothing to {memory.type}, "
                    "which one of them writes",
                    at=str(place),
                )


S = TypeVar("S", bound=Schedule[Any, Any])


def choose(table: Sequence[type[S]], run: Work) -> S:
    """The schedule that is forced, or the cheapest; what it leaves and another takes counts in the plainest way."""
    found: list[S] = [schedule for kind in table if (schedule := kind.match(run)) is not None]  # type: ignore[misc]
    longest = max(schedule.taken for schedule in found)
    best = min(found, key=lambda each: each.seconds() + run.seconds_of(each.taken, longest))
    return next((each for wish in _wishes.get() for each in found if wish.takes(each, found)), best)


# Schedules that are forced


@dataclass
class Wish:
    """A schedule that is to be taken where it matches, at one line of the program or everywhere."""

    name: str
    line: int | None
    is_met: bool = False
    others: set[str] = field(default_factory=set)
    """What matches there."""

    def takes(self, schedule: Schedule[Any, Any], found: Sequence[Schedule[Any, Any]]) -> bool:
        """Whether it is this schedule, of those that match, that is to be taken."""
        if self.line not in (None, place_of(schedule.run.operation.location).line):
            return False
        self.others |= {each.name for each in found}
        is_it = schedule.name == self.name
        self.is_met |= is_it
        return is_it


_wishes: ContextVar[Sequence[Wish]] = ContextVar("wishes", default=())


@contextmanager
def forcing(texts: Sequence[str], known: Collection[str]) -> Iterator[None]:
    """Take schedules by their names in this context: `columns`, or `12:columns` for what line 12 computes.

    Raises `WeftValueError` for a name that is not `known`, and in the end for one that matched nowhere.
    """
    wishes = [_wish(text, known) for text in texts]
    token = _wishes.set(wishes)
    try:
        yield
    finally:
        _wishes.reset(token)
    for wish in wishes:
        if not wish.is_met:
            place = "" if wish.line is None else f" of line {wish.line}"
            others = (
                f"there, {', '.join(sorted(wish.others))} do"
                if wish.others
                else "no nest is written there by itself"
            )
            raise WeftValueError(f"the schedule {wish.name} matches no nest{place}: {others}")


def _wish(text: str, known: Collection[str]) -> Wish:
    line, colon, name = text.rpartition(":")
    if name not in known:
        raise WeftValueError(f"there is no schedule {name!r}: there are {', '.join(sorted(known))}")
    if colon and not line.isdecimal():
        raise WeftValueError(f"a schedule is forced as NAME or LINE:NAME, not as {text!r}")
    return Wish(name, int(line) if colon else None)
