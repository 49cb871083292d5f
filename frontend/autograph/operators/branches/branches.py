"""`if` statements whose condition is an array: both sides are recorded, and the values at their ends joined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .....dialect.mlir import Value
from .....dialect.records import dataclass
from ....runtime_values.joined_containers import JoinedContainer, JoinedContainers
from ....tracing.array import TracedArray, wrap
from ....tracing.current import required_trace
from ....tracing.drafts import Draft
from ....tracing.joined_writes import decided_inside
from ....tracing.recorder import ABSENT, Handed, Join, Recorder, Storage
from ....tracing.several_types import SeveralTypes, install_staging
from ....tracing.staging import value_of
from ..lists import dynamic_lists
from ..lists.kept_items import KeptOnPaths, keep_joined
from ..lists.mixed_containers import (
    SeenNow,
    WatchedPaths,
    go_on_watching,
    join_names,
    note_common,
    note_containers,
)
from ..values.abstract import absent_values, carried_types, flatten, kind_of, unflatten
from ..values.aliases import (
    as_another,
    beside_data,
    is_another,
    is_available,
    note_aliases,
    note_handed,
    present,
    same_value,
    sees_any,
    with_all_assumptions,
)
from ..values.array_kinds import as_array_kind
from ..values.control_flow_state import control_flow
from ..values.copies import copied, holds_items
from ..values.kinds import Kind, Mismatch
from ..values.made_objects import tell_apart
from ..values.mismatches import control_flow_error, require_fit, shown_name
from ..values.optional import Chosen
from ..values.own_variables import Variables
from ..values.program_locations import (
    UNBOUND,
    Entry,
    Items,
    ProgramLocation,
    Snapshot,
    consume,
    locations_to_join,
    value_after,
)
from ..values.resolve_grown_lists import changes_of, join_successors, let_succeed, may_succeed
from ..values.shared_containers import joined_kind
from .conditions import condition_of
from .diverging import Diverged, record_raise, refuses, require_own
from .exits import RETURN, Exit, codes_of, exit_from, status_of
from .paths import Joined, catcher_of
from .paths import Path as Path
from .retry_recording import (
    WidenedOnPaths,
    keys_differ,
    lengths_differ,
    let_join,
    recorded,
    require_pools,
)

Body = Callable[[], Any]


@dataclass
class _Merge:
    """A place, or the result of an expression, with its value on either path."""

    name: str
    place: ProgramLocation | None
    values: list[Any]
    absent: list[bool]
    """Whether the value on a path is never looked at."""
    kind: Kind | None = None
    """The joined abstract type; None where nothing needs to be computed."""
    value: Any = None
    """What is the same on all paths that get to the end, or the joined value."""
    viewed: _Merge | None = None
    """The merge of an array which this one tells to be another object than the array itself, as `x[:]` is, or not."""
    decides: JoinedContainer | None = None
    """The container, left by a branch on a path, of which this one tells what it is."""


def stage_if(
    trace: Recorder,
    truth: TracedArray,
    bodies: tuple[Body, Body],
    watched: tuple[Callable[..., Any] | None, ...],
    dead: Variables | None = None,
    wants_result: bool = False,
) -> tuple[Exit, Any]:
    """Record both sides of a branch and join the exits, the results and every place that one of them changed.

    `watched` are the functions whose reachable state is compared; the variables in `dead` are not looked at afterwards.
    """
    second = _SecondPath()
    joined = recorded(
        trace,
        watched,
        lambda snapshot: _stage_if(trace, truth, bodies, snapshot, dead or {}, wants_result, second),
    )
    catcher = catcher_of(trace)
    if joined.raises:
        raise Diverged
    if catcher is not None and catcher.may_have_raised():
        catcher.go_on(joined.raised)
        joined.settle()
    return joined.exit, joined.result


@dataclass
class _SecondPath:
    """The second path of a branch, as an earlier recording found it, for lists of the first to become what its are."""

    path: Path | None = None

    def widen(self, path: Path) -> None:
        """Know the path from now on."""
        self.path = path

    def let_succeed(self, snapshot: Snapshot, path: Path, first: Path | None) -> None:
        """Let lists that a path leaves become what those are that the other one leaves in their places."""
        other = self.path if first is None else first
        if other is None or not control_flow(required_trace()).grown:
            return
        for key, (_, value) in snapshot.changes().items():
            if key in other.changes:
                let_succeed(other.changes[key][1], value)
        let_succeed(other.result, path.result)

    def require(self, paths: Sequence[Path]) -> None:
        """Begin again where lists of the first path have to become what those of the second are."""
        first, second = paths
        if (
            self.path is not None
            or first.is_dead
            or second.is_dead
            or not control_flow(required_trace()).grown
        ):
            return
        pairs = [
            (value, first.changes[key][1])
            for key, (_, value) in second.changes.items()
            if key in first.changes
        ]
        if any(may_succeed(*pair) for pair in (*pairs, (second.result, first.result))):
            raise dynamic_lists.Widened(self, second)


def _stage_if(
    trace: Recorder,
    truth: TracedArray,
    bodies: tuple[Body, Body],
    snapshot: Snapshot,
    dead: Variables,
    wants_result: bool,
    second: _SecondPath,
) -> Joined:
    control_flow(trace).branches_recorded += 1
    decided = wrap(trace, truth._value())  # an array may be written later
    draft = Draft(trace, "scf.if", [condition_of(trace, truth)], regions=2)
    paths: list[Path] = []
    watched, kept = WatchedPaths(trace), KeptOnPaths(trace)
    widened = WidenedOnPaths(trace, snapshot)
    for number, body in enumerate(bodies):
        path = Path(draft.add_region(number))
        with widened.noted(before=paths), draft.recording(path.region):
            record_path(trace, path, body, wants_result)
            join_successors(trace, snapshot)
            second.let_succeed(snapshot, path, paths[0] if paths else None)
            watched.end_path()
            kept.end_path()
        path.note(changes_of(trace, snapshot))
        snapshot.restore()
        paths.append(path)
    watched.join()
    second.require(paths)
    if all(path.is_dead for path in paths):
        _finish(trace, draft, paths, [])
        raise Diverged
    joined = join_paths(trace, draft, snapshot, paths, dead, wants_result, kept.found, decided)
    for path, other in (paths, paths[::-1]):
        if path.raises and not other.may_raise:
            joined.raised = truth if path is paths[0] else np.logical_not(truth)
    return joined


def stage_by_type(value: SeveralTypes, do: Callable[[int], Any]) -> Any:
    """What `do` gives for the number of the type that a value has, on a path of its own for each."""

    def for_types(number: int) -> Any:
        if number == len(value.types) - 1:
            return do(number)
        is_one: Any = np.equal(value._choice, number)
        bodies = (lambda: do(number), lambda: for_types(number + 1))
        return stage_if(value._storage.trace, is_one, bodies, (), wants_result=True)[1]

    return for_types(0)


install_staging(stage_by_type)


def join_paths(
    trace: Recorder,
    draft: Draft,
    snapshot: Snapshot,
    paths: list[Path],
    dead: Variables,
    wants_result: bool,
    kept: Sequence[set[int]] | None = None,
    truth: TracedArray | None = None,
) -> Joined:
    """End the regions of a draft and join what the paths leave; the Python state is that of before until then."""
    merges = _merges(trace, snapshot, paths, dead, wants_result)
    computed = _join_all(trace, merges, paths, snapshot)
    decided = _decided_inside(trace, computed, paths, snapshot)
    told = _told_inside(computed)
    results = _finish(trace, draft, paths, [*told.values(), *computed, *decided])
    values = iter(results)
    exit_ = _exit(trace, paths, values)
    join = Join(sees_any, truth)
    for storage, merge in told.items():
        assert merge.kind is not None
        join.decided_inside[storage] = unflatten(trace, merge.kind, values)
    for merge in computed:
        assert merge.kind is not None
        merge.value = _of_originals(unflatten(trace, merge.kind, values), paths)
        if merge.viewed is not None:
            merge.viewed.value = as_another(merge.viewed.value, merge.value)
            continue
        note_aliases(join, merge.value, merge.values)
        handed = [
            (number, ABSENT if gone or value is UNBOUND else value)
            for number, gone, value in zip((0, 1), merge.absent, merge.values, strict=True)
        ]
        if results:
            note_handed(merge.value, Handed(results[0].owner, None, tuple(handed)))
    for merge in decided:
        assert merge.kind is not None
        assert merge.decides is not None
        trace.state(JoinedContainers).note(
            merge.decides.container,
            unflatten(trace, merge.kind, values),
            merge.decides.ends,
            merge.decides.decision,
        )
    joined = [(merge, _originals(merge, paths, snapshot)) for merge in computed if merge.viewed is None]
    ends = [
        [ABSENT if gone else end for end, gone in zip(found, merge.absent, strict=True)]
        for merge, found in joined
    ]
    one = join_names(trace, [(m.name, m.value, end) for (m, _), end in zip(joined, ends, strict=True)])
    for (merge, _), value in zip(joined, one, strict=True):
        merge.value = value
    result = _deliver(merges, paths, dead)
    go_on_watching(trace)
    seen = SeenNow()
    for merge, originals in joined:
        note_containers(trace, merge.name, merge.value, originals, seen, truth)
        keep_joined(merge.value, originals, kept)
    note_common(trace, [(m.name, m.value, end) for (m, _), end in zip(joined, ends, strict=True)])
    settled = {
        merge.place.key(): merge.place
        for merge in merges
        if merge.place is not None
        and all(p.binds(merge.place, v) for p, v in zip(paths, merge.values, strict=True))
    }
    return Joined(exit_, result, all(path.raises for path in paths), settled)


def _told_inside(merges: list[_Merge]) -> dict[Storage, _Merge]:
    """What decided on the paths which of others an array is that they leave, which is known behind the branch."""
    found: dict[Storage, _Merge] = {}
    for merge in merges:
        for number, value in enumerate(map(present, merge.values)):
            if merge.absent[number] or not isinstance(value, TracedArray):
                continue
            for truth in decided_inside(value):
                values: list[Any] = [np.bool_(False), np.bool_(False)]
                values[number] = truth
                found[truth._storage] = _Merge(
                    "", None, values, [False, False], as_array_kind(kind_of(False))
                )
    return found


def _of_originals(value: Any, paths: list[Path]) -> Any:
    """One of several values, with the sets themselves in the places of what they held at the ends of the paths."""
    if not isinstance(value, Chosen):
        return value
    found = {key: original for path in paths for key, (_, original) in path.originals.items()}
    return Chosen(value.index, tuple(found.get(id(one), one) for one in value.options), value.held)


def _originals(merge: _Merge, paths: list[Path], snapshot: Snapshot) -> list[Any]:
    """The very objects that a place holds at the ends of the paths."""
    place = merge.place
    return [p.result if place is None else value_after(p.changes, place, snapshot) for p in paths]


def record_path(trace: Recorder, path: Path, body: Body, wants_result: bool) -> None:
    """Run a body; an exception that it raises is raised at run time, if this path is taken."""
    around = trace.enter_recording()
    try:
        _record_path(trace, path, body, wants_result)
    finally:
        trace.leave_recording(around)


def _record_path(trace: Recorder, path: Path, body: Body, wants_result: bool) -> None:
    catcher = catcher_of(trace)
    mark = 0 if catcher is None else catcher.mark()
    try:
        outcome = body()
    except Diverged:
        path.is_dead = True
    except BaseException as error:
        if refuses(error):
            raise
        require_own(trace, error)
        if catcher is None:
            record_raise(trace, error)
        else:
            catcher.arrive(error)
        path.is_dead = True
    else:
        path.result, path.exit = (outcome, None) if wants_result else (None, outcome)
    if catcher is not None:
        path.raises, path.is_dead, path.unread = path.is_dead, False, catcher.unread
        catcher.close(path, mark, wants_result)
        path.may_raise = catcher.may_have_raised()


def _merges(
    trace: Recorder, snapshot: Snapshot, paths: list[Path], dead: Variables, wants_result: bool
) -> list[_Merge]:
    places = {key: place for path in paths for key, (place, _) in path.changes.items()}
    _note_contents(snapshot, paths, places)
    merges = []
    for place in locations_to_join(places):
        if place.key() in dead:
            continue
        values = [value_after(path.changes, place, snapshot) for path in paths]
        if any(not p.is_dead and place.key() not in p.changes for p in paths):
            before = snapshot.old_value(place)
            found = consume(trace, place, before)
            values = [found if value is before else value for value in values]
        absent = [
            path.is_dead or _is_never_read(path, place, v, snapshot)
            for path, v in zip(paths, values, strict=True)
        ]
        merges.append(_Merge(place.name, place, values, absent))
    if wants_result:
        merges.append(
            _Merge("the value", None, [p.result for p in paths], [p.is_dead or p.raises for p in paths])
        )
    return merges


def _note_contents(
    snapshot: Snapshot, paths: list[Path], places: dict[tuple[Any, ...], ProgramLocation]
) -> None:
    """Note what containers hold at the end of a path that changes them, where another path binds their place anew."""
    for path in paths:
        kept = [
            (key, value)
            for key, place in places.items()
            if key not in path.changes and holds_items(value := snapshot.old_value(place))
        ]
        if not kept or not path.changes or path.is_dead:
            continue
        for place, value in path.changes.values():
            place.set(value)
        path.contents.update((key, copied(value, path.originals)) for key, value in kept)
        snapshot.restore()


def _is_never_read(path: Path, place: ProgramLocation, value: Any, snapshot: Snapshot) -> bool:
    """Whether nothing sees a place: after an exception, or a variable that is still unbound where the function returns.

    One that was deleted may be one of a function around this one, which sees that.
    """
    if path.leaves_unread(place.key()):
        return True
    was_unbound = value is UNBOUND and snapshot.old_value(place) is UNBOUND
    if not (was_unbound and place.is_variable and codes_of(path.exit) == {RETURN}):
        return False
    return all(place.key() not in read for read in control_flow(required_trace()).read_at_exits)


def _join_all(trace: Recorder, merges: list[_Merge], paths: list[Path], snapshot: Snapshot) -> list[_Merge]:
    """Find the abstract types; returns the merges to compute. What cannot be joined is reported together."""
    problems, computed = [], []
    differing: list[Any] = []
    originals = {key: one for path in paths for key, one in path.originals.items()}
    for merge in merges:
        if isinstance(merge.place, Items):
            lengths_differ(
                merge.place, [v for p, v in zip(paths, merge.values, strict=True) if not p.is_dead]
            )
        alive = [value for gone, value in zip(merge.absent, merge.values, strict=True) if not gone]
        alive = [beside_data(value, alive) for value in alive]
        if not alive or (is_available(alive[0]) and all(same_value(value, alive[0]) for value in alive)):
            merge.value = with_all_assumptions(alive) if alive else UNBOUND
            if any(is_another(value) is not is_another(merge.value) for value in alive):
                computed.append(_identity_of(merge))
            continue
        key = None if merge.place is None else merge.place.key()
        ends = [path.contents.get(key, v) for path, v in zip(paths, merge.values, strict=True)]
        merge.values = [beside_data(end, alive) for end in ends]
        contents = [v for gone, v in zip(merge.absent, merge.values, strict=True) if not gone]
        try:
            merge.kind = joined_kind(alive, contents, snapshot.had, by_type=True, originals=originals)
            if isinstance(merge.place, Entry):
                keys_differ(merge.place, alive)
            require_fit(merge.place, merge.kind)
            require_pools(merge.kind, alive)
        except Mismatch as mismatch:
            let_join(alive)
            differing += alive
            problems.append(f"{shown_name(merge.name)} is {mismatch}")
        computed.append(merge)
    if problems:
        error = control_flow_error("the two sides of a condition leave values that cannot be one", problems)
        tell_apart(trace, differing, error)
        raise error
    return computed


def _identity_of(merge: _Merge) -> _Merge:
    """Whether an array that is the same on all paths is another object than the array itself, as each path says."""
    values = [
        None if gone else is_another(value) for gone, value in zip(merge.absent, merge.values, strict=True)
    ]
    return _Merge(merge.name, None, values, merge.absent, as_array_kind(kind_of(False)), viewed=merge)


def _decided_inside(
    trace: Recorder, merges: list[_Merge], paths: list[Path], snapshot: Snapshot
) -> list[_Merge]:
    """What decided on the paths which of others a container is that they leave, which is known behind the branch."""
    known, found = trace.state(JoinedContainers), dict[int, _Merge]()
    for merge in merges if known.found else ():
        if merge.viewed is not None:
            continue
        for number, end in enumerate(_originals(merge, paths, snapshot)):
            ends = end.options if isinstance(end, Chosen) else (end,)
            for joined in (one for part in ends for one in known.decided_in(part, paths[number].region)):
                values: list[Any] = [np.bool_(False), np.bool_(False)]
                values[number] = joined.truth
                kind = as_array_kind(kind_of(False))
                found[id(joined.container)] = _Merge("", None, values, [False, False], kind, decides=joined)
    return list(found.values())


def _finish(trace: Recorder, draft: Draft, paths: list[Path], merges: list[_Merge]) -> list[Value]:
    """Yield the joined values from both sides."""
    has_status = len(paths[0].codes | paths[1].codes) > 1
    types = []
    for path, number in zip(paths, (0, 1), strict=True):
        with draft.recording(path.region):
            yielded = [value_of(trace, status_of(path.exit))] if has_status else []
            types = [value.type for value in yielded]
            for merge in merges:
                assert merge.kind is not None
                value = merge.values[number]
                gone = merge.absent[number]
                yielded += absent_values(trace, merge.kind) if gone else flatten(trace, value, merge.kind)
                types += carried_types(merge.kind)
            draft.terminate(path.region, "scf.yield", yielded)
    return draft.finish(draft.operands, types)


def _exit(trace: Recorder, paths: list[Path], values: Iterator[Value]) -> Exit:
    codes = frozenset[int]().union(*(path.codes for path in paths))
    return exit_from(wrap(trace, next(values)) if len(codes) > 1 else None, codes) if codes else None


def _deliver(merges: list[_Merge], paths: list[Path], dead: Variables) -> Any:
    """Give every place its joined value, and empty the variables that are not looked at; returns the result."""
    result: Any = None
    for merge in merges:
        if merge.place is None:
            result = merge.value
        else:
            merge.place.set(merge.value)
    for path in paths:
        for key, (place, _) in path.changes.items():
            if key in dead:
                place.set(UNBOUND)
    return result
