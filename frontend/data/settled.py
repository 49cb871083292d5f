"""Pipelines that compiled code keeps from one iteration to the next, with functions that hold data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..runtime_values.closures import put_together, taken_apart
from .elements import Pipeline


@dataclass(eq=False)
class Settled(Pipeline):
    """A function, with the values of the variables around it as they were when its pipeline was made."""

    template: Any
    contents: tuple[Any, ...]

    def __call__(self, *item: Any) -> Any:
        return unsettled(self)(*item)


def settled(value: Any) -> Any:
    """A pipeline with all functions in it settled."""
    if isinstance(value, Pipeline) and not isinstance(value, Settled):
        parts = {field.name: settled(getattr(value, field.name)) for field in fields(value)}  # type: ignore[arg-type]
        return type(value)(**parts)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple([settled(part) for part in value])
    if isinstance(value, dict):
        return {name: settled(part) for name, part in value.items()}
    apart = taken_apart(value)
    return value if apart is None else Settled(apart[0], apart[1])


def unsettled(function: Any) -> Any:
    """A function that may have been settled."""
    return put_together(function.template, function.contents) if isinstance(function, Settled) else function
