"""Broadcasting of extents that are known only at run time: one that turns out to be 1 stretches, as in NumPy.

Where it is not known that the extents of axes that meet are equal, those that may be 1 are stretched to the extent that
the axes have together: that of an axis which is never 1, or else `a if b == 1 else b`, computed when the program runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...dialect.ops.selection import Select
from ...dialect.ops.shape import Stretch
from ...dialect.records import dataclass
from ...dialect.sizes import Size
from .array import TracedArray
from .extents import Extent, axis_key, is_known_fact, is_new_fact, known_shape, shapes_text, split_shape
from .staging import apply, raise_if, view_of

if TYPE_CHECKING:
    from .recorder import Recorder
    from .regions import Section

Axis: TypeAlias = "tuple[int, int]"
"""The number of an operand, and an axis of it."""


class _Joined:
    """What extents have together, as far as a recording has computed it."""

    def __init__(self) -> None:
        self.computed: dict[frozenset[Size], tuple[Section, TracedArray]] = {}
        """In which section it was computed of these extents."""
        self._parts: dict[Size, tuple[Section, frozenset[Size]]] = {}

    def parts(self, key: Size) -> frozenset[Size]:
        """The extents that one was computed of; itself where it was not."""
        section, parts = self._parts.get(key, (None, None))
        return parts if section is not None and section.is_usable and parts is not None else frozenset((key,))

    def note(self, section: Section, key: Size, parts: frozenset[Size]) -> None:
        """Remember what an extent was computed of, and where."""
        self._parts[key] = (section, parts)


@dataclass(frozen=True)
class Misfit:
    """What is raised where extents do not agree: a text with the shapes of some arrays in it."""

    before: str = "operands could not be broadcast together with shapes "
    between: str = " "
    after: str = " "
    error: str = "ValueError"

    def raise_if(self, condition: Any, arrays: Sequence[Any]) -> None:
        """Raise at run time where the condition holds; it is None where it never does."""
        if condition is not None:
            text, shown = shapes_text(arrays, self.between)
            raise_if(condition, self.error, f"{self.before}{text}{self.after}", *shown)


def broadcast_together(
    trace: Recorder, operands: Sequence[Any], misfit: Misfit | None = None, into: Any = None
) -> list[Any]:
    """Operands whose unknown extents are equal where they meet: those that may be 1 are stretched.

    That the others agree is checked at run time. With `into`, they are stretched to that array, which is not
    stretched itself.
    """
    shapes = [known_shape(operand) for operand in operands]
    given = () if into is None else known_shape(into)
    if None not in given and all(None not in shape for shape in shapes):
        return list(operands)
    groups: list[list[Axis]] = []
    wanted: list[tuple[Any, int] | None] = []
    for place in range(1, max(map(len, shapes)) + 1):
        met = [(i, len(s) - place) for i, s in enumerate(shapes) if len(s) >= place and s[-place] != 1]
        groups.append(met)
        wanted.append((into, len(given) - place) if len(given) >= place else None)
    arrays = operands if into is None else (*operands, into)
    return meet(trace, operands, groups, misfit or Misfit(), wanted, arrays)[0]


def fit(trace: Recorder, value: Any, place: Any, misfit: Misfit) -> Any:
    """A value stretched to the extents of the place that it is assigned to."""
    offset = place.ndim - value.ndim
    axes = [axis for axis, extent in enumerate(known_shape(value)) if extent != 1]
    wanted = [(place, axis + offset) for axis in axes]
    return meet(trace, [value], [[(0, axis)] for axis in axes], misfit, wanted, (value, place))[0][0]


def meet(
    trace: Recorder | None,
    operands: Sequence[Any],
    groups: Sequence[Sequence[Axis]],
    misfit: Misfit,
    wanted: Sequence[tuple[Any, int] | None] | None = None,
    shown: Sequence[Any] | None = None,
) -> tuple[list[Any], list[Extent]]:
    """Stretch operands so that the axes of each group have one extent; returns them and these extents.

    `wanted` may name an array and an axis of it whose extent a group has to have. The error shows the shapes of the
    operands, or of the arrays in `shown`. Without a trace all extents are known, and known to agree.
    """
    targets: list[Extent] = []
    stretched: dict[int, dict[int, Extent]] = {}
    differ: Any = None
    for group, place in zip(groups, wanted or [None] * len(groups), strict=True):
        met = [_End.of(trace, operands[number], axis) for number, axis in group]
        target = _target(trace, met, None if place is None else _End.of(trace, *place))
        targets.append(1 if target is None else target.extent)
        if target is None or trace is None:
            continue
        differ = _or(differ, target.differ)
        for (number, axis), end in zip(group, met, strict=True):
            differ = _or(differ, _mismatch(trace, end, target))
            if end.may_be_one and not is_known_fact(trace, frozenset((end.key, target.key))):
                stretched.setdefault(number, {})[axis] = target.extent
    misfit.raise_if(differ, operands if shown is None else shown)
    results = [_stretch(operand, stretched.get(number)) for number, operand in enumerate(operands)]
    return results, targets


@dataclass(frozen=True)
class _End:
    """An axis where it meets others."""

    array: Any
    axis: int
    key: Size
    may_be_one: bool
    differ: Any = None
    """Of what axes have together: whether they do not agree."""

    @staticmethod
    def of(trace: Recorder | None, array: Any, axis: int) -> _End:
        key = axis_key(array, axis)
        return _End(
            array, axis, key, not isinstance(key, int) and not _is_argument_extent(trace, array, axis)
        )

    @property
    def extent(self) -> Extent:
        known = known_shape(self.array)[self.axis]
        return self.array._extent(self.axis) if known is None else known


@dataclass(frozen=True)
class _Together(_End):
    """An extent that axes have together, computed at run time."""

    computed: Any = None

    @property
    def extent(self) -> Extent:
        return self.computed


def _is_argument_extent(trace: Recorder | None, array: Any, axis: int) -> bool:
    """Whether an extent is one of an argument: what has an extent of 1 there is compiled on its own."""
    from .extent_keys import is_argument_extent

    return trace is not None and is_argument_extent(array._value(), axis, trace.entry.block)


def _target(trace: Recorder | None, met: Sequence[_End], wanted: _End | None) -> _End | None:
    """The extent that axes have together: one that is given, known or never 1, or else computed."""
    if wanted is not None:
        return wanted
    fixed = [end for end in met if not end.may_be_one]
    known = [end for end in fixed if isinstance(end.key, int)]
    for end in (*known, *fixed):
        return end
    return _join(trace, met) if met and trace is not None else None


def _join(trace: Recorder, met: Sequence[_End]) -> _End:
    """What extents have together of which each may be 1."""
    joined = trace.state(_Joined)
    together = frozenset[Size]().union(*(joined.parts(end.key) for end in met))
    for end in met:
        if joined.parts(end.key) == together:
            return end
    section, extent = joined.computed.get(together, (None, None))
    if section is not None and section.is_usable:
        return _of_scalar(met[0], extent)
    differ: Any = None
    extent = met[0].extent
    for end in met[1:]:
        other = end.extent
        one = np.equal(extent, 1)
        unequal = np.logical_and(np.not_equal(extent, other), np.not_equal(other, 1))
        differ = _or(differ, np.logical_and(unequal, np.logical_not(one)))
        extent = apply(Select, one, other, extent)
    target = _of_scalar(met[0], extent._like_python(int), differ)
    joined.note(trace.region.section, target.key, together)
    if trace.catcher is None:
        joined.computed[together] = (trace.region.section, extent)
    return target


def _of_scalar(like: _End, extent: Any, differ: Any = None) -> _End:
    from .extent_keys import scalar_key

    return _Together(like.array, like.axis, scalar_key(extent._value()), True, differ, extent)


def _mismatch(trace: Recorder, end: _End, target: _End) -> Any:
    """Whether an extent does not fit to the one that the axes have together; None where it is known to."""
    known = isinstance(end.key, int) and isinstance(target.key, int)
    if end.key == target.key or known or isinstance(target, _Together):
        return None
    joined = trace.state(_Joined)
    if end.may_be_one and joined.parts(end.key) < joined.parts(target.key):
        return None
    fact = ("stretches", end.key, target.key) if end.may_be_one else frozenset((end.key, target.key))
    if not is_new_fact(trace, fact):
        return None
    differ = np.not_equal(end.extent, target.extent)
    return np.logical_and(differ, np.not_equal(end.extent, 1)) if end.may_be_one else differ


def _stretch(operand: Any, extents: dict[int, Extent] | None) -> Any:
    """An operand with some axes stretched."""
    if not extents:
        return operand
    whole = [extents.get(axis, operand._extent(axis)) for axis in range(operand.ndim)]
    shape, dims = split_shape(whole)
    return view_of(operand, Stretch, *dims, writable=False, shape=shape)


def _or(left: Any, right: Any) -> Any:
    return right if left is None else left if right is None else np.logical_or(left, right)
