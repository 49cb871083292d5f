"""Beginning a recording again when a list turns out to grow in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .....dialect.errors import ControlFlowError, UnsupportedError
from ....runtime_values.results import RuntimeLength
from ....tracing.recorder import Recorder
from ..lists.dynamic_lists import Widened, kind_of_items
from ..tables.becoming import grown as grown_container
from ..tables.carried_tables import tabled
from ..tables.list_pools import ListPool
from ..tables.python_classes import PythonClass
from ..values.control_flow_state import control_flow, snapshot_of
from ..values.kinds import Mismatch
from ..values.program_locations import UNBOUND, Entry, Items, Slot, Snapshot
from ..values.resolve_grown_lists import resolve_grown_list
from .checkpoints import Checkpoint
from .paths import catcher_of

T = TypeVar("T")


def recorded(
    trace: Recorder,
    watched: Sequence[Callable[..., Any] | None],
    record: Callable[[Snapshot], T],
    slots: Sequence[Slot] = (),
) -> T:
    """Record a loop or branch, again when a list from before it turns out to hold other items.

    A list that an enclosing loop or branch knows is left to that one.
    """
    flow = control_flow(trace)
    grown: list[Any] = []
    while True:
        catcher = catcher_of(trace)
        catching = () if catcher is None else catcher.slots
        snapshot = _snapshot(trace, watched, (*slots, *catching))
        checkpoint = Checkpoint.beside(trace, snapshot)
        flow.snapshots.append(snapshot)
        try:
            return record(snapshot)
        except Widened as widened:
            flow.snapshots.pop()
            if any(outer.knows(widened.items) for outer in flow.snapshots):
                flow.snapshots.append(snapshot)
                raise
            flow.snapshots.append(snapshot)
            checkpoint.roll_back()
            if isinstance(widened.kind, ListPool):
                flow.snapshots.pop()
                try:
                    known: Any = widened.kind.adopted(widened.items)
                finally:
                    flow.snapshots.append(snapshot)
                snapshot.replace([(widened.items, known)])
            elif isinstance(widened.items, (list, dict, set)):
                if any(items is widened.items for items in grown):
                    raise UnsupportedError(
                        f"a {type(widened.items).__name__} grows or shrinks as run-time values say, and is changed by "
                        "what compiled code cannot follow; change it by a method of its own, by an assignment to "
                        "its items, or by `del`"
                    ) from None
                grown.append(widened.items)
                known = grown_container(widened.items, widened.kind)
                flow.grown[id(widened.items)] = (widened.items, known)
                snapshot.replace([(widened.items, known)])
            else:
                widened.items.widen(widened.kind)
        finally:
            flow.snapshots.pop()


def _snapshot(
    trace: Recorder, watched: Sequence[Callable[..., Any] | None], slots: Sequence[Slot]
) -> Snapshot:
    """What some functions can reach; names of lists that grow by now are given what these have become."""
    snapshot = snapshot_of(trace, watched, slots)
    stale = (
        [
            items
            for _, items, _ in (*snapshot.lists, *snapshot.dicts, *snapshot.sets)
            if resolve_grown_list(items) is not items
        ]
        if control_flow(trace).grown
        else []
    )
    snapshot.replace((items, resolve_grown_list(items)) for items in stale)
    return snapshot_of(trace, watched, slots) if stale else snapshot


def lengths_differ(place: Items, values: Sequence[Any]) -> None:
    """Let a list whose length depends on the path, or grows in a loop, become one that grows at run time."""
    items = place.container
    if isinstance(items, set) and any(value != values[0] for value in values):
        made = PythonClass.of(items)
        assert made is not None, "a set"
        raise Widened(items, tabled(made, [member for value in values for member in value]))
    if isinstance(items, list) and len({len(value) for value in values}) > 1:
        raise Widened(items, kind_of_items([item for value in values for item in value]))


def keys_differ(place: Entry, values: Sequence[Any]) -> None:
    """Let a dict that has a key on one path only become a table, if one holds its values."""
    made = PythonClass.of(place.container)
    bound = [value for value in values if value is not UNBOUND]
    if made is None or len(bound) in (0, len(values)):
        return
    items = [*place.container.items(), *((place.index, value) for value in bound)]
    try:
        kind = tabled(made, items)
    except (Mismatch, UnsupportedError, ControlFlowError):
        return  # which the values that are joined tell
    raise Widened(place.container, kind)


def let_join(values: Sequence[Any]) -> None:
    """Begin again where a list from before may be in the place of one in a list or dict: it becomes one like that."""
    for one in values:
        if isinstance(one, RuntimeLength):
            for other in values:
                one.let_join(other, is_new=False)
