"""What is remembered of staged branches, loops and `try` statements for when one is recorded again.

That happens as part of one around it, and when lists turn out to grow. Only what has no values of a recording in it
is remembered: names, ways, and abstract types.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ....tracing.recorder import Recorder
from ..lists.dynamic_lists import GrowingList, Widened
from ..lists.lists_in_lists import freed, pools_in
from ..tables.list_pools import ListPool
from ..tables.object_pools import ObjectPool
from ..values.control_flow_state import ConstructKey, ControlFlowState, Remembered, control_flow
from ..values.kinds import Kind, Tabled
from ..values.own_variables import ways_to
from ..values.program_locations import Snapshot
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.shared_containers import holds_container

Watched = Sequence[Callable[..., Any] | None]
M = TypeVar("M", bound="Memory")


class Memory:
    """What is known of a construct from when it was recorded before, with these or with other values."""

    def __init__(self, flow: ControlFlowState, watched: Watched, key: ConstructKey) -> None:
        self.key = key
        self._flow = flow
        self._watched = watched
        self._codes = codes_of_blocks(watched)

    @classmethod
    def of_next(cls: type[M], trace: Recorder, watched: Watched) -> M:
        """That of the construct that comes next."""
        flow = control_flow(trace)
        return cls(flow, watched, flow.next_construct(codes_of_blocks(watched), str(trace.location())))

    def begin(self) -> None:
        """Take it for met: another one of the same code comes next."""
        self._flow.met_inside[self.key[:-1]] = self.key[-1] + 1

    @property
    def alike(self) -> Remembered:
        """What is known from other values, whatever loops were around it."""
        return self._flow.alike.setdefault(self.key[1:], Remembered(self._codes))

    @property
    def is_refused(self) -> bool:
        """Whether to refuse it with all that is wrong with it, and not mend what can be."""
        return False

    def wider(self, snapshot: Snapshot) -> list[Widened]:
        """The containers that were found to hold other items."""
        known, found = self.alike.wider, []
        for way, owner, _ in ways_to(snapshot) if known else ():
            if way in known and _may_be_widened(owner) and resolve_grown_list(owner) is owner:
                kind, grows = known[way]
                found.append(Widened(owner, kind, grows))
        return found

    def note_wider(self, snapshot: Snapshot, widened: Widened) -> None:
        """Note what was found of a container."""
        kind = _remembered_kind(widened.kind) if _may_be_widened(widened.items) else None
        if kind is None:
            return
        for way, owner, _ in ways_to(snapshot):
            if owner is widened.items:
                self.alike.wider[way] = kind, widened.grows

    def note_grown(self, container: Any) -> None:
        """Note a container that begins to grow in it."""


def codes_of_blocks(watched: Watched) -> tuple[types.CodeType, ...]:
    """The code of the blocks of a statement."""
    codes = (getattr(function, "__code__", None) for function in watched)
    return tuple(code for code in codes if code is not None)


def _may_be_widened(container: Any) -> bool:
    """Whether a container is one of Python's, or one that has held nothing so far."""
    if isinstance(container, (GrowingList, ListPool)):
        return container.kind is None
    return type(container) in (list, dict, OrderedDict, Counter, defaultdict)


def _remembered_kind(kind: Any) -> Kind | None:
    """An abstract type of items without what there is in one recording only; None where that is in it."""
    if isinstance(kind, (ListPool, ObjectPool)):
        return None
    if isinstance(kind, Tabled):
        return None if pools_in(kind.item) or holds_container(kind.item) else kind
    found = freed(kind)
    return None if holds_container(found) else found
