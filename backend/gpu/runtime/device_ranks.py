"""What ranks do together whose arrays are on GPUs: NCCL sends them from one to the other, in the order of a stream."""

from __future__ import annotations

import ctypes
import warnings
import weakref
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ....dialect.collectives import Collective, Member, source_of
from ....dialect.dtypes import kind
from ....dialect.errors import DeviceError, TransferWarning
from ....dialect.records import dataclass
from ....dialect.types import TensorType
from ..devices.libraries import chosen_nccl
from ..devices.open_devices import OpenDevice
from ..driver.nccl import DTYPES, REDUCTIONS, Nccl, UniqueId
from ..driver.streams import Event

_BYTE = DTYPES["uint8"]


@dataclass(frozen=True)
class Placed:
    """An array on a device."""

    address: int
    type: TensorType

    @property
    def count(self) -> int:
        """The number of elements."""
        return self.type.size or 0

    @property
    def bytes(self) -> int:
        """The number of bytes."""
        return self.count * self.type.dtype.itemsize


class Group:
    """The ranks that differ in some axes of a mesh only, each of which has a device of its own."""

    def __init__(self, nccl: Nccl, device: OpenDevice, place: int, count: int, name: UniqueId) -> None:
        handle = ctypes.c_void_p()
        device.device.use()
        nccl.call("ncclCommInitRank", ctypes.byref(handle), count, name, place)
        self._nccl, self._handle = nccl, handle
        self._device, self.place, self.count = device, place, count
        self._end = weakref.finalize(self, _ended, nccl, handle)
        self._end.atexit = False  # libraries may be gone by then

    def begin(self, collective: Collective, x: Placed, result: Placed) -> None:
        """Ask for a collective behind what was asked of the stream."""
        _CALLS[collective.kind](self, collective, x, result)

    def abort(self) -> None:
        """End what waits for ranks that do not come."""
        self._nccl.call("ncclCommAbort", self._handle)
        self._end.detach()

    def _call(self, name: str, *arguments: Any) -> None:
        self._nccl.call(name, *arguments, self._handle, self._device.stream.handle)

    def all_reduce(self, collective: Collective, x: Placed, result: Placed) -> None:
        """Elements of all ranks combined."""
        dtype, operation, width = _combined_as(collective, x.type) or (0, 0, 0)
        self._call("ncclAllReduce", x.address, result.address, x.count * width, dtype, operation)

    def reduce_scatter(self, collective: Collective, x: Placed, result: Placed) -> None:
        """The same of parts."""
        dtype, operation, width = _combined_as(collective, x.type) or (0, 0, 0)
        self._call("ncclReduceScatter", x.address, result.address, result.count * width, dtype, operation)

    def all_gather(self, collective: Collective, x: Placed, result: Placed) -> None:
        """All arrays."""
        self._call("ncclAllGather", x.address, result.address, x.bytes, _BYTE)

    def broadcast(self, collective: Collective, x: Placed, result: Placed) -> None:
        """The array of one rank."""
        self._call("ncclBroadcast", x.address, result.address, x.bytes, _BYTE, collective.number)

    def all_to_all(self, collective: Collective, x: Placed, result: Placed) -> None:
        """A part of each array."""
        part = x.bytes // self.count
        self._nccl.call("ncclGroupStart")
        for other in range(self.count):
            self._call("ncclSend", x.address + other * part, part, _BYTE, other)
            self._call("ncclRecv", result.address + other * part, part, _BYTE, other)
        self._nccl.call("ncclGroupEnd")

    def send_receive(self, collective: Collective, x: Placed, result: Placed) -> None:
        """The array of another rank; zeros where nobody sends."""
        back = collective._replace(number=-collective.number)
        source, target = (source_of(each, self.place, self.count) for each in (collective, back))
        self._nccl.call("ncclGroupStart")
        if target is not None:
            self._call("ncclSend", x.address, x.bytes, _BYTE, target)
        if source is not None:
            self._call("ncclRecv", result.address, x.bytes, _BYTE, source)
        self._nccl.call("ncclGroupEnd")
        if source is None:
            self._device.memory.fill(result.address, 0, result.bytes, self._device.stream)


_CALLS: Mapping[str, Callable[[Group, Collective, Placed, Placed], None]] = MappingProxyType(
    {
        "all_reduce": Group.all_reduce,
        "reduce_scatter": Group.reduce_scatter,
        "all_gather": Group.all_gather,
        "broadcast": Group.broadcast,
        "all_to_all": Group.all_to_all,
        "send_receive": Group.send_receive,
    }
)


def _ended(nccl: Nccl, handle: Any) -> None:
    nccl.call("ncclCommDestroy", handle)


