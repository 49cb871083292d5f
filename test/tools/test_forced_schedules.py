"""`weft-opt --schedules`: another schedule than the cheapest, by its name."""

from __future__ import annotations

import pytest

from support.weft_opt import refused, weft_opt_here

TRANSPOSES = """func.func private @kernel_0(%a: memref<64x128xf32>, %c: memref<128x64xf32>, %d: memref<128x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<64x128xf32>) outs(%c : memref<128x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<64x128xf32>) outs(%d : memref<128x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.negf %x : f32
    linalg.yield %z : f32
  }
  return
}
"""  # noqa: E501
"""Two nests, at lines 2 and 7."""

PRODUCT = """func.func private @kernel_0(%x: memref<32x32xf32>, %y: memref<32x64xf32>, %o: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<32x64xf32>)
  linalg.matmul ins(%x, %y : memref<32x32xf32>, memref<32x64xf32>) outs(%o : memref<32x64xf32>)
  return
}
"""


def _on_device(*schedules: str) -> tuple[str, ...]:
    return ("--target=sm_90a", "--schedule-device-kernels", *(f"--schedules={name}" for name in schedules))


@pytest.mark.parametrize(
    ("forced", "expected"),
    [
        ((), ["squares", "squares"]),
        (("points",), ["points", "points"]),
        (("7:points",), ["squares", "points"]),
        (("2:points", "7:squares"), ["points", "squares"]),
        (("2:points", "points"), ["points", "points"]),
    ],
)
def test_a_schedule_of_a_device_is_forced(forced: tuple[str, ...], expected: list[str]) -> None:
    text = weft_opt_here(*_on_device(*forced), text=TRANSPOSES).stdout
    found = [
        line.split('weft.schedule = "')[1].split(":")[0] for line in text.splitlines() if "weft.sch" in line
    ]
    assert sorted(found) == sorted(expected), text
    by_name = {
        line.split("@")[1].split("(")[0]: line for line in text.splitlines() if "weft.schedule" in line
    }
    assert [expected[0] in by_name["kernel_0_0"], expected[1] in by_name["kernel_0_1"]] == [True, True]


def test_a_schedule_of_a_processor_is_forced() -> None:
    steps = ("--target=x86-64-v4", "--buffers-to-loops")
    usual, forced = (
        weft_opt_here(*steps, *more, text=PRODUCT).stdout for more in ((), ("--schedules=loops",))
    )
    assert "vector.fma" in usual
    assert forced
    assert "vector.fma" not in forced


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("rows", "the schedule rows matches no nest: there, points, squares do"),
        ("2:rows", "the schedule rows matches no nest of line 2: there, points, squares do"),
        ("3:rows", "the schedule rows matches no nest of line 3: no nest is written there by itself"),
        ("tiles", "the schedule tiles matches no nest: there, points, squares do"),
        ("sqares", "there is no schedule 'sqares': there are attention, columns, "),
        ("two:rows", "a schedule is forced as NAME or LINE:NAME, not as 'two:rows'"),
    ],
)
def test_what_cannot_be_forced_is_told(schedule: str, message: str) -> None:
    assert message in refused(*_on_device(schedule), text=TRANSPOSES)
