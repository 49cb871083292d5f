"""Stencils in place: vectors are stored some time after they are computed, when nothing reads what was there any more.

    memory = f(u[2:], u[1:-1], u[:-2])        for each strip:
    u[1:-1] = memory                becomes     compute its vectors, then store those of the strip before

What a strip reads in front of itself is not stored yet if that is at most a strip away; what it reads behind itself is
not, anyway. So no memory is needed in between, and the tensor goes through the caches once.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Value, ir
from ....nests.emit import Emitter, ForLoop, Index
from ....nests.independence import base, captured_memrefs
from ....nests.nest import Access, LoopNest
from ..vectors.code import vector_store
from ..vectors.temporaries import known_bytes
from .vector_loops import VectorLoop, is_used, streams

MOST_BYTES = 1 << 18
"""What is longer is divided among threads, which a loop that must run in order cannot be."""

_ALLOCATION = "memref.alloc"


def match_lagging_stores(nest: LoopNest, copy: LoopNest, emitter: Emitter) -> LaggingStores | None:
    """A nest over vectors and the copy of its result as one loop, where that reads nothing that is stored before."""
    memory = nest.outputs[0].memref
    is_stencil = len(nest.parallel) == len(copy.parallel) == 1 and all(nest.parallel + copy.parallel)
    if not is_stencil or len(nest.outputs) != 1 or not copies(copy, memory):
        return None
    size = known_bytes(memory.type)
    if size is None or size > MOST_BYTES or nest.extents != copy.extents or not streams(nest, 0):
        return None
    target = copy.outputs[0]
    if not (target.is_contiguous_in(0) and nest.outputs[0].is_contiguous_in(0)):
        return None
    if any(is_used(argument) for argument in list(nest.body.arguments)[len(nest.inputs) :]):
        return None
    loop = LaggingStores(nest, target, emitter)
    if reads_by_itself(nest, target):
        return None
    in_front = [_distance(access, target) for access in nest.inputs if not access.is_scalar]
    return loop if loop.fits and all(n is not None and n <= loop.strip for n in in_front) else None


def copies(nest: LoopNest, memory: Value) -> bool:
    """Whether a nest does nothing but copy what another wrote, and what nothing else reads."""
    owner = memory.owner
    is_own = not isinstance(owner, ir.Block) and owner.operation.name == _ALLOCATION
    return is_own and len(list(memory.uses)) == 2 and nest.is_copy() and nest.inputs[0].memref == memory


def reads_by_itself(nest: LoopNest, target: Access) -> bool:
    """Whether the body of a nest gathers elements of the array that the result goes to, from wherever they are."""
    return base(target.memref) in map(base, captured_memrefs(nest))


def _distance(read: Access, target: Access) -> int | None:
    """How many elements in front of the place that is stored one is read; None where that is not known."""
    if base(read.memref) != base(target.memref):
        return 0
    first, place = _offset(read.memref), _offset(target.memref)
    if first is None or place is None or not read.is_contiguous_in(0):
        return None
    return place - first


def _offset(memref: Value) -> int | None:
    """Where a view of a vector begins."""
    if isinstance(memref.owner, ir.Block) or memref.owner.operation.name == _ALLOCATION:
        return 0
    view = memref.owner.operation
    if view.name != "memref.subview" or view.operands[0] != base(memref) or len(view.operands) > 1:
        return None
    offsets, strides = list(view.attributes["static_offsets"]), list(view.attributes["static_strides"])
    return int(offsets[0]) if len(offsets) == 1 and strides == [1] else None


class LaggingStores(VectorLoop):
    """An innermost loop whose vectors go to another place than the nest says, a strip later."""

    def __init__(self, nest: LoopNest, target: Access, emitter: Emitter) -> None:
        super().__init__(nest, 0, emitter)
        self._target = target
        self._extent = nest.extents[0]

    @property
    def strip(self) -> int:
        """How many elements are stored at once."""
        return self.lanes * self.unroll

    @property
    def fits(self) -> bool:
        """Whether the loop has a whole strip."""
        return isinstance(self._extent, int) and self._extent >= self.strip

    def emit(self, bounds: tuple[Index, Index] | None = None) -> None:
        """Write the loop at the insertion point."""
        assert bounds is None
        assert isinstance(self._extent, int)
        constant, strip = self._invariants(), self.strip
        whole = self._extent // strip * strip
        # The last vectors, which overlap those in front, are computed first: when nothing is stored yet.
        ends = [min(place, self._extent - self.lanes) for place in range(whole, self._extent, self.lanes)]
        left = [self._vector(place, constant) for place in ends]
        loop = ForLoop(self.emitter, strip, whole, strip, self._strip(0, constant), unroll=False)
        with loop.body():
            following = self._strip(loop.position, constant)
            self._store(loop.carried, self.emitter.subtract(loop.position, strip))
            loop.end(following)
        self._store(loop.results, whole - strip)
        for place, vector in zip(ends, left, strict=True):
            self._store([vector], place)

    def _strip(self, position: Index, constant: dict[Value, Value]) -> list[Value]:
        places = [self.emitter.add(position, number * self.lanes) for number in range(self.unroll)]
        return [self._vector(place, constant) for place in places]

    def _vector(self, position: Index, constant: dict[Value, Value]) -> Value:
        (vector,) = self._evaluate(position, self._inputs(position, constant, None))
        return vector

    def _store(self, vectors: Sequence[Value], position: Index) -> None:
        for number, vector in enumerate(vectors):
            points = self._points(self.emitter.add(position, number * self.lanes))
            vector_store(vector, self._target.memref, self._target.indices(self.emitter, points), None)
