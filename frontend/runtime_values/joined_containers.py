"""Containers that are one of several others, as a branch decided: `k = l if c else m` is l or m itself.

Compiled code makes a new one of what they hold. Where the caller gets one of the others, too, it gets that one twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from ...dialect.errors import UnsupportedError
from ...dialect.records import NamedTuple
from ..tracing.recorder import ABSENT
from .results import RuntimeChoice

if TYPE_CHECKING:
    from ..tracing.array import TracedArray
    from ..tracing.regions import Region


_Paths: TypeAlias = "dict[int, int]"
"""For the decisions of branches, by their identities, which path was taken."""


class JoinedContainer(NamedTuple):
    """A container that a branch left."""

    container: Any
    truth: TracedArray
    """Which path was taken: the first one where it holds."""
    ends: tuple[Any, Any]
    """What it is on either path."""
    version: int
    """How often what decided had been written then."""
    decision: Any
    """The same for all that one branch left."""

    @property
    def is_known(self) -> bool:
        """Whether it is known at the end of the function which path was taken."""
        storage = self.truth._storage
        return bool(storage.section.is_usable) and storage.version == self.version


class CarriedContainer(NamedTuple):
    """A container that a loop left: how often it ran decides which one it is."""

    container: Any
    name: str
    place: str
    """Where the loop is."""
    initial: Any
    end: Any
    """What the last iteration left in its place."""
    bound: frozenset[int]
    """The identities of what stands for the containers that an iteration begins with."""


class JoinedContainers:
    """Those of one recording, by their identities."""

    def __init__(self) -> None:
        self.found: dict[int, JoinedContainer] = {}
        self.carried: dict[int, CarriedContainer] = {}

    def require_distinct(self, is_met: Callable[[Any], Any], was_there: Callable[[Any], bool]) -> None:
        """Refuse two containers that the caller gets, or has, and that are one depending on how often a loop ran."""
        left: dict[Any, list[tuple[Any, _Paths]]] = {}
        for carried in self.carried.values():
            if not is_met(carried.container):
                continue
            ends = [*self._all_ends(carried.initial, {}), *self._all_ends(carried.end, {})]
            inside = [
                (end, paths)
                for end, paths in self._all_ends(carried.end, {})
                if end is not ABSENT and id(end) not in carried.bound
            ]
            known = left.setdefault(carried.bound, [])
            is_one = any(
                one is other and all(there.get(key, path) == path for key, path in paths.items())
                for one, paths in inside
                for other, there in known
            )
            others = [end for end, _ in ends if end is not ABSENT and end is not carried.container]
            if is_one or any(is_met(end) or was_there(end) for end in others):
                kind = getattr(carried.container, "python_type", type(carried.container)).__name__
                raise UnsupportedError(
                    f"{carried.name!r} is, depending on a condition or on how often a loop ran (at {carried.place}), "
                    f"one {kind} with another that the function returns or that was there before: compiled code would "
                    f"return two. Return a copy ({kind}({carried.name}))"
                )
            known += inside

    def _all_ends(self, container: Any, paths: _Paths) -> Iterator[tuple[Any, _Paths]]:
        """A container and all that it may be, with the paths of branches on which it is that."""
        yield container, paths
        joined, carried = self.found.get(id(container)), self.carried.get(id(container))
        options = container.options if isinstance(container, RuntimeChoice) else ()
        sides = [(end, paths) for end in ((carried.initial, carried.end) if carried is not None else options)]
        if joined is not None:
            key = id(joined.decision)
            sides = [
                (end, {**paths, key: path})
                for path, end in enumerate(joined.ends)
                if paths.get(key, path) == path
            ]
        for end, there in sides:
            if end is not ABSENT and end is not container:
                yield from self._all_ends(end, there)

    def note(self, container: Any, truth: TracedArray, ends: tuple[Any, Any], decision: Any = None) -> None:
        """Take note of one."""
        self.found[id(container)] = JoinedContainer(
            container, truth, ends, truth._storage.version, truth if decision is None else decision
        )

    def of(self, container: Any) -> JoinedContainer | None:
        """What is known of a container, where that is known at the end of the function, too."""
        joined = self.found.get(id(container))
        return joined if joined is not None and joined.is_known else None

    def decided_in(self, container: Any, region: Region) -> Iterator[JoinedContainer]:
        """What is known of a container, and of what it may be, that was decided in a region."""
        joined = self.found.get(id(container))
        for end in joined.ends if joined is not None else ():
            if end is not ABSENT and end is not container:
                yield from self.decided_in(end, region)
        if joined is not None and joined.truth._storage.region.is_inside(region):
            yield joined

    def ends_of(self, container: Any) -> Iterator[Any]:
        """All that a container may be, but for itself."""
        joined = self.of(container)
        for end in joined.ends if joined is not None else ():
            if end is not ABSENT and end is not container:
                yield end
                yield from self.ends_of(end)
