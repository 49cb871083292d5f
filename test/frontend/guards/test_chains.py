"""Chains of attributes: what each call asks of them is the objects and their attributes, and nothing else."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.guards.captures import Capture


def chain(length: int) -> Any:
    """Objects in objects; the innermost one holds a number."""
    held = types.SimpleNamespace(value=2.0)
    for _ in range(length):
        held = types.SimpleNamespace(inner=held)
    return held


CHAIN = chain(5)


def follow(x: Any) -> Any:
    found = CHAIN
    for _ in range(5):
        found = found.inner
    return x * found.value


def test_what_numbers_objects_in_a_loop_is_no_array_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError("nothing was captured")

    monkeypatch.setattr(Capture, "of", refuse)
    compiled = weft.function(follow)
    assert compiled(np.ones(2)).tolist() == [2.0, 2.0]
    innermost = CHAIN.inner.inner.inner.inner.inner
    monkeypatch.setattr(innermost, "value", 3.0)
    assert compiled(np.ones(2)).tolist() == [3.0, 3.0]
    monkeypatch.setattr(CHAIN.inner.inner, "inner", chain(2))
    assert compiled(np.ones(2)).tolist() == [2.0, 2.0]
