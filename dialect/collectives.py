"""What the ranks of a mesh do together: which collectives there are, and what they give, in NumPy.

A rank is one of several programs that run at the same time: processes of MPI, or threads of a simulated mesh. Each sees
the mesh as a `Member`, which is of the thread. Where there is none, a rank is alone.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .dtypes import element_type, is_half, kind
from .errors import CommunicationError, WeftValueError
from .records import NamedTuple

if TYPE_CHECKING:
    from .op import Array
    from .types import TensorType

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
    of: str = ""
    """What elements are to the user, where they are combined in another form."""

    @property
    def asked(self) -> tuple[object, ...]:
        """What ranks must have in common: whether they wait at once is their business."""
        return self.waited_for[:5]

    @property
    def waited_for(self) -> Collective:
        """The same, without that anything is done meanwhile."""
        return self._replace(kind=self.kind.removeprefix("start_").removeprefix("finish_"))

    def __str__(self) -> str:
        """As the user wrote it, about."""
        about = [text for text in (self.reduction, f"over {self.over}" if self.over else "") if text]
        if self.kind in ("send_receive", "start_send_receive"):
            about.insert(0, f"shift={self.number}")
        if self.kind == "broadcast":
            about.insert(0, f"root={self.number}")
        return f"{self.waited_for.kind}({', '.join(about)})"


class Member(Protocol):
    """One rank of a mesh, as the program that runs there sees it."""

    asks: bool
    """Whether ranks ask each other before each collective, and what is said to be the same is compared."""
    kept: dict[Any, Any]
    """What devices keep of the ranks, as long as there are these."""

    def place_in(self, over: str) -> tuple[int, int]:
        """The number of the rank among those that differ in some axes only, and how many these are."""

    def perform(self, collective: Collective, x: Array) -> Array:
        """Do something together with the other ranks; returns an array of its own."""

    def start(self, collective: Collective, x: Array) -> int:
        """Begin something together with the other ranks; returns an odd number for `finish`: others are addresses."""

    def finish(self, collective: Collective, number: int) -> Array:
        """Wait for what has begun; returns an array of its own."""

    def agree(self, collective: Collective, kind: TensorType) -> bool:
        """Find out whether all ranks come to do the same with arrays on devices; False where some are on the host."""

    def exchange(self, collective: Collective, x: Array) -> Array:
        """What `perform` does, where ranks have agreed already."""

    def watch(self, collective: Collective, is_done: Callable[[], bool]) -> None:
        """Wait for what a device does, if somebody wants to know that it takes too long; raises then."""

    def leave(self, error: BaseException | None) -> None:
        """Tell the others that this rank takes part no more, as it returned or raised."""


class Started:
    """What a rank has begun: what is left to do for each, by odd numbers."""

    def __init__(self) -> None:
        self._left: dict[int, Callable[[], Array]] = {}
        self._numbers = itertools.count(1, 2)

    def add(self, finish: Callable[[], Array]) -> int:
        """A number for what was begun."""
        number = next(self._numbers)
        self._left[number] = finish
        return number

    def finish(self, number: int) -> Array:
        """Do what is left of it."""
        return self._left.pop(number)()


class Alone:
    """The only rank, of a mesh with some axes."""

    asks = False

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = names
        self._started = Started()
        self.kept: dict[Any, Any] = {}

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

    exchange = perform

    def start(self, collective: Collective, x: Array) -> int:
        """Nobody is waited for."""
        made = self.perform(collective.waited_for, x)
        return self._started.add(lambda: made)

    def finish(self, collective: Collective, number: int) -> Array:
        """What was made."""
        return self._started.finish(number)

    def agree(self, collective: Collective, kind: TensorType) -> bool:
        """Nobody else has anything elsewhere."""
        return True

    def watch(self, collective: Collective, is_done: Callable[[], bool]) -> None:
        """Nobody is waited for."""

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


def combined_as(reduction: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which elements are combined, so that libraries that send them do as NumPy does.

    They round sums of short floats at every step, and pass over NaN where they look for extremes: these are those of
    integers in the same order.

    >>> combined_as("max", np.dtype(np.float64)), combined_as("sum", np.dtype(np.float16))
    (dtype('int64'), dtype('float32'))
    """
    if kind(dtype) != "f":
        return dtype
    wide = np.dtype(np.float32) if is_half(dtype) else dtype
    return np.dtype(f"i{wide.itemsize}") if reduction in ("min", "max") else wide


def perform_reduction(collective: Collective, x: Array) -> Array:
    """`perform`, in the dtype in which elements are combined."""
    dtype = combined_as(collective.reduction, x.dtype)
    if dtype == x.dtype:
        return perform(collective, x)
    collective = collective._replace(of=element_type(x.dtype).short)
    if kind(dtype) == "f":
        return perform(collective, x.astype(dtype)).astype(x.dtype)
    limits, wide = np.iinfo(dtype), x.astype(f"f{dtype.itemsize}")
    wins = limits.max if collective.reduction == "max" else limits.min
    keys: Array = np.where(np.isnan(wide), dtype.type(wins), _turned(wide.view(dtype)))
    return _turned(perform(collective, keys)).view(wide.dtype).astype(x.dtype)


def _turned(bits: Array) -> Array:
    """The bits behind the sign the other way round where that is set: floats in the order of integers, and back."""
    limits = np.iinfo(bits.dtype)
    turned: Array = bits ^ ((bits >> bits.dtype.type(limits.bits - 1)) & bits.dtype.type(limits.max))
    return turned


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
