"""Ranks that are threads meet in native code: all dtypes, what is left to Python, and what goes wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import weft
from weft.dialect.collectives import Collective, result_of
from weft.frontend.distributed.simulated import Seat

pytestmark = pytest.mark.processor  # ranks whose arrays lie on a GPU meet by NCCL
ranks = weft.distributed
REDUCTIONS = ("sum", "prod", "min", "max")
ASKED = [
    *(Collective(kind, reduction=op) for kind in ("all_reduce", "reduce_scatter") for op in REDUCTIONS),
    Collective("all_gather"),
    Collective("broadcast", number=1),
    Collective("all_to_all"),
    Collective("send_receive", number=1),
    Collective("send_receive", number=2, wraps=True),
    Collective("send_receive", number=-1),
]


@pytest.fixture
def left_to_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Collective]]:
    """What Python is asked to do."""
    calls: list[Collective] = []
    before = Seat.exchange

    def noted(self: Seat, collective: Collective, x: Any) -> Any:
        calls.append(collective)
        return before(self, collective, x)

    monkeypatch.setattr(Seat, "exchange", noted)
    return calls


def everything(x: Any) -> tuple[Any, ...]:
    return (
        *(ranks.all_reduce(x, op) for op in REDUCTIONS),
        *(ranks.reduce_scatter(x, op)[0] for op in REDUCTIONS),
        ranks.all_gather(x, axis=None),
        ranks.broadcast(x, root=1),
        ranks.all_to_all(x),
        ranks.send_receive(x),
        ranks.send_receive(x, 2, wrap=True),
        ranks.send_receive(x, -1),
    )


def values(dtype: Any, count: int) -> list[np.ndarray[Any, Any]]:
    """Numbers that all dtypes hold, and where there are some, NaN and infinities."""
    rng = np.random.default_rng(1)
    blocks = [rng.integers(0, 4, (count, 3)).astype(dtype) for _ in range(count)]
    if blocks[0].dtype.kind in "fcV":
        blocks[-1][0, 0], blocks[0][0, 1], blocks[-1][0, 2] = np.nan, -np.inf, np.inf
    return blocks


@pytest.mark.parametrize("dtype", [*"?bHlfdDe", ml_dtypes.bfloat16], ids=str)
def test_all_dtypes(dtype: Any, left_to_python: list[Collective]) -> None:
    compiled, blocks = weft.function(everything), values(dtype, 3)
    x = blocks[0]
    found = ranks.Mesh.simulated(3).run(compiled, [(block,) for block in blocks])
    for rank, results in enumerate(found):
        for collective, result in zip(ASKED, results, strict=True):
            wanted = result_of(collective, blocks, rank)
            assert result.dtype == wanted.dtype
            if x.dtype == ml_dtypes.bfloat16:  # NumPy does not know that NaN of it is like NaN
                result, wanted = result.astype(np.float32), wanted.astype(np.float32)
            np.testing.assert_array_equal(result, wanted.reshape(result.shape), err_msg=str(collective))
    first, *others = left_to_python  # by the first a rank takes its seat
    assert first.reduction == "sum"
    if x.dtype.kind == "c":
        assert {each.reduction for each in others} == {
            "sum",
            "min",
            "max",
        }  # MPI has no order of complex numbers
    else:
        assert len(others) == 2


def test_shapes_of_as_many_elements_are_told_apart() -> None:
    unknown = weft.TensorSpec((None, None), "float64")
    total = weft.function(lambda x: ranks.all_reduce(x), input_signature=[unknown])

    def twice(x: Any) -> Any:
        return total(total(x) if x.shape == (2, 3) else np.ones((2, 3))), total(x)

    mesh = ranks.Mesh.simulated(2)
    assert mesh.run(twice, [(np.ones((2, 3)),)] * 2)[1][1].shape == (2, 3)
    with pytest.raises(
        weft.CommunicationError,
        match=r"rank 0 calls all_reduce\(sum\) of f64\[2,3\] at .*; rank 1 .* of f64\[3,2\] at ",
    ):
        mesh.run(lambda x: (total(np.ones((2, 3))), total(x)), [(np.ones((2, 3)),), (np.ones((3, 2)),)])


def test_compiled_and_plain_programs_meet() -> None:
    def steps(x: Any) -> Any:
        for _ in range(3):
            x = ranks.all_reduce(x) + ranks.send_receive(x, wrap=True)
        return x, ranks.all_gather(x), ranks.all_to_all(x), ranks.size("columns")

    compiled, mesh = weft.function(steps), ranks.Mesh.simulated(rows=1, columns=3)
    for extent in (3, 0, 3000):
        found = mesh.run(
            lambda x: (compiled if ranks.rank() == 1 else steps)(x),
            lambda rank, extent=extent: (np.arange(float(extent)) + rank,),
        )
        alike = mesh.run(compiled, lambda rank, extent=extent: (np.arange(float(extent)) + rank,))
        for results, wanted in zip(found, alike, strict=True):
            for result, other in zip(results, wanted, strict=True):
                np.testing.assert_array_equal(result, other)


def test_groups_go_their_own_ways() -> None:
    """Groups of a mesh meet as often as they want to, by any name."""

    @weft.function
    def rows_only(x: Any, steps: Any) -> Any:
        for _ in range(steps):
            x = ranks.all_reduce(x, over="columns")
        return x

    def program(x: Any) -> Any:
        first = ranks.all_reduce(x)
        rows_only(x, np.int64(1 + 5 * ranks.rank("rows")))
        return (
            first
            + ranks.all_reduce(x, over=("columns", "rows"))
            + ranks.all_reduce(x, over=("rows", "columns"))
        )

    found = ranks.Mesh.simulated(rows=2, columns=2).run(program, lambda rank: (np.float64(rank),))
    assert found == [18.0] * 4


def test_a_rank_that_waits_in_a_loop_is_told() -> None:
    """Deadlocks are found out where all wait in native code, each for another one."""

    @weft.function
    def around(x: Any, steps: Any) -> Any:
        for _ in range(steps):
            x = ranks.all_reduce(x, over="rows")
        return ranks.all_reduce(x, over="columns")

    mesh = ranks.Mesh.simulated(rows=2, columns=2)
    with pytest.raises(weft.DeadlockError) as raised:
        mesh.run(around, lambda rank: (np.float64(rank), np.int64([2, 2, 2, 3][rank])))
    text = str(raised.value)
    assert "rank 3 waits in all_reduce(sum, over rows) at" in text
    assert "rank 0 returned" in text or "rank 0 waits in all_reduce(sum, over columns)" in text


def test_the_time_that_ranks_wait_is_limited() -> None:
    left = threading.Event()

    @weft.function
    def total(x: Any) -> Any:
        return ranks.all_reduce(x)

    def late(x: Any) -> Any:
        if total(x) == 1 and x == 1:
            left.wait(60)
        return total(x)

    start = time.monotonic()
    with (
        weft.settings.scope(collective_timeout=0.3),
        pytest.raises(
            weft.CommunicationError,
            match=r"rank 0 waits for more than 0\.3 s in all_reduce\(sum\) at .*test_native_meetings.py:\d+: others",
        ),
    ):
        ranks.Mesh.simulated(2).run(late, lambda rank: (np.float64(rank),))
    left.set()
    assert time.monotonic() - start < 50


def test_constants_are_cut_in_parts() -> None:
    x = np.arange(4.0)
    parts = weft.function(lambda: (ranks.all_to_all(x), ranks.reduce_scatter(x)))
    for first, second in ranks.Mesh.simulated(2).run(parts):
        assert first.tolist() in ([0, 1, 0, 1], [2, 3, 2, 3])
        np.testing.assert_array_equal(second, first[:2] * 2)


def test_ranks_have_meshes_of_their_own() -> None:
    """A thread takes its seat again when it has been another rank in between."""
    total = weft.function(lambda x: ranks.all_reduce(x))

    def program(x: Any) -> Any:
        first = total(x)
        with ranks.Mesh():
            alone = total(x)
        inner = ranks.Mesh.simulated(2).run(total, [(x,), (2 * x,)])
        return first, alone, inner[1], total(x)

    assert ranks.Mesh.simulated(3).run(program, lambda rank: (np.float64(rank),)) == [
        (3.0, float(rank), 3.0 * rank, 3.0) for rank in range(3)
    ]


def test_many_short_meetings() -> None:
    """Ranks come in any order, with messages on their way when others have gone on."""

    @weft.function
    def program(x: Any, steps: Any) -> Any:
        total = 0.0 * x
        for _ in range(steps):
            above = ranks.send_receive(x[:1], -1, wrap=True)
            below = ranks.send_receive(x[-1:], 1, wrap=True)
            x = np.concatenate([below, x[1:-1], above])
            total = total + ranks.all_reduce(x, "max")
        return total, x

    def wanted(blocks: list[Any], steps: int) -> Any:
        totals = [0.0 * blocks[0]] * len(blocks)
        for _ in range(steps):
            blocks = [
                np.concatenate([blocks[k - 1][-1:], block[1:-1], blocks[(k + 1) % len(blocks)][:1]])
                for k, block in enumerate(blocks)
            ]
            totals = [total + np.max(blocks, axis=0) for total in totals]
        return totals, blocks

    blocks = list(np.random.default_rng(0).normal(size=(4, 5)))
    found = ranks.Mesh.simulated(4).run(program, [(block, np.int64(300)) for block in blocks])
    totals, after = wanted(blocks, 300)
    for rank in range(4):
        np.testing.assert_array_equal(found[rank][0], totals[rank])
        np.testing.assert_array_equal(found[rank][1], after[rank])
