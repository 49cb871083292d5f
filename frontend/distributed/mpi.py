"""Ranks as processes of MPI, through mpi4py: what is done in Python.

Messages go through a communicator of our own, so that they never meet those of the user. Nothing blocks: requests are
tested again and again, so that Ctrl-C works, and the time that a rank waits is known.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.cpu.collectives.table import SMALL
from ...dialect.collective_words import NATIVE_DTYPES, NATIVE_REDUCTIONS, group_key, key_of, number_of
from ...dialect.collectives import Collective, Started, on_change, result_of, source_of
from ...dialect.dtypes import kind
from ...dialect.errors import (
    CommunicationError,
    DeadlockError,
    MissingPackageError,
    RemoteError,
    WeftTypeError,
    WeftValueError,
)
from ...dialect.types import type_of
from ..settings import settings
from .axes import Axes
from .places import eager_place, shown, waits_too_long

if TYPE_CHECKING:
    from ...backend.cpu.collectives.library import NativeRanks
    from ...dialect.op import Array
    from ...dialect.types import TensorType

_RUNS, _RETURNED, _RAISED = range(3)
"""What a rank does when ranks ask each other before they do something together."""
_SPINS = 200
"""Tests of a request before a process lets others run."""
_PATIENCE = 5.0
"""Seconds that a launcher has to read what a rank wrote that aborts; a machine may have a lot to do."""
_LAUNCHERS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS")
"""Variables that starters of processes set: how many there are."""


def launched() -> int:
    """How many processes the starter of this one says that there are; 1 where nobody has."""
    return max(
        (int(os.environ[name]) for name in _LAUNCHERS if os.environ.get(name, "").isdigit()), default=1
    )


@cache
def load() -> Any:
    """The module of mpi4py; MissingPackageError where it is not there."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise MissingPackageError(
            f"ranks that are processes need mpi4py and an MPI library: pip install 'weft[mpi]' ({error})"
        ) from error
    return MPI


def is_loaded() -> bool:
    """Whether the program uses mpi4py."""
    return "mpi4py.MPI" in sys.modules


class Processes:
    """The processes of a communicator."""

    def __init__(self, comm: Any, checked: bool) -> None:
        MPI = load()
        if MPI.Is_finalized():
            raise CommunicationError("MPI has ended in this process: a mesh has to be made before")
        if not isinstance(comm, MPI.Intracomm):
            raise WeftTypeError(
                f"a mesh is made of an MPI communicator of mpi4py, not of {type(comm).__name__}"
            )
        if comm == MPI.COMM_NULL:
            raise WeftValueError(
                "the communicator is freed, or this process is not in it: a mesh needs one that is"
            )
        if comm.size > 1:  # who waits in what follows would wait for ever for one that raises
            _abort_on_errors()
        self.comm = comm.Dup()
        self.asking = comm.Dup()
        for made in (self.comm, self.asking):
            made.Set_errhandler(MPI.ERRORS_RETURN)
        self.rank, self.size = self.comm.rank, self.comm.size
        self.checked = checked
        self.kept: dict[Any, Any] = {}

    def member(self, axes: Axes) -> Process:
        """This process as a rank of a mesh."""
        return Process(self, axes)


