"""Stores past the caches, and reading ahead: the numbers are the same, wherever arrays begin and end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.filecheck import check_text
from support.interpreted import text_of
from support.kernel_code import KernelText, lower
from weft.backend.cpu.codegen.loops import streaming
from weft.backend.target import compiling_as_if, compiling_for
from weft.dialect.mlir import ir
from weft.dialect.register import context

TARGETS = ["native", "x86-64", "x86-64-v3"]
LARGE = 10_000_000


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let small arrays take the way of large ones."""
    monkeypatch.setattr(streaming, "SHORTEST_ROW", 2)
    with compiling_as_if(streamed=1, second_level_cache=2):
        yield


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    before = weft.get_num_threads()
    weft.set_num_threads(request.param)
    yield
    weft.set_num_threads(before)


def numbers(shape: Any, dtype: str) -> np.ndarray[Any, Any]:
    values = np.random.default_rng(0).integers(-100, 100, shape)
    found = values.astype(dtype)
    if found.dtype.kind == "f":
        found.reshape(-1)[::7] = np.nan
        found.reshape(-1)[3::11] = np.inf
    return found


def streams(function: Callable[..., Any], *arguments: Any, target: str = "native") -> bool:
    return "!nontemporal" in text_of(function, *arguments, stage="llvm", target=target)


def scaled(x: Any) -> Any:
    return x * x.dtype.type(3)


def compiled(function: Callable[..., Any], *arguments: Any, target: str = "native") -> Any:
    assert streams(function, *arguments, target=target)
    return weft.function(function, target=target)


@pytest.mark.sampled
@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "float64"])
def test_all_sizes_and_dtypes(dtype: str, target: str) -> None:
    for size in (127, 128, 129, 191, 1000, 4099):
        x = numbers(size, dtype)
        if size * x.itemsize >= 1000:
            np.testing.assert_array_equal(compiled(scaled, x, target=target)(x), scaled(x))


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.astype(np.float64),
        lambda x: x.astype(np.int16),
        lambda x: np.full(x.shape, 2.5),
        lambda x: np.arange(x.shape[0], dtype=np.int32),
        lambda x: x[1:] + x[:-1],
        lambda x: np.concatenate([x[5:] * 2, x]),
        lambda x: (x + 1, x * 3),
        lambda x: np.copy(x),
    ],
    ids=["widened", "narrowed", "filled", "positions", "slices", "joined", "two", "copied"],
)
def test_all_that_is_streamed(function: Callable[..., Any]) -> None:
    x = np.arange(1003, dtype=np.float32)
    got, wanted = compiled(function, x)(x), function(x)
    for mine, theirs in zip(np.atleast_2d(got), np.atleast_2d(wanted), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("columns", [256, 257, 263, 1000])
def test_rows_that_begin_anywhere_in_a_line(columns: int) -> None:
    x, row = numbers((37, columns), "float32"), numbers(columns, "float32")
    added = compiled(lambda x, row: x + row, x, row)
    np.testing.assert_array_equal(added(x, row), x + row)


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("offset", [0, 1, 4, 8, 15])
def test_arrays_that_are_written_begin_anywhere(offset: int) -> None:
    def double(x: Any, out: Any) -> None:
        out[:] = x * 2

    x, memory = numbers(1001, "float32"), np.zeros(1040, np.float32)
    start = (-memory.ctypes.data % 64) // 4 + offset
    out = memory[start : start + 1001]
    compiled(double, x, out)(x, out)
    np.testing.assert_array_equal(out, x * 2)
    assert not memory[:start].any()
    assert not memory[start + 1001 :].any()


@pytest.mark.usefixtures("everything_is_large")
def test_arrays_that_begin_within_an_element_are_written_nonetheless() -> None:
    def double(x: Any, out: Any) -> None:
        out[:] = x * 2

    x, memory = numbers(1001, "float32"), np.zeros(4100, np.uint8)
    aligned = np.zeros(1001, np.float32)
    out = memory[1:4005].view(np.float32)
    assert not out.flags.aligned
    made = compiled(double, x, aligned)
    made(x, aligned)
    made(x, out)
    np.testing.assert_array_equal(out, aligned)


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("rank", [1, 2])
def test_sizes_that_are_known_at_run_time(rank: int) -> None:
    spec = weft.TensorSpec([None] * rank, "float32")
    with compiling_as_if(streamed=4000):
        made = weft.function(scaled, input_signature=[spec])
        made(numbers((1,) * rank, "float32"))
        assert streams(scaled, spec)
    shapes = [(0,), (1,), (15,), (999,), (1000,), (1001,), (5000,)]
    for shape in (
        shapes if rank == 1 else [(0, 5), (3, 0), (1, 1000), (1000, 1), (500, 2), (7, 1001), (2, 255)]
    ):
        x = numbers(shape, "float32")
        np.testing.assert_array_equal(made(x), scaled(x))


@pytest.mark.usefixtures("threads")
def test_threads_share_large_arrays() -> None:
    x = np.arange(LARGE + 13, dtype=np.float32)
    made = compiled(scaled, x)
    for _ in range(3):
        np.testing.assert_array_equal(made(x), x * 3)


@pytest.mark.usefixtures("threads")
def test_what_was_streamed_is_read_at_once() -> None:
    def twice(x: Any) -> Any:
        return np.flip(x * 3)[1:].sum(), np.cumsum(x * 3)

    x = np.arange(LARGE, dtype=np.float64) % 1000
    total, sums = compiled(twice, x)(x)
    assert total == (x * 3)[:-1].sum()
    np.testing.assert_array_equal(sums, np.cumsum(x * 3))


def schedule(body: str, count: int = 1, target: str = "x86-64-v4") -> str:
    kernel = KernelText()
    inputs = [kernel.argument((LARGE,), "float32") for _ in range(count)]
    kernel.result(kernel.generic(inputs, ("i",) * (count + 1), body, (LARGE,), "float32"))
    with context(), ir.Location.unknown(), compiling_for(target):
        module = ir.Module.parse(kernel.text())
        lower(module, "buffers-to-loops")
        return str(module)


def test_a_loop_with_much_arithmetic_stores_to_the_caches_and_reads_ahead() -> None:
    light = "%s = arith.addf %x0, %x0 : f32\nlinalg.yield %s : f32"
    heavy = "%t = math.tanh %x0 : f32\n%s = math.tanh %t : f32\nlinalg.yield %s : f32"
    assert "nontemporal" in schedule(light)
    check_text(schedule(heavy), "CHECK: memref.prefetch")
    assert "nontemporal" not in schedule(heavy)


def transposing(edge: int) -> str:
    kernel = KernelText()
    matrix = kernel.argument((edge, edge), "float32")
    body = "%s = arith.addf %x0, %x0 : f32\nlinalg.yield %s : f32"
    kernel.result(kernel.generic([matrix], ("ji", "ij"), body, (edge, edge), "float32"))
    with context(), ir.Location.unknown(), compiling_for("x86-64-v4"):
        module = ir.Module.parse(kernel.text())
        lower(module, "buffers-to-loops")
        return str(module)


def test_squares_of_large_matrices_ask_for_those_that_follow() -> None:
    check_text(
        transposing(512),
        """
        CHECK-COUNT-16: memref.prefetch {{.*}} read
        CHECK: memref.prefetch {{.*}} write
        CHECK: vector.store
        """,
    )
    assert "memref.prefetch" not in transposing(128)
