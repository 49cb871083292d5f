"""What was decided about a program, and why: one note where each decision is made.

    note("vector", op.location, "runs one element at a time: {} jumps through memory", reader.location)

Whoever wants to know records; without that a note costs a look at a variable of the context. A reason begins with a
verb that tells what became of the expression at the location; fields in braces are places of other expressions, or
texts. What the expressions are called in the program is found out when somebody reads the note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from ..dialect.records import NamedTuple


class Kind(NamedTuple):
    """A kind of decision."""

    title: str
    """What stands above such notes."""
    category: str
    """The log that they go to: `weft.` and this."""
    subject: str = "this"
    """What a sentence is about whose expression is not known; empty where reasons are whole sentences."""


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "trace": Kind("Traced", "trace", ""),
        "cache": Kind("Kept on disk", "cache", ""),
        "unconverted": Kind("Run by Python while tracing", "conversion", ""),
        "guard": Kind("Compiled in, and looked at before each call", "guards", ""),
        "loop": Kind("Loops", "trace"),
        "python": Kind("Calls of Python", "python"),
        "check": Kind("Checked while it runs", "guards"),
        "rewritten": Kind("Rewritten", "fusion"),
        "fused": Kind("Computed in one loop", "fusion"),
        "rows": Kind("Row by row", "fusion"),
        "stored": Kind("Stored in between", "fusion"),
        "vector": Kind("Vector code", "vectors"),
        "scalar": Kind("One element at a time", "vectors"),
        "strided": Kind("Far apart in memory", "vectors"),
        "algorithm": Kind("Algorithms", "vectors"),
        "threads": Kind("Threads", "threads"),
        "copy": Kind("Copied", "memory", "an array"),
        "memory": Kind("Memory", "memory", "an array"),
        "device": Kind("On the device", "device"),
        "host": Kind("On the host, and not on the device", "device"),
    }
)
"""All kinds of notes, in the order in which they are told."""

CATEGORIES = (*dict.fromkeys(kind.category for kind in KINDS.values()), "code")
"""All logs; the last one shows converted code."""


class Place(NamedTuple):
    """Where an expression begins in the user's program; line 0 where that is not known."""

    file: str
    line: int
    column: int
    name: str = ""
    """What it is called, of arguments, which have no line."""


class Note(NamedTuple):
    """A decision about an expression."""

    kind: str
    place: Place
    reason: str
    """A sentence without its subject, with `{}` for what it is about besides."""
    about: tuple[Place | str, ...] = ()


NOWHERE = Place("", 0, 0)

_PLACE = re.compile(r'"([^"]+)":(\d+):(\d+)')
"""A place in the text of an MLIR location; the innermost one of a chain of calls is the first."""

_NAME = re.compile(r'loc\("([^"]+)"\)')


def place_of(location: Any) -> Place:
    """The innermost place of a location of MLIR.

    >>> place_of('loc(callsite("model.py":3:5 at "main.py":7:1))')
    Place(file='model.py', line=3, column=5, name='')
    >>> place_of('loc("x")').name
    'x'
    >>> place_of("loc(unknown)") == NOWHERE
    True
    """
    if isinstance(location, Place):
        return location
    text = str(location)
    found = _PLACE.search(text)
    if found is not None:
        return Place(found[1], int(found[2]), int(found[3]))
    named = _NAME.fullmatch(text)
    return Place("", 0, 0, named[1]) if named else NOWHERE


def place_of_value(value: Any) -> Place:
    """The place of what computes a value of MLIR, or of the argument that it is."""
    if hasattr(value.owner, "arguments"):  # a block
        return place_of(value.location)
    return place_of(value.owner.location)


_notes: ContextVar[list[Note] | None] = ContextVar("notes", default=None)


def wanted() -> bool:
    """Whether somebody records notes here: what is found out for them alone needs not be found out else."""
    return _notes.get() is not None


def recorded() -> list[Note]:
    """The notes so far, where somebody records: later steps may know better."""
    return _notes.get() or []


def note(kind: str, location: Any, reason: str, *about: Any) -> None:
    """Note a decision about the expression at a location; `about` are locations of others, or texts."""
    found = _notes.get()
    if found is not None:
        others = tuple(other if isinstance(other, str) else place_of(other) for other in about)
        found.append(Note(kind, place_of(location), reason, others))


def fields(count: int) -> str:
    """Fields for so many expressions.

    >>> fields(3)
    '{}, {} and {}'
    """
    return " and ".join(filter(None, [", ".join(["{}"] * (count - 1)), "{}"]))


@contextmanager
def noting(notes: list[Note]) -> Iterator[list[Note]]:
    """Append the notes of a `with` block to a list.

    >>> with noting([]) as found:
    ...     note("copy", 'loc("model.py":3:5)', "is copied")
    >>> found[0].kind, found[0].place.line, found[0].reason
    ('copy', 3, 'is copied')
    """
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)
