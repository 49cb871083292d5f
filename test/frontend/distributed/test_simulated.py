"""Simulated meshes: collectives, eager and compiled, against NumPy; ranks that fail, return early, or differ."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

ranks = weft.distributed


def blocks_of(count: int, shape: tuple[int, ...] = (6, 3)) -> list[np.ndarray[Any, Any]]:
    numbers = np.random.default_rng(count).normal(size=(count, *shape))
    return list(numbers)


def everything(x: Any) -> tuple[Any, ...]:
    return (
        ranks.all_reduce(x),
        ranks.all_reduce(x, "prod"),
        ranks.all_reduce(x, "max"),
        ranks.all_reduce(x, "min"),
        ranks.all_reduce(x > 1, "any"),
        ranks.all_reduce(x > -3, "all"),
        ranks.all_gather(x),
        ranks.all_gather(x, axis=1),
        ranks.all_gather(x, axis=None),
        ranks.reduce_scatter(x),
        ranks.reduce_scatter(x.T, "max", axis=1),
        ranks.broadcast(x, root=1),
        ranks.all_to_all(x),
        ranks.all_to_all(x, split_axis=0, join_axis=1),
        ranks.all_to_all(x.T, split_axis=1, join_axis=0),
        ranks.send_receive(x),
        ranks.send_receive(x, -1),
        ranks.send_receive(x, 1, wrap=True),
        ranks.rank(),
        ranks.size(),
    )


def expected(blocks: list[np.ndarray[Any, Any]], rank: int) -> tuple[Any, ...]:
    count, x = len(blocks), np.stack(blocks)
    part = slice(rank * 6 // count, (rank + 1) * 6 // count)
    nothing = np.zeros_like(blocks[0])
    return (
        x.sum(0),
        x.prod(0),
        x.max(0),
        x.min(0),
        (x > 1).any(0),
        (x > -3).all(0),
        np.concatenate(blocks),
        np.concatenate(blocks, axis=1),
        x,
        x.sum(0)[part],
        x.max(0).T[:, part],
        blocks[1],
        np.concatenate([block[part] for block in blocks]),
        np.concatenate([block[part] for block in blocks], axis=1),
        np.concatenate([block.T[:, part] for block in blocks]),
        blocks[rank - 1] if rank else nothing,
        blocks[rank + 1] if rank + 1 < count else nothing,
        blocks[rank - 1],
        np.int64(rank),
        np.int64(count),
    )


@pytest.mark.parametrize("compiled", [False, True])
def test_collectives_are_numpys(compiled: bool) -> None:
    function: Callable[..., Any] = weft.function(everything) if compiled else everything
    for count in (2, 3):
        blocks = blocks_of(count)
        found = ranks.Mesh.simulated(count).run(function, [(block,) for block in blocks])
        for rank, results in enumerate(found):
            for result, wanted in zip(results, expected(blocks, rank), strict=True):
                assert result.dtype == wanted.dtype
                np.testing.assert_allclose(result, wanted, rtol=1e-14)


def test_loops_and_one_program_for_all_sizes() -> None:
    @weft.function
    def smooth(x: Any, steps: Any) -> Any:
        for _ in range(steps):
            below, above = ranks.send_receive(x[-1:]), ranks.send_receive(x[:1], -1)
            padded = np.concatenate([below, x, above])
            x = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
        return x

    whole = np.arange(30.0) % 7
    for count in (1, 3, 5):
        parts = ranks.Mesh.simulated(count).run(
            smooth, lambda rank, count=count: (np.split(whole, count)[rank], np.int64(25))
        )
        wanted = whole
        for _ in range(25):
            padded = np.concatenate([[0.0], wanted, [0.0]])
            wanted = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
        np.testing.assert_allclose(np.concatenate(parts), wanted, rtol=1e-13)


def test_axes() -> None:
    mesh = ranks.Mesh.simulated(rows=2, columns=3)

    def sums(x: Any) -> Any:
        return ranks.all_reduce(x, over="rows"), ranks.all_reduce(x, over="columns"), ranks.rank("columns")

    found = mesh.run(weft.function(sums), [(np.int64(10**rank),) for rank in range(6)])
    assert found[4] == (10010, 111000, 1)
    assert mesh.coordinates(4) == {"rows": 1, "columns": 1}
    with pytest.raises(
        ValueError, match="there is no axis 'depth' of the mesh; its axes are 'rows', 'columns'"
    ):
        mesh.run(lambda: ranks.barrier(over="depth"))


def test_a_rank_that_returned_is_told() -> None:
    @weft.function
    def early(x: Any) -> Any:
        return ranks.all_reduce(x)

    def one_of_them(x: Any) -> Any:
        return x if x[0] == 0 else early(x)

    with pytest.raises(
        weft.DeadlockError,
        match=r"rank 1 waits in all_reduce\(sum\) at .*test_simulated.py:\d+, .*, rank 0 returned",
    ):
        ranks.Mesh.simulated(3).run(one_of_them, lambda rank: (np.arange(2.0) + rank,))


def test_a_rank_that_raises_ends_all() -> None:
    seen: list[tuple[int, str]] = []

    def fails(x: Any) -> Any:
        if x == 1:
            raise KeyError("mine")
        try:
            return ranks.all_reduce(x)
        except weft.RemoteError as error:
            seen.append((error.rank, str(error)))
            raise

    with pytest.raises(KeyError, match="mine"):
        ranks.Mesh.simulated(3).run(fails, lambda rank: (np.int64(rank),))
    assert seen == [(1, "rank 1 raised KeyError: 'mine'")] * 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda x: ranks.all_reduce(x), lambda x: ranks.all_gather(x)),
        (lambda x: ranks.all_reduce(x), lambda x: ranks.all_reduce(x, "max")),
        (lambda x: ranks.all_reduce(x), lambda x: ranks.all_reduce(x[:1])),
        (lambda x: ranks.all_reduce(x), lambda x: ranks.all_reduce(x.astype(np.float32))),
    ],
)
def test_ranks_that_differ_are_told(first: Any, second: Any) -> None:
    with pytest.raises(
        weft.CommunicationError, match=r"different things at the same time: rank 0 calls all_reduce"
    ):
        ranks.Mesh.simulated(2).run(lambda x: (second if ranks.rank() else first)(x), [(np.ones(2),)] * 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_said_to_be_the_same_is_compared(compiled: bool) -> None:
    function = weft.function(ranks.replicated) if compiled else ranks.replicated
    mesh = ranks.Mesh.simulated(3)
    assert mesh.run(function, [(np.float64(2),)] * 3) == [2, 2, 2]
    with pytest.raises(weft.CommunicationError, match="rank 1 of 3 has another one than rank 0"):
        mesh.run(function, lambda rank: ({"w": np.arange(3.0) + (rank == 1)},))


@pytest.mark.parametrize("compiled", [False, True])
def test_parts_have_to_be_equal(compiled: bool) -> None:
    function = weft.function(ranks.all_to_all) if compiled else ranks.all_to_all
    with pytest.raises(
        ValueError, match="all_to_all: axis 0 has 5 elements, which cannot be cut in 2 equal parts"
    ):
        ranks.Mesh.simulated(2).run(function, [(np.ones(5),)] * 2)


def test_libraries_without_python_have_no_ranks(tmp_path: Path) -> None:
    total = weft.function(lambda x: ranks.all_reduce(x))
    with pytest.raises(weft.NotPortable, match=r"works together with other ranks at .*test_simulated.py"):
        weft.export(tmp_path, total.get_concrete_function(np.ones(2)))


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: ranks.all_reduce(1.0, "mean"), ValueError, "op is one of 'sum', 'prod'"),
        (lambda: ranks.all_reduce(1.0, over="rows"), ValueError, "there is no axis 'rows' of a mesh here"),
        (lambda: ranks.all_reduce(1.0, over=3), TypeError, "`over` names axes of the mesh by strings, not 3"),
        (
            lambda: ranks.all_reduce(1.0, over=("a", 3)),
            TypeError,
            "`over` names axes of the mesh by strings, not 3",
        ),
        (lambda: ranks.all_reduce(1.0, over="a,b"), ValueError, "'a,b' is no name of an axis"),
        (lambda: ranks.all_gather(1.0), ValueError, "axis 0 is out of bounds for array of dimension 0"),
        (lambda: ranks.all_gather(np.ones(1), "d"), TypeError, "all_gather: axis is an integer .*, not 'd'"),
        (lambda: ranks.send_receive(1.0, 1.5), TypeError, r"send_receive: shift is an integer .*, not 1\.5"),
        (lambda: ranks.broadcast(1.0, None), TypeError, "broadcast: root is an integer that is known .*None"),
        (lambda: ranks.Mesh.simulated(0), ValueError, "at least one rank, not 0"),
        (lambda: ranks.Mesh.simulated(2.5), TypeError, "a number of ranks, not 2.5"),
        (lambda: ranks.Mesh(3), TypeError, "an MPI communicator of mpi4py, not of int"),
        (lambda: ranks.Mesh.simulated(2).run(abs, [(1,)]), ValueError, "for 1 ranks, but 2 are"),
        (lambda: ranks.Mesh.simulated(2).run(abs, [1, 2]), TypeError, "the arguments of a rank are a tuple"),
        (lambda: ranks.Mesh.simulated(2).__enter__(), NotImplementedError, r"mesh.run\(function\)"),
    ],
)
def test_wrong_uses(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()


def test_files_of_functions_have_them(tmp_path: Path) -> None:
    total = weft.function(lambda x: ranks.all_reduce(x) * ranks.size())
    weft.save(tmp_path / "total.weft", total=total.get_concrete_function(np.ones(2)))
    loaded = weft.load(tmp_path / "total.weft")
    found = ranks.Mesh.simulated(3).run(loaded.total, lambda rank: (np.arange(2.0) + rank,))
    np.testing.assert_array_equal(found, [[9.0, 18.0]] * 3)


PROGRAM = """
import sys
import numpy as np
import weft

@weft.function
def total(x):
    return weft.distributed.all_reduce(x)

print(total(np.ones(1))[0], *(f"weft.frontend.{name}" in sys.modules for name in
      ("tracing.trace", "distributed.communicators")))
"""


def test_code_from_disk_asks_which_rank_a_thread_is(tmp_path: Path) -> None:
    """Nobody else has used weft.distributed in the process by then."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "WEFT_CACHE": "1", "WEFT_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(program)]
    outputs = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert outputs == ["1.0 True True\n", "1.0 False True\n"]


def test_ctrl_c_ends_all_ranks() -> None:
    started = threading.Event()

    @weft.function
    def for_long(x: Any, steps: Any) -> Any:
        for _ in range(steps):
            x = ranks.send_receive(x, 1, wrap=True)
        return x

    def interrupt() -> None:
        started.wait()
        signal.raise_signal(signal.SIGINT)

    def run(x: Any) -> Any:
        started.set()
        return for_long(x, np.int64(10**9))

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        ranks.Mesh.simulated(2).run(run, [(np.ones(2),)] * 2)
