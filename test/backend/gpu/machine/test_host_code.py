"""The host's part of a program for a GPU: how much LLVM makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.machine import llvm
from weft.backend.gpu.machine import host_program


def _level(monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], *arguments: Any) -> int | None:
    """The level of LLVM's code generation for the host's part of a function; None for that of processors."""
    levels: list[int | None] = []
    make = llvm.object_code

    def note(module: Any, level: int | None = None) -> bytes:
        levels.append(level)
        return make(module, level)

    with monkeypatch.context() as patch:
        patch.setattr(llvm, "object_code", note)
        weft.function(function, target="sm_90a").get_concrete_function(*arguments)
    (level,) = levels
    return level


def _steps(x: Any, n: Any) -> Any:
    total = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        total += 1
    return x + total


def test_what_launches_is_made_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _level(monkeypatch, lambda x: np.exp(x) + 1, np.ones(5)) == 0


def test_what_computes_is_made_well(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _level(monkeypatch, _steps, np.ones(5), np.int64(27)) is None


def test_what_is_long_is_made_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would need much memory on the stack."""
    monkeypatch.setattr(host_program, "MOST_LINES", 10)
    assert _level(monkeypatch, lambda x: np.exp(x) + 1, np.ones(5)) is None
