"""Programs that `mpiexec` starts: `python processes.py NAME`. What goes wrong raises; `test_processes.py` runs them."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mpi4py import MPI

import weft
from weft.dialect.collectives import Collective, result_of
from weft.frontend.distributed import mpi

ranks = weft.distributed
COMM = MPI.COMM_WORLD
REDUCTIONS = ("sum", "prod", "min", "max")
DTYPES = [*"?bHlfdDe", ml_dtypes.bfloat16]


def values(dtype: Any) -> list[np.ndarray[Any, Any]]:
    """What each rank has: numbers that all dtypes hold, and where there are some, NaN and infinities."""
    rng = np.random.default_rng(1)
    blocks = [rng.integers(0, 4, (COMM.size, 3)).astype(dtype) for _ in range(COMM.size)]
    if blocks[0].dtype.kind in "fcV":
        blocks[-1][0, 0], blocks[0][0, 1], blocks[-1][0, 2] = np.nan, -np.inf, np.inf
    return blocks


def everything(x: Any) -> tuple[Any, ...]:
    """What ranks can do with arrays."""
    return (
        *(ranks.all_reduce(x, op) for op in REDUCTIONS),
        *(ranks.reduce_scatter(x, op) for op in REDUCTIONS),
        ranks.all_gather(x, axis=None),
        ranks.broadcast(x, root=1),
        ranks.all_to_all(x),
        ranks.send_receive(x),
        ranks.send_receive(x, 1, wrap=True),
        ranks.send_receive(x, -1),
    )


ASKED = [
    *(Collective(kind, reduction=op) for kind in ("all_reduce", "reduce_scatter") for op in REDUCTIONS),
    Collective("all_gather"),
    Collective("broadcast", number=1),
    Collective("all_to_all"),
    Collective("send_receive", number=1),
    Collective("send_receive", number=1, wraps=True),
    Collective("send_receive", number=-1),
]


def compare(found: Any, blocks: list[np.ndarray[Any, Any]]) -> None:
    """Raise where one of `everything` is not what NumPy does of all arrays."""
    for collective, result in zip(ASKED, found, strict=True):
        wanted = result_of(collective, blocks, COMM.rank)
        result = np.asarray(result[0] if collective.kind == "reduce_scatter" else result)
        what = f"{collective} of {blocks[0].dtype}"
        assert result.dtype == wanted.dtype, what
        if result.dtype == ml_dtypes.bfloat16:  # NumPy does not know that NaN of it is like NaN
            result, wanted = result.astype(np.float32), wanted.astype(np.float32)
        np.testing.assert_array_equal(result, wanted.reshape(result.shape), err_msg=what)


def dtypes() -> None:
    """Every collective on every dtype, compiled, gives what NumPy does of all arrays; in Python and in native code."""
    compiled = weft.function(everything)
    for dtype in DTYPES:
        blocks = values(dtype)
        for _ in range(2):  # native code does it the second time
            compare(compiled(blocks[COMM.rank]), blocks)


def devices() -> None:
    """The same of arrays on GPUs, which never come to the host but for what NCCL has not; then some that have to."""
    weft.settings.cuda = "emulator"
    compiled = weft.function(everything)
    with on_host() as through_host:
        for dtype in (np.dtype("bool"), np.dtype("int64"), np.dtype("float64"), np.dtype(ml_dtypes.bfloat16)):
            blocks = values(dtype)
            compare(compiled(weft.device_put(blocks[COMM.rank])), blocks)
        assert [call.kind for call in through_host] == ["all_gather", "broadcast"]  # by which they meet
        del through_host[:]
        blocks = values(np.dtype("uint16"))
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            compare(compiled(weft.device_put(blocks[COMM.rank])), blocks)
        assert (
            "all_reduce(sum) copies its array from the GPU to the host and back, each time: NCCL has no sum of "
            in (str(given[0].message))
        )
        assert len(given) == 2 * len(REDUCTIONS)
        assert {call.reduction for call in through_host} == set(REDUCTIONS)

        total = weft.function(lambda x: ranks.all_reduce(x * 2, "prod"))
        x = np.full(3, 2.0)
        with (
            pytest.warns(weft.TransferWarning, match="other ranks have their arrays on the host")
            if COMM.rank
            else (contextlib.nullcontext())
        ):
            assert np.asarray(total(weft.device_put(x) if COMM.rank else x))[0] == 4.0**COMM.size
        with pytest.raises(weft.CommunicationError, match=r"rank 1 calls all_reduce\(min\) of f64\[3\]"):
            weft.function(lambda x: ranks.all_reduce(x, "min"))(weft.device_put(np.ones(2 + COMM.rank)))

    again, x = weft.function(lambda x: ranks.all_reduce(x + 1)), np.full(3, 2.0)
    again(x[:2])
    with pytest.warns(weft.TransferWarning, match="arrays on the host, or had at first"):
        again(weft.device_put(x[:2]))
    with ranks.Mesh(checked=True), on_host() as through_host:
        again(x)
        del through_host[:]
        assert np.asarray(again(weft.device_put(x)))[0] == 3 * COMM.size
        assert "all_reduce" not in {call.kind for call in through_host}

    from weft.backend.gpu.runtime import device_ranks

    def missing() -> Any:
        raise weft.DeviceError("NCCL is not there: pip install it")

    with pytest.MonkeyPatch.context() as patch, ranks.Mesh():
        if COMM.rank:
            patch.setattr(device_ranks, "chosen_nccl", missing)
        why = "NCCL is not there: pip install it" if COMM.rank else "rank 1 has no NCCL"
        with pytest.warns(weft.TransferWarning, match=why):
            found = weft.function(lambda x: ranks.all_reduce(x - 1))(weft.device_put(x))
        assert np.asarray(found)[0] == COMM.size

    with weft.settings.scope(collective_timeout=20):  # the device is waited for
        assert np.asarray(total(weft.device_put(x)))[0] == 4.0**COMM.size

    def late(self: Any, collective: Collective, is_done: Any) -> None:
        raise weft.CommunicationError(f"{collective} takes too long")

    with pytest.MonkeyPatch.context() as patch, ranks.Mesh(checked=False):
        patch.setattr(mpi.Process, "watch", late)
        with pytest.raises(weft.CommunicationError, match=r"all_reduce\(prod\) takes too long"):
            total(weft.device_put(x))


@contextlib.contextmanager
def on_host() -> Iterator[list[Collective]]:
    """What is sent from the host meanwhile."""
    calls: list[Collective] = []
    before = mpi.Process.exchange

    def exchange(self: Any, collective: Collective, x: Any) -> Any:
        calls.append(collective)
        return before(self, collective, x)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mpi.Process, "exchange", exchange)
        yield calls


def calls_in_python() -> list[Collective]:
    """What is left to Python from now on."""
    calls: list[Collective] = []
    before = mpi.Process.perform

    def noted(self: Any, collective: Collective, x: Any) -> Any:
        calls.append(collective)
        return before(self, collective, x)

    mpi.Process.perform = noted  # type: ignore[method-assign]
    return calls


def native() -> None:
    """Loops call MPI without Python, also with large arrays, and of sizes that are not known."""
    calls = calls_in_python()

    @weft.function(input_signature=[weft.TensorSpec((None,), "float64"), weft.TensorSpec((), "int64")])
    def many(x: Any, steps: Any) -> Any:
        for _ in range(steps):
            x = ranks.all_reduce(x) / ranks.size() + ranks.send_receive(x, 1, wrap=True) - x
        return x

    for extent in (1, 50_000):
        for steps in (2, 30):
            calls.clear()
            result = many(np.ones(extent), np.int64(steps))
            assert np.array_equal(result, np.ones(extent))
            assert len(calls) <= 2, calls


def mixed() -> None:
    """One rank is compiled, the others are not: they meet, with small and with large arrays."""

    def everything(x: Any) -> Any:
        return (
            ranks.all_reduce(x),
            ranks.all_gather(x),
            ranks.reduce_scatter(x),
            ranks.broadcast(x),
            ranks.all_to_all(x),
            ranks.send_receive(x, wrap=True),
        )

    compiled = weft.function(everything)
    for extent in (12, 12_000):
        x = np.arange(float(extent)) + COMM.rank
        for _ in range(3):
            results = (compiled if COMM.rank == 1 else everything)(x)
            np.testing.assert_array_equal(results[0], sum(x - COMM.rank + rank for rank in range(COMM.size)))
            np.testing.assert_array_equal(results[3], x - COMM.rank)


def axes() -> None:
    """Two axes, of which one has a single rank."""
    mesh = ranks.Mesh(COMM, rows=1, columns=COMM.size, checked=False)

    def sums(x: Any) -> Any:
        x = x + 0 * ranks.all_reduce(x, over="rows")  # which native code does the second time
        for _ in range(3):
            x, total = ranks.all_reduce(x, over="rows"), ranks.all_reduce(x, over="columns")
        return x, total, ranks.size("columns")

    compiled, calls = weft.function(sums), calls_in_python()
    for function in (sums, compiled):
        calls.clear()
        assert mesh.run(function, lambda rank: (np.int64(rank + 1),)) == [
            (COMM.rank + 1, COMM.size * (COMM.size + 1) // 2, COMM.size)
        ]
    assert len(calls) == 2  # the first of each


def checked() -> None:
    """Ranks that ask each other raise together, and name who is to blame."""
    mesh = ranks.Mesh(COMM, checked=True)

    @weft.function
    def total(x: Any) -> Any:
        return ranks.all_reduce(x)

    def raises(x: Any) -> Any:
        if x[0] == 1:
            raise KeyError("mine")
        return total(x)

    def returns(x: Any) -> Any:
        return x if x[0] == 1 else total(x)

    def differs(x: Any) -> Any:
        return total(x) if x[0] == 1 else ranks.all_gather(x)

    for function, blamed, others in (
        (raises, (KeyError, "'mine'"), (weft.RemoteError, "rank 1 raised KeyError: 'mine'")),
        (
            returns,
            None,
            (weft.DeadlockError, "for whom ranks wait: rank 0 calls all_reduce(sum) of f64[2] at "),
        ),
        (
            differs,
            (
                weft.CommunicationError,
                "different things at the same time: rank 0 calls all_gather() of f64[2] at ",
            ),
            (weft.CommunicationError, "; rank 1 calls all_reduce(sum) of f64[2] at "),
        ),
    ):
        expected = blamed if COMM.rank == 1 else others
        with contextlib.nullcontext() if expected is None else pytest.raises(expected[0]) as raised:
            mesh.run(function, lambda rank: (np.full(2, float(rank)),))
        if raised is not None:
            assert expected is not None
            assert expected[1] in str(raised.value)
            assert getattr(raised.value, "rank", 1) == 1
        assert mesh.run(total, lambda rank: (np.ones(1),))[0] == COMM.size  # the mesh is as good as new


def unchecked() -> None:
    """Different programs are told the first time that ranks meet."""
    program = (lambda x: ranks.all_reduce(x)) if COMM.rank else (lambda x: ranks.all_reduce(x, "max"))
    with pytest.raises(weft.CommunicationError) as raised:
        weft.function(program)(np.ones(2))
    assert "rank 0 calls all_reduce(max) of f64[2]" in str(raised.value)
    assert "rank 1 calls all_reduce(sum) of f64[2]" in str(raised.value)


def sizes() -> None:
    """Other sizes than those of before are told as well: MPI would combine what lies behind the shorter array."""
    known = weft.function(ranks.all_reduce)
    unknown = weft.function(ranks.all_reduce, input_signature=[weft.TensorSpec((None,), "float64")])
    for total, other in ((known, 20), (unknown, 30)):
        for extent in (2, 5, 2, 5):
            np.testing.assert_array_equal(total(np.ones(extent)), np.full(extent, float(COMM.size)))
        with pytest.raises(weft.CommunicationError) as raised:
            total(np.ones(other + COMM.rank))
        assert f"rank 0 calls all_reduce(sum) of f64[{other}]" in str(raised.value)
        assert f"rank 1 calls all_reduce(sum) of f64[{other + 1}]" in str(raised.value)
        assert total(np.ones(other))[0] == COMM.size


def wrong() -> None:
    """What cannot be done is told on all ranks, at the line of the program."""

    def programs(x: Any) -> Any:
        return (
            (lambda: ranks.all_to_all(x), "all_to_all: axis 0 has 7 elements, which cannot be cut in"),
            (
                lambda: ranks.reduce_scatter(x),
                "reduce_scatter: axis 0 has 7 elements, which cannot be cut in",
            ),
            (lambda: ranks.broadcast(x, root=7), f"there is no rank 7 of {COMM.size}"),
            (lambda: ranks.all_reduce(x, over="depth"), "there is no axis 'depth' of the mesh"),
        )

    for program, message in programs(np.ones(7)):
        for function in (program, weft.function(program)):
            for _ in range(2):
                with pytest.raises(weft.WeftValueError, match=message) as raised:
                    function()
                assert any(entry.path.name == "processes.py" for entry in raised.traceback[1:])
    np.testing.assert_array_equal(ranks.all_reduce(np.ones(2)), np.full(2, COMM.size))


def freed() -> None:
    """What is no communicator, or none any more."""
    comm = COMM.Dup()
    mesh = ranks.Mesh(comm)
    comm.Free()
    assert mesh.run(ranks.all_reduce, lambda rank: (np.int64(1),)) == [COMM.size]  # it has one of its own
    with pytest.raises(ValueError, match="the communicator is freed"):
        ranks.Mesh(comm)
    with pytest.raises(TypeError, match="not of int"):
        ranks.Mesh(3)
    with pytest.raises(ValueError, match=f"rows=7 are 7 ranks, but there are {COMM.size}"):
        ranks.Mesh(COMM, rows=7)


def raises() -> None:
    """One rank raises, and ends all."""
    total = weft.function(lambda x: ranks.all_reduce(x))
    total(np.ones(2))
    if COMM.rank == 1:
        raise ValueError("only here")
    total(np.ones(2))
    time.sleep(200)


def late() -> None:
    """A rank waits for another one for longer than it is to, in native code."""
    total = weft.function(lambda x: ranks.all_reduce(x))
    total(np.ones(2))
    weft.settings.collective_timeout = 1
    if COMM.rank == 0:
        time.sleep(200)
    total(np.ones(2))


def interrupted() -> None:
    """Ctrl-C reaches a rank that waits in native code."""
    total = weft.function(lambda x: ranks.all_reduce(x))
    total(np.ones(2))
    if COMM.rank == 0:
        time.sleep(200)
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    total(np.ones(2))


if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        globals()[name]()
        COMM.Barrier()
