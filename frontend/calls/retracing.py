"""Notices functions that are compiled again at each call, and says which argument is to blame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialect.errors import RetracingWarning
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType
from ..settings import settings
from ..signature.signature import Node, Static, Structure, describe

MOST_SHOWN = 4
"""How many of the values are shown in the warning."""


class Compilation(NamedTuple):
    """A call that had to compile."""

    structure: Structure
    types: Sequence[TensorType]
    names: Sequence[str]
    reason: str


class Retracing:
    """Counts the calls of one function in a row that had to compile."""

    def __init__(self) -> None:
        self._recent: list[Compilation] = []
        self._has_warned = False

    def note_reuse(self) -> None:
        """A call ran what was compiled before."""
        if self._recent:
            self._recent.clear()

    def note(self, name: str, parameters: Sequence[str], compilation: Compilation) -> None:
        """A call had to compile; too many of them in a row give one warning."""
        if self._has_warned or not settings.retracing_warning:
            return
        self._recent.append(compilation)
        if len(self._recent) < settings.retracing_warning:
            return
        self._has_warned = True
        recent, self._recent = self._recent, []
        message = (
            f"{name} was compiled for each of the last {len(recent)} calls: {_blame(parameters, recent)}"
        )
        from ..source.locations import place_of_user, warn_at  # for warnings only

        warn_at(place_of_user(), message, RetracingWarning)


def _blame(parameters: Sequence[str], recent: Sequence[Compilation]) -> str:
    """What differs from call to call, and what to do about it."""
    for number, name in enumerate(parameters):
        entries = [_entry(compilation.structure, number) for compilation in recent]
        if all(isinstance(entry, Static) for entry in entries) and _vary(entries):
            values = [entry.value for entry in entries if entry is not None]
            return (
                f"argument {name!r} is another Python value each time ({_shown(list(map(repr, values)))}), and each is "
                f"a constant of the compiled code; {_advice(name, values)}"
            )
    if all(compilation.names == recent[0].names for compilation in recent):
        for name, *types in zip(recent[0].names, *(compilation.types for compilation in recent), strict=True):
            if _vary(types):
                return (
                    f"argument {name!r} is of another type each time ({_shown(list(map(str, types)))}); "
                    "input_signature=[weft.TensorSpec([None, ...], dtype)] compiles once for all extents given as None"
                )
    structures = [describe(compilation.structure, compilation.types) for compilation in recent]
    if _vary(structures):
        return f"its arguments are nested differently each time ({_shown(structures)})"
    reasons = [compilation.reason for compilation in recent[1:]]
    return f"{_shown(reasons)}; pass what varies as an argument, as an array or a NumPy scalar"


def _advice(name: str, values: Sequence[Any]) -> str:
    """What to pass in place of Python values."""
    if all(isinstance(value, (bool, int, float, complex)) for value in values):
        scalar = {bool: "np.bool_", int: "np.int64", float: "np.float64", complex: "np.complex128"}[
            type(values[0])
        ]
        return f"pass an array or a NumPy scalar ({scalar}({name})), which is data"
    if all(isinstance(value, str) for value in values):
        return "pass a number that stands for the text, or use a function for each of a few texts"
    return "pass the same object each time, or what varies of it as arrays"


def _entry(structure: Structure, number: int) -> Any:
    """A positional argument in the structure of a call."""
    if not isinstance(structure, Node) or not isinstance(structure.children[0], Node):
        return None
    arguments = structure.children[0].children
    return arguments[number] if number < len(arguments) else None


def _vary(entries: Sequence[Any]) -> bool:
    """Whether (almost) each of some values is another one."""
    different: list[Any] = []
    for entry in entries:
        if entry not in different:
            different.append(entry)
    return len(different) > len(entries) // 2


def _shown(texts: Sequence[str]) -> str:
    texts = list(dict.fromkeys(texts))
    return ", ".join(texts[:MOST_SHOWN]) + (", ..." if len(texts) > MOST_SHOWN else "")
