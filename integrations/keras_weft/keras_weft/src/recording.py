"""What the backend asks of weft while a program is recorded; all of Keras's code, and of ours, is traced as it is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import weft
from weft.frontend.tracing.current import set_current_trace

for _package in ("keras", "keras_weft"):
    weft.autograph.do_not_convert_module(_package)


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """What is computed in the block is computed now, while a function is traced, too."""
    before = set_current_trace(None)
    try:
        yield
    finally:
        set_current_trace(before)


__all__ = ["outside"]
