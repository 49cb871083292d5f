"""Tensor maps, which tell copies by whole boxes (cp.async.bulk.tensor) where an array lies, and these copies.

What the driver writes to a map's 128 bytes is not public; here it is what `cuTensorMapEncodeTiled` was told. A copy
takes a box of elements to shared memory, zeros for those outside of the array, and counts its bytes at an mbarrier when
it is done: at some time, in no order with other copies.
"""

from __future__ import annotations

import re
import struct

import numpy as np

from weft.dialect.records import dataclass

from .accesses import Access, check_alignment, locate_global
from .faults import Fault, PTXError
from .frames import Frame
from .mbarriers import phases_of
from .memory import FIRST_ADDRESS, PARAMETER_WINDOW, Array
from .operands import Operands, Step
from .ptx import Instruction, split

MAP_BYTES, MAP_ALIGNMENT = 128, 64
_MAGIC = b"weft map"
_LAYOUT = struct.Struct("<8sBBBxQ5Q4Q5H5B")
ELEMENT_BYTES = {0: 1, 1: 2, 2: 4, 3: 4, 4: 8, 5: 8, 6: 2, 7: 4, 8: 8, 9: 2}
"""By CUtensorMapDataType."""
NO_SWIZZLE, SWIZZLE_128 = 0, 3
"""Of CUtensorMapSwizzle."""
_MOST_DIMENSIONS, _LONGEST_BOX, _LONGEST_STEP = 5, 256, 8