def _combined_as(collective: Collective, x: TensorType) -> tuple[int, int, int] | None:
    """As which dtype and by which operation NCCL combines elements as NumPy does, and how many each of them is."""
    reduction, dtype = collective.reduction, x.dtype
    if kind(dtype) == "b":  # of bytes, 0 or 1
        return _BYTE, REDUCTIONS["max" if reduction in ("sum", "max") else "min"], 1
    if kind(dtype) == "c" and reduction == "sum":
        return DTYPES[f"float{dtype.itemsize * 4}"], REDUCTIONS["sum"], 2
    is_order = reduction in ("min", "max")
    if dtype.name not in DTYPES or (is_order and kind(dtype) == "f"):  # which passes over NaN
        return None
    return DTYPES[dtype.name], REDUCTIONS[reduction], 1


def is_done_there(collective: Collective) -> bool:
    """Whether arrays of devices need not come to the host for it."""
    return collective.kind in _CALLS


def perform_on_device(
    device: OpenDevice, member: Member, collective: Collective, x: Placed, result: Placed
) -> bool:
    """Do something with the other ranks without the host; False where it has to be done there, all ranks agreed."""
    place, count = member.place_in(collective.over)
    if not member.agree(collective, x.type):
        _warn(collective, "other ranks have their arrays on the host, or had at first")
        return False
    if (collective.kind in ("all_to_all", "reduce_scatter") and x.type.shape[0] != count) or (
        collective.kind == "broadcast" and collective.number >= count
    ):  # the host says what is wrong
        return False
    if count == 1:
        _alone(device, collective, x, result)
        return True
    if collective.reduction and _combined_as(collective, x.type) is None:
        _warn(collective, f"NCCL has no {collective.reduction} of {x.type.dtype.name} that is NumPy's")
        return False
    group = _group_of(member, device, collective, place, count)
    if isinstance(group, str):
        _warn(collective, group)
        return False
    if x.bytes or result.bytes:
        group.begin(collective, x, result)
        _watch(member, device, collective, group)
    return True


def _alone(device: OpenDevice, collective: Collective, x: Placed, result: Placed) -> None:
    """What the only rank gets: what it has, or nothing."""
    if source_of(collective, 0, 1) is None and collective.kind == "send_receive":
        device.memory.fill(result.address, 0, result.bytes, device.stream)
    elif x.bytes:
        device.memory.copy(result.address, x.address, x.bytes, device.stream)


def _watch(member: Member, device: OpenDevice, collective: Collective, group: Group) -> None:
    event: list[Event] = []

    def is_done() -> bool:
        if not event:
            event.append(device.stream.record())
        return event[0].is_done()

    try:
        member.watch(collective, is_done)
    except BaseException:
        group.abort()
        raise


def _group_of(
    member: Member, device: OpenDevice, collective: Collective, place: int, count: int
) -> Group | str:
    """The ranks that work together, made when they do it first; a text that says why NCCL cannot serve them."""
    key = collective.over, device
    if key not in member.kept:
        member.kept[key] = _made(member, device, collective, place, count)
    found: Group | str = member.kept[key]
    return found


def _made(member: Member, device: OpenDevice, collective: Collective, place: int, count: int) -> Group | str:
    try:
        nccl: Nccl | None = chosen_nccl()
        why = ""
    except DeviceError as error:
        nccl, why = None, str(error)
    words = np.array([nccl is not None, *np.frombuffer(device.device.identity, np.int64)], np.int64)
    told = member.perform(Collective("all_gather", collective.over, place=collective.place), words)
    missing = [rank for rank in range(count) if not told[rank, 0]]
    if missing:
        return why or f"rank {missing[0]} has no NCCL"
    for rank in range(count):
        same = [other for other in range(rank) if (told[other] == told[rank]).all()]
        if same:
            return f"ranks {same[0]} and {rank} have the same GPU, and NCCL wants one for each"
    assert nccl is not None
    name = UniqueId()
    if place == 0:
        nccl.call("ncclGetUniqueId", ctypes.byref(name))
    sent = Collective("broadcast", collective.over, place=collective.place)
    found = member.perform(sent, np.frombuffer(bytes(name), np.uint8))
    return Group(nccl, device, place, count, UniqueId.from_buffer_copy(found.tobytes()))


_told: dict[Any, Any] = {}
"""What warnings were given, as the module `warnings` keeps it."""


def _warn(collective: Collective, reason: str) -> None:
    """Say at its line, once, that a collective goes through the host."""
    file, _, line = collective.place.rpartition(":")
    warnings.warn_explicit(
        f"{collective} copies its array from the GPU to the host and back, each time: {reason}",
        TransferWarning,
        file or "<unknown>",
        int(line) if line.isdigit() else 1,
        registry=_told,
    )
