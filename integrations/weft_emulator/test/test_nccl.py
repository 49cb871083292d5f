"""NCCL of the emulator, as C functions: threads that are ranks with a device each, and what is refused."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices import libraries
from weft.backend.gpu.driver.device import Device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.memory import Memory
from weft.backend.gpu.driver.nccl import DTYPES, REDUCTIONS, Nccl, UniqueId, load_nccl
from weft.backend.gpu.driver.streams import Stream
from weft_emulator.library import Emulator
from weft_emulator.nccl import EmulatedNccl


class Rank:
    """A thread with a device."""

    def __init__(self, library: Library, number: int) -> None:
        self.device = Device(library, number)
        self.memory, self.stream = Memory(self.device), Stream.default(self.device)

    def put(self, array: np.ndarray[Any, Any]) -> int:
        """The address of a copy."""
        address = self.memory.allocate_address(array.nbytes, self.stream)
        self.memory.copy_in(address, array.ctypes.data, array.nbytes, self.stream)
        return address

    def get(self, address: int, count: int) -> list[float]:
        """Doubles of the device."""
        found = np.empty(count)
        self.memory.copy_out(found.ctypes.data, address, found.nbytes, self.stream)
        return list(found)


def on_ranks(count: int, devices: int, do: Callable[[Nccl, Rank, int, Any], Any]) -> list[Any]:
    """What a function returns, or raises, on ranks that know each other."""
    library = Library(Emulator(devices=devices).functions, "the emulator")
    library.initialise()
    nccl, name = Nccl(EmulatedNccl(library.functions).functions, "the emulator"), UniqueId()
    nccl.call("ncclGetUniqueId", ctypes.byref(name))
    found: list[Any] = [None] * count

    def run(number: int) -> None:
        try:
            rank, handle = Rank(library, number % devices), ctypes.c_void_p()
            nccl.call("ncclCommInitRank", ctypes.byref(handle), count, name, number)
            found[number] = do(nccl, rank, number, handle)
            nccl.call("ncclCommDestroy", handle)
        except weft.WeftError as error:
            found[number] = str(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found


def test_extremes_pass_over_nan_and_messages_go_by_peers() -> None:
    def do(nccl: Nccl, rank: Rank, number: int, handle: Any) -> Any:
        x = rank.put(np.array([number, np.nan if number else 5.0]))
        y = rank.put(np.zeros(2))
        stream = rank.stream.handle
        nccl.call("ncclAllReduce", x, y, 2, DTYPES["float64"], REDUCTIONS["max"], handle, stream)
        largest = rank.get(y, 2)
        nccl.call("ncclGroupStart")
        nccl.call("ncclSend", x, 8, DTYPES["uint8"], 1 - number, handle, stream)
        nccl.call("ncclRecv", y, 8, DTYPES["uint8"], 1 - number, handle, stream)
        nccl.call("ncclGroupEnd")
        return largest, rank.get(y, 1)

    assert on_ranks(2, 2, do) == [([1.0, 5.0], [1.0]), ([1.0, 5.0], [0.0])]


def test_ranks_with_one_device_or_with_different_wishes_are_refused() -> None:
    assert (
        on_ranks(2, 1, lambda *_: "made")
        == ["ncclCommInitRank failed: invalid usage: Duplicate GPU detected"] * 2
    )

    def do(nccl: Nccl, rank: Rank, number: int, handle: Any) -> None:
        x = rank.put(np.zeros(2))
        nccl.call("ncclAllReduce", x, x, 1 + number, DTYPES["float64"], 0, handle, rank.stream.handle)

    assert on_ranks(2, 2, do) == ["ncclAllReduce failed: invalid usage: ranks ask for different things"] * 2


def test_no_library_is_told() -> None:
    with pytest.raises(weft.DeviceError, match="NCCL is not there: pip install nvidia-nccl-cu12"):
        load_nccl(["libnothing.so"])


def test_one_rank_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = weft.distributed
    with weft.settings.scope(cuda="emulator"):
        x = weft.device_put(np.arange(2.0))
        alone = weft.function(lambda x: (ranks.all_reduce(x, "max"), ranks.send_receive(x), ranks.size()))
        with monkeypatch.context() as patch:
            patch.setattr(libraries, "_load_nccl", None)
            total, received, size = alone(x)
        assert [list(np.asarray(x)) for x in (total, received)] == [[0, 1], [0, 0]]
        assert size == 1
        gathered = ranks.all_gather(ranks.replicated({"x": x})["x"], axis=None)  # not compiled by the user
        assert gathered.device == "cuda:0"
        assert np.asarray(gathered).tolist() == [[0, 1]]
        with pytest.raises(ValueError, match="there is no rank 1 of 1"):
            weft.function(lambda x: ranks.broadcast(x, root=1))(x)
        with pytest.warns(
            weft.TransferWarning, match="ranks 0 and 1 have the same GPU, and NCCL wants one for each"
        ):
            sums = ranks.Mesh.simulated(2).run(weft.function(lambda: ranks.all_reduce(x)))
        assert [*np.asarray(sums[1])] == [0, 2]
