"""Which schedule is taken, and what is said of one that does not store what it took; the example of the guide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from support.device_code import device_code
from weft.backend.cpu.codegen import schedule as processor_table
from weft.backend.cpu.codegen.contractions.emitter import ContractionEmitter
from weft.backend.cpu.codegen.schedule import Tiles
from weft.backend.gpu.code.kernel import Kernel
from weft.backend.gpu.kernels import schedule as device_table
from weft.backend.gpu.schedules import device_schedule, followers, one_thread
from weft.backend.schedules.schedule import choose
from weft.backend.schedules.stores import stores_to
from weft.dialect.errors import InternalError
from weft.dialect.mlir import Operation, ir
from weft.dialect.records import replace
from weft.dialect.register import context

GUIDE = Path(__file__).parents[3] / "CONTRIBUTING.md"


# Which one is taken


class _Work:
    """Four pieces that take a second each in the plainest way."""

    operation: Any = None

    def seconds_of(self, first: int, last: int) -> float:
        return float(last - first)


def _kind(name: str, taken: int, seconds: float) -> Any:
    schedule = mock.Mock(taken=taken, seconds=lambda: seconds)
    schedule.name = name
    return mock.Mock(match=lambda run: schedule if taken else None)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([("first", 1, 2.0), ("cheaper", 1, 1.0)], "cheaper"),
        ([("first", 1, 1.0), ("equal", 1, 1.0)], "first"),
        ([("matches nothing", 0, 0.0), ("other", 1, 9.0)], "other"),
        ([("short", 1, 0.5), ("long, for less than what the short one leaves", 3, 2.0)], "long, for less"),
        ([("short, as the plainest way is cheaper", 1, 0.5), ("long", 3, 3.0)], "short, as"),
    ],
)
def test_the_cheapest_is_taken(kinds: list[tuple[str, int, float]], expected: str) -> None:
    assert choose([_kind(*kind) for kind in kinds], _Work()).name.startswith(expected)


# What is stored


@pytest.fixture
def own_context() -> Iterator[None]:
    """Let MLIR know the dialects."""
    with context(), ir.Location.unknown():
        for name in ("arith", "func", "gpu", "linalg", "memref", "scf", "vector"):
            context().get_dialect_descriptor(name)
        yield


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("%0 = memref.load %x[%i, %i] : memref<2x2xf32>", 0),
        ("memref.store %f, %x[%i, %i] : memref<2x2xf32>", 1),
        ("%v = memref.collapse_shape %x [[0, 1]] : memref<2x2xf32> into memref<4xf32>", 0),
        (
            "%v = memref.collapse_shape %x [[0, 1]] : memref<2x2xf32> into memref<4xf32>\n"
            "memref.store %f, %v[%i] : memref<4xf32>\nmemref.store %f, %x[%i, %i] : memref<2x2xf32>",
            2,
        ),
        ("%0 = memref.atomic_rmw addf %f, %x[%i, %i] : (f32, memref<2x2xf32>) -> f32", 1),
        (
            "%p = memref.extract_aligned_pointer_as_index %x : memref<2x2xf32> -> index\n"
            "%c = arith.cmpi eq, %p, %i : index",
            0,
        ),
        ("linalg.fill ins(%f : f32) outs(%x : memref<2x2xf32>)", 0),
        (
            "gpu.launch_func @device::@writes blocks in (%i, %i, %i) threads in (%i, %i, %i)"
            " args(%y : memref<f32>, %x : memref<2x2xf32>)",
            1,
        ),
        (
            "gpu.launch_func @device::@fills blocks in (%i, %i, %i) threads in (%i, %i, %i)"
            " args(%x : memref<2x2xf32>)",
            1,
        ),
        (
            "gpu.launch_func @device::@reads blocks in (%i, %i, %i) threads in (%i, %i, %i)"
            " args(%x : memref<2x2xf32>)",
            0,
        ),
    ],
)
def test_stores_are_counted(code: str, count: int, own_context: None) -> None:
    text = f"""
