"""NCCL for emulated devices: ranks, as processes of a machine or as threads, send each other what lies on devices.

The functions are those of nccl.h, as C functions. The process that makes the name of a group serves it: ranks hand it
what they have, over the loopback address, and it tells them when all are there. What NCCL leaves open, as that ranks
ask for different things, gives a code here.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.backend.gpu.driver.nccl import ID_BYTES, SIGNATURES, TEXTS

from .beside import Beside, Refused

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_CUDA, _INTERNAL, _ARGUMENT, _USAGE = Beside.CUDA, Beside.INTERNAL, 4, 5
_ERRORS = {
    _CUDA: "unhandled cuda error",
    _INTERNAL: "internal error",
    _ARGUMENT: "invalid argument",
    _USAGE: "invalid usage",
}
_DTYPES = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
_REDUCTIONS = (np.add, np.multiply, np.fmax, np.fmin)
"""By their numbers in nccl.h; extremes pass over NaN."""
_KEY_BYTES = 32


class _Hub:
    """What a group meets at, in the process that has made its name."""

    def __init__(self) -> None:
        from multiprocessing.connection import Listener  # few programs have several ranks

        self.key = os.urandom(_KEY_BYTES)
        self._listener = Listener(("127.0.0.1", 0), authkey=self.key)
        self._changed = threading.Condition()
        self._met: dict[int, dict[int, Any]] = defaultdict(dict)
        self._mail: dict[tuple[int, int], deque[bytes]] = defaultdict(deque)
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def name(self) -> bytes:
        """The bytes of an ncclUniqueId: the port, and a key."""
        port = int(self._listener.address[1])
        return (port.to_bytes(2, "little") + self.key).ljust(ID_BYTES, b"\0")

    def _serve(self) -> None:
        while True:
            connection = self._listener.accept()
            threading.Thread(target=self._serve_rank, args=(connection,), daemon=True).start()

    def _serve_rank(self, connection: Connection[Any, Any]) -> None:
        rank, count = connection.recv()
        times = 0
        while True:
            try:
                what, *given = connection.recv()
            except (EOFError, OSError):
                return
            if what == "meet":
                connection.send(self._meet(times, rank, count, *given))
                times += 1
            else:
                connection.send(self._post(rank, *given))

    def _meet(self, times: int, rank: int, count: int, asked: Any, data: Any) -> Any:
        """What all ranks have, once they are there."""
        with self._changed:
            met = self._met[times]
            met[rank] = asked, data
            self._changed.notify_all()
            self._changed.wait_for(lambda: len(met) == count)
        if any(theirs != asked for theirs, _ in met.values()):
            return None
        return [met[other][1] for other in range(count)]

    def _post(self, rank: int, sent: list[tuple[int, bytes]], wanted: list[int]) -> list[bytes]:
        """Take what is for others, and give what is for this rank, once it is there."""
        with self._changed:
            for other, data in sent:
                self._mail[rank, other].append(data)
            self._changed.notify_all()
            found = []
            for other in wanted:
                mail = self._mail[other, rank]
                while not mail:
                    self._changed.wait()
                found.append(mail.popleft())
            return found


class _Communicator:
    """One rank of a group."""

    def __init__(self, name: bytes, rank: int, count: int) -> None:
        from multiprocessing.connection import Client

        port, key = int.from_bytes(name[:2], "little"), name[2 : 2 + _KEY_BYTES]
        self.rank, self.count = rank, count
        self._connection = Client(("127.0.0.1", port), authkey=key)
        self._connection.send((rank, count))

    def meet(self, asked: Any, data: Any) -> list[Any]:
        """What all have, where they ask for the same."""
        found = self._ask("meet", asked, data)
        if found is None:
            raise Refused(_USAGE, "ranks ask for different things")
        return list(found)

    def post(self, sent: list[tuple[int, bytes]], wanted: list[int]) -> list[bytes]:
        """Send to some ranks, and receive of some."""
        return list(self._ask("post", sent, wanted))

    def _ask(self, *what: Any) -> Any:
        self._connection.send(what)
        return self._connection.recv()

    def close(self) -> None:
        """Leave the group."""
        self._connection.close()


class _Group(threading.local):
    """What a thread has asked for since ncclGroupStart."""

    def __init__(self) -> None:
        self.depth = 0
        self.sent: list[tuple[int, int, bytes]] = []
        self.wanted: list[tuple[int, int, int, int, int]] = []


class EmulatedNccl(Beside):
    """The functions of libnccl; they wait for the stream that they are asked for on, and are done when they return."""

    def __init__(self, driver: Mapping[str, Any]) -> None:
        """`driver` has the functions of libcuda, by name."""
        super().__init__(driver)
        self._hubs: list[_Hub] = []
        self._communicators: dict[int, _Communicator] = {}
        self._group = _Group()
        functions: dict[str, Any] = {
            name: ctypes.CFUNCTYPE(ctypes.c_int, *types)(functools.partial(self._guarded, name))
            for name, types in SIGNATURES.items()
        }
        for name, types in TEXTS.items():
            functions[name] = ctypes.CFUNCTYPE(ctypes.c_void_p, *types)(getattr(self, name))
        self._texts = {
            code: ctypes.create_string_buffer(text.encode())
            for code, text in {0: "no error", **_ERRORS}.items()
        }
        self._last = ctypes.create_string_buffer(1024)
        self.functions = functions
        """The functions by name, as ctypes has them."""

    def _told(self, text: str) -> None:
        self._last.value = text.encode()[:1000]

    # Groups

    def ncclGetVersion(self, version: Any) -> None:
        version[0] = 22703

    def ncclGetErrorString(self, code: int) -> int:
        return ctypes.addressof(self._texts.get(code, self._texts[_INTERNAL]))

    def ncclGetLastError(self, communicator: int | None) -> int:
        return ctypes.addressof(self._last)

    def ncclGetUniqueId(self, name: Any) -> None:
        hub = _Hub()
        self._hubs.append(hub)
        ctypes.memmove(name, hub.name, ID_BYTES)

    def ncclCommInitRank(self, handle: Any, count: int, name: Any, rank: int) -> None:
        if not 0 <= rank < count:
            raise Refused(_ARGUMENT, f"there is no rank {rank} of {count}")
        made = _Communicator(bytes(name), rank, count)
        devices = made.meet("init", self._device())
        if len(set(devices)) < count:
            raise Refused(_USAGE, "Duplicate GPU detected")
        self._communicators[id(made)] = made
        handle[0] = id(made)

    def _device(self) -> bytes:
        number, found = ctypes.c_int(), (ctypes.c_ubyte * 16)()
        self._cuda("cuCtxGetDevice", ctypes.byref(number))
        self._cuda("cuDeviceGetUuid_v2", found, number)
        return bytes(found)

    def ncclCommDestroy(self, handle: int | None) -> None:
        self._of(handle).close()
        del self._communicators[handle or 0]

    ncclCommAbort = ncclCommDestroy

    def _of(self, handle: int | None) -> _Communicator:
        if handle not in self._communicators:
            raise Refused(_ARGUMENT, f"{handle or 0:#x} is no communicator")
        return self._communicators[handle]

    # Collectives

    def _together(
        self,
        asked: tuple[Any, ...],
        send: int | None,
        count: int,
        dtype: int,
        handle: int | None,
        stream: int | None,
    ) -> list[Any]:
        """The arrays of all ranks."""
        elements = _dtype(dtype)
        communicator = self._of(handle)
        data = self._read(send, count * elements.itemsize, stream)
        given = communicator.meet((*asked, count, dtype), data)
        return [np.frombuffer(each, elements) for each in given]

    def ncclAllReduce(
        self, send: Any, receive: Any, count: int, dtype: int, operation: int, handle: Any, stream: Any
    ) -> None:
        given = self._together(("AllReduce", operation), send, count, dtype, handle, stream)
        self._write(receive, _combined(operation, given), stream)

    def ncclReduceScatter(
        self, send: Any, receive: Any, count: int, dtype: int, operation: int, handle: Any, stream: Any
    ) -> None:
        rank, ranks = self._of(handle).rank, self._of(handle).count
        given = self._together(("ReduceScatter", operation), send, count * ranks, dtype, handle, stream)
        parts = [each[rank * count : (rank + 1) * count] for each in given]
        self._write(receive, _combined(operation, parts), stream)

    def ncclAllGather(
        self, send: Any, receive: Any, count: int, dtype: int, handle: Any, stream: Any
    ) -> None:
        given = self._together(("AllGather",), send, count, dtype, handle, stream)
        self._write(receive, b"".join(each.tobytes() for each in given), stream)

    def ncclBroadcast(
        self, send: Any, receive: Any, count: int, dtype: int, root: int, handle: Any, stream: Any
    ) -> None:
        if not 0 <= root < self._of(handle).count:
            raise Refused(_ARGUMENT, f"there is no rank {root}")
        given = self._together(("Broadcast", root), send, count, dtype, handle, stream)
        self._write(receive, given[root].tobytes(), stream)

    # Messages

    def ncclGroupStart(self) -> None:
        self._group.depth += 1

    def ncclGroupEnd(self) -> None:
        if not self._group.depth:
            raise Refused(_USAGE, "ncclGroupEnd without ncclGroupStart")
        self._group.depth -= 1
        if not self._group.depth:
            self._exchange()

    def ncclSend(self, send: Any, count: int, dtype: int, peer: int, handle: Any, stream: Any) -> None:
        data = self._read(send, count * _dtype(dtype).itemsize, stream)
        self._in_group(lambda: self._group.sent.append((handle, peer, data)))

    def ncclRecv(self, receive: Any, count: int, dtype: int, peer: int, handle: Any, stream: Any) -> None:
        size = count * _dtype(dtype).itemsize
        self._in_group(lambda: self._group.wanted.append((handle, peer, receive, size, stream)))

    def _in_group(self, ask: Callable[[], None]) -> None:
        ask()
        if not self._group.depth:
            self._exchange()

    def _exchange(self) -> None:
        sent, wanted = self._group.sent, self._group.wanted
        self._group.sent, self._group.wanted = [], []
        for handle in dict.fromkeys([*(each[0] for each in sent), *(each[0] for each in wanted)]):
            communicator = self._of(handle)
            own = [each for each in wanted if each[0] == handle]
            mail = [(peer, data) for by, peer, data in sent if by == handle]
            for (_, _, address, size, stream), data in zip(
                own, communicator.post(mail, [each[1] for each in own]), strict=True
            ):
                if len(data) != size:
                    raise Refused(_USAGE, f"{len(data)} bytes were sent, and {size} are received")
                self._write(address, data, stream)


def _dtype(number: int) -> np.dtype[Any]:
    if not 0 <= number < len(_DTYPES):
        raise Refused(_ARGUMENT, f"the data type {number} is not emulated")
    return np.dtype(_DTYPES[number])


def _combined(operation: int, arrays: list[Any]) -> bytes:
    if not 0 <= operation < len(_REDUCTIONS):
        raise Refused(_ARGUMENT, f"the reduction {operation} is not emulated")
    with np.errstate(all="ignore"):
        found: Any = functools.reduce(_REDUCTIONS[operation], arrays)
    return bytes(found.tobytes())


__all__ = ["EmulatedNccl"]
