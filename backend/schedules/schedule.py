"""A schedule: one way of writing some work, which tells whether it matches, how long that takes, and writes it.

Each machine has one table of schedules. Of those that match what is left of a run, the one that takes least is taken;
of equal ones the first of the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ...dialect.errors import InternalError
from ...dialect.mlir import Operation, Value
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
    """What it is called where it is forced, in notes, and on kernels."""
    reason: ClassVar[str]
    """Why it is taken where it is, as a text goes on behind the name."""

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
    """The cheapest schedule that matches; what one leaves and another takes counts as done in the plainest way."""
    found: list[S] = [schedule for kind in table if (schedule := kind.match(run)) is not None]  # type: ignore[misc]
    longest = max(schedule.taken for schedule in found)
    return min(found, key=lambda each: each.seconds() + run.seconds_of(each.taken, longest))


__all__ = ["Schedule", "Work", "choose"]
