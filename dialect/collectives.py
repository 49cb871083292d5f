"""What the ranks of a mesh do together: which collectives there are, and what they give, in NumPy.

A rank is one of several programs that run at the same time: processes of MPI, or threads of a simulated mesh. Each sees
the mesh as a `Member`, which is of the thread. Where there is none, a rank is alone.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .dtypes import kind
from .errors import CommunicationError, WeftValueError
from .records import NamedTuple

if TYPE_CHECKING:
    from .op import Array

REDUCTIONS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
"""How elements of ranks are combined, one by one."""


class Collective(NamedTuple):
    """What all ranks are asked for: equal on all of them, but for the place."""

    kind: str
    over: str = ""
    """The axes of the mesh, with commas between; all of them where it is empty."""
    reduction: str = ""
    number: int = 0
    """The rank that has it, or how far it is sent."""
    wraps: bool = False
    """Whether the last rank sends to the first one."""
    place: str = ""
    """Where the program asks, for messages."""
    is_compiled: bool = False
    """Whether compiled code asks."""

    @property
    def asked(self) -> tuple[object, ...]:
        """What ranks must have in common."""
        return self[:5]

    def __str__(self) -> str:
        """As the user wrote it, about."""
        about = [text for text in (self.reduction, f"over {self.over}" if self.over else "") if text]
        if self.kind == "send_receive":
            about.insert(0, f"shift={self.number}")
        if self.kind == "broadcast":
            about.insert(0, f"root={self.number}")
        return f"{self.kind}({', '.join(about)})"


class Member(Protocol):
    """One rank of a mesh, as the program that runs there sees it."""

    def place_in(self, over: str) -> tuple[int, int]:
        """The number of the rank among those that differ in some axes only, and how many these are."""

    def perform(self, collective: Collective, x: Array) -> Array:
        """Do something together with the other ranks; returns an array of its own."""

    def leave(self, error: BaseException | None) -> None:
        """Tell the others that this rank takes part no more, as it returned or raised."""


class Alone:
    """The only rank, of a mesh with some axes."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = names

    def place_in(self, over: str) -> tuple[int, int]:
        """The first of one."""
        for name in over.split(",") if over else ():
            if name not in self._names:
                raise WeftValueError(
                    f"there is no axis {name!r} of a mesh here: use a mesh that has it, `with mesh:` or `mesh.run(f)`"
                )
        return 0, 1

    def perform(self, collective: Collective, x: Array) -> Array:
        """What it has is all there is."""
        self.place_in(collective.over)
        return result_of(collective, [x], 0)

    def leave(self, error: BaseException | None) -> None:
        """Nobody is to be told."""


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.members: list[Member] = []


_of_thread = _OfThread()
_default: list[Callable[[], Member]] = []

_DEFAULT = f"{__package__.rpartition('.')[0]}.frontend.distributed.communicators"
"""The module that says which rank threads are: compiled code may come from disk, and nothing else have asked for it."""


def current_member() -> Member:
    """The rank that this thread is."""
    if _of_thread.members:
        return _of_thread.members[-1]
    if not _default:
        importlib.import_module(_DEFAULT)
    return _default[0]()


def set_default(member: Callable[[], Member]) -> None:
    """Say which rank threads are that have not entered a mesh."""
    _default[:] = [member]


on_change: list[Callable[[], None]] = []
"""Called where a thread becomes another rank than it was: by what keeps which one it is."""


@contextlib.contextmanager
def being(member: Member) -> Iterator[None]:
    """Let this thread be a rank."""
    _of_thread.members.append(member)
    for forget in on_change:
        forget()
    try:
        yield
    finally:
        _of_thread.members.pop()
        for forget in on_change:
            forget()


def perform(collective: Collective, x: Array) -> Array:
    """Do something together with the other ranks of the mesh."""
    return current_member().perform(collective, x)


def result_of(collective: Collective, given: Sequence[Array], rank: int) -> Array:
    """What a rank gets of what all have given, in NumPy.

    >>> result_of(Collective("all_reduce", reduction="sum"), [np.array([1, 2]), np.array([3, 4])], 0)
    array([4, 6])
    """
    if collective.kind in ("all_to_all", "reduce_scatter") and len(given[rank]) != len(given):
        raise WeftValueError(
            f"{collective} takes a part for each of {len(given)} ranks, not {len(given[rank])}"
        )
    if collective.kind == "broadcast" and collective.number >= len(given):
        raise WeftValueError(f"{collective}: there is no rank {collective.number} of {len(given)}")
    with np.errstate(all="ignore"):
        made: Any = _RESULTS[collective.kind](collective, given, rank)
    return np.array(made, dtype=given[0].dtype, order="C")


def source_of(collective: Collective, rank: int, count: int) -> int | None:
    """The rank from which another one receives what is sent; None at the end."""
    source = rank - collective.number
    return source % count if collective.wraps else source if 0 <= source < count else None


def combined(reduction: str, arrays: Sequence[Array]) -> Array:
    """Elements of all ranks, in their order; short floats are rounded once, as in sums."""
    ufunc, dtype = REDUCTIONS[reduction], arrays[0].dtype
    if reduction in ("sum", "prod") and kind(dtype) == "f" and dtype.itemsize < 4:
        wide: Array = reduce(ufunc, [array.astype(np.float32) for array in arrays])
        return wide.astype(dtype)
    made: Array = reduce(ufunc, arrays)
    return made


def require_same(collective: Collective, given: Sequence[Array]) -> None:
    """Raise CommunicationError where arrays that are said to be the same are not."""
    first = given[0].tobytes()
    for rank, array in enumerate(given):
        if array.tobytes() != first:
            at = f" at {collective.place}" if collective.place else ""
            raise CommunicationError(
                f"replicated says that all ranks have the same array{at}, but rank {rank} of {len(given)} has another "
                "one than rank 0; take that of one rank, weft.distributed.broadcast(x), or say that each has its own, "
                "weft.distributed.local(x)"
            )


def _same(collective: Collective, given: Sequence[Array], rank: int) -> Array:
    require_same(collective, given)
    return given[rank]


def _received(collective: Collective, given: Sequence[Array], rank: int) -> Array:
    source = source_of(collective, rank, len(given))
    return np.zeros_like(given[rank]) if source is None else given[source]


_RESULTS: dict[str, Callable[[Collective, Sequence[Any], int], Any]] = {
    "all_reduce": lambda collective, given, rank: combined(collective.reduction, given),
    "all_gather": lambda collective, given, rank: np.stack(given),
    "reduce_scatter": lambda collective, given, rank: combined(
        collective.reduction, [array[rank] for array in given]
    ),
    "broadcast": lambda collective, given, rank: given[collective.number],
    "all_to_all": lambda collective, given, rank: np.stack([array[rank] for array in given]),
    "send_receive": _received,
    "barrier": lambda collective, given, rank: given[rank],
    "require_same": _same,
}
"""What each collective gives, from what all ranks give, in their order."""


_PLACE = re.compile(r'"([^"]+)":(\d+)')


def place_of(location: str) -> str:
    """The file and the line of the innermost place that the text of an MLIR location names.

    >>> place_of('loc("model.py":3:5 to :12)')
    'model.py:3'
    """
    found = _PLACE.search(location)
    return "" if found is None else f"{found[1]}:{found[2]}"


__all__ = [
    "REDUCTIONS",
    "Alone",
    "Collective",
    "Member",
    "being",
    "combined",
    "current_member",
    "on_change",
    "perform",
    "place_of",
    "result_of",
    "set_default",
    "source_of",
]
