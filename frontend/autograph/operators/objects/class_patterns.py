"""The attributes that `case Point(x, y=0)` reads, as converted code reads all attributes."""

from __future__ import annotations

from typing import Any

from ....runtime_values.example_values import example_of
from ....tracing.array import TracedArray
from .access import attr

_MATCH_SELF = 1 << 22
"""The flag of classes (`Py_TPFLAGS_MATCH_SELF`) whose only positional part is the value itself, as of int."""


def class_parts(subject: Any, kind: Any, count: int, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    """What a pattern with `count` positional parts and named ones asks for; None where the value does not match.

    >>> class_parts(2 + 3j, complex, 0, ("real", "imag")), class_parts(7, int, 1, ()), class_parts("7", int, 1, ())
    ((2.0, 3.0), (7,), None)
    """
    if not isinstance(kind, type):
        raise TypeError("called match pattern must be a class")
    example = example_of(subject) if isinstance(subject, TracedArray) else subject
    if not isinstance(example, kind):
        return None
    positional = getattr(kind, "__match_args__", ())
    if count == 1 and not hasattr(kind, "__match_args__") and kind.__flags__ & _MATCH_SELF:
        return subject, *_attributes(subject, names)
    if count > len(positional):
        raise TypeError(
            f"{kind.__name__}() accepts {len(positional)} positional sub-pattern{'s' * (len(positional) != 1)} "
            f"({count} given)"
        )
    wanted = (*positional[:count], *names)
    for name in names:
        if name in positional[:count]:
            raise TypeError(f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}")
    found = _attributes(subject, wanted)
    return tuple(found) if len(found) == len(wanted) else None


def _attributes(subject: Any, names: tuple[str, ...]) -> list[Any]:
    """The attributes up to the first that is not there."""
    values = []
    for name in names:
        try:
            values.append(attr(subject, name))
        except AttributeError:
            break
    return values


__all__ = ["class_parts"]
