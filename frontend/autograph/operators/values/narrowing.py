"""What a condition says about values: `if x is not None:` and `if isinstance(x, P):` make x plain in the branch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ....tracing.array import TracedArray
from ....tracing.current import required_trace
from ....tracing.recorder import Recorder
from ...convert.build import RETURNED
from .control_flow_state import Facts, control_flow
from .optional import Chosen, MaybeUnbound, Optional
from .own_variables import variables_named
from .program_locations import UNBOUND, Snapshot


def note_facts(trace: Recorder, truth: Any, if_true: Facts = (), if_false: Facts = ()) -> None:
    """Remember what follows from a condition."""
    if isinstance(truth, TracedArray) and (if_true or if_false):
        control_flow(trace).presence[id(truth._storage)] = (truth._storage, if_true, if_false)


def is_there(value: Optional) -> Facts:
    """That a value which may be None is not."""
    return ((value, lambda one: one.value),)


def is_among(value: Chosen, numbers: Sequence[int]) -> Facts:
    """That a value which may be one of several is one of fewer."""
    return ((value, lambda one: one.among(numbers)),) if numbers else ()


def facts_of(trace: Recorder, truth: Any) -> tuple[Facts, Facts]:
    """What follows from a condition where it holds, and where it does not."""
    if not isinstance(truth, TracedArray):
        return (), ()
    storage = truth._storage
    known = control_flow(trace).presence.get(id(storage))
    return (known[1], known[2]) if known is not None and known[0] is storage else ((), ())


def not_returned(watched: Iterable[Callable[..., Any] | None]) -> Facts:
    """That a function has not returned, so that it has no result yet; a `finally` block runs where it has, too."""
    if control_flow(required_trace()).finishing:
        return ()
    held = (place.get() for place in variables_named(RETURNED, watched).values())
    return tuple((value, lambda _: UNBOUND) for value in held if isinstance(value, MaybeUnbound))


def behind_test(facts: Facts, tested: Any, value: Any) -> Any:
    """What stands for a value that a loop leaves, of what its test was of when it failed."""
    known = next((known for one, known in facts if one is tested), None)
    return known(value) if known is not None and _are_alike(value, tested) else value


def _are_alike(one: Any, other: Any) -> bool:
    """Whether what holds for one of two values by the numbers of its options holds for the other."""
    if not isinstance(one, Chosen) or not isinstance(other, Chosen):
        return type(one) is type(other)
    options = zip(one.options, other.options, strict=False)
    return (
        one.held == other.held
        and len(one.options) == len(other.options)
        and all(
            type(mine) is type(its) if number in one.held else mine is its
            for number, (mine, its) in enumerate(options)
        )
    )


def narrowed(
    body: Callable[[], Any], present: Facts, watched: Sequence[Callable[..., Any] | None]
) -> Callable[[], Any]:
    """A body in which variables hold what is known of their values."""
    if not present:
        return body

    def run() -> Any:
        found = {id(value): (value, known) for value, known in present}
        held: dict[int, list[Any]] = defaultdict(list)
        for place, value in Snapshot.of(watched).variables():
            if id(value) in found:
                held[id(value)].append(place)
        narrower = {key: found[key][1](found[key][0]) for key in held}
        for key, places in held.items():
            for place in places:
                place.set(narrower[key])
        try:
            return body()
        finally:
            for key, places in held.items():
                for place in places:
                    if place.get() is narrower[key]:
                        place.set(found[key][0])

    return run
