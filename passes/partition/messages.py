"""What ranks send each other: collectives, noted with their bytes and the line they are for.

All ranks run these in the same order with the same shapes, whatever their blocks are: what is shorter is padded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...dialect.emitter import INT64, INT64_MAX, Tensor
from ...dialect.mlir import Operation
from ...dialect.op_emitter import OpEmitter
from ...dialect.records import NamedTuple
from .layouts import Grid, Split

GATHERED = 1 << 16
"""Up to how many bytes of all ranks are gathered, in one round, where others send less in several."""

_CHOSEN = "what a condition chooses of an array that is split, at most all of it, is asked for as a whole"


class Message(NamedTuple):
    """One collective of a program, each time that its line runs."""

    kind: str
    """`all_reduce`, `all_gather`, `all_to_all` or `send_receive`."""
    axis: str
    """The axis of the mesh."""
    bytes: int
    """What a rank hands over: of an all_gather what it has afterwards."""
    location: str
    """The place in the program, as MLIR writes it."""
    in_loop: bool
    """Whether it is sent again and again."""
    reason: str = ""
    """Why the whole array is sent, where that is a last resort."""


class Messages:
    """Emits collectives for one rank, and notes them."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.sent: list[Message] = []
        self.reductions: dict[int, Operation] = {}
        """The ops of reductions, by their numbers among what is sent."""
        self.depth = 0
        """How many loops are around what is emitted."""

    def _note(self, kind: str, b: OpEmitter, axis: str, size: int, reason: str = "") -> None:
        self.sent.append(Message(kind, axis, size, str(b.location), self.depth > 0, reason))

    def forget(self, count: int) -> None:
        """Forget all messages but the first: the ops are gone."""
        for number in range(count, len(self.sent)):
            self.reductions.pop(number, None)
        del self.sent[count:]

    def reduced(self, b: OpEmitter, x: Tensor, reduction: str, axis: str) -> Tensor:
        """What all ranks along an axis have of a value, combined: the same on each."""
        if self.grid.extent(axis) == 1:
            return x
        self._note("all_reduce", b, axis, bytes_of(x))
        found: Tensor = b.all_reduce(x, reduction=reduction, over=axis)
        self.reductions[len(self.sent) - 1] = found.handle.owner.operation
        return found

    def from_rank(self, b: OpEmitter, x: Tensor, by: int, axis: str, *, wraps: bool = False) -> Tensor:
        """The value of the rank `by` places before this one, zeros where there is none, if the last is not there."""
        self._note("send_receive", b, axis, bytes_of(x))
        found: Tensor = b.send_receive(x, shift=by, wraps=wraps, over=axis)
        return found

    def gathered(self, b: OpEmitter, x: Tensor, dim: int, split: Split, reason: str = "") -> Tensor:
        """The whole of an array of which each rank has a block."""
        ranks, lengths = self.grid.extent(split.axis), split.lengths()
        if ranks == 1:
            return x
        longest = max(lengths)
        x = padded(b, x, dim, longest)
        self._note("all_gather", b, split.axis, bytes_of(x) * ranks, reason)
        layers: Tensor = b.all_gather(x, over=split.axis, count=ranks)
        order = (*range(1, dim + 1), 0, *range(dim + 1, x.rank + 1))
        side_by_side = layers if dim == 0 else b.transpose(layers, permutation=order)
        extents = b.extents(x)
        extents[dim] = ranks * longest
        found = b.reshaped(side_by_side, extents)
        if min(lengths) == longest:
            return found
        pieces = [b.along(found, dim, k * longest, k * longest + n) for k, n in enumerate(lengths) if n]
        return joined(b, pieces, dim) if pieces else b.along(found, dim, 0, 0)

    def unpacked(self, b: OpEmitter, x: Tensor, dim: int, split: Split) -> Tensor:
        """All of an axis of which each rank has some of its block: the longest tells how much is sent."""
        axis, ranks = split.axis, self.grid.extent(split.axis)
        if ranks == 1:
            return x
        own = b.as_number(b.extent(x, dim), INT64)
        counts = self.gathered(b, b.expand_dims(own, axes=(0,)), 0, Split(axis, tuple(range(ranks + 1))))
        extents = b.extents(x)
        extents[dim] = b.max(counts, axes=(0,), keepdims=False) - own
        x = b.concat(x, b.full(extents, 0, x.dtype), axis=dim)
        others = math.prod(extent or 0 for place, extent in enumerate(x.shape) if place != dim)
        most = split.extent * others * x.dtype.itemsize
        self._note("all_gather", b, axis, most, _CHOSEN if most > GATHERED else "")
        layers: Tensor = b.all_gather(x, over=axis, count=ranks)
        pieces = []
        for k in range(ranks):
            count, piece = (b.squeeze(b.along(each, 0, k, k + 1), axes=(0,)) for each in (counts, layers))
            pieces.append(b.cut(piece, dim, 0, count))
        return joined(b, pieces, dim)

    def exchanged(self, b: OpEmitter, x: Tensor, dim: int, split: Split, wanted: Sequence[range]) -> Tensor:
        """Consecutive elements for each rank, of an array of which each rank has a block: from its neighbours.

        A message goes to every distance from which some rank wants something, as long as the longest of them.
        """
        mine, ranks = self.grid.place(split.axis), len(wanted)
        blocks, own = split.blocks(), wanted[mine]
        pieces: list[Tensor] = []
        for by in range(ranks - 1, -ranks, -1):  # from the ranks in their order
            if by == 0:
                pieces.append(_piece(b, x, dim, blocks[mine], overlap(blocks[mine], own)))
                continue
            parts = {k: overlap(blocks[k - by], wanted[k]) for k in range(ranks) if 0 <= k - by < ranks}
            longest = max(map(len, parts.values()), default=0)
            if not longest:
                continue
            given = parts.get(mine + by, range(0))
            sent = padded(b, _piece(b, x, dim, blocks[mine], given), dim, longest)
            received = self.from_rank(b, sent, by, split.axis)
            taken = len(parts.get(mine, range(0)))
            if taken:
                pieces.append(b.along(received, dim, 0, taken) if taken < longest else received)
        filled = [piece for piece in pieces if piece.shape[dim] != 0]
        return joined(b, filled, dim) if filled else pieces[0]

    def rolled(self, b: OpEmitter, x: Tensor, dim: int, split: Split, shift: int) -> Tensor:
        """The elements `shift` places before those of the block, from the end of the axis in front of the first.

        The last rank is in front of the first one, so that what goes across the end needs no message of its own.
        """
        mine, ranks, blocks = self.grid.place(split.axis), self.grid.extent(split.axis), split.blocks()

        def pieces(rank: int, source: int) -> list[tuple[int, range]]:
            """What a rank takes of a block, and which comes first."""
            block = blocks[rank]
            end = min(max(shift, block.start), block.stop)
            last = range(block.start - shift + split.extent, end - shift + split.extent)
            found = (
                overlap(wanted, blocks[source]) for wanted in (last, range(end - shift, block.stop - shift))
            )
            return [(number, piece) for number, piece in enumerate(found) if len(piece)]

        made: list[tuple[int, int, Tensor]] = []
        for by in range(ranks):
            longest = max(sum(len(p) for _, p in pieces(k, (k - by) % ranks)) for k in range(ranks))
            if not longest:
                continue
            given = [_piece(b, x, dim, blocks[mine], p) for _, p in pieces((mine + by) % ranks, mine)]
            came = joined(b, given, dim) if given else b.along(x, dim, 0, 0)
            if by:
                came = self.from_rank(b, padded(b, came, dim, longest), by, split.axis, wraps=True)
            start = 0
            for number, piece in pieces(mine, (mine - by) % ranks):
                whole = len(piece) == came.shape[dim]
                own = came if whole else b.along(came, dim, start, start + len(piece))
                made.append((number, piece.start, own))
                start += len(piece)
        made.sort(key=lambda each: each[:2])
        return joined(b, [own for *_, own in made], dim) if made else x

    def refreshed(
        self,
        b: OpEmitter,
        x: Tensor,
        source: Tensor,
        dim: int,
        split: Split,
        held: Sequence[range],
        region: Mapping[int, range],
    ) -> Tensor:
        """A block with room for elements of neighbours, which are put there as they are in another, alike, now.

        Of other axes a region is sent where there is one.
        """
        inner = {other: places for other, places in region.items() if other != dim}

        def part(first: int, last: int) -> dict[str, tuple[int, ...]]:
            bounds = [range(INT64_MAX if extent is None else extent) for extent in x.shape]
            for other, places in {**inner, dim: range(first, last)}.items():
                bounds[other] = places
            starts, stops = zip(*((places.start, places.stop) for places in bounds), strict=True)
            return {"start": starts, "stop": stops, "step": (1,) * x.rank}

        mine, ranks = self.grid.place(split.axis), len(held)
        blocks, start = split.blocks(), held[mine].start
        received: list[tuple[range, Tensor]] = []
        for by in range(ranks - 1, -ranks, -1):
            parts = {k: overlap(blocks[k - by], held[k]) for k in range(ranks) if by and 0 <= k - by < ranks}
            longest = max(map(len, parts.values()), default=0)
            if not longest:
                continue
            given = parts.get(mine + by, range(start, start))
            given = given if len(given) else range(start, start)
            piece = b.slice(source, **part(given.start - start, given.stop - start))
            came = self.from_rank(b, padded(b, piece, dim, longest), by, split.axis)
            own = parts.get(mine, range(0))
            if len(own):
                received.append((own, came if len(own) == longest else b.along(came, dim, 0, len(own))))
        for own, came in received:  # behind all that is sent
            x = b.slice_update(x, came, **part(own.start - start, own.stop - start))
        return x

    def turned(self, b: OpEmitter, x: Tensor, dim: int, split: Split, other: int, new: Split) -> Tensor:
        """An array that is split along another axis than before."""
        ranks, mine = self.grid.extent(split.axis), self.grid.place(split.axis)
        if ranks == 1:
            return x
        rows, columns = max(split.lengths()), max(new.lengths())
        pieces = [
            padded(b, padded(b, _piece(b, x, other, range(new.extent), block), other, columns), dim, rows)
            for block in new.blocks()
        ]
        layers = b.stack(*pieces, axis=0)
        received = self.exchanged_parts(b, layers, split.axis, bytes_of(layers))
        width = len(new.block(mine))
        parts = []
        for k, length in enumerate(split.lengths()):
            if length or not split.extent:
                layer = b.squeeze(b.along(received, 0, k, k + 1), axes=(0,))
                layer = layer if length == rows else b.along(layer, dim, 0, length)
                parts.append(layer if width == columns else b.along(layer, other, 0, width))
        return joined(b, parts, dim)

    def exchanged_parts(self, b: OpEmitter, layers: Tensor, axis: str, size: int) -> Tensor:
        """What each rank has for this one, of tensors with a part for each rank."""
        self._note("all_to_all", b, axis, size)
        found: Tensor = b.all_to_all(layers, over=axis)
        return found