class Process:
    """This process as a rank of a mesh."""

    def __init__(self, processes: Processes, axes: Axes) -> None:
        self._comm, self.rank = processes.comm, processes.rank
        self.asks = processes.checked
        self.kept = processes.kept
        self._axes = axes
        self._started = Started()
        self._is_over = False
        self._agreed: dict[int, bool] = {}
        """Of what all ranks ask for whether they do it on devices."""
        self._error: BaseException | None = None
        """What ended a call of native code."""
        self._since = 0.0
        self._all = axes.group(self.rank, "")
        self._groups = {self._all: self._comm}
        self._asking = {self._all: processes.asking}
        """For each group another communicator, by which ranks ask each other: what they send never meets."""
        for over in _parts(axes):
            group = axes.group(self.rank, over)
            made = self._comm.Split(group[0], self.rank)
            made.Set_errhandler(load().ERRORS_RETURN)
            self._groups[group] = made
            self._asking[group] = made.Dup()

    def place_in(self, over: str) -> tuple[int, int]:
        """The number of the rank in its group, and how many are there."""
        return self._axes.place_in(self.rank, over)

    def perform(self, collective: Collective, x: Array) -> Array:
        """Do something with the others."""
        if not collective.place:
            collective = collective._replace(place=eager_place())
        if collective.kind == "require_same" and not self.asks:
            return x
        self._ask(collective, type_of(x), False)
        return self.exchange(collective, x)

    def agree(self, collective: Collective, kind: TensorType) -> bool:
        """Find out whether all ranks do this, and on devices."""
        return self._ask(collective, kind, True)

    def exchange(self, collective: Collective, x: Array) -> Array:
        """Do it on the host."""
        x = np.asarray(x, order="C")
        group = self._axes.group(self.rank, collective.over)
        try:
            made = _Messages(self._groups[group], collective, self._wait).result(x)
        except load().Exception as error:
            raise CommunicationError(f"{shown(self.rank, collective, type_of(x))}: {error}") from error
        if collective.is_compiled and not self.asks:
            self._leave_to_native(key_of(collective, type_of(x)))
        return made

    def start(self, collective: Collective, x: Array) -> int:
        """Send, and let what comes be received, while the rank does something else."""
        asked, group = collective.waited_for, self._axes.group(self.rank, collective.over)
        self._ask(asked, type_of(x), False)
        made, wait = _Messages(self._groups[group], asked, self._wait).sending(np.array(x, order="C"))
        if collective.is_compiled and not self.asks:
            self._leave_to_native(key_of(asked, type_of(x)))

        def finish() -> Array:
            wait()
            return made

        return self._started.add(finish)

    def finish(self, collective: Collective, number: int) -> Array:
        """Wait for it."""
        self._require_no_failure(collective)
        return self._started.finish(number)

    def watch(self, collective: Collective, is_done: Callable[[], bool]) -> None:
        """Wait for a device where the time is limited that a rank waits."""
        if settings.collective_timeout > 0:
            self._until(is_done, collective)

    def _ask(self, collective: Collective, kind: TensorType, on_device: bool) -> bool:
        """Whether all ranks come to do the same on devices; raises where they do not do the same."""
        if self._is_over:
            raise CommunicationError(f"the ranks of this mesh have ended: {collective} comes too late")
        self._require_no_failure(collective)
        key = key_of(collective, kind)
        if self.asks or key not in self._agreed:
            group = self._all if self.asks else self._axes.group(self.rank, collective.over)
            digest = number_of(f"{key} {kind.shape}")
            text = shown(self.rank, collective, kind)
            self._agreed[key] = self._agree(group, _RUNS, digest, text, collective, on_device)
        return on_device and self._agreed[key]

    def _leave_to_native(self, key: int) -> None:
        """Let compiled code call MPI itself the next time that this is asked for, in this thread."""
        native = native_ranks()
        if native is None:
            return
        if not native.serves:
            MPI = load()
            handles = {name: MPI._handleof(dtype) for name, dtype in _native_dtypes(MPI).items()}
            for name in NATIVE_REDUCTIONS:
                handles[name] = MPI._handleof(getattr(MPI, name.upper()))
            handles["byte"] = MPI._handleof(MPI.BYTE)
            groups = []
            for over in ("", ",".join(self._axes.names), *_parts(self._axes)):
                comm = self._groups[self._axes.group(self.rank, over)]
                groups.append((group_key(over), MPI._handleof(comm), comm.rank, comm.size))
            native.serve(handles, groups, MPI._sizeof(MPI.Request), self._is_enough)
        native.allow(key)

    def _is_enough(self, looks: int) -> int:
        """Whether a rank that waits in native code is to end that: it was interrupted, or has waited for too long."""
        try:
            now = time.monotonic()
            if looks == 1:
                self._since = now
            _raise_signals()
            if 0 < settings.collective_timeout < now - self._since:
                self._error = CommunicationError("")
        except BaseException as error:
            self._error = error
        return int(self._error is not None)

    def _require_no_failure(self, collective: Collective) -> None:
        """Raise what ended a call of native code."""
        native = native_ranks()
        code = 0 if native is None else native.take_failure()
        error, self._error = self._error, None
        if isinstance(error, CommunicationError):
            raise waits_too_long(self.rank, collective)
        if error is not None:
            raise error
        if code:
            text = load().Get_error_string(code)
            raise CommunicationError(f"rank {self.rank} calls {collective} at {collective.place}: {text}")

    def leave(self, error: BaseException | None) -> None:
        """Tell the others that this rank does not take part any more."""
        if not self.asks or self._is_over or self._comm.size == 1:
            return
        state, text = _RETURNED, f"rank {self.rank} returned"
        if error is not None:
            state, text = _RAISED, f"rank {self.rank} raised {type(error).__name__}: {error}"
        self._agree(self._all, state, 0, text, Collective("barrier"))

    def _agree(
        self,
        group: tuple[int, ...],
        state: int,
        digest: int,
        text: str,
        collective: Collective,
        on_device: bool = False,
    ) -> bool:
        """Whether all ranks come to do the same, all of them on devices; raises on all that do not end."""
        MPI = load()
        comm = self._asking[group]
        given = np.array([(state << 32) + self.rank, digest, -digest, not on_device], np.int64)
        found = np.empty_like(given)
        self._wait(comm.Iallreduce(given, found, MPI.MAX), collective)
        worst = int(found[0]) >> 32
        if worst == _RUNS and found[1] == -found[2]:
            return not found[3]
        self._is_over = worst != _RUNS
        texts = comm.allgather((state, self.rank, text))
        if state != _RUNS:
            return False
        about = ", ".join(each for _, _, each in sorted(texts, key=lambda t: (t[0], t[1])))
        if worst == _RAISED:
            raise next(RemoteError(each, rank) for what, rank, each in texts if what == _RAISED)
        if worst == _RETURNED:
            raise DeadlockError(f"nobody is left for whom ranks wait: {about}")
        raise CommunicationError(
            f"ranks do different things at the same time: {about.replace(', rank', '; rank')}"
        )

    def _wait(self, request: Any, collective: Collective, is_large: bool = False) -> None:
        """Test a request until it is done; without a rest where each test sends a piece of something large."""
        self._until(request.Test, collective, is_large)

    def _until(self, is_done: Callable[[], bool], collective: Collective, is_large: bool = False) -> None:
        spins, start = 0, 0.0
        while not is_done():
            spins += 1
            if spins < _SPINS:
                continue
            now = time.monotonic()
            start = start or now
            if 0 < settings.collective_timeout < now - start:
                raise waits_too_long(self.rank, collective)
            time.sleep(0 if is_large or spins < 20 * _SPINS else 1e-3)


