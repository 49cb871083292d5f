"""The operators by name, for modules that need one that is defined on top of them."""

from __future__ import annotations

from types import SimpleNamespace

OPERATORS = SimpleNamespace()
"""What `weft_` is in converted code; the package fills it."""

__all__ = ["OPERATORS"]
