"""The pool of threads is native code for each system."""

from __future__ import annotations

import types

import pytest

from weft.backend.cpu.machine.native_code import compile_assembly
from weft.backend.cpu.native_python.translator import translate
from weft.backend.cpu.threads import pool_code, posix, windows


def functions(module: types.ModuleType) -> set[str]:
    return {name for name, value in vars(module).items() if isinstance(value, types.FunctionType)}


def test_systems_have_the_same_functions() -> None:
    own = {name for name in functions(posix) if getattr(posix, name).__module__ == posix.__name__}
    assert own == {
        name for name in functions(windows) if getattr(windows, name).__module__ == windows.__name__
    }
    assert own <= functions(pool_code)


@pytest.mark.parametrize("system", [posix, windows])
def test_the_pool_is_code_for_each_system(system: types.ModuleType) -> None:
    text = translate([pool_code, system], ["weft_parallel_for"], 0)
    assert ("@CreateThread(" in text) == (system is windows)
    assert b"weft_parallel_for" in compile_assembly(text)
