"""Keras's `rnn`."""

from __future__ import annotations

from typing import Any

from .ops import _bridge


def __getattr__(name: str) -> Any:
    return _bridge.lookup("rnn", name)