class _Messages:
    """A collective as messages of MPI."""

    def __init__(
        self, comm: Any, collective: Collective, wait: Callable[[Any, Collective, bool], None]
    ) -> None:
        self._comm, self._collective, self._wait = comm, collective, wait

    def result(self, x: Array) -> Array:
        """What the rank gets."""
        if len(x if x.ndim else [0]) != self._comm.size and self._collective.kind in (
            "all_to_all",
            "reduce_scatter",
        ):
            raise WeftValueError(
                f"{self._collective} takes a part for each of {self._comm.size} ranks, not {len(x)}"
            )
        found: Array = getattr(self, self._collective.kind)(x)
        return found

    def all_reduce(self, x: Array) -> Array:
        """Elements of all ranks combined."""
        return self._combined(x, x.shape, "Allreduce")

    def reduce_scatter(self, x: Array) -> Array:
        """The same of parts."""
        return self._combined(x, x.shape[1:], "Reduce_scatter_block")

    def all_gather(self, x: Array) -> Array:
        """All arrays."""
        made = np.empty((self._comm.size, *x.shape), x.dtype)
        self._call("Allgather", x, _bytes(x), _bytes(made))
        return made

    def all_to_all(self, x: Array) -> Array:
        """A part of each array."""
        made = np.empty_like(x)
        self._call("Alltoall", x, _bytes(x), _bytes(made))
        return made

    def broadcast(self, x: Array) -> Array:
        """The array of one rank."""
        root = self._collective.number
        if root >= self._comm.size:
            raise WeftValueError(f"{self._collective}: there is no rank {root} of {self._comm.size}")
        made: Array = x.copy()
        self._call("Bcast", x, _bytes(made), root)
        return made

    def send_receive(self, x: Array) -> Array:
        """The array of another rank; zeros where nobody sends."""
        made, wait = self.sending(x)
        wait()
        return made

    def sending(self, x: Array) -> tuple[Array, Callable[[], None]]:
        """The same begun: the array, and what waits until it is there."""
        made, rank, count = np.zeros_like(x), self._comm.rank, self._comm.size
        source = source_of(self._collective, rank, count)
        target = source_of(self._collective._replace(number=-self._collective.number), rank, count)
        requests = [] if source is None else [self._comm.Irecv(_bytes(made), source)]
        requests += [] if target is None else [self._comm.Isend(_bytes(x), target)]

        def wait() -> None:
            for request in requests:
                self._done(request, x.nbytes > SMALL)

        return made, wait

    def require_same(self, x: Array) -> Array:
        """The array, if all have the same."""
        return result_of(self._collective, list(self.all_gather(x)), self._comm.rank)

    def barrier(self, x: Array) -> Array:
        """Nothing, when all are there."""
        self._done(self._comm.Ibarrier())
        return x

    def _call(self, name: str, x: Array, *args: Any) -> None:
        """Call what MPI calls so, in the way in which native code does it: those do not meet that do it differently."""
        if x.nbytes > SMALL:
            self._done(self._comm.Ibarrier())
            getattr(self._comm, name)(*args)
        else:
            self._done(getattr(self._comm, f"I{name[0].lower()}{name[1:]}")(*args))

    def _done(self, request: Any, is_large: bool = False) -> None:
        self._wait(request, self._collective, is_large)

    def _combined(self, x: Array, shape: tuple[int, ...], name: str) -> Array:
        """What MPI combines, in a form in which it combines as NumPy does."""
        MPI, reduction = load(), self._collective.reduction
        if kind(x.dtype) == "c" and reduction in ("min", "max"):
            return result_of(self._collective, list(self.all_gather(x)), self._comm.rank)
        if kind(x.dtype) == "b":
            operation, given = (MPI.MAX if reduction in ("sum", "max") else MPI.MIN), x.view(np.uint8)
        else:
            operation, given = getattr(MPI, reduction.upper()), x
        made: Array = np.empty(shape, given.dtype)
        self._call(name, x, given, made, operation)
        return made.view(x.dtype)


