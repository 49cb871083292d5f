"""What kernels allocate is on the stack, or freed: at the end of the block, or where upstream's passes say."""

from __future__ import annotations

from collections import Counter

import pytest

from weft.backend.cpu.codegen import deallocation
from weft.backend.cpu.codegen.deallocation import PlaceTemporaries
from weft.dialect.mlir import ir
from weft.dialect.register import context

HEAD = """
func.func @f(%m: memref<8xf64>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""
SIMPLE = {
    "read and written": """
  %a = memref.alloc() : memref<8xf64>
  memref.copy %m, %a : memref<8xf64> to memref<8xf64>
  %x = memref.load %a[%c0] : memref<8xf64>
  memref.store %x, %m[%c0] : memref<8xf64>
""",
    "through a view": """
  %a = memref.alloc() : memref<8000xf64>
  %v = memref.subview %a[2] [4] [1] : memref<8000xf64> to memref<4xf64, strided<[1], offset: 2>>
  %x = memref.load %v[%c0] : memref<4xf64, strided<[1], offset: 2>>
  memref.store %x, %m[%c0] : memref<8xf64>
""",
    "in a loop": """
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<8xf64>
    memref.copy %m, %a : memref<8xf64> to memref<8xf64>
  }
""",
}
CARRIED = """
  %a = memref.alloc() : memref<8xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> (memref<8xf64>) {
    %d = memref.alloc() : memref<8xf64>
    memref.copy %b, %d : memref<8xf64> to memref<8xf64>
    scf.yield %d : memref<8xf64>
  }
  memref.copy %r, %m : memref<8xf64> to memref<8xf64>
"""


def freed(body: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], bool]:
    """The lines of the function afterwards, and whether upstream's passes ran."""
    runs: list[str] = []
    run_passes = deallocation.run_passes
    monkeypatch.setattr(deallocation, "run_passes", lambda *args: (runs.append(args[1]), run_passes(*args)))
    with context(), ir.Location.unknown():
        module = ir.Module.parse(f"{HEAD}{body}  return\n}}")
        PlaceTemporaries().run(module, Counter())
        module.operation.verify()
        return [line.strip() for line in str(module).splitlines()], bool(runs)


@pytest.mark.parametrize("body", SIMPLE.values(), ids=SIMPLE)
def test_at_the_end_of_the_block(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, by_upstream = freed(body, monkeypatch)
    position = next(number for number, line in enumerate(lines) if line.startswith("memref.dealloc"))
    assert lines[position + 1] in ("return", "}")
    assert "\n".join(lines).count("memref.dealloc") == 1
    assert not by_upstream


def test_what_a_loop_carries_is_left_to_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, by_upstream = freed(CARRIED, monkeypatch)
    assert by_upstream
    assert sum(line.startswith("memref.dealloc") for line in lines) >= 2
