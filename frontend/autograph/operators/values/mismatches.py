"""Errors about values that differ between paths or iterations: all of them at once, in the user's names."""

from __future__ import annotations

from .....dialect.errors import ControlFlowError
from .abstract import Kind, Mismatch, Partial
from .program_locations import Entry, ProgramLocation


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
    """Raise `Mismatch` where a place cannot hold what may be there or not, or changes its length."""
    if place is not None and not place.is_variable and isinstance(kind, Partial) and kind.unbound:
        missing = "a key" if isinstance(place, Entry) else "an attribute"
        raise Mismatch(f"{missing} that is there on one path only; set it before")
