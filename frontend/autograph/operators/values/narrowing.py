"""What a condition says about values that may be None: `if x is not None:` makes x a plain value in the branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....tracing.array import TracedArray
from ....tracing.recorder import Recorder
from .control_flow_state import Facts, control_flow
from .program_locations import Snapshot


def note_facts(trace: Recorder, truth: Any, if_true: Facts = (), if_false: Facts = ()) -> None:
    """Remember what follows from a condition."""
    if isinstance(truth, TracedArray) and (if_true or if_false):
        control_flow(trace).presence[id(truth._storage)] = (truth._storage, if_true, if_false)


def facts_of(trace: Recorder, truth: Any) -> tuple[Facts, Facts]:
    """What follows from a condition where it holds, and where it does not."""
    if not isinstance(truth, TracedArray):
        return (), ()
    storage = truth._storage
    known = control_flow(trace).presence.get(id(storage))
    return (known[1], known[2]) if known is not None and known[0] is storage else ((), ())


def narrowed(
    body: Callable[[], Any], present: Facts, watched: Sequence[Callable[..., Any] | None]
) -> Callable[[], Any]:
    """A body in which variables hold the values that are known to be there."""
    if not present:
        return body

    def run() -> Any:
        chosen = {id(value): value for value in present}
        places = [
            (place, chosen[id(value)])
            for place, value in Snapshot.of(watched).variables()
            if id(value) in chosen
        ]
        for place, value in places:
            place.set(value.value)
        try:
            return body()
        finally:
            for place, value in places:
                if place.get() is value.value:
                    place.set(value)

    return run
