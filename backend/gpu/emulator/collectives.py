"""Instructions of tensor cores, and asynchronous copies to shared memory."""

from __future__ import annotations

from .arithmetic import Maker

MAKERS: dict[str, Maker] = {}

__all__ = ["MAKERS"]
