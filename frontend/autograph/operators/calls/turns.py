"""Places in pipelines that take turns: what changes of each lies in a list, the rest is known while tracing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from types import NoneType
from typing import Any

import numpy as np

from ....indexing.views import get_item
from ....runtime_values.results import RuntimeContainer, RuntimeNone
from ....signature.element_kinds import Pipeline
from ....source.plain_items import contents
from ....tracing.array import TracedArray
from ....tracing.extents import known_shape
from ....tracing.recorder import Recorder
from ....tracing.staging import staged
from ..branches.checkpoints import on_trial
from ..lists.kept_items import forget_read
from .calls import call

_CHANGING = (NoneType, bool, int, float, np.generic, TracedArray, RuntimeNone, tuple, dict)
"""What a place may have that is another one later."""


class Form:
    """What the places in pipelines have in common that one text makes."""

    def __init__(self, trace: Recorder, make: Callable[[], Any]) -> None:
        self._trace = trace
        self.is_even: bool = on_trial(trace, lambda: _is_even_place(call(make)))
        """Whether tracing knows the sizes of all arrays, and no list grows: as lists hold it."""

    def taken(self, cursor: Pipeline) -> tuple[Any, ...]:
        """What changes of a place."""
        values: list[Any] = []
        self._trace.state(_Templates).of[self] = _without_values(cursor, values)
        return tuple(values)

    def made(self, held: Any, number: Any) -> Any:
        """A place of what changes, which lies in a list; the list has no part in it, as it is put back there."""
        values = get_item(held, number)
        forget_read(values, number)
        return _with_values(self._trace.state(_Templates).of[self], iter(values))


class _Templates:
    """The places in pipelines as they were seen last, with holes for what changes."""

    def __init__(self) -> None:
        self.of: dict[Form, Any] = {}


class _Hole:
    """Stands for what changes."""


def as_data(trace: Recorder, value: Any) -> Any:
    """A place in a pipeline whose numbers are data: what depends on it is recorded, and not decided while tracing."""
    if isinstance(value, Pipeline):
        names = [part.name for part in fields(value)]  # type: ignore[arg-type]
        parts = {name: getattr(value, name) for name in names}
        if _is_place(value):
            parts = {name: _number_as_data(trace, part) for name, part in parts.items()}
        return type(value)(**{name: as_data(trace, part) for name, part in parts.items()})
    return _map_parts(lambda part: as_data(trace, part), value)


def _number_as_data(trace: Recorder, value: Any) -> Any:
    if isinstance(value, (bool, int)):
        return staged(trace, np.asarray(value)[()])._like_python(type(value))
    return value


def _without_values(value: Any, values: list[Any]) -> Any:
    """A place with holes; the numbers that a step of a pipeline was made with do not change, what places have does."""
    if isinstance(value, Pipeline):
        parts = {name: getattr(value, name) for name in _names_in(value)}
        if not _is_place(value):
            return type(value)(**{name: _without_values(part, values) for name, part in parts.items()})
        own = {name: _without_own(part, values) for name, part in parts.items()}
        return type(value)(**own, **{"item": None})
    if isinstance(value, (TracedArray, RuntimeNone)):
        return _hole_for(value, values)
    return _map_parts(lambda part: _without_values(part, values), value)


def _without_own(value: Any, values: list[Any]) -> Any:
    """What a place has, with holes; a structure without pipelines is one, as it may not be there at first."""
    if _holds_pipeline(value) or not isinstance(value, _CHANGING):
        return _without_values(value, values)
    return _hole_for(value, values)


def _hole_for(value: Any, values: list[Any]) -> Any:
    values.append(value)
    return _Hole


def _with_values(value: Any, values: Iterator[Any]) -> Any:
    """A place without holes."""
    if value is _Hole:
        return next(values)
    if isinstance(value, Pipeline):
        names = [part.name for part in fields(value)]  # type: ignore[arg-type]
        return type(value)(**{name: _with_values(getattr(value, name), values) for name in names})
    return _map_parts(lambda part: _with_values(part, values), value)


def _is_even_place(cursor: Any) -> bool:
    return cursor is not None and _is_even(cursor)


def _is_even(value: Any) -> bool:
    if isinstance(value, RuntimeNone):
        return _is_even(value.value)
    if isinstance(value, TracedArray):
        return None not in known_shape(value)
    if isinstance(value, Pipeline):
        return all(_is_even(getattr(value, name)) for name in _names_in(value))
    if isinstance(value, (tuple, dict)):
        return all(map(_is_even, contents(value)))
    return not isinstance(value, (list, RuntimeContainer))


def _is_place(value: Pipeline) -> bool:
    return hasattr(value, "advance")


def _names_in(value: Pipeline) -> list[str]:
    """What a pipeline has, or a place in it when the next element is asked for: the last one is of no use then."""
    names = [part.name for part in fields(value)]  # type: ignore[arg-type]
    return [name for name in names if not (_is_place(value) and name == "item")]


def _map_parts(function: Callable[[Any], Any], value: Any) -> Any:
    """Tuples and dicts with what a function makes of their parts; what has none as it is."""
    if type(value) is tuple:
        return tuple([function(part) for part in value])
    return {name: function(part) for name, part in value.items()} if isinstance(value, dict) else value


def _holds_pipeline(value: Any) -> bool:
    if isinstance(value, (tuple, dict)):
        return any(map(_holds_pipeline, contents(value)))
    return isinstance(value, Pipeline)
