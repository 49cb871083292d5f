"""How ops are done for many lanes at once: the same op, or others, on values that have one axis more.

A *lane* is what runs once in a program, and many times side by side: a call of a function for one row of `weft.vmap`,
an iteration of a loop over columns. A value that differs from lane to lane gets an axis of lanes, the first one or the
last one; others stay as they are. An op class says in `batching` how it is done then. Here are the forms that several
ops share; what has none runs for one lane after the other.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from .emitter import Emitter, Extent, Tensor
from .op import Elementwise, Op
from .records import dataclass


@dataclass(frozen=True)
class Lanes:
    """How many lanes there are, and whether their axis is the last one or the first."""

    count: Callable[[], Extent]
    """Makes the number, where it is needed."""
    is_last: bool = False

    @property
    def extent(self) -> Extent:
        """How many there are."""
        return self.count()

    def with_entry(self, values: Sequence[Any], entry: Any) -> tuple[Any, ...]:
        """What is said of each axis, with what is said of the lanes."""
        return (*values, entry) if self.is_last else (entry, *values)

    def spread(self, b: Emitter, operand: Laned) -> Tensor:
        """A value with an element for each lane."""
        if operand.has_lanes:
            return operand.value
        x, extents = operand.value, b.extents(operand.value)
        if self.is_last and x.rank:
            x = b.expand_dims(x, axes=(x.rank,))
        return b.broadcast(x, self.with_entry(extents, self.extent))

    def aligned(self, b: Emitter, operand: Laned, rank: int) -> Tensor:
        """A value as it is broadcast to others, of which the highest rank is known."""
        x = operand.value
        if not operand.has_lanes:
            found: Tensor = b.expand_dims(x, axes=(x.rank,)) if self.is_last and x.rank else x
            return found
        missing = 0 if self.is_last else rank - operand.rank
        return b.expand_dims(x, axes=tuple(range(1, 1 + missing))) if missing else x


@dataclass(frozen=True, eq=False)
class Laned:
    """A value, and whether it has lanes."""

    value: Tensor
    has_lanes: bool

    @property
    def rank(self) -> int:
        """The number of its axes without the lanes."""
        return self.value.rank - self.has_lanes


Rule: TypeAlias = (
    "Callable[[Emitter, type[Op], Sequence[Laned], Mapping[str, Any], Lanes], Sequence[Laned] | None]"
)
"""From operands, some with lanes, to results; None where the op does not run for all lanes at once."""


def batched(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> Sequence[Laned] | None:
    """The results of an op for all lanes; None where it runs for one after the other."""
    rule = elementwise if issubclass(op_class, Elementwise) else op_class.batching
    return None if rule is None else rule(b, op_class, operands, attributes, lanes)


def emitted(
    b: Emitter, op_class: type[Op], operands: Sequence[Tensor], attributes: Mapping[str, Any]
) -> list[Laned]:
    """The results of an op of the same class, with lanes."""
    return [Laned(result, True) for result in b.emit(op_class, list(operands), dict(attributes))]


# Forms


def elementwise(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """Operands broadcast as they did."""
    rank = max(operand.rank for operand in operands)
    return emitted(b, op_class, [lanes.aligned(b, operand, rank) for operand in operands], attributes)


@dataclass(frozen=True)
class Along:
    """The rule of ops whose operands are alike: attributes of some names tell axes."""

    names: tuple[str, ...]

    def __call__(
        self,
        b: Emitter,
        op_class: type[Op],
        operands: Sequence[Laned],
        attributes: Mapping[str, Any],
        lanes: Lanes,
    ) -> list[Laned]:
        """The axes move, and all operands get lanes."""
        rank = operands[0].rank
        moved: dict[str, Any] = {}
        for name in self.names:
            axes = attributes[name]
            several = axes if isinstance(axes, tuple) else (axes,)
            placed = tuple((axis + rank if axis < 0 else axis) + (not lanes.is_last) for axis in several)
            moved[name] = placed if isinstance(axes, tuple) else placed[0]
        values = [lanes.spread(b, operand) for operand in operands]
        return emitted(b, op_class, values, {**attributes, **moved})


def along(*names: str) -> Along:
    """Operands are alike, and attributes of some names tell axes: the axes move, and all operands get lanes."""
    return Along(names)


def on_last_axes(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """The op is one on the last axes of its operands, whatever is in front of these."""
    if lanes.is_last:
        return None
    return emitted(b, op_class, [lanes.spread(b, operand) for operand in operands], attributes)


def with_entries(tensors: int, **entries: Any) -> Rule:
    """Attributes have an entry for each axis: the lanes get one, too. The first operands get lanes, others may not."""

    def rule(
        b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
    ) -> list[Laned] | None:
        if any(operand.has_lanes for operand in operands[tensors:]):
            return None
        made = {name: lanes.with_entry(attributes[name], entry) for name, entry in entries.items()}
        for name in ("start_axes", "stop_axes"):
            if name in attributes:
                made[name] = tuple(axis + (not lanes.is_last) for axis in attributes[name])
        values = [lanes.spread(b, operand) for operand in operands[:tensors]]
        values += [operand.value for operand in operands[tensors:]]
        return emitted(b, op_class, values, {**attributes, **made})

    return rule


def alike(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """The same op on all operands with lanes."""
    return emitted(b, op_class, [lanes.spread(b, operand) for operand in operands], attributes)


def of_first(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """The op is the first operand, and what comes behind it may be anything."""
    (made,) = b.emit(op_class, [operand.value for operand in operands], dict(attributes))
    return [Laned(made, operands[0].has_lanes)]


def without_results(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """The same op on what has lanes: it is there for what it does."""
    b.emit(op_class, [operand.value for operand in operands], dict(attributes))
    return []


def paired(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """`pairs`: what all lanes say of the derivative by a value that they share is added up."""
    value, derivative, before = operands
    if value.has_lanes:
        pair = [value.value, lanes.spread(b, derivative)]
    else:
        pair = [value.value, b.sum(lanes.spread(b, derivative), axes=(0,), keepdims=False)]
    (made,) = b.emit(op_class, [*pair, before.value], dict(attributes))
    return [Laned(made, False)]


def asked_backwards(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """`gradient`: that of all lanes at once, which know nothing of each other."""
    *pair, x = operands
    given = [lanes.spread(b, o) for o in pair] if any(o.has_lanes for o in pair) else [o.value for o in pair]
    (made,) = b.emit(op_class, [*given, x.value], dict(attributes))
    return [Laned(made, x.has_lanes)]


def asked_forwards(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """`tangent`, as `gradient`."""
    y, *pair = operands
    is_laned = any(o.has_lanes for o in pair)
    given = [lanes.spread(b, o) for o in pair] if is_laned else [o.value for o in pair]
    (made,) = b.emit(op_class, [lanes.spread(b, y) if is_laned else y.value, *given], dict(attributes))
    return [Laned(made, is_laned or y.has_lanes)]


# Shapes


def extent_of_axis(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """`dim`: the extent of an axis is the same in all lanes."""
    (x,) = operands
    return [Laned(b.dim(x.value, axis=attributes["axis"] + (not lanes.is_last)), False)]


def permuted(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """`transpose`: the lanes stay where they are."""
    moved = [axis + (not lanes.is_last) for axis in attributes["permutation"]]
    permutation = lanes.with_entry(moved, len(moved) if lanes.is_last else 0)
    return emitted(b, op_class, [operands[0].value], {"permutation": permutation})


def repeated(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`broadcast_to` and `stretch`: to a shape that has the lanes, too."""
    x, *dims = operands
    extents = _extents(dims, attributes["shape"])
    if extents is None:
        return None
    return _shaped(b, op_class, lanes.aligned(b, x, len(extents)), lanes.with_entry(extents, lanes.extent))