def overlap(a: range, b: range) -> range:
    """What two ranges share, empty inside of the first where that is nothing."""
    start = min(max(a.start, b.start), a.stop)
    return range(start, max(start, min(a.stop, b.stop)))


def _piece(b: OpEmitter, x: Tensor, dim: int, block: range, wanted: range) -> Tensor:
    """Some of the elements of a block."""
    if wanted == block:
        return x
    return (
        b.along(x, dim, wanted.start - block.start, wanted.stop - block.start)
        if len(wanted)
        else b.along(x, dim, 0, 0)
    )


def padded(b: OpEmitter, x: Tensor, dim: int, extent: int) -> Tensor:
    """x with zeros behind it, up to an extent."""
    missing = extent - (x.shape[dim] or 0)
    if not missing:
        return x
    high = tuple(missing if a == dim else 0 for a in range(x.rank))
    found: Tensor = b.pad(x, b.number(0, x.dtype), low=(0,) * x.rank, high=high)
    return found


def joined(b: OpEmitter, pieces: Sequence[Tensor], dim: int) -> Tensor:
    """Tensors one behind the other."""
    found = pieces[0]
    for piece in pieces[1:]:
        found = b.concat(found, piece, axis=dim)
    return found


def bytes_of(x: Tensor) -> int:
    """The bytes of a tensor."""
    return math.prod(extent or 0 for extent in x.shape) * x.dtype.itemsize
