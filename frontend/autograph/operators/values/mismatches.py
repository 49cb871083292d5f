"""Errors about values that differ between paths or iterations: all of them at once, in the user's names."""

from __future__ import annotations

import inspect
from types import FunctionType

from .....dialect.errors import ControlFlowError, UnsupportedError
from ....runtime_values.values import RuntimeValue
from ....tracing.current import required_trace
from .kinds import Choice, Container, Kind, Mismatch, Partial, Static
from .made_objects import is_made
from .program_locations import UNBOUND, Attribute, Entry, ProgramLocation


def control_flow_error(what: str, problems: list[str]) -> ControlFlowError:
    """The error for values that cannot be joined, with both sides of each."""
    listing = "\n".join(f"  - {problem}" for problem in problems)
    return ControlFlowError(
        f"{what}:\n{listing}\n"
        "The condition is known only when the compiled function runs, so one variable must hold the value of either "
        "path: give all paths values of the same structure and rank, or different names"
    )


def shown_name(name: str) -> str:
    """A place as the user knows it: converted code keeps what a function returns in a variable of its own."""
    return "what the function returns" if name == "return_" else name


def require_fit(place: ProgramLocation | None, kind: Kind) -> None:
    """Raise `Mismatch` where a place cannot hold what may be there or not, or changes its length.

    Nor does what a list or table of the run time holds become something that is not alike.
    """
    if isinstance(place, Attribute) and isinstance(place.owner, RuntimeValue) and is_unlike(kind):
        raise Mismatch(f"{kind}, of a list or dict that is carried in one way")
    is_partial = isinstance(kind, Partial) and kind.unbound
    if place is not None and is_partial and not (place.is_variable or _may_lack(place) or has_default(place)):
        missing = "a key" if isinstance(place, Entry) else "an attribute"
        raise Mismatch(f"{missing} that is there on one path only; set it before")


def is_unlike(kind: Kind) -> bool:
    """Whether a value, or one in it, is one of several that are not alike."""
    if isinstance(kind, Choice):
        return bool(kind.held)
    return isinstance(kind, Container) and any(map(is_unlike, kind.parts))


def _may_lack(place: ProgramLocation) -> bool:
    """Whether an object may be without an attribute: one that the program has made."""
    return isinstance(place, Attribute) and is_made(required_trace(), place.owner)


def has_default(place: ProgramLocation) -> bool:
    """Whether an object that lacks an attribute has a number, text or None of its class's in its place."""
    if not isinstance(place, Attribute):
        return False
    found = inspect.getattr_static(type(place.owner), place.attribute, UNBOUND)
    return type(found) in (bool, int, float, complex, str, bytes, type(None))


def endless_error(kinds: dict[str, Kind]) -> UnsupportedError:
    """What to raise where names that a loop carries are of one more kind at each recording."""
    names = ", ".join(kinds)
    held = [kind.inner if isinstance(kind, Partial) else kind for kind in kinds.values()]
    options = [option for kind in held if isinstance(kind, Choice) for option in kind.options]
    if any(isinstance(o, Static) and isinstance(o.value, FunctionType) for o in options):
        return UnsupportedError(
            f"each iteration of this loop makes another function with attributes of its own ({names}), and one of any "
            "number of functions cannot be carried; define it before the loop, or keep what it counts in a variable "
            "(nonlocal) or an object"
        )
    return UnsupportedError(f"the types of what this loop carries ({names}) grow without end")