def _bytes(x: Array) -> Any:
    return [x.reshape(-1).view(np.uint8), load().BYTE]


def _native_dtypes(MPI: Any) -> dict[str, Any]:
    """What MPI calls the elements of arrays; booleans are bytes."""
    of_bytes = {"bool": MPI.UINT8_T, "complex64": MPI.C_FLOAT_COMPLEX, "complex128": MPI.C_DOUBLE_COMPLEX}
    floats = {"float32": MPI.FLOAT, "float64": MPI.DOUBLE}
    integers = {name: getattr(MPI, f"{name.upper()}_T") for name in NATIVE_DTYPES if "int" in name}
    return {**of_bytes, **floats, **integers}


@cache
def native_ranks() -> NativeRanks | None:
    """What lets compiled code call MPI itself; None where the library lacks functions of MPI 4."""
    from ...backend.cpu.collectives.library import NativeRanks

    try:
        native = NativeRanks(load().__file__)
    except (AttributeError, OSError):
        return None
    on_change.append(native.stop)
    return native


def _raise_signals() -> None:
    """Raise what handlers of signals do, Ctrl-C too."""
    ctypes.pythonapi.PyErr_CheckSignals()


def _parts(axes: Axes) -> Iterator[str]:
    """The groups of axes that are not all of them."""
    for count in range(1, len(axes.names)):
        for names in combinations(axes.names, count):
            yield ",".join(names)


@cache
def _abort_on_errors() -> None:
    """Let an exception that nobody catches end all processes, which would wait for this one for ever."""
    before = sys.excepthook

    def report(kind: Any, error: Any, trace: Any) -> None:
        try:
            before(kind, error, trace)
        except BaseException:
            traceback.print_exception(kind, error, trace)
        sys.stdout.flush()
        sys.stderr.flush()
        _wait_for_readers(1, 2)
        MPI = load()
        if MPI.Is_initialized() and not MPI.Is_finalized():
            MPI.COMM_WORLD.Abort(1)

    sys.excepthook = report


def _wait_for_readers(*outputs: int) -> None:
    """Wait, some seconds at most, until what was written to these pipes is read.

    A launcher that is told to abort drops what it has not read of a rank's output, such as the exception's last line.
    """
    end = time.monotonic() + _PATIENCE
    for output in outputs:
        try:
            while stat.S_ISFIFO(os.fstat(output).st_mode) and time.monotonic() < end and _unread(output):
                time.sleep(0.001)
        except (ImportError, OSError):
            continue  # it is closed, or the system does not count what a pipe holds


def _unread(pipe: int) -> int:
    """The bytes in a pipe that nobody has read."""
    import fcntl  # not on Windows
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