module attributes {{gpu.container_module}} {{
  gpu.module @device {{
    gpu.func @reads(%x: memref<2x2xf32>) kernel {{
      %i = arith.constant 0 : index
      %0 = memref.load %x[%i, %i] : memref<2x2xf32>
      gpu.return
    }}
    gpu.func @fills(%x: memref<2x2xf32>) kernel {{
      %f = arith.constant 0.0 : f32
      linalg.fill ins(%f : f32) outs(%x : memref<2x2xf32>)
      gpu.return
    }}
    gpu.func @writes(%y: memref<f32>, %x: memref<2x2xf32>) kernel {{
      %f = arith.constant 0.0 : f32
      %i = arith.constant 0 : index
      %v = memref.collapse_shape %x [[0, 1]] : memref<2x2xf32> into memref<4xf32>
      memref.store %f, %v[%i] : memref<4xf32>
      gpu.return
    }}
  }}
  func.func @kernel(%x: memref<2x2xf32>, %y: memref<f32>, %f: f32, %i: index) {{
    {code}
    return
  }}
}}"""
    module = ir.Module.parse(text)
    function: Operation = module.body.operations[1].operation
    assert stores_to(function.regions[0].blocks[0].arguments[0]) == count


# The example of the guide


def _example() -> Any:
    """The class that the guide shows."""
    text = GUIDE.read_text(encoding="utf-8")
    section = text[text.index("## Adding a schedule") :]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert code is not None
    names = {**vars(device_schedule), **vars(one_thread), **vars(followers)}
    exec("from __future__ import annotations\n" + code[1], names)
    return names["ShortSums"]


def _twice_the_sum(x: Any) -> Any:
    return x.sum() * 2


def test_the_example_is_taken_where_it_matches() -> None:
    with mock.patch.object(device_table, "SCHEDULES", (_example(), *device_table.SCHEDULES)):
        short, long = (device_code(_twice_the_sum, np.ones(n, np.float32)).schedules for n in (20, 64))
        with weft.settings.scope(cuda="emulator"):
            found = weft.function(_twice_the_sum, device="cuda")(np.arange(20, dtype=np.float32))
    assert any(text == "short sums: one thread adds up a few numbers" for text in short.values()), short
    assert all(text.startswith("whole: ") for text in long.values()), long
    assert found == 380


def test_what_is_taken_and_not_stored_is_an_error() -> None:
    """The sum is written, and what is computed of it is not: its memory would hold what was there before."""
    example = _example()

    class Forgetful(example):  # type: ignore[misc, valid-type]
        name = "forgetful-sums"

        def write(self, name: str) -> None:
            kernel = Kernel(self.function, name, self.ops[:1], (1, 1, 1), self.steps[0].starts)
            with kernel.body():
                kernel.clone(self.ops[0])
            kernel.launch([1], self.title)

    with (
        mock.patch.object(device_table, "SCHEDULES", (Forgetful, *device_table.SCHEDULES)),
        pytest.raises(
            InternalError, match=r"the schedule forgetful-sums takes 2 .* stores nothing to memref"
        ),
    ):
        device_code(_twice_the_sum, np.ones(20, np.float32))


def test_a_forgotten_follower_of_a_processor_is_an_error() -> None:
    """The product is written, and its maximum with 0 is not."""

    class Forgetful(Tiles):
        name = "forgetful-tiles"
        writer = staticmethod(lambda task, plan: ContractionEmitter(replace(task, finish=None), plan))

    x = np.ones((32, 32), np.float32)
    with (
        weft.settings.scope(cache=False),
        mock.patch.object(processor_table, "SCHEDULES", (Forgetful, *processor_table.SCHEDULES)),
        pytest.raises(
            InternalError, match=r"the schedule forgetful-tiles takes 2 .* stores nothing to memref"
        ),
    ):
        weft.function(lambda x, y: np.maximum(x @ y, 0))(x, x)
