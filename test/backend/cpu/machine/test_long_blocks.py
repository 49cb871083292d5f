"""LLVM makes code for long basic blocks in time that grows with their length, not with its square."""

from __future__ import annotations

import pytest

from weft.backend.cpu.machine import llvm
from weft.backend.cpu.machine.native_target import binding

HEAD = """
define void @short(ptr %p) {
entry:
  br label %next

next:
  ret void
}

define void @f(ptr %p) {
"""


@pytest.mark.parametrize(("length", "is_long"), [(10, False), (llvm.LONG_BLOCK + 10, True)])
def test_blocks_are_measured(length: int, is_long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stores = "".join(f"  store i64 {number}, ptr %p\n" for number in range(length))
    module = binding().parse_assembly(f"{HEAD}{stores}  ret void\n}}\n")
    levels = []
    made = llvm._kept_target_machine

    def kept(target: object, level: int) -> object:
        levels.append(level)
        return made(target, level)

    monkeypatch.setattr(llvm, "_kept_target_machine", kept)
    assert llvm.object_code(module)
    assert levels == [1 if is_long else 2]
