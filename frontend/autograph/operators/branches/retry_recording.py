"""Beginning a recording again when a list turns out to grow in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from typing import Any, TypeVar

from .....dialect.errors import ControlFlowError, UnsupportedError
from ....tracing.current import required_trace
from ....tracing.recorder import Recorder
from ..lists.dynamic_lists import Widened, is_known_outside, kind_of_items
from ..lists.lists_in_lists import CommonPool, freed, pool_of
from ..lists.widened_items import join_items
from ..tables.becoming import grown as grown_container
from ..tables.carried_tables import tabled
from ..tables.list_pools import ListPool
from ..tables.object_pools import ObjectPool
from ..tables.python_classes import PythonClass
from ..values.aliases import is_available
from ..values.control_flow_state import control_flow, snapshot_of
from ..values.kinds import AbstractType, Growing, Kind, Mismatch, Tabled
from ..values.program_locations import UNBOUND, Entry, Items, ProgramLocation, Slot, Snapshot
from ..values.resolve_grown_lists import let_succeed, resolve_grown_list
from .checkpoints import Checkpoint
from .memory import Memory
from .paths import Path, catcher_of

T = TypeVar("T")


def recorded(
    trace: Recorder,
    watched: Sequence[Callable[..., Any] | None],
    record: Callable[[Snapshot], T],
    slots: Sequence[Slot] = (),
    memory: Memory | None = None,
) -> T:
    """Record a loop or branch, again when a list from before it turns out to hold other items.

    A list that an enclosing loop or branch knows is left to that one. What is found begins the recordings of it that
    are made for what is around it.
    """
    flow, known = control_flow(trace), memory or Memory.of_next(trace, watched)
    known.begin()
    grown: list[Any] = []
    while True:
        snapshot = _begin(trace, watched, slots, known, grown)
        checkpoint = Checkpoint.beside(trace, snapshot)
        flow.snapshots.append(snapshot)
        try:
            return record(snapshot)
        except Widened as caught:
            found = caught
            flow.has_widened = True
            if _is_left_to_outer(flow.snapshots[:-1], snapshot, found, known):
                found.refusal = None
                raise
            checkpoint.roll_back()
        finally:
            flow.snapshots.pop()
        if found.refusal is not None and known.is_refused:
            raise found.refusal
        for each in found.all():
            if each is found or snapshot.knows(each.items):
                _widen(trace, snapshot, each, grown, known)


class WidenedOnPaths:
    """The containers that turn out to hold other items on the paths of a branch, which begin it again together.

    So many options of one statement are not found one by one. The first one in a program is not waited with: most have
    no others, and what is recorded besides is for nothing.
    """

    def __init__(self, trace: Recorder, snapshot: Snapshot) -> None:
        self._waits = control_flow(trace).has_widened
        self._snapshot = snapshot
        self._found: list[Widened] = []

    @contextmanager
    def noted(self, before: Sequence[Path]) -> Iterator[None]:
        """While a path is recorded; behind the last one, what was found is raised.

        Of the paths before it that is what they leave lists as that the join would find.
        """
        is_last = bool(before)
        try:
            yield
        except Widened as caught:
            if not self._found and not self._waits:
                raise
            self._note(caught)
            for place, value in (change for path in before for change in path.changes.values()):
                if isinstance(place, Items):
                    self._note_length(place, value)
        except Exception:
            if not self._found:
                raise  # else it is said again, if it is so when these hold them
        if self._found:
            self._snapshot.restore()
            if is_last:
                raise Widened.together(self._found, self._found[0].refusal)

    def _note_length(self, place: Items, value: Any) -> None:
        try:
            lengths_differ(place, [self._snapshot.old_value(place), value])
        except Widened as found:
            self._note(found)
        except (Mismatch, ControlFlowError, UnsupportedError):
            return  # which the join says, if it is so then

    def _note(self, caught: Widened) -> None:
        for one in caught.all():
            same = next((other for other in self._found if other.items is one.items), None)
            if same is None:
                if not self._found or (
                    isinstance(one.kind, AbstractType) and self._snapshot.knows(one.items)
                ):
                    self._found.append(one)
            elif all(_is_of_items(each.kind) for each in (same, one)):
                with suppress(ControlFlowError, UnsupportedError):
                    same.kind = join_items(same.kind, one.kind)


def _is_of_items(kind: Any) -> bool:
    """Whether that is the abstract type of the items of a list, not of a table or pool."""
    return isinstance(kind, AbstractType) and not isinstance(kind, Tabled)


def _begin(
    trace: Recorder,
    watched: Sequence[Callable[..., Any] | None],
    slots: Sequence[Slot],
    memory: Memory,
    grown: list[Any],
) -> Snapshot:
    """What the functions can reach, with the containers widened that are remembered to hold other items."""
    catcher = catcher_of(trace)
    catching = () if catcher is None else catcher.slots
    outer, done = control_flow(trace).snapshots, list[Any]()
    while True:
        snapshot = _snapshot(trace, watched, (*slots, *catching))
        known = [
            one for one in memory.wider(snapshot) if not any(around.knows(one.items) for around in outer)
        ]
        known = [one for one in known if not any(one.items is each for each in done)]
        if not known:
            return snapshot
        done += [one.items for one in known]
        for one in known:
            _widen(trace, snapshot, one, grown, memory)


def _is_left_to_outer(outer: Sequence[Snapshot], snapshot: Snapshot, found: Widened, memory: Memory) -> bool:
    """Whether a loop or branch around this one knows one of the containers; notes those that only this one knows."""
    own = [one for one in found.all() if not any(around.knows(one.items) for around in outer)]
    for one in own:
        memory.note_wider(snapshot, one)
    return len(own) < len(found.all())


def _widen(trace: Recorder, snapshot: Snapshot, widened: Widened, grown: list[Any], memory: Memory) -> None:
    """Let a container hold other items, from before what is recorded on; `grown` are those that became others."""
    items, kind = widened.items, widened.kind
    if isinstance(kind, (ListPool, ObjectPool)):
        snapshot.replace([(items, kind.adopted(items))])
    elif isinstance(items, (list, dict, set)):
        if any(one is items for one in grown):
            raise UnsupportedError(
                f"a {type(items).__name__} grows or shrinks as run-time values say, and is changed by "
                "what compiled code cannot follow; change it by a method of its own, by an assignment to "
                "its items, or by `del`"
            )
        grown.append(items)
        known = grown_container(items, kind)
        control_flow(trace).grown[id(items)] = (items, known)
        snapshot.replace([(items, known)])
        items = known
    else:
        items.widen(kind)
    if widened.grows:
        memory.note_grown(items)


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
        raise Widened(items, kind_of_items([item for value in values for item in value]), grows=True)


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


def require_alike(place: ProgramLocation, values: Sequence[Any]) -> None:
    """Begin again where what a list, dict or set holds differs by its size from path to path."""
    if isinstance(place, Items):
        lengths_differ(place, values)
    elif isinstance(place, Entry):
        keys_differ(place, values)


def let_join(values: Sequence[Any]) -> None:
    """Begin again where a list from before may be in the place of one in a list or dict: it becomes one like that."""
    for one in values:
        for other in values:
            if other is not one:
                let_succeed(one, other, is_new=False)


def require_pools(kind: Kind | None, values: Sequence[Any]) -> None:
    """Begin again where the lists in a list lie in what was made on one path, or in nothing yet.

    That is made in front of the branch then.
    """
    if isinstance(kind, Growing) and isinstance(kind.item, Growing):
        for items in values:
            if type(items) is list and is_known_outside(items):
                raise Widened(items, freed(kind.item))
    new = [pool for pool in _all_pools(kind) if not is_available(pool)]
    known = control_flow(required_trace()).pools if new else {}
    lines = [pool.made_at for pool in new]
    if any(line not in known for line in lines):
        known.update(dict.fromkeys(lines))
        kinds: Any = [freed(pool.kind) for pool in new]
        raise Widened(CommonPool(lines), reduce(join_items, kinds))


def _all_pools(kind: Kind | None) -> Iterator[Any]:
    kind = kind.item if isinstance(kind, Growing) else kind
    if (pool := pool_of(kind)) is not None:
        yield pool
    else:
        for part in () if kind is None else kind.parts:
            yield from _all_pools(part)