@dataclass(frozen=True)
class TensorMap:
    """An array, and the boxes that copies take of it; the innermost dimension comes first."""

    kind: int
    address: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes, of all dimensions but the innermost."""
    box: tuple[int, ...]
    """What lies between elements that are read counted in."""
    swizzle: int
    steps: tuple[int, ...]
    """Of the elements that are read, along each dimension but the innermost."""

    def error(self) -> str:
        """What the driver does not take; nothing if it does."""
        rank, size = len(self.extents), ELEMENT_BYTES.get(self.kind, 0)
        if not size or self.swizzle not in (NO_SWIZZLE, SWIZZLE_128) or not 0 < rank <= _MOST_DIMENSIONS:
            return "a kind of tensor map that is not emulated"
        if self.address % 16:
            return f"an array at {self.address:#x}, which is not aligned to 16 bytes"
        if any(not 0 < extent <= 1 << 32 for extent in self.extents):
            return f"an array with the extents {self.extents}"
        if any(stride % 16 or not 0 < stride < 1 << 40 for stride in self.strides):
            return f"strides of {self.strides} bytes"
        if any(not 0 < extent <= _LONGEST_BOX for extent in self.box) or self.box[0] * size % 16:
            return f"boxes of {self.box}"
        if any(not 0 < step <= _LONGEST_STEP for step in self.steps) or self.steps[0] != 1:
            return f"steps of {self.steps}"
        if self.swizzle == SWIZZLE_128 and self.box[0] * size > 128:
            return f"swizzled boxes with rows of {self.box[0] * size} bytes"
        return ""

    def encoded(self) -> bytes:
        """The bytes of the map."""
        rank = len(self.extents)

        def filled(numbers: tuple[int, ...], count: int) -> tuple[int, ...]:
            return (*numbers, *[0] * (count - len(numbers)))

        data = _LAYOUT.pack(
            _MAGIC, rank, self.kind, self.swizzle, self.address,
            *filled(self.extents, 5), *filled(self.strides, 4), *filled(self.box, 5),
            *filled(self.steps, 5),
        )  # fmt: skip
        return data.ljust(MAP_BYTES, b"\0")

    @staticmethod
    def decoded(data: bytes) -> TensorMap | None:
        """The map of bytes, if they are one."""
        magic, rank, kind, swizzle, address, *numbers = _LAYOUT.unpack(data[: _LAYOUT.size])
        if magic != _MAGIC:
            return None
        extents, strides, box, steps = numbers[:5], numbers[5:9], numbers[9:14], numbers[14:]
        return TensorMap(
            kind,
            address,
            tuple(extents[:rank]),
            tuple(strides[: rank - 1]),
            tuple(box[:rank]),
            swizzle,
            tuple(steps[:rank]),
        )


def swizzled(address: Array) -> Array:
    """Where what belongs to addresses of shared memory lies when 128 bytes are swizzled."""
    return np.asarray(address ^ ((address >> 7 & 7) << 4))


class _Box:
    """The elements of a copy: where they come from, and where they go to."""

    def __init__(self, tensor: TensorMap, first: tuple[int, ...], start: int) -> None:
        """`start` is an address of shared memory."""
        self.size = ELEMENT_BYTES[tensor.kind]
        counts = [-(-extent // step) for extent, step in zip(tensor.box, tensor.steps, strict=True)]
        indices = np.indices(counts[::-1])[::-1].reshape(len(tensor.box), -1)
        places = indices * np.array(tensor.steps)[:, None] + np.array(first)[:, None]
        extents = np.array(tensor.extents)[:, None]
        self.inside = ((places >= 0) & (places < extents)).all(0)
        steps = np.array([self.size, *tensor.strides], np.int64)
        self.sources = tensor.address + (places * steps[:, None]).sum(0)[self.inside]
        linear = start + np.arange(indices.shape[1], dtype=np.int64) * self.size
        self.targets = swizzled(linear) if tensor.swizzle == SWIZZLE_128 else linear
        self.bytes = self.targets.size * self.size


_BULK = re.compile(
    r"async\.bulk\.tensor\.(?P<rank>[1-5])d\.shared::c(?:luster|ta)\.global(?:\.tile)?"
    r"\.mbarrier::complete_tx::bytes$"
)


def copy_of_box(i: Instruction, o: Operands) -> Step:
    """cp.async.bulk.tensor.2d... [target], [map, {x, y}], [mbarrier]."""
    match = _BULK.match(".".join(i.modifiers))
    if match is None or len(i.operands) != 3:
        raise PTXError("this copy is not known")
    target, barrier = o.address(i.operands[0]), o.address(i.operands[2])
    inner = split(i.operands[1][1:-1])
    map_address = o.address(f"[{inner[0]}]")
    coordinates = [o.read(part, "s32") for part in split(inner[1][1:-1])]
    if len(coordinates) != int(match["rank"]):
        raise PTXError(f"{len(coordinates)} coordinates of {match['rank']} dimensions")

    def run(frame: Frame) -> None:
        for k in range(frame.count):
            one = frame.narrow(np.array([k]), ())
            numbers = [int(np.broadcast_to(frame.values[c], (frame.count,))[k]) for c in coordinates]
            at = [int(address.of(frame)[k]) for address in (target, map_address, barrier)]
            _begin(one, i.text, at[0], _map_at(one, at[1], i.text), tuple(numbers), at[2])

    return run


def _map_at(frame: Frame, address: int, text: str) -> TensorMap:
    """The map that an instruction names, among the parameters or in device memory."""
    machine = frame.machine
    check_alignment(frame, np.array([address], np.uint64), MAP_ALIGNMENT, text)
    if address >> 56 == PARAMETER_WINDOW >> 56:
        start = address - PARAMETER_WINDOW
        data = machine.parameters[start : start + MAP_BYTES]
    else:
        data = machine.memory.span(address, MAP_BYTES).tobytes()
    found = TensorMap.decoded(data) if len(data) == MAP_BYTES else None
    if found is None:
        raise Fault(f"{text}: at {address:#x} is no tensor map: {frame.who(True)}")
    return found


def _begin(
    frame: Frame, text: str, start: int, tensor: TensorMap, first: tuple[int, ...], barrier_at: int
) -> None:
    """A thread begins a copy."""
    machine, who = frame.machine, f"{text}: {frame.who(True)}"
    if len(first) != len(tensor.box):
        raise Fault(f"{who}: {len(first)} coordinates of a tensor map with {len(tensor.box)} dimensions")
    alignment = 1024 if tensor.swizzle == SWIZZLE_128 else 128
    check_alignment(frame, np.array([start], np.uint64), alignment, text)
    box = _Box(tensor, first, start)
    if start + box.bytes > machine.shared_limit:
        limit = machine.shared_limit
        raise Fault(
            f"{text}: {box.bytes} bytes at {start:#x} of {limit} bytes of shared memory: {frame.who(True)}"
        )
    own = int(frame.place("shared")[0])
    targets = own + box.targets
    if box.sources.size:
        many = frame.narrow(np.zeros(box.sources.size, np.int64), ())
        locate_global(many, box.sources.astype(np.uint64), Access(text, "global", box.size, 1))
    phases = phases_of(frame)
    place = own + barrier_at
    check_alignment(frame, np.array([barrier_at], np.uint64), 8, text)
    barrier = phases.at(place, who)
    granules = None
    if phases.watch is not None:
        phases.watch.use(frame, np.array([place]), text)
        phases.watch.check_fenced(frame, phases.watch.granules(np.array([place])), text)
        granules = phases.watch.begin_counted_copy(frame, targets, text)

    def come() -> None:
        data = np.zeros((targets.size, box.size), np.uint8)
        within = np.arange(box.size)
        data[box.inside] = machine.memory.bytes[(box.sources - FIRST_ADDRESS)[:, None] + within]
        machine.shared_view("u1", 1)[targets[:, None] + within] = data
        phases.arrived(barrier, box.bytes, granules, who)

    phases.pending.append(come)


__all__ = ["ELEMENT_BYTES", "MAP_ALIGNMENT", "MAP_BYTES", "TensorMap", "copy_of_box", "swizzled"]
