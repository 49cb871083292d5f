"""The functions of `keras.ops` in math."""

from __future__ import annotations

from typing import Any

from . import _bridge


def __getattr__(name: str) -> Any:
    return _bridge.lookup("math", name)