def reshaped(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`reshape`: elements lie lane by lane where the lanes come first."""
    x, *dims = operands
    extents = _extents(dims, attributes["shape"])
    if extents is None or lanes.is_last:
        return None
    return _shaped(b, op_class, x.value, [lanes.extent, *extents])


def _extents(dims: Sequence[Laned], shape: Sequence[int]) -> list[Extent] | None:
    """The extents of a `shape` attribute and its operands; None where these differ from lane to lane."""
    if any(dim.has_lanes for dim in dims):
        return None
    given = iter(dims)
    return [next(given).value if extent == -1 else extent for extent in shape]


def _shaped(b: Emitter, op_class: type[Op], x: Tensor, extents: Sequence[Extent]) -> list[Laned]:
    shape = tuple(extent if isinstance(extent, int) else -1 for extent in extents)
    return emitted(b, op_class, [x, *(e for e in extents if isinstance(e, Tensor))], {"shape": shape})


def on_diagonal(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`diag`: vectors on the diagonals of zeros."""
    if lanes.is_last:
        return None
    x, offset = operands[0].value, attributes["offset"]
    places = b.iota(b.extent(x, 1))
    extent = b.extent(x, 1) + abs(offset)
    zeros = b.full([lanes.extent, extent, extent], 0, x.dtype)
    indices = (places + max(-offset, 0), places + max(offset, 0))
    return [Laned(b.scatter(zeros, x, *indices, axes=(1, 2), position=1, mode="set"), True)]


# Products


def labelled(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """`contract`: the lanes have a label of their own."""
    spec = attributes["spec"]
    lane = next(label for label in _LABELS if label not in spec)
    inputs, _, result = spec.partition("->")
    parts = [
        _labelled(part, lane, lanes) if operand.has_lanes else part
        for part, operand in zip(inputs.split(","), operands, strict=True)
    ]
    made = f"{','.join(parts)}->{_labelled(result, lane, lanes)}"
    return emitted(b, op_class, [operand.value for operand in operands], {"spec": made})


def _labelled(labels: str, lane: str, lanes: Lanes) -> str:
    return "".join(lanes.with_entry(labels, lane))


_LABELS = string.ascii_letters


def multiplied(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`matmul`: of two matrices a contraction, else the axes in front broadcast as they did."""
    if all(operand.rank == 2 for operand in operands):
        x, y = (
            _labelled(labels, "a", lanes) if operand.has_lanes else labels
            for labels, operand in zip(("ij", "jk"), operands, strict=True)
        )
        spec = f"{x},{y}->{_labelled('ik', 'a', lanes)}"
        return [Laned(b.contract(*(operand.value for operand in operands), spec=spec), True)]
    return None if lanes.is_last else elementwise(b, op_class, operands, attributes, lanes)


def convolved(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`conv`: the lanes join the batch, and where kernels have some, the groups."""
    x, kernel = operands
    if lanes.is_last:
        return None
    if not kernel.has_lanes:
        _, count, *inner = b.extents(x.value)
        joined = b.reshaped(x.value, [b.count(x.value, (0, 1)), *inner])
        made = b.conv(joined, kernel.value, **attributes)
        return [Laned(b.reshaped(made, [lanes.extent, count, *b.extents(made)[1:]]), True)]
    extent, groups = lanes.extent, attributes["groups"]
    if not isinstance(extent, int) or not extent:
        return None
    array, several = x.value, {**attributes, "groups": groups}
    if x.has_lanes or groups > 1:
        several["groups"] = groups * extent
        array = _into_axis(b, lanes.spread(b, x), x.rank - 1)
    made = b.conv(array, _into_axis(b, kernel.value, kernel.rank - 1), **several)
    apart = b.reshaped(made, [*b.extents(made)[:-1], extent, *b.extents(kernel.value)[-1:]])
    last = apart.rank - 1
    order = (last - 1, *range(last - 1), last)
    return [Laned(b.transpose(apart, permutation=order), True)]


def _into_axis(b: Emitter, x: Tensor, axis: int) -> Tensor:
    """The lanes in front as a part of an axis that is counted without them, the slower one."""
    order = (*range(1, 1 + axis), 0, *range(1 + axis, x.rank))
    moved = b.transpose(x, permutation=order)
    extents = b.extents(moved)
    return b.reshaped(moved, [*extents[:axis], b.count(moved, (axis, axis + 1)), *extents[axis + 2 :]])


def windowed(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned]:
    """Reductions of windows: a window has one lane."""
    made = {name: lanes.with_entry(attributes[name], 1) for name in ("window", "strides", "dilations")}
    padding = attributes["padding"]
    made["padding"] = (*padding, 0, 0) if lanes.is_last else (0, 0, *padding)
    return emitted(b, op_class, [operands[0].value], made)


@dataclass(frozen=True)
class Looped:
    """The rule of loops of ufuncs: all operands with axes get those of the loop."""

    cores: Callable[[type[Op], Mapping[str, Any]], Sequence[int]]
    """How many of the last axes of each operand are not the loop's."""
    ends: Callable[[type[Op]], int]
    """How many of the last results are for all lanes."""

    def __call__(
        self,
        b: Emitter,
        op_class: type[Op],
        operands: Sequence[Laned],
        attributes: Mapping[str, Any],
        lanes: Lanes,
    ) -> list[Laned] | None:
        """The lanes are an axis of the loop."""
        if lanes.is_last:
            return None
        counts = self.cores(op_class, attributes)
        looped = [operand.rank - count for operand, count in zip(operands, counts, strict=True)]
        around = max(looped)
        widest = operands[looped.index(around)]
        front = b.extents(lanes.spread(b, widest))[: 1 + around]
        values = []
        for operand, count, own in zip(operands, counts, looped, strict=True):
            x = operand.value
            if operand.has_lanes or own or count:
                x = lanes.spread(b, operand)
                if own < around:
                    x = b.expand_dims(x, axes=tuple(range(1, 1 + around - own)))
                    x = b.broadcast(x, [*front, *b.extents(x)[1 + around :]])
            values.append(x)
        made = b.emit(op_class, values, dict(attributes))
        last = len(made) - self.ends(op_class)
        return [Laned(result, number < last) for number, result in enumerate(made)]


def looped(
    cores: Callable[[type[Op], Mapping[str, Any]], Sequence[int]], ends: Callable[[type[Op]], int]
) -> Looped:
    """A loop of a ufunc: all operands with axes get those of the loop; the last results may be for all lanes.

    `cores` tells how many of the last axes of each operand are not the loop's, `ends` how many results are the latter.
    """
    return Looped(cores, ends)


# Places


def read_at(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`gather`: where the places differ from lane to lane, the number of the lane is an index, too."""
    if lanes.is_last:
        return None
    x, *indices = operands
    axes, position = attributes["axes"], attributes["position"]
    if not any(index.has_lanes for index in indices):
        at = {"axes": tuple(axis + 1 for axis in axes), "position": position + 1}
        return emitted(b, op_class, [x.value, *(index.value for index in indices)], at)
    places = [lanes.spread(b, index) for index in indices]
    if x.has_lanes:
        places, axes = _with_numbers(b, places), (0, *(axis + 1 for axis in axes))
    made = b.emit(op_class, [x.value, *places], {"axes": axes, "position": 0})[0]
    return [Laned(_moved(b, made, 1, indices[0].rank, position), True)]


def written_at(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`scatter`, as `gather`."""
    if lanes.is_last:
        return None
    x, update, *indices = operands
    axes, position = tuple(axis + 1 for axis in attributes["axes"]), attributes["position"]
    whole, part = lanes.spread(b, x), lanes.spread(b, update)
    if not any(index.has_lanes for index in indices):
        at = {**attributes, "axes": axes, "position": position + 1}
        return emitted(b, op_class, [whole, part, *(index.value for index in indices)], at)
    places = _with_numbers(b, [lanes.spread(b, index) for index in indices])
    part = _moved(b, part, 1 + position, indices[0].rank, -position)
    return emitted(b, op_class, [whole, part, *places], {**attributes, "axes": (0, *axes), "position": 0})


def _with_numbers(b: Emitter, places: Sequence[Tensor]) -> list[Tensor]:
    """Indices into values with lanes: first the number of the lane."""
    return [b.positions(places[0], 0), *places]


def _moved(b: Emitter, x: Tensor, start: int, count: int, by: int) -> Tensor:
    """Some axes next to each other moved by some places."""
    if not by or not count:
        return x
    block = list(range(start, start + count))
    others = [axis for axis in range(x.rank) if axis not in block]
    permutation = (*others[: start + by], *block, *others[start + by :])
    found: Tensor = b.transpose(x, permutation=permutation)
    return found


def searched(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`searchsorted`: any number of values are looked for in one vector."""
    x, values = operands
    return None if x.has_lanes else emitted(b, op_class, [x.value, values.value], attributes)


def found_outside(
    b: Emitter, op_class: type[Op], operands: Sequence[Laned], attributes: Mapping[str, Any], lanes: Lanes
) -> list[Laned] | None:
    """`find_out_of_bounds`: whether any lane has such an index, and the first one."""
    indices, extent = operands
    if extent.has_lanes:
        return None
    return [Laned(result, False) for result in b.emit(op_class, [indices.value, extent.value], {})]
