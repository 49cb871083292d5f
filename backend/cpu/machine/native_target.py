"""LLVM's view of any processor of this machine's architecture."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def binding() -> Any:
    """llvmlite, ready to make code for this machine."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def native_machine(level: int) -> Any:
    """What makes code, with so much effort, that is linked where it lies in memory."""
    target = binding().Target.from_default_triple()
    return target.create_target_machine(opt=level, reloc="pic", codemodel="jitdefault")
